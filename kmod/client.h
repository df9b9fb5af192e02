/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_CLIENT_H
#define _KV_CLIENT_H

struct ib_client;

extern struct ib_client kv_client;

#endif
