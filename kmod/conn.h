/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_CONN_H
#define _KV_CONN_H

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/list.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/stddef.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include "obj.h"

struct kv_qp;
struct rdma_cm_event;
struct rdma_cm_id;

/* Bytes of private data that IB's CM messages carry for the user (IBTA 12.6, A11). */
#define KV_CONN_REQUEST_DATA_MAX 56
#define KV_CONN_REJECT_DATA_MAX 148

/**
 * struct kv_conn_data - private data of a peer's message
 * @length: bytes
 * @bytes: the data
 */
struct kv_conn_data {
	u32 length;
	u8 bytes[KVERBS_CONN_PRIVATE_MAX];
};

/**
 * struct kv_conn_news - an event of the RDMA CM
 * @state: the CONN's state after the event
 * @event: the event
 * @status: the event's status
 */
struct kv_conn_news {
	enum kverbs_conn_state state;
	enum kverbs_cm_event event;
	int status;
};

/**
 * union kv_conn_addr - an address, zeros behind its end
 * @family: the address family; 0: no address
 * @in: IPv4
 * @in6: IPv6
 */
union kv_conn_addr {
	sa_family_t family;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

/**
 * struct kv_conn_group - a multicast group that was joined
 * @gid: its GID
 * @qpn: what to send to; 0: no group was joined
 * @qkey: what to send with
 * @port: the device's port
 * @lid: its LID; 0 on RoCE
 * @sgid_index: of the GID to send from
 */
struct kv_conn_group {
	union ib_gid gid;
	u32 qpn;
	u32 qkey;
	u32 port;
	u32 lid;
	u32 sgid_index;
};

/**
 * struct kv_conn - a connection
 * @obj: base; parent 0 is the QP
 * @id: the CM's id; NULL if it had to be destroyed before the CONN; dev->lock
 * @qp: the QP that it connects, or NULL; dev->lock
 * @listener: the CONN that received the request, with a reference; NULL without a request
 * @requests: of a listener: CONNs that nobody has taken yet, oldest first, linked by
 *	@request, each with the reference from kv_obj_alloc(). kv_conn_lock protects
 *	@requests and the members below, except @comm_est, whose bit is atomic, and @work
 * @request: link in @requests of @listener; empty while it is not in that list
 * @told: the members that users see:
 * @backlog: of a listener, the largest number of @requests, else 0
 * @waiting: of a listener, the number of @requests
 * @news: the last event; commands change its state, too
 * @data: the peer's private data
 * @responder_resources: from the peer's request
 * @initiator_depth: ditto
 * @group: the multicast group, once it is joined
 * @group_addr: the address of the group, from JOIN on; dev->lock
 * @end: the event that ends the connection, if @ending
 * @ending: due: bring the QP to ERR, answer the peer, then set @news to @end
 * @foreign: due: destroy @id, which belongs to another device that may be about to go
 * @comm_est: bit 0: the QP's device has reported that the connection is established
 * @work: does the work that @ending, @foreign and @comm_est ask for; has a reference
 *	while it is due
 */
struct kv_conn {
	struct kv_obj obj;
	struct rdma_cm_id *id;
	struct kv_qp *qp;
	struct kv_conn *listener;
	struct list_head requests;
	struct list_head request;

	struct_group_tagged(kv_conn_told, told, /* kv_conn_show() copies it */
		u32 backlog;
		u32 waiting;
		struct kv_conn_news news;
		struct kv_conn_data data;
		u8 responder_resources;
		u8 initiator_depth;
		struct kv_conn_group group;
	);
	union kv_conn_addr group_addr;
	struct kv_conn_news end;
	bool ending;
	bool foreign;
	unsigned long comm_est;
	struct work_struct work;
};

/**
 * struct kv_conn_view - the properties of a CONN
 * @src: our address
 * @dst: the peer's address
 * @listener: the listener's id; 0: there is none, or it is gone
 * @told: as in struct kv_conn
 * @reason: text of a status that has one, or NULL
 * @requested: it began as a peer's request
 * @group: address of the multicast group; family 0: none
 */
struct kv_conn_view {
	union kv_conn_addr src;
	union kv_conn_addr dst;
	u32 listener;
	struct kv_conn_told told;
	const char *reason;
	bool requested;
	union kv_conn_addr group;
};

/**
 * struct kv_conn_param - parameters to connect or to accept
 * @qp: a QP of the same device
 * @access: KVERBS_ACCESS_* of the QP, if it is in RESET
 * @data: private data, or NULL
 * @length: of @data, bytes
 * @responder_resources: 0 .. 255, or -1: as many as possible
 * @initiator_depth: ditto
 * @retry_cnt: 0 .. 7
 * @rnr_retry: 0 .. 7
 * @ack_timeout: 0 .. 31
 */
struct kv_conn_param {
	struct kv_qp *qp;
	u32 access;
	const void *data;
	u32 length;
	int responder_resources;
	int initiator_depth;
	u8 retry_cnt;
	u8 rnr_retry;
	u8 ack_timeout;
};

struct kv_obj *kv_conn_create(const struct kv_new *new);
int kv_conn_expect(struct kv_conn *conn, u32 states, struct netlink_ext_ack *extack);
int kv_conn_bind(struct kv_conn *conn, union kv_conn_addr *src, struct netlink_ext_ack *extack);
int kv_conn_listen(struct kv_conn *conn, u32 backlog, struct netlink_ext_ack *extack);
struct kv_obj *kv_conn_get_request(struct kv_conn *listener, struct netlink_ext_ack *extack);
int kv_conn_resolve_addr(struct kv_conn *conn, union kv_conn_addr *dst, u32 timeout_ms,
			 struct netlink_ext_ack *extack);
int kv_conn_resolve_route(struct kv_conn *conn, u32 timeout_ms, struct netlink_ext_ack *extack);
int kv_conn_connect(struct kv_conn *conn, const struct kv_conn_param *param,
		    struct netlink_ext_ack *extack);
int kv_conn_establish(struct kv_conn *conn, u8 ack_timeout, struct netlink_ext_ack *extack);
int kv_conn_accept(struct kv_conn *conn, const struct kv_conn_param *param,
		   struct netlink_ext_ack *extack);
int kv_conn_reject(struct kv_conn *conn, const void *data, u32 length,
		   struct netlink_ext_ack *extack);
int kv_conn_disconnect(struct kv_conn *conn, struct netlink_ext_ack *extack);
int kv_conn_join(struct kv_conn *conn, union kv_conn_addr *src, const union kv_conn_addr *group,
		 struct netlink_ext_ack *extack);
int kv_conn_leave(struct kv_conn *conn, struct netlink_ext_ack *extack);
void kv_conn_renew_id(struct kv_conn *conn);
void kv_conn_show(struct kv_conn *conn, struct kv_conn_view *view);

int kv_conn_init(void);
void kv_conn_exit(void);

extern struct kv_obj_class kv_conn_class;

#endif
