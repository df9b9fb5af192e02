// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "contract.h"

const char *driver(void)
{
	return is_iwarp() ? "siw" : "rxe";
}

void other_dev_make(void)
{
	char command[160];

	snprintf(command, sizeof(command), "ip link add d7 type dummy && ip link set d7 up && "
		 "rdma link add " OTHER_DEV " type %s netdev d7", driver());
	if (system(command))
		bail_out("no other device");
}

void await_gid(const char *gid)
{
	struct limit limit = limit_of(5);
	char command[128];

	snprintf(command, sizeof(command), "cd /sys/class/infiniband && grep -q %s */ports/1/gids/*",
		 gid);
	while (system(command)) {
		if (limit_over(&limit))
			bail_out("no GID %s", gid);
		usleep(10000);
	}
}

void other_dev_del(void)
{
	if (system("rdma link delete " OTHER_DEV " && ip link del d7"))
		bail_out("the other device stays");
}

bool has_kmemleak(void)
{
	return !access("/sys/kernel/debug/kmemleak", F_OK);
}

static bool has_kcsan(void)
{
	return !access("/sys/kernel/debug/kcsan", F_OK);
}

bool is_watched(void)
{
	return has_kmemleak() || has_kcsan();
}

bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool good = fd >= 0 && write(fd, text, strlen(text)) > 0;

	if (fd >= 0)
		close(fd);
	return good;
}

double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

void link_open(struct link *l)
{
	must(l, kv_nl_open(&l->nl), "connect to the module");
}

/*
 * The first command of the other socket waits for the objects to go, but 2 s at most. siw takes up to
 * 10 s to give up a connection that is half way (MPAREQ_TIMEOUT, MPAREP_TIMEOUT), and the CM waits for it.
 */
void link_close(struct link *l)
{
	struct limit limit = limit_of(is_iwarp() ? 30 : 10);
	struct kv_info info;
	struct link other;
	bool gone;

	kv_nl_close(&l->nl);
	link_open(&other);
	for (;;) {
		must(&other, call_info_get(&other.nl, &info), "info");
		gone = info.created == info.destroyed && !info.buffer_bytes;
		if (gone || limit_over(&limit))
			break;
		usleep(10000);
	}
	result(gone, "with the socket all of it goes");
	kv_nl_close(&other.nl);
}

int send_msg(struct link *l, struct nl_msg *msg)
{
	l->raw = true;
	return kv_nl_request(&l->nl, msg, NULL, NULL, NULL);
}

/* @attrs: pairs of the number of a u32 attribute and its value. */
int raw(struct link *l, int cmd, const uint32_t *attrs, unsigned int pairs)
{
	struct nl_msg *msg = kv_nl_msg(&l->nl, cmd, 0);
	unsigned int i;

	for (i = 0; i < pairs; i++)
		nla_put_u32(msg, (int)attrs[2 * i], attrs[2 * i + 1]);
	return send_msg(l, msg);
}

uint32_t make_pd(struct link *l)
{
	struct kv_pd_init init = { .dev = dev };
	struct kv_pd pd;

	must(l, call_new(&l->nl, KV_PD, &init, &pd, NULL), "pd");
	return pd.id;
}

uint32_t make_cq(struct link *l, uint32_t cqe, uint32_t context)
{
	struct kv_cq_init init = { .dev = dev, .cqe = cqe, .context = context };
	struct kv_cq cq;

	must(l, call_new(&l->nl, KV_CQ, &init, &cq, NULL), "cq");
	return cq.id;
}

uint32_t make_buf(struct link *l, uint64_t length)
{
	struct kv_buf_init init = { .dev = dev, .length = length };
	struct kv_buf buf;

	must(l, call_new(&l->nl, KV_BUF, &init, &buf, NULL), "buf");
	return buf.id;
}

uint32_t make_mr(struct link *l, uint32_t pd)
{
	struct kv_mr_init init = { .pd = pd };
	struct kv_mr mr;

	must(l, call_new(&l->nl, KV_MR, &init, &mr, NULL), "mr");
	return mr.id;
}

uint32_t make_srq(struct link *l, uint32_t pd, uint32_t max_wr)
{
	struct kv_srq_init init = { .pd = pd, .max_wr = max_wr, .max_sge = 1 };
	struct kv_srq srq;

	must(l, call_new(&l->nl, KV_SRQ, &init, &srq, NULL), "srq");
	return srq.id;
}

/* That of a GID of ours, if there is one of IPv4: a message sent there comes back. */
struct kv_av own_address(void)
{
	static const uint8_t mapped[12] = { [10] = 0xff, 0xff };
	struct kv_av av = {
		.has_dgid = true,
		.has_sgid_index = true,
		.hop_limit = 64,
	};
	unsigned int i;

	for (i = 0; i < caps.port[0].gids; i++) {
		if (caps.port[0].gid[i].type != KVERBS_GID_ROCE_V2)
			continue;
		av.sgid_index = caps.port[0].gid[i].index;
		memcpy(av.dgid, caps.port[0].gid[i].raw, sizeof(av.dgid));
		if (!memcmp(av.dgid, mapped, sizeof(mapped)))
			break;
	}
	return av;
}

uint32_t make_ah(struct link *l, uint32_t pd)
{
	struct kv_ah_init init = { .pd = pd, .port = 1, .av = own_address() };
	struct kv_ah ah;

	must(l, call_new(&l->nl, KV_AH, &init, &ah, NULL), "ah");
	return ah.id;
}

struct find {
	uint32_t id;
	size_t size;
	const void *want;
	unsigned int found;
	unsigned int same;
};

static int on_found(const union kv_object *object, void *arg)
{
	struct find *find = arg;

	if (object->id == find->id) {
		find->found++;
		find->same += !memcmp(object, find->want, find->size);
	}
	return 0;
}

/* The result of new() equals that of get(), and each() lists the object once. */
void check_shown(struct link *l, enum kv_type noun,
		 const void *object, const char *name)
{
	struct find find = { .size = kv_nl_objects[noun].shape->size, .want = object };
	union kv_object got;

	memcpy(&find.id, object, sizeof(find.id));
	must(l, call_get(&l->nl, noun, find.id, &got), "get");
	must(l, kv_nl_each(&l->nl.base, noun, on_found, &find), "list");
	result(!memcmp(&got, object, kv_nl_objects[noun].shape->size),
	       "%s is shown as it was made", name);
	result(find.found == 1 && find.same == 1, "%s is listed so, once", name);
}

static int on_counted(const union kv_object *object, void *arg)
{
	(void)object;
	++*(unsigned int *)arg;
	return 0;
}

unsigned int count_listed(struct link *l, enum kv_type noun)
{
	unsigned int n = 0;

	must(l, kv_nl_each(&l->nl.base, noun, on_counted, &n), "list");
	return n;
}

/* Of a buffer of LENGTH bytes. */
void write_all(struct link *l, uint32_t buf, int byte)
{
	char data[LENGTH];

	memset(data, byte, sizeof(data));
	must(l, call_buf_write(&l->nl, buf, 0, data, sizeof(data)), "fill a buffer");
}

bool holds(struct link *l, uint32_t buf, uint64_t offset, const void *want,
	   uint64_t length)
{
	struct limit limit = limit_of(10);
	char got[LENGTH];

	/* That a WRITE of iWARP completes does not say that the bytes have come. */
	for (;;) {
		must(l, call_buf_read(&l->nl, buf, offset, got, (uint32_t)length), "read a buffer");
		if (!memcmp(got, want, length))
			return true;
		if (!is_iwarp() || limit_over(&limit))
			return false;
		usleep(1000);
	}
}
