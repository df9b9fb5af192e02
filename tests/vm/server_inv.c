// SPDX-License-Identifier: MIT
/*
 * usage: server_inv ADDRESS PORT: a server of rping's protocol whose go-ahead is a SEND with invalidate, as
 * krping's with server_inv. It serves one client, and ends when a request fails.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <infiniband/verbs.h>

#define STEPS 8
#define MESSAGE 16
#define BYTES_MAX 65536

/* Where a buffer of the client is. */
struct place {
	__be64 addr;
	__be32 rkey;
	__be32 bytes;
};

static struct place place[STEPS];
static char go_ahead[MESSAGE], data[BYTES_MAX];

static int completed(int n, const struct ibv_wc *wc)
{
	return n > 0 && !wc->status;
}

/* The client sends two addresses by turns: of its bytes, and of the buffer that gets them back. */
static int step(struct rdma_cm_id *id, unsigned int i, struct ibv_mr *data_mr, struct ibv_mr *go_mr)
{
	struct ibv_sge sge = { (uintptr_t)go_ahead, MESSAGE, go_mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND_WITH_INV,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct ibv_wc wc;
	uint32_t bytes;
	uint64_t addr;
	int ret;

	if (!completed(rdma_get_recv_comp(id, &wc), &wc))
		return -1;
	addr = be64toh(place[i].addr);
	bytes = ntohl(place[i].bytes);
	/* libsiw takes the key from where a WRITE has it. */
	wr.invalidate_rkey = wr.wr.rdma.rkey = ntohl(place[i].rkey);
	if (bytes > BYTES_MAX)
		return -1;
	ret = i % 2 ? rdma_post_write(id, NULL, data, bytes, data_mr, 0, addr, wr.invalidate_rkey) :
		      rdma_post_read(id, NULL, data, bytes, data_mr, 0, addr, wr.invalidate_rkey);
	if (ret || !completed(rdma_get_send_comp(id, &wc), &wc))
		return -1;
	if (ibv_post_send(id->qp, &wr, &bad))
		return -1;
	return completed(rdma_get_send_comp(id, &wc), &wc) ? 0 : -1;
}

static void serve(struct rdma_cm_id *id)
{
	struct rdma_conn_param param = { .responder_resources = 1, .initiator_depth = 1 };
	struct ibv_mr *place_mr = rdma_reg_msgs(id, place, sizeof(place));
	struct ibv_mr *go_mr = rdma_reg_msgs(id, go_ahead, sizeof(go_ahead));
	struct ibv_mr *data_mr = rdma_reg_msgs(id, data, sizeof(data));
	unsigned int i;

	if (!place_mr || !go_mr || !data_mr)
		return;
	for (i = 0; i < STEPS; i++)
		rdma_post_recv(id, NULL, &place[i], sizeof(place[i]), place_mr);
	if (rdma_accept(id, &param))
		return;
	for (i = 0; i < STEPS; i++)
		if (step(id, i, data_mr, go_mr))
			break;
	rdma_disconnect(id);
}

int main(int argc, char **argv)
{
	struct rdma_addrinfo hints = { .ai_flags = RAI_PASSIVE, .ai_port_space = RDMA_PS_TCP }, *list;
	struct ibv_qp_init_attr attr = {
		.cap = { STEPS, STEPS, 1, 1, 0 },
		.sq_sig_all = 1,
		.qp_type = IBV_QPT_RC,
	};
	struct rdma_cm_id *listener, *id;

	if (argc != 3)
		return 2;
	if (rdma_getaddrinfo(argv[1], argv[2], &hints, &list) ||
	    rdma_create_ep(&listener, list, NULL, &attr) || rdma_listen(listener, 1) ||
	    rdma_get_request(listener, &id))
		return 1;
	serve(id);
	return 0;
}
