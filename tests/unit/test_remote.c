// SPDX-License-Identifier: MIT
/* The remote backend against what 'kverbs serve' runs for a client, in one process. */
#include "test.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "backend/content.h"
#include "fake_backend.h"
#include "fake_server.h"
#include "file/transfer.h"
#include "cli/interrupt.h"
#include "sys/now.h"
#include "remote/channel.h"
#include "remote/connect.h"
#include "rules/qp_table.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define PROTOCOL TEXT(KV_PROTOCOL)

#define ORDER "little"
#else
#define ORDER "big"
#endif

#define TOKEN "0123456789abcdef0123456789abcdef"

/* Two hosts: the server, the client, and their connection. */
struct world {
	struct kv_serve serve;
	struct kv_peer peer;
	char token[32];
	char wrong[32];
	pthread_t thread;
	int server_fd;
	int parent[2];
	bool full;
	struct kv_backend *b;
	struct kv_limits limits;
	struct kv_fault f;
	char said[KV_SERVE_TEXT + 1];
};

static void *serve(void *arg)
{
	struct world *w = arg;

	kv_serve_client(&w->serve, w->server_fd, -1, w->parent[1]);
	return NULL;
}

static void write_token(char *path, const char *text)
{
	int fd;

	strcpy(path, "/tmp/kverbs-token-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (int)strlen(text));
	close(fd);
}

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	fake_world_reset();
	fake_serve_init(&w->serve);
	w->peer = (struct kv_peer){ .host = "there", .ib_port = 1, .gid = -1 };
	write_token(w->token, TOKEN "\n");
	write_token(w->wrong, "not " TOKEN "\n");
	*state = w;
	return 0;
}

static int open_it(struct world *w)
{
	char word = w->full ? KV_SERVE_NO : KV_SERVE_YES, dev[64], version[32];
	struct kv_wire wire;
	int fd[2], ret;

	fake_pair(fd);
	w->server_fd = fd[1];
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, w->parent), 0);
	assert_int_equal(write(w->parent[0], &word, 1), 1);
	pthread_create(&w->thread, NULL, serve, w);
	assert_int_equal(kv_wire_init(&wire, fd[0]), 0);
	ret = kv_remote_hello(&wire, &w->peer, KV_SPACE_KERNEL, &w->limits, dev,
			      version, &w->f);
	if (ret) {
		kv_wire_close(&wire);
		return ret;
	}
	assert_string_equal(dev, "rxe0");
	return kv_backend_remote_open(&w->b, &wire, w->peer.host, KV_SPACE_KERNEL,
				      dev, w->limits.idle_ns, w->peer.keep);
}

/* The last message of the server. */
static void close_it(struct world *w)
{
	ssize_t n;

	if (w->b)
		w->b->ops->close(w->b);
	w->b = NULL;
	pthread_join(w->thread, NULL);
	while ((n = recv(w->parent[0], w->said, KV_SERVE_TEXT, MSG_DONTWAIT)) > 0)
		w->said[n] = '\0';
	close(w->parent[0]);
	close(w->parent[1]);
}

static int tear_down(void **state)
{
	struct world *w = *state;

	assert_int_equal(fake_world.open, 0);
	assert_int_equal(fake_world.objects, 0);
	unlink(w->token);
	unlink(w->wrong);
	free(w);
	return 0;
}

static void says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' does not say '%s'", text, part);
}

static int buf_write(struct kv_backend *b, uint32_t id, uint64_t offset, const void *data,
		    uint64_t length)
{
	return kv_op_buf_write(b, &(struct kv_buf_data){ id, offset, length, .from = data }, NULL,
			       NULL);
}

static int buf_read(struct kv_backend *b, uint32_t id, uint64_t offset, void *data,
		   uint64_t length)
{
	return kv_op_buf_read(b, &(struct kv_buf_data){ id, offset, length, .into = data }, NULL,
			      NULL);
}

static void test_objects(void **state)
{
	struct world *w = *state;
	struct kv_pd_init pd_init = { .dev = "rxe0" };
	struct kv_buf_init buf_init = { .dev = "rxe0", .length = 4096 };
	union kv_object object;
	struct kv_backend *b;
	char there[4096], back[4096];
	struct kv_pd pd;
	struct kv_buf buf;
	uint64_t ns = 0;

	assert_int_equal(open_it(w), 0);
	b = w->b;
	assert_string_equal(b->ops->space, "kernel");
	assert_int_equal(kv_op_pd_new(b, &pd_init, &pd, &ns), 0);
	assert_int_equal(ns, 1000);
	assert_int_equal(pd.local_dma_lkey, 0x1234);
	assert_int_equal(kv_op_buf_new(b, &buf_init, &buf, &ns), 0);
	memset(there, 0x5a, sizeof(there));
	assert_int_equal(buf_write(b, buf.id, 0, there, sizeof(there)), 0);
	assert_int_equal(buf_read(b, buf.id, 0, back, sizeof(back)), 0);
	assert_memory_equal(there, back, sizeof(there));
	assert_int_equal(kv_op_get(b, KV_BUF, buf.id, &object), 0);
	assert_int_equal(object.buf.length, 4096);
	assert_int_equal(kv_op_get(b, KV_BUF, 33, &object), -ENOENT);
	says(b->err, "there: buf_get.id: no buf 33 among the client's");
	assert_null(content_stays_in_its_buffer(b, "rxe0"));
	/* One that is refused leaves the connection as it was. */
	assert_int_equal(buf_read(b, buf.id, 4000, back, 200), -EINVAL);
	assert_int_equal(buf_write(b, buf.id, 0, there, 0), -ERANGE);
	says(b->err, "length is 0: it must be 1 byte at least");
	pd_init.persistent = true;
	assert_int_equal(kv_op_pd_new(b, &pd_init, &pd, &ns), -EPERM);
	says(b->err, "there: an object of a client can't be persistent");
	pd_init = (struct kv_pd_init){ .dev = "other" };
	assert_int_equal(kv_op_pd_new(b, &pd_init, &pd, &ns), -ENODEV);
	assert_int_equal(kv_op_del(b, KV_BUF, buf.id, &ns), 0);
	assert_int_equal(ns, 500);
	/* The PD goes with the client. */
	close_it(w);
	says(w->said, "ended: the connection was closed");
}

/* Which verb has failed at the other host is told here; a refusal before any is none. */
static void test_failed(void **state)
{
	const struct kv_wr wr = { .op = KVERBS_OP_RECV };
	const struct kv_post post = { .wrs = 1, .wr = &wr };
	struct world *w = *state;

	assert_int_equal(open_it(w), 0);
	fake_world.refusal = "the device refuses the request";
	fake_world.failed = KVERBS_STAGE_POST;
	assert_int_equal(kv_op_wr_post(w->b, &post, &(struct kv_posted){ 0 }, NULL), -EINVAL);
	says(w->b->err, "there: the device refuses the request");
	assert_int_equal(w->b->failed, KVERBS_STAGE_POST);
	fake_world.failed = KVERBS_STAGE_UNSPEC;
	assert_int_equal(kv_op_wr_post(w->b, &post, &(struct kv_posted){ 0 }, NULL), -EINVAL);
	assert_int_equal(w->b->failed, KVERBS_STAGE_UNSPEC);
	/* The server's own. */
	fake_world.failed = KVERBS_STAGE_POST;
	assert_int_equal(kv_op_wr_post(w->b, &post, &(struct kv_posted){ 0 }, NULL), -EINVAL);
	assert_int_equal(kv_op_pd_del(w->b, &(struct kv_id){ 7 }, NULL, NULL), -ENOENT);
	assert_int_equal(w->b->failed, KVERBS_STAGE_UNSPEC);
	fake_world.refusal = NULL;
	close_it(w);
}

/* The parts of a time come along, and are gone with the next call. */
static void test_stages(void **state)
{
	struct kv_qp_modify modify = {
		.attr = {
			.state = KVERBS_QPS_INIT,
			.mask = KV_QPA_STATE | KV_QPA_PORT | KV_QPA_PKEY_INDEX | KV_QPA_ACCESS_FLAGS,
		},
	};
	struct kv_qp_init qp_init = { .type = KVERBS_QPT_RC, .max_send_wr = 1, .max_recv_wr = 1 };
	struct kv_cq_init cq_init = { .dev = "rxe0", .cqe = 2 };
	struct kv_pd_init pd_init = { .dev = "rxe0" };
	struct world *w = *state;
	struct kv_pd pd;
	struct kv_cq cq;
	struct kv_qp qp;
	uint64_t ns;

	assert_int_equal(open_it(w), 0);
	assert_int_equal(kv_op_pd_new(w->b, &pd_init, &pd, NULL), 0);
	assert_int_equal(kv_op_cq_new(w->b, &cq_init, &cq, NULL), 0);
	qp_init.pd = pd.id;
	qp_init.send_cq = qp_init.recv_cq = cq.id;
	assert_int_equal(kv_op_qp_new(w->b, &qp_init, &qp, NULL), 0);
	modify.id = qp.id;
	assert_int_equal(kv_op_qp_modify(w->b, &modify, NULL, &ns), 0);
	assert_int_equal(ns, 3000);
	assert_int_equal(w->b->times.stage_ns[KVERBS_STAGE_MODIFY], 3000);
	assert_int_equal(w->b->times.stage_ns[KVERBS_STAGE_RESOLVE], 0);
	assert_int_equal(kv_op_del(w->b, KV_QP, modify.id, &ns), 0);
	assert_int_equal(ns, 500);
	assert_int_equal(w->b->times.stage_ns[KVERBS_STAGE_MODIFY], 0);
	close_it(w);
}

/* An object that the client has not made: in the kernel another socket may have it. */
static void test_others(void **state)
{
	struct kv_pd_init pd_init = { .dev = "rxe0" };
	struct kv_mr_init mr_init = { .max_pages = 1 };
	struct kv_run_start start = { .spec = { .dev = "rxe0", .iters = 1 } };
	struct kv_wr wr = { .sges = 1, .op = KVERBS_OP_RECV };
	struct kv_mr_reg reg = { .length = 64 };
	struct world *w = *state;
	union kv_object object;
	struct kv_backend *b;
	char data[8] = "";
	struct kv_posted posted;
	struct kv_id id;
	uint64_t ns;

	assert_int_equal(open_it(w), 0);
	b = w->b;
	assert_int_equal(kv_op_get(b, KV_MR, 7, &object), -ENOENT);
	assert_int_equal(buf_read(b, 7, 0, data, 8), -ENOENT);
	assert_int_equal(buf_write(b, 7, 0, data, 8), -ENOENT);
	says(b->err, "there: buf_write.id: no buf 7 among the client's");
	mr_init.pd = 7;
	assert_int_equal(kv_op_mr_new(b, &mr_init, &object.mr, &ns), -ENOENT);
	says(b->err, "there: mr_new.pd: no pd 7 ");
	assert_int_equal(kv_op_del(b, KV_MR, 7, &ns), -ENOENT);
	says(b->err, "there: mr_del.id: no mr 7 ");
	/* An id counts for its own type only, and those within lists and structs count. */
	assert_int_equal(kv_op_pd_new(b, &pd_init, &object.pd, &ns), 0);
	mr_init.pd = object.pd.id;
	assert_int_equal(kv_op_mr_new(b, &mr_init, &object.mr, &ns), 0);
	reg.id = reg.qp = object.mr.id;
	assert_int_equal(kv_op_mr_reg(b, &reg, &object.mr, &ns), -ENOENT);
	says(b->err, "there: mr_reg.qp: no qp ");
	reg.qp = 0;
	reg.buf = 7;
	assert_int_equal(kv_op_mr_reg(b, &reg, &object.mr, &ns), -ENOENT);
	says(b->err, "there: mr_reg.buf: no buf 7 among the client's");
	wr.sge[0].buf = 7;
	assert_int_equal(kv_op_wr_post(b, &(struct kv_post){ .wrs = 1, .wr = &wr }, &posted, &ns), -ENOENT);
	says(b->err, "there: wr_post.buf: no buf ");
	start.spec.ends = 1;
	start.spec.end[0].local_buf = 7;
	assert_int_equal(kv_op_run_start(b, &start, &id, NULL), -ENOENT);
	says(b->err, "there: run_start.local_buf: no buf ");
	close_it(w);
}

static int hears(struct kv_backend *b, const struct kv_event *event)
{
	struct kv_event heard;
	int ret;

	fake_world.event = *event;
	ret = kv_op_event_wait(b, &(struct kv_wait){ 0, 0 }, &heard, NULL);
	if (!ret)
		assert_memory_equal(&heard, event, sizeof(heard));
	assert_int_equal(fake_world.event.type, 0);
	return ret;
}

/* The kernel tells of everybody's. */
static void test_events(void **state)
{
	struct kv_run_start start = { .spec = { .dev = "rxe0", .iters = 1 } };
	struct kv_pd_init pd_init = { .dev = "rxe0" };
	struct world *w = *state;
	struct kv_backend *b;
	struct kv_conn conn;
	struct kv_pd pd;
	struct kv_id run;
	uint64_t ns;

	assert_int_equal(open_it(w), 0);
	b = w->b;
	assert_int_equal(kv_op_pd_new(b, &pd_init, &pd, &ns), 0);
	assert_int_equal(kv_op_conn_new(b, &(struct kv_conn_init){ .dev = "rxe0" }, &conn, &ns), 0);
	assert_int_equal(kv_op_run_start(b, &start, &run, NULL), 0);

#define HEARS(what, ...)						\
	hears(b, &(struct kv_event){ .type = KVERBS_EVENT_##what, .dev = "rxe0", __VA_ARGS__ })
	assert_int_equal(HEARS(DEV_REMOVED), 0);
	assert_int_equal(HEARS(RUN_DONE, .run = run.id), 0);
	assert_int_equal(HEARS(RUN_DONE, .run = run.id + 1), -EAGAIN);
	assert_int_equal(HEARS(CM, .conn = conn.id), 0);
	assert_int_equal(HEARS(CM, .conn = conn.id + 1), -EAGAIN);
	/* A PD's id says nothing of a QP. */
	assert_int_equal(HEARS(WC_ERROR, .qp = pd.id), -EAGAIN);
	assert_int_equal(HEARS(COMPLETION, .cq = pd.id), -EAGAIN);
	assert_int_equal(HEARS(SRQ_LIMIT_REACHED, .srq = pd.id), -EAGAIN);
#undef HEARS
	close_it(w);
}

static void test_runs(void **state)
{
	static struct kv_run_result result;
	struct kv_run_start start = { .spec = { .iters = UINT64_MAX, .cpu = -1, .spins = -1 } };
	struct world *w = *state;
	struct kv_counters counters;
	struct kv_id id;

	strcpy(start.spec.dev, "rxe0");
	assert_int_equal(open_it(w), 0);
	assert_int_equal(kv_op_run_start(w->b, &start, &id, NULL), 0);
	assert_int_equal(kv_op_run_wait(w->b, &(struct kv_wait){ id.id, 1500 }, NULL, NULL), 0);
	assert_int_equal(kv_op_run_get(w->b, &(struct kv_run_which){ id.id, 0 }, &result, NULL), 0);
	assert_int_equal(result.workers, 1);
	/* An empty bin is as kv_hist_reset() leaves it, so that histograms can be merged. */
	assert_int_equal(result.hist.bin[5].count, 0);
	assert_int_equal(result.hist.bin[5].low, ~0U);
	assert_int_equal(result.worker[0].samples, 3);
	assert_int_equal(result.spec.cpu, -1);
	assert_true(result.hist.sum == result.worker[0].sum_ticks);
	assert_true(kv_hist_max(&result.hist) == UINT64_MAX);
	assert_int_equal(result.hist.bin[0].count, 1);
	assert_int_equal(result.hist.bin[KV_HIST_BINS - 1].count, 1);
	assert_int_equal(kv_op_run_get(w->b, &(struct kv_run_which){ id.id, 1 }, &result, NULL),
			 -EBADMSG);
	says(w->b->err, "there: the answer has no result of worker 1");
	assert_int_equal(kv_op_run_del(w->b, &id, NULL, NULL), 0);
	start.spec.time_ns = 3600000000001ULL;
	assert_int_equal(kv_op_run_start(w->b, &start, &id, NULL), -ERANGE);
	says(w->b->err, "there: a run may take 3600 s here");
	assert_int_equal(kv_op_counters(w->b, &(struct kv_dev_port){ "rxe0", 1 }, &counters, NULL), 0);
	assert_int_equal(counters.counters, 2);
	assert_string_equal(counters.counter[1].name, "sent_pkts");
	close_it(w);
}

static void test_large_device(void **state)
{
	const struct kv_dev_name name = { "rxe0" };
	struct kv_dev *dev = calloc(2, sizeof(*dev));
	struct world *w = *state;

	assert_non_null(dev);
	open_it(w);
	fake_world.large_dev = true;
	assert_int_equal(fake_dev_get(w->b, &name, &dev[0]), 0);
	assert_int_equal(kv_op_dev_get(w->b, &name, &dev[1], NULL), 0);
	assert_int_equal(dev[1].listed, KV_PORTS_MAX);
	assert_int_equal(dev[1].port[KV_PORTS_MAX - 1].gids, KV_GIDS_MAX);
	assert_memory_equal(&dev[0], &dev[1], sizeof(dev[0]));
	fake_world.large_dev = false;
	fake_world.broken_port = 2;
	assert_int_equal(kv_op_dev_get(w->b, &name, &dev[1], NULL), 0);
	assert_int_equal(dev[1].port[0].state, 4);
	assert_int_equal(dev[1].port[1].error, EIO);
	free(dev);
	close_it(w);
}

static void test_run_too_long(void **state)
{
	struct kv_run_start start = { .spec = { .iters = 1, .cpu = -1, .spins = -1 } };
	struct world *w = *state;
	struct kv_info info;
	struct kv_id id;

	strcpy(start.spec.dev, "rxe0");
	w->serve.limits.time_ns = 300000000;
	fake_world.late_runs = true;
	assert_int_equal(open_it(w), 0);
	assert_int_equal(kv_op_run_start(w->b, &start, &id, NULL), 0);
	usleep(600000);
	assert_int_equal(kv_op_info_get(w->b, NULL, &info, NULL), -ETIMEDOUT);
	says(w->b->err, "there: a run has taken longer than 0.3 s and was cancelled");
	close_it(w);
	assert_false(fake_world.late_runs);
}

static void test_caps(void **state)
{
	struct kv_cq_init cq_init = { .dev = "rxe0", .cqe = 100000 };
	struct kv_buf_init buf_init = { .dev = "rxe0", .length = 3000 };
	struct kv_pd_init pd_init = { .dev = "rxe0" };
	struct world *w = *state;
	struct kv_backend *b;
	struct kv_pd pd;
	struct kv_cq cq;
	struct kv_buf buf;
	uint64_t ns;

	w->serve.limits.objects = 3;
	w->serve.limits.bytes = 4096;
	assert_int_equal(open_it(w), 0);
	assert_int_equal(w->limits.objects, 3);
	b = w->b;
	assert_int_equal(kv_op_pd_new(b, &pd_init, &pd, &ns), 0);
	assert_int_equal(kv_op_cq_new(b, &cq_init, &cq, &ns), -EDQUOT);
	says(b->err, "there: cqe is 100000; a client may have 65536");
	assert_int_equal(kv_op_buf_new(b, &buf_init, &buf, &ns), 0);
	assert_int_equal(kv_op_buf_new(b, &buf_init, &buf, &ns), -EDQUOT);
	says(b->err, "there: a client's buffers and queues may have 4096 bytes together");
	says(b->err, "and 3000 are taken");
	assert_int_equal(kv_op_pd_new(b, &pd_init, &pd, &ns), 0);
	assert_int_equal(kv_op_pd_new(b, &pd_init, &pd, &ns), -EDQUOT);
	says(b->err, "there: a client may have 3 objects");
	assert_int_equal(kv_op_del(b, KV_BUF, buf.id, &ns), 0);
	assert_int_equal(kv_op_buf_new(b, &buf_init, &buf, &ns), 0);
	close_it(w);
}

/* Queues are memory as well, of the kernel's. */
static void test_queue_caps(void **state)
{
	struct kv_cq_init cq_init = { .dev = "rxe0", .cqe = 30000 };
	struct kv_pd_init pd_init = { .dev = "rxe0" };
	struct kv_srq_init srq_init = { .max_wr = 10, .max_sge = 1 };
	struct kv_srq_attr attr = { .has_max_wr = true, .max_wr = 16000 };
	struct kv_qp_init qp_init = {
		.type = KVERBS_QPT_RC, .max_send_wr = 16384, .max_recv_wr = 16384,
		.max_send_sge = 32, .max_recv_sge = 32,
	};
	struct world *w = *state;
	struct kv_backend *b;
	struct kv_srq srq;
	struct kv_pd pd;
	struct kv_cq cq;
	struct kv_qp qp;
	uint64_t ns;

	w->serve.limits.bytes = 7 << 20;
	assert_int_equal(open_it(w), 0);
	b = w->b;
	assert_int_equal(kv_op_pd_new(b, &pd_init, &pd, &ns), 0);
	assert_int_equal(kv_op_cq_new(b, &cq_init, &cq, &ns), 0);
	assert_int_equal(kv_op_cq_new(b, &cq_init, &cq, &ns), -EDQUOT);
	says(b->err, "and 4194304 are taken");
	qp_init.pd = srq_init.pd = pd.id;
	qp_init.send_cq = qp_init.recv_cq = cq.id;
	assert_int_equal(kv_op_qp_new(b, &qp_init, &qp, &ns), -EDQUOT);
	says(b->err, "there: a client's buffers and queues may have 7340032 bytes together");
	qp_init.max_send_wr = qp_init.max_recv_wr = 16;
	assert_int_equal(kv_op_qp_new(b, &qp_init, &qp, &ns), 0);
	assert_int_equal(kv_op_srq_new(b, &srq_init, &srq, &ns), 0);
	attr.id = srq.id;
	assert_int_equal(kv_op_srq_modify(b, &attr, &srq, &ns), -EDQUOT);
	assert_int_equal(kv_op_del(b, KV_QP, qp.id, &ns), 0);
	assert_int_equal(kv_op_del(b, KV_CQ, cq.id, &ns), 0);
	assert_int_equal(kv_op_srq_modify(b, &attr, &srq, &ns), 0);
	assert_int_equal(kv_op_cq_new(b, &cq_init, &cq, &ns), -EDQUOT);
	attr.max_wr = 10;
	assert_int_equal(kv_op_srq_modify(b, &attr, &srq, &ns), 0);
	assert_int_equal(kv_op_cq_new(b, &cq_init, &cq, &ns), 0);
	close_it(w);
}

/* A silent client is sent away, but not a client that is only busy elsewhere. */
static void test_idle(void **state)
{
	struct world *w = *state;
	struct kv_info info;

	w->serve.limits.idle_ns = 300000000;
	assert_int_equal(open_it(w), 0);
	usleep(1000000);
	assert_int_equal(kv_op_info_get(w->b, NULL, &info, NULL), 0);
	close_it(w);
	says(w->said, "the connection was closed");
}

static void test_server_goes(void **state)
{
	struct world *w = *state;
	struct kv_info info;

	assert_int_equal(open_it(w), 0);
	shutdown(w->server_fd, SHUT_RDWR);
	assert_int_equal(kv_op_info_get(w->b, NULL, &info, NULL), -ECONNRESET);
	says(w->b->err, "there: the connection");
	assert_int_equal(kv_op_info_get(w->b, NULL, &info, NULL), -ENOTCONN);
	says(w->b->err, "there: the connection");
	close_it(w);
}

static void refused(struct world *w, int error, const char *here, const char *there)
{
	assert_int_equal(open_it(w), error);
	says(w->f.text, here);
	close_it(w);
	says(w->said, there);
}

/* Each client's process has one of its own, and wipes it. */
static void give_token(struct world *w)
{
	assert_int_equal(w->serve.token.length, 0);
	assert_int_equal(kv_token_read(&w->serve.token, w->token, &w->f), 0);
	assert_int_equal(w->serve.token.length, strlen(TOKEN));
}

static void test_token(void **state)
{
	struct world *w = *state;
	struct kv_info info;

	give_token(w);
	w->peer.token_file = w->token;
	assert_int_equal(open_it(w), 0);
	assert_int_equal(kv_op_info_get(w->b, NULL, &info, NULL), 0);
	close_it(w);
	give_token(w);
	w->peer.token_file = w->wrong;
	refused(w, -EACCES, "there: wrong token", "refused: wrong token");
	give_token(w);
	w->peer.token_file = NULL;
	refused(w, -EACCES, "there: the server wants a token", "refused: the server wants a token");
	w->peer.token_file = w->token;
	refused(w, -EACCES, "there: the client has a token, and the server has none",
		"refused: the client has a token");
}

static void test_token_files(void **state)
{
	struct world *w = *state;
	struct kv_token t;

	assert_int_equal(chmod(w->token, 0640), 0);
	assert_int_equal(kv_token_read(&t, w->token, &w->f), -EACCES);
	says(w->f.text, "(mode 0640); 'chmod 600");
	assert_int_equal(chmod(w->token, 0600), 0);
	assert_int_equal(truncate(w->token, 15), 0);
	assert_int_equal(kv_token_read(&t, w->token, &w->f), -EINVAL);
	says(w->f.text, "16 .. 4096 bytes");
	assert_int_equal(truncate(w->token, 4097), 0);
	assert_int_equal(kv_token_read(&t, w->token, &w->f), -EINVAL);
	assert_int_equal(truncate(w->token, 4096), 0);
	assert_int_equal(kv_token_read(&t, w->token, &w->f), 0);
	assert_int_equal(kv_token_read(&t, "/tmp", &w->f), -EINVAL);
	says(w->f.text, "is no regular file");
	assert_int_equal(kv_token_read(&t, "/nosuch", &w->f), -ENOENT);
}

/* Only root can give a file away. */
static void test_token_owner(void **state)
{
	struct world *w = *state;
	struct kv_token t;

	if (geteuid())
		skip();
	assert_int_equal(chown(w->token, 65534, 65534), 0);
	assert_int_equal(kv_token_read(&t, w->token, &w->f), -EACCES);
	says(w->f.text, "user 65534 owns it, neither root nor the user who runs this (0)");
	assert_int_equal(t.length, 0);
	assert_int_equal(chown(w->token, 0, 0), 0);
	assert_int_equal(kv_token_read(&t, w->token, &w->f), 0);
}

static void test_refused(void **state)
{
	struct world *w = *state;

	w->serve.space[KV_SPACE_KERNEL] = false;
	refused(w, -EOPNOTSUPP, "there: the server does not serve kernel space",
		"refused: the server does not serve kernel space");
	w->serve.space[KV_SPACE_KERNEL] = true;
	w->peer.dev = "other";
	refused(w, -ENODEV, "there: kernel space: there is no RDMA device 'other'; there is rxe0",
		"refused: kernel space: there is no RDMA device");
	w->peer.dev = "rxe0";
	w->full = true;
	refused(w, -EBUSY, "there: the server is full: it has 1 clients",
		"refused: the server is full");
}

static void send_text(int fd, const char *text);

/* A hello is sent, of which only a part is ours; the answer is compared. */
static void hello(const char *text, const char *want, const char *there)
{
	struct kv_hello_answer answer;
	struct kv_hello_head head;
	struct world w = { .server_fd = -1 };
	struct kv_wire wire;
	int fd[2];

	fake_serve_init(&w.serve);
	fake_pair(fd);
	w.server_fd = fd[1];
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, w.parent), 0);
	pthread_create(&w.thread, NULL, serve, &w);
	assert_int_equal(kv_wire_init(&wire, fd[0]), 0);
	assert_int_equal(kv_wire_receive(&wire, UINT64_MAX / 2), 0);
	assert_int_equal(kv_hello_take_head(&wire, &head), 0);
	assert_int_equal(head.protocol, KV_PROTOCOL);
	send_text(fd[0], text);
	if (want) {
		assert_int_equal(kv_wire_receive(&wire, UINT64_MAX / 2), 0);
		assert_int_equal(kv_attrs_take(&kv_shape_hello_answer, wire.head,
					       (int)wire.head_length, "hello", &answer, &wire.fault), 0);
		says(answer.error, want);
	} else {
		assert_true(kv_wire_receive(&wire, UINT64_MAX / 2) < 0);
	}
	kv_wire_close(&wire);
	close_it(&w);
	says(w.said, there);
}

static void test_hello(void **state)
{
	hello("{\"protocol\":1,\"whatever\":[]}", "the client speaks protocol 1",
	      "refused: the client speaks protocol 1");
	hello("{}", "the client speaks protocol 0", "refused: the client speaks protocol 0");
	/* That of version 3, whole. */
	hello("{\"protocol\":3,\"version\":\"0.1.0\",\"space\":0,\"dev\":\"\",\"token\":false,\"nonce\":\"00\",\"mac\":\"00\"}",
	      "the client speaks protocol 3, this kverbs " KVERBS_VERSION " speaks " PROTOCOL,
	      "refused: the client speaks protocol 3");
	hello("{\"protocol\":" PROTOCOL "}", NULL, "refused: hello.version is missing");
	hello("{\"protocol\":" PROTOCOL ",\"version\":1,\"order\":\"little\"}", NULL,
	      "refused: hello.version is no text");
	hello("{\"protocol\":" PROTOCOL ",\"version\":\"1\",\"order\":\"middle\"}",
	      "the two hosts have different byte orders",
	      "refused: the two hosts have different byte orders");
	hello("{\"protocol\":" PROTOCOL ",\"version\":\"1\",\"order\":\"" ORDER "\",\"more\":1}", NULL,
	      "refused: hello has an unknown member");
	hello("{\"protocol\":" PROTOCOL ",\"version\":\"1\",\"order\":\"" ORDER "\"}", NULL,
	      "refused: hello.space is missing");
	hello("[]", NULL, "refused: a message is no JSON object");
	hello("{\"protocol\"", NULL, "refused: a message is no JSON object");
	hello("GET / HTTP/1.1\r\n\r\n", NULL, "refused: the bytes that came are no message of kverbs");
	hello("kvb1\x7f\x01\x01\x01\x01\x01\x01\x01", NULL,
	      "refused: a message says that it has 2130772225 bytes");
}

static void other_server(const char *bytes, size_t n, int error, const char *want)
{
	struct kv_peer peer = { .host = "there", .gid = -1 };
	struct kv_limits limits;
	struct kv_fault f = { 0 };
	struct kv_wire wire;
	char dev[64], version[32];
	int fd[2];

	fake_pair(fd);
	assert_int_equal(write(fd[1], bytes, n), (int)n);
	shutdown(fd[1], SHUT_WR);
	assert_int_equal(kv_wire_init(&wire, fd[0]), 0);
	assert_int_equal(kv_remote_hello(&wire, &peer, KV_SPACE_USER, &limits, dev,
					 version, &f),
			 error);
	says(f.text, want);
	kv_wire_close(&wire);
	close(fd[1]);
}

/* A header and a head. */
static size_t message(uint8_t *to, const char *json)
{
	size_t n = strlen(json);

	memcpy(to, "kvb1\0\0\0\0\0\0\0\0", 12);
	to[6] = (uint8_t)(n >> 8);
	to[7] = (uint8_t)n;
	memcpy(to + 12, json, n);
	return n + 12;
}

/* As a message if it looks like JSON, or as it is. */
static void send_text(int fd, const char *text)
{
	uint8_t bytes[400];
	size_t n = strlen(text);

	memcpy(bytes, text, n);
	if (*text == '{' || *text == '[')
		n = message(bytes, text);
	assert_int_equal(write(fd, bytes, n), (int)n);
}

static void test_other_servers(void **state)
{
	uint8_t text[400];
	size_t n;

	other_server("SSH-2.0-OpenSSH_9.2\r\n", 21, -EPROTO,
		     "there: the program that listens on port 7471 is no 'kverbs serve'");
	other_server("", 0, -ECONNRESET, "there: port 7471: the connection was closed");
	n = message(text, "{\"protocol\":999,\"version\":\"2.0\"}");
	other_server((char *)text, n, -EPROTONOSUPPORT,
		     "there: its kverbs 2.0 speaks protocol 999, this kverbs " KVERBS_VERSION " speaks " PROTOCOL);
	n = message(text, "{\"protocol\":999,\"version\":\"\\u001b[31m2.0\"}");
	other_server((char *)text, n, -EPROTONOSUPPORT, "there: its kverbs ? speaks protocol 999");
	n = message(text, "{\"protocol\":999,\"version\":[1]}");
	other_server((char *)text, n, -EPROTONOSUPPORT, "there: its kverbs [ 1 ] speaks protocol 999");
	n = message(text, "{\"protocol\":999,\"version\":\"0123456789012345678901234567890123456789\"}");
	other_server((char *)text, n, -EPROTONOSUPPORT, "there: its kverbs ? speaks protocol 999");
	n = message(text, "{\"protocol\":3,\"version\":\"0.1.0\",\"kernel\":true}");
	other_server((char *)text, n, -EPROTONOSUPPORT,
		     "there: its kverbs 0.1.0 speaks protocol 3, this kverbs " KVERBS_VERSION " speaks " PROTOCOL);
	n = message(text, "{\"protocol\":" PROTOCOL ",\"version\":\"2.0\",\"order\":\"" ORDER "\"}");
	other_server((char *)text, n, -EBADMSG, "hello.limits is missing");
	n = message(text, "{\"protocol\":" PROTOCOL ",\"version\":\"2.0\",\"order\":\"middle\"}");
	other_server((char *)text, n, -EPROTONOSUPPORT, "the two hosts have different byte orders");
	n = message(text, "[[[[[[[[[[]]]]]]]]]]");
	other_server((char *)text, n, -EBADMSG, "a message is no JSON object: nesting too deep");
	n = message(text, "{\"a\":1");
	other_server((char *)text, n, -EBADMSG, "a message is no JSON object");
	n = message(text, "{\"a\":1}   x");
	other_server((char *)text, n, -EBADMSG, "a message is no JSON object");
	n = message(text, "{\"a\":1}");
	other_server((char *)text, n - 1, -ECONNRESET, "the connection ended within a message");
}

/* Longer than the grace, and much shorter than a call may take. */
#define SOON_NS 5000000000ULL

static void *interrupt(void *arg)
{
	usleep(300000);
	pthread_kill(*(pthread_t *)arg, SIGINT);
	return NULL;
}

/* A server that is silent, or stops within a message, when the user wants to end. */
static void test_deaf_server(void **state)
{
	struct kv_exchange_call x = { .call = KV_CALL_NOP };
	pthread_t self = pthread_self(), thread;

	assert_int_equal(kv_interrupt_init(), 0);
	pthread_create(&thread, NULL, interrupt, &self);
	for (size_t part = 0; part <= 6; part += 6) {
		struct kv_channel l = { 0 };
		uint64_t begin = kv_now_ns();
		struct kv_wire wire;
		struct kv_fault f;
		int fd[2];

		fake_pair(fd);
		assert_int_equal(kv_wire_init(&wire, fd[0]), 0);
		assert_int_equal(kv_channel_start(&l, &wire, 60000000000ULL, KV_KEEP_CALLER), 0);
		assert_int_equal(write(fd[1], "kvb1\0\0", part), (int)part);
		assert_int_equal(kv_channel_call(&l, &x, &f), -ETIMEDOUT);
		says(f.text, "interrupted");
		/* The client does not wait for the undoing, either. */
		assert_int_equal(kv_channel_call(&l, &x, &f), -ENOTCONN);
		assert_true(kv_now_ns() - begin < SOON_NS);
		kv_channel_stop(&l);
		close(fd[1]);
	}
	pthread_join(thread, NULL);
	assert_true(kv_interrupt_seen());
}

/* After an interrupt the objects are still destroyed on a server that answers. */
static void test_undone_after_interrupt(void **state)
{
	struct kv_pd_init pd_init = { .dev = "rxe0" };
	struct world *w = *state;
	struct kv_pd pd;
	uint64_t ns;

	assert_true(kv_interrupt_seen());
	assert_int_equal(open_it(w), 0);
	assert_int_equal(kv_op_pd_new(w->b, &pd_init, &pd, &ns), 0);
	assert_int_equal(kv_op_del(w->b, KV_PD, pd.id, &ns), 0);
	close_it(w);
}

/* A probe whose completion does not come. */
static void test_probe_interrupted(void **state)
{
	struct kv_cq_init cq_init = { .dev = "rxe0", .cqe = 1 };
	struct kv_site here = { 0 }, there = { .host = "there" };
	struct kv_pair p = { .end = { { .site = &here }, { .site = &there } } };
	uint64_t begin = kv_now_ns(), ns;
	struct world *w = *state;
	struct kv_cq cq;
	char err[256];

	assert_true(kv_interrupt_seen());
	assert_int_equal(kv_backend_kern_open(&here.b, err, sizeof(err)), 0);
	assert_int_equal(kv_op_cq_new(here.b, &cq_init, &cq, &ns), 0);
	p.end[0].send_cq = cq.id;
	fake_world.late_polls = 1000000;
	w->f.error = -ETIMEDOUT;
	strcpy(w->f.text, "no answer");
	kv_probe_explain(&p, 0, &w->f);
	assert_string_equal(w->f.text, "no answer");
	assert_true(fake_world.late_polls < 1000000);
	assert_true(kv_now_ns() - begin < SOON_NS);
	kv_op_del(here.b, KV_CQ, cq.id, &ns);
	here.b->ops->close(here.b);
}

static void test_hosts(void **state)
{
	static const struct {
		const char *text, *host, *port; /* host NULL: it is refused */
		bool ssh;
	} row[] = {
		{ .text = "b", .host = "b" },
		{ .text = "b:7500", .host = "b", .port = "7500" },
		{ .text = "2001:db8::2", .host = "2001:db8::2" },
		{ .text = "[2001:db8::2]", .host = "2001:db8::2" },
		{ .text = "[2001:db8::2]:7500", .host = "2001:db8::2", .port = "7500" },
		{ .text = "ssh:b", .host = "b", .ssh = true },
		{ .text = "ssh:root@b:22", .host = "root@b", .port = "22", .ssh = true },
		{ .text = "ssh:2001:db8::2", .host = "2001:db8::2", .ssh = true },
		{ .text = "ssh:[2001:db8::2]:22", .host = "2001:db8::2", .port = "22", .ssh = true },
		{ .text = "[ssh]:22", .host = "ssh", .port = "22" },
		{ .text = "" },
		{ .text = ":7500" },
		{ .text = "ssh:" },
		{ .text = "ssh::22" },
		{ .text = "b:" },
		{ .text = "b:0" },
		{ .text = "b:65536" },
		{ .text = "b:x" },
		{ .text = "[b" },
		{ .text = "[b]c" },
		{ .text = "ssh:-oProxyCommand=x" },
		{ .text = "ssh:[-l]" },
	};
	struct kv_peer peer;
	struct kv_fault f;
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		memset(&peer, 0, sizeof(peer));
		strcpy(text, row[i].text);
		assert_int_equal(kv_peer_parse(&peer, text, &f), row[i].host ? 0 : -EINVAL);
		if (!row[i].host)
			continue;
		assert_string_equal(peer.host, row[i].host);
		assert_string_equal(peer.port ? peer.port : "", row[i].port ? row[i].port : "");
		assert_int_equal(peer.ssh, row[i].ssh);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_objects),
		TEST(test_events),
		TEST(test_runs),
		TEST(test_large_device),
		TEST(test_run_too_long),
		TEST(test_failed),
		TEST(test_stages),
		TEST(test_others),
		TEST(test_caps),
		TEST(test_queue_caps),
		TEST(test_idle),
		TEST(test_server_goes),
		TEST(test_token),
		TEST(test_token_files),
		TEST(test_token_owner),
		TEST(test_refused),
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_hello),
		cmocka_unit_test(test_other_servers),
		/* The interrupt stays: these are the last ones. */
		cmocka_unit_test(test_deaf_server),
		TEST(test_undone_after_interrupt),
		TEST(test_probe_interrupted),
	};

	return cmocka_run_group_tests_name("remote", tests, NULL, NULL);
}
