// SPDX-License-Identifier: MIT
/*
 * usage: client_inv ADDRESS PORT: a client of rping's protocol whose keys the server's go-ahead invalidates, as
 * krping's with server_inv. A peer can invalidate only one kind of keys of user space: those of memory windows
 * of type 2. Prints how many keys the server has invalidated; ends with 1 if one of them was not, or if
 * the bytes came back wrong.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <infiniband/verbs.h>

#define STEPS 8
#define BYTES 4000

/* Where a buffer of this side is. */
struct place {
	__be64 addr;
	__be32 rkey;
	__be32 bytes;
};

static struct place place, go_ahead[STEPS];
static char source[BYTES], sink[BYTES];

static int completed(int n, const struct ibv_wc *wc)
{
	return n > 0 && !wc->status;
}

/* Gives the window a new key, of the bytes at @data. */
static int bind_window(struct rdma_cm_id *id, struct ibv_mw *mw, struct ibv_mr *mr, void *data, unsigned int access)
{
	struct ibv_send_wr *bad, wr = {
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw = {
			.mw = mw,
			.rkey = ibv_inc_rkey(mw->rkey),
			.bind_info = { mr, (uintptr_t)data, BYTES, access },
		},
	};
	struct ibv_wc wc;

	if (ibv_post_send(id->qp, &wr, &bad) || !completed(rdma_get_send_comp(id, &wc), &wc))
		return -1;
	mw->rkey = wr.bind_mw.rkey;
	return 0;
}

/* Tells where the bytes at @data are, and waits for the go-ahead, which must invalidate the key. */
static int step(struct rdma_cm_id *id, struct ibv_mw *mw, void *data, struct ibv_mr *place_mr)
{
	struct ibv_wc wc;

	place = (struct place){ htobe64((uintptr_t)data), htonl(mw->rkey), htonl(BYTES) };
	if (rdma_post_send(id, NULL, &place, sizeof(place), place_mr, 0) ||
	    !completed(rdma_get_send_comp(id, &wc), &wc) || !completed(rdma_get_recv_comp(id, &wc), &wc))
		return -1;
	/* rxe's flag has the number of the kernel's IB_WC_WITH_INVALIDATE, which is another one here (do_complete()). */
	return wc.invalidated_rkey == mw->rkey ? 0 : -1;
}

static int ping(struct rdma_cm_id *id)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND;
	struct ibv_mr *source_mr = ibv_reg_mr(id->pd, source, BYTES, access);
	struct ibv_mr *sink_mr = ibv_reg_mr(id->pd, sink, BYTES, access);
	struct ibv_mr *go_mr = rdma_reg_msgs(id, go_ahead, sizeof(go_ahead));
	struct ibv_mr *place_mr = rdma_reg_msgs(id, &place, sizeof(place));
	struct ibv_mw *mw = ibv_alloc_mw(id->pd, IBV_MW_TYPE_2);
	int i;

	if (!source_mr || !sink_mr || !go_mr || !place_mr || !mw)
		return -1;
	for (i = 0; i < STEPS; i++)
		rdma_post_recv(id, NULL, &go_ahead[i], sizeof(go_ahead[i]), go_mr);
	if (rdma_connect(id, NULL))
		return -1;
	for (i = 0; i < STEPS; i += 2) {
		memset(source, 'a' + i, BYTES);
		if (bind_window(id, mw, source_mr, source, IBV_ACCESS_REMOTE_READ) ||
		    step(id, mw, source, place_mr) ||
		    bind_window(id, mw, sink_mr, sink, IBV_ACCESS_REMOTE_WRITE) ||
		    step(id, mw, sink, place_mr) || memcmp(source, sink, BYTES))
			break;
	}
	printf("%d keys invalidated\n", i);
	rdma_disconnect(id);
	return i == STEPS ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP }, *list;
	struct ibv_qp_init_attr attr = {
		.cap = { STEPS, STEPS, 1, 1, 0 },
		.sq_sig_all = 1,
		.qp_type = IBV_QPT_RC,
	};
	struct rdma_cm_id *id;

	if (argc != 3)
		return 2;
	if (rdma_getaddrinfo(argv[1], argv[2], &hints, &list) || rdma_create_ep(&id, list, NULL, &attr))
		return 1;
	return ping(id) ? 1 : 0;
}
