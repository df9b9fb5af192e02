/* SPDX-License-Identifier: MIT */
#ifndef KV_OBJECT_TRACE_CONN_H
#define KV_OBJECT_TRACE_CONN_H

#include "object/tell.h"

/*
 * Telling of the operations on connections that call a verb of the RDMA CM. What is not here
 * calls none: a request that is taken came by itself; events come to the kernel by a call, and
 * user space's say no more than what follows.
 */

kv_tell_fn kv_tell_conn_new;
kv_tell_fn kv_tell_conn_listen;
kv_tell_fn kv_tell_conn_resolve_addr;
kv_tell_fn kv_tell_conn_resolve_route;
kv_tell_fn kv_tell_conn_connect;
kv_tell_fn kv_tell_conn_establish;
kv_tell_fn kv_tell_conn_accept;
kv_tell_fn kv_tell_conn_reject;
kv_tell_fn kv_tell_conn_disconnect;

#endif
