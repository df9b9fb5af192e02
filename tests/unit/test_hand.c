// SPDX-License-Identifier: MIT
/* Commands for objects, on a backend that is none. */
#include "test.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "fake_backend.h"
#include "fake_names.h"
#include "batch/batch.h"
#include "object/object.h"
#include "object/options.h"
#include "object/text.h"
#include "batch/cost.h"
#include "batch/lexer.h"
#include "cli/interrupt.h"
#include "cli/wrap.h"
#include "out/out.h"

/* As many of the next reads and writes a signal interrupts. */
static int interrupts;

static long interrupted_call(long number, int fd, const void *data, size_t size)
{
	if (interrupts) {
		interrupts--;
		errno = EINTR;
		return -1;
	}
	return syscall(number, fd, data, size);
}

/* In place of the C library's. */
ssize_t read(int fd, void *to, size_t size)
{
	return interrupted_call(SYS_read, fd, to, size);
}

ssize_t write(int fd, const void *from, size_t size)
{
	return interrupted_call(SYS_write, fd, from, size);
}

/* One session, and what its last command left. */
struct hand {
	struct kv_session s;
	struct json_object *doc;
	struct kv_fault f;
	char *text;
	size_t size;
	char *traced;
	size_t traced_size;
};

static void begin(struct hand *h, enum kv_space_id space, bool batch)
{
	fake_world_reset();
	memset(h, 0, sizeof(*h));
	assert_int_equal(kv_session_open(&h->s, space, NULL, batch, false,
					 &h->f), 0);
	h->s.json = true;
}

static void end(struct hand *h)
{
	json_object_put(h->doc);
	free(h->text);
	kv_session_close(&h->s);
	assert_int_equal(fake_world.objects, 0);
	assert_int_equal(fake_world.open, 0);
}

static int run(struct hand *h, const char *line)
{
	struct kv_words w;
	FILE *out;
	int ret;

	json_object_put(h->doc);
	h->doc = NULL;
	free(h->text);
	h->text = NULL;
	ret = kv_lexer_split(&w, line, kv_session_expand, &h->s, &h->f);
	if (!ret)
		ret = kv_session_run(&h->s, 0, w.word, w.n, &h->doc, &h->f);
	kv_lexer_free(&w);
	out = open_memstream(&h->text, &h->size);
	if (h->doc)
		kv_text_print(out, h->doc);
	fclose(out);
	return ret;
}

static void good(struct hand *h, const char *line)
{
	if (run(h, line))
		fail_msg("'%s': %s", line, h->f.text);
}

static void bad(struct hand *h, int error, const char *line, const char *says)
{
	int ret = run(h, line);

	if (ret != error || !strstr(h->f.text, says))
		fail_msg("'%s': %d, '%s', and not %d, '%s'", line, ret,
			 ret ? h->f.text : "", error, says);
}

/* Where a long line is broken does not matter. */
static void says(struct hand *h, const char *part)
{
	char *broken;

	while ((broken = strstr(h->text, "\n    ")))
		memmove(broken, broken + 4, strlen(broken + 4) + 1);
	if (!strstr(h->text, part))
		fail_msg("'%s' does not say '%s'", h->text, part);
}

static void test_objects(void **state)
{
	struct hand h;

	begin(&h, KV_SPACE_KERNEL, true);
	good(&h, "pd add name p");
	assert_string_equal(h.text, "pd 1 name p dev rxe0 local-dma-lkey 0x1234\n");
	good(&h, "cq add dev rxe0 cqe 16 context event name c");
	says(&h, "cq 1 name c dev rxe0 cqe 16 comp-vector 0 context event pending 0");
	good(&h, "buf add length 4k pieces 2 name b");
	says(&h, "buf 1 name b dev rxe0 length 4096 pieces 2 node 0");
	good(&h, "mr add pd p max-pages 9 name m");
	says(&h, "mr 1 name m dev rxe0 pd 1 max-pages 9");
	good(&h, "srq add pd 1 max-wr 8 name s");
	good(&h, "srq modify s limit 4");
	says(&h, "max-wr 8 max-sge 1 limit 4");
	good(&h, "ah add pd p dgid fe80::1 name a");
	says(&h, "dgid fe80::1 sgid-index 1 sl 0");
	good(&h, "qp add pd p cq c srq s name q");
	says(&h, "qp 1 name q dev rxe0 type rc state reset qpn 17 pd 1 send-cq 1 recv-cq 1");
	assert_null(strstr(h.text, "max-recv-wr"));
	good(&h, "qp show");
	assert_int_equal(json_object_array_length(kv_out_get(h.doc, "/result/objects")), 1);
	good(&h, "pd add");
	good(&h, "pd show");
	assert_string_equal(h.text, "pd 1 name p dev rxe0 local-dma-lkey 0x1234\n"
			    "pd 2 dev rxe0 local-dma-lkey 0x1234\n");
	fake_world.lists_changing = 2;
	good(&h, "pd show");
	assert_int_equal(json_object_array_length(kv_out_get(h.doc, "/result/objects")), 2);
	fake_world.lists_changing = 1000;
	bad(&h, -EINTR, "pd show", "ask again");
	fake_world.lists_changing = 0;
	bad(&h, -ENOENT, "pd show 9", "pd show: no pd with id 9; there are 1, 2 (ENOENT)");
	bad(&h, -EINVAL, "pd add name p", "the name 'p' is taken: pd 1 has it");
	bad(&h, -EINVAL, "pd add name last", "is taken");
	bad(&h, -EINVAL, "pd add name 1x", "can't be a name");
	bad(&h, -EINVAL, "pd del", "the id or the name of the pd is missing");
	bad(&h, -EINVAL, "pd del q", "'q' is qp 1, and no pd; there are p, 2");
	bad(&h, -EINVAL, "pd del nosuch", "pd del: 'nosuch' is the name of nothing; there are p, 2");
	bad(&h, -EINVAL, "post recv qp q sge mr nosuch", "mr 'nosuch' is the name of nothing; there is m");
	bad(&h, -EINVAL, "refused EINVAL mr add pd nosuch", "pd 'nosuch' is the name of nothing; there are p, 2");
	bad(&h, -EINVAL, "conn show nosuch", "'nosuch' is the name of nothing; there is none");
	bad(&h, -EINVAL, "pd del p q", "'q' is too much");
	good(&h, "pd list p");
	good(&h, "pd add name gone");
	good(&h, "pd delete gone");
	bad(&h, -ENOENT, "pd delete 9", "pd del: no pd with id 9");
	good(&h, "pd");
	assert_string_equal(kv_out_get_string(h.doc, "/command"), "pd show");
	bad(&h, -EINVAL, "post", "a word is missing behind 'post': send, ");
	bad(&h, -EINVAL, "pd fly", "'fly' is not known; there are add, show, del");
	bad(&h, -EINVAL, "pd shwo", "'shwo' is not known, but 'show' is; there are add, show, del");
	bad(&h, -EINVAL, "pd lst", "'lst' is not known, but 'list' is; there are add");
	bad(&h, -EINVAL, "dev dleete", "'dleete' is not known; there are show");
	bad(&h, -EINVAL, "qp a", "qp: 'a' may be add, attach, address");
	bad(&h, -EINVAL, "pdd add", "there is no command 'pdd', but there is 'pd'; there are dev, pd");
	bad(&h, -EINVAL, "fly", "there is no command 'fly'; there are dev, pd");
	bad(&h, -EINVAL, "qp add pd p", "it takes 'cq' alone, or 'send-cq' and 'recv-cq'");
	bad(&h, -EINVAL, "qp add pd p cq c send-cq c recv-cq c", "it takes 'cq' alone");
	bad(&h, -EINVAL, "srq modify s", "nothing to change");
	fake_world.in_use = true;
	bad(&h, -EBUSY, "pd del p",
	    "pd del: pd 1 is in use by mr 1 (m), srq 1 (s), ah 1 (a), qp 1 (q): delete these first (EBUSY)");
	bad(&h, -EBUSY, "cq del c", "cq 1 is in use by qp 1 (q): delete that first");
	bad(&h, -EBUSY, "srq del s", "srq 1 is in use by qp 1 (q): delete that first");
	bad(&h, -EBUSY, "mr del m", "mr del: used by what nobody sees (EBUSY)");
	for (int i = 0; i < 9; i++)
		good(&h, "qp add pd p cq c");
	bad(&h, -EINVAL, "qp show p", "there are q, 2, 3, 4, 5, 6, 7, 8 and 2 more");
	bad(&h, -EBUSY, "cq del c", "qp 8 and 2 more: delete these first");
	fake_world.in_use = false;
	/* A name outlives its object, until another one takes it. */
	good(&h, "pd del p");
	assert_string_equal(h.text, "");
	bad(&h, -ENOENT, "pd show p", "no pd with id 1");
	good(&h, "pd add name p");
	good(&h, "pd show p");
	good(&h, "flush");
	assert_string_equal(h.text, "flushed 3 busy 1\n");
	end(&h);
}

static void test_persistent(void **state)
{
	struct hand h;

	begin(&h, KV_SPACE_KERNEL, false);
	good(&h, "pd add");
	says(&h, "pd 1 dev rxe0 persistent local-dma-lkey");
	bad(&h, -EINVAL, "echo x", "only in a batch");
	end(&h);
	begin(&h, KV_SPACE_KERNEL, true);
	good(&h, "pd add");
	assert_false(json_object_get_boolean(kv_out_get(h.doc, "/result/persistent")));
	end(&h);
}

/* Each command from the shell is a session of its own. */
static void renew(struct hand *h, bool batch)
{
	json_object_put(h->doc);
	h->doc = NULL;
	kv_variables_clear(&h->s.variables);
	h->s.variables.names = batch ? KV_NAMES_TYPED : KV_NAMES_TOLD;
	h->s.batch = batch;
}

static void test_kept_names(void **state)
{
	struct hand h;

	fake_names_clear();
	begin(&h, KV_SPACE_KERNEL, false);
	good(&h, "pd add name dom");
	says(&h, "pd 1 name dom dev rxe0 persistent");
	renew(&h, false);
	good(&h, "cq add cqe 8 name c");
	renew(&h, false);
	good(&h, "qp add pd dom cq c");
	says(&h, "pd 1 send-cq 1 recv-cq 1");
	renew(&h, false);
	good(&h, "pd show");
	says(&h, "pd 1 name dom dev");
	h.s.details = true;
	good(&h, "cq show c");
	says(&h, "used-by-qp 1");
	assert_int_equal(json_object_array_length(kv_out_get(h.doc, "/result/used_by_qp")), 1);
	h.s.details = false;
	bad(&h, -EINVAL, "pd add name dom", "the name 'dom' is taken: pd 1 has it");
	bad(&h, -EINVAL, "mr show dom", "'dom' is pd 1, and no mr; there is none: 'name' behind 'mr add' names one");
	bad(&h, -EINVAL, "pd show mod", "'mod' is the name of nothing; there is dom");
	good(&h, "qp del 1");
	/* In a batch a name of its own hides a kept one. */
	renew(&h, true);
	good(&h, "pd show dom");
	says(&h, "pd 1 name dom");
	good(&h, "pd add name dom");
	good(&h, "pd show dom");
	says(&h, "pd 2 name dom");
	good(&h, "pd del dom");
	/* A batch that deletes by the id leaves the name, which then names nothing. */
	renew(&h, true);
	good(&h, "pd del 1");
	renew(&h, false);
	bad(&h, -ENOENT, "pd show dom", "'dom' was pd 1");
	/* These ids begin anew: 'flush' forgets the name before another object has its id. */
	good(&h, "flush");
	good(&h, "pd add name dom");
	renew(&h, false);
	good(&h, "pd del 1");
	renew(&h, false);
	bad(&h, -EINVAL, "pd show dom", "'dom' is the name of nothing");
	bad(&h, -EINVAL, "pd add name 2x", "'2x' can't be a name");
	/* A name that can't be kept is none, and its object is not there. */
	renew(&h, false);
	fake_names_error = -EPERM;
	bad(&h, -EPERM, "pd add name dom", "the names are not root's");
	renew(&h, false);
	bad(&h, -EINVAL, "pd show dom", "'dom' can't be looked up: the names are not root's");
	h.s.variables.names = KV_NAMES_NONE;
	bad(&h, -EPERM, "pd add name dom", "the names are not root's");
	fake_names_error = 0;
	good(&h, "pd show");
	assert_int_equal(json_object_array_length(kv_out_get(h.doc, "/result/objects")), 0);
	good(&h, "flush");
	end(&h);
	fake_names_clear();
}

/* Many names, and what is known of an object beside its description. */
static void test_fields(void **state)
{
	char line[64];
	struct hand h;

	begin(&h, KV_SPACE_KERNEL, true);
	for (int i = 0; i < 300; i++) {
		snprintf(line, sizeof(line), "set v%d %d", i, 7 * i);
		good(&h, line);
	}
	for (int i = 299; i >= 0; i--) {
		snprintf(line, sizeof(line), "echo $v%d", i);
		good(&h, line);
		snprintf(line, sizeof(line), "%d\n", 7 * i);
		assert_string_equal(h.text, line);
	}
	bad(&h, -EINVAL, "echo $v300", "there are $v0, $v1, $v10, $v100, $v101");
	good(&h, "cq add cqe 4 name c");
	good(&h, "pd add name p");
	good(&h, "qp add pd p cq c name q");
	bad(&h, -EINVAL, "echo $c.used_by_qp.0", "cq 'c' has no field 'used_by_qp.0'");
	h.s.details = true;
	good(&h, "cq show c");
	good(&h, "echo $c.used_by_qp.0 $c.cqe");
	assert_string_equal(h.text, "1 4\n");
	good(&h, "qp modify q state init access remote-read pkey-index 0 port 1");
	good(&h, "echo $q.access $q.state");
	assert_string_equal(h.text, "remote-read init\n");
	good(&h, "qp address q psn 5");
	good(&h, "qp show q");
	good(&h, "echo $q.psn");
	assert_string_equal(h.text, "5\n");
	good(&h, "qp del q");
	good(&h, "cq show");
	bad(&h, -EINVAL, "echo $c.used_by_qp.0", "cq 'c' has no field 'used_by_qp.0'");
	h.s.details = false;
	good(&h, "pd del p");
	good(&h, "pd add name p");
	good(&h, "echo $p.id $p.name");
	assert_string_equal(h.text, "1 p\n");
	end(&h);
}

static void test_references(void **state)
{
	struct hand h;

	begin(&h, KV_SPACE_KERNEL, true);
	bad(&h, -EINVAL, "echo $last.id", "no command has printed a result yet");
	good(&h, "pd add name p");
	good(&h, "echo $p $p.id $last.local_dma_lkey $dev.name $dev.gid_index $dev.gid $dev.active_mtu_bytes");
	assert_string_equal(h.text, "1 1 0x1234 rxe0 1 ::ffff:10.0.0.1 1024\n");
	good(&h, "buf add length 64 name b");
	good(&h, "mr add pd $p name m");
	bad(&h, -EINVAL, "echo $m.rkey", "mr 'm' has no field 'rkey'; it has id, name, dev");
	bad(&h, -EINVAL, "mr reg m buf b", "'qp' is missing");
	good(&h, "qp add pd p cq 1 name q");
	good(&h, "mr reg m buf b qp q offset 16 access local-write,remote-read");
	says(&h, "registered buf 1 offset 16 length 48 access local-write,remote-read lkey 0x101 rkey 0x201 iova 0xffff888000000010");
	good(&h, "echo $m.rkey $m.iova $m.access");
	assert_string_equal(h.text, "0x201 0xffff888000000010 local-write,remote-read\n");
	good(&h, "mr inv m qp q");
	bad(&h, -EINVAL, "echo $m.rkey", "has no field 'rkey'");
	good(&h, "set x '$y z'");
	good(&h, "echo \"$x\" '$x'");
	assert_string_equal(h.text, "$y z $x\n");
	good(&h, "set x 2");
	good(&h, "echo ${x}k");
	assert_string_equal(h.text, "2k\n");
	bad(&h, -EINVAL, "echo $x.y", "which has no fields");
	bad(&h, -EINVAL, "echo $nix", "there is no 'nix'; 'name nix' at the end of an 'add', or 'set nix VALUE', makes one; there are $b, $m, $p, $q, $x");
	bad(&h, -EINVAL, "echo $dev", "$dev needs a field");
	bad(&h, -EINVAL, "set p 1", "the name 'p' is taken: pd 1 has it");
	bad(&h, -EINVAL, "pd add name x", "'set' gave it a value");
	good(&h, "pd show");
	bad(&h, -EINVAL, "echo $last.objects", "has no single value");
	good(&h, "echo $last.objects.0.id");
	assert_string_equal(h.text, "1\n");
	end(&h);
}

static void test_content(void **state)
{
	struct hand h;

	begin(&h, KV_SPACE_USER, true);
	good(&h, "pd add name p");
	good(&h, "buf add length 64 name m");
	good(&h, "buf write m text 'hello, world'");
	good(&h, "buf read m");
	assert_string_equal(h.text, "hello, world\n");
	good(&h, "buf write m offset 4 hex 00ff0A");
	good(&h, "buf read m length 8");
	assert_string_equal(h.text, "hell\\x00\\xff\nw\n");
	good(&h, "buf read m format hex length 0x12");
	assert_string_equal(h.text, "00000000  68 65 6c 6c 00 ff 0a 77  6f 72 6c 64 00 00 00 00\n"
			    "00000010  00 00\n");
	good(&h, "buf load m file /proc/self/exe offset 4");
	says(&h, "buf 1 name m file /proc/self/exe file-offset 0 offset 4 length 60");
	bad(&h, -EINVAL, "buf load m file /dev/null", "file '/dev/null' is no regular file");
	/* The bytes that were moved are not the whole buffer. */
	good(&h, "echo $m.length");
	assert_string_equal(h.text, "64\n");
	bad(&h, -ERANGE, "buf read m offset 64", "offset 64 is beyond buf 1, which has 64 bytes (ERANGE)");
	bad(&h, -EINVAL, "buf read m offset 1 length 64", "beyond the buffer");
	bad(&h, -EINVAL, "buf read m length 0", "it takes 1 byte to 64 MiB");
	bad(&h, -EINVAL, "buf write m", "it takes one of 'text', 'hex' and 'file'");
	bad(&h, -EINVAL, "buf write m text a hex 00", "it takes one of");
	bad(&h, -EINVAL, "buf write m hex 0", "each byte takes two digits");
	bad(&h, -EINVAL, "buf write m hex 0x", "'0x' is no hexadecimal number");
	bad(&h, -EINVAL, "buf write m text ''", "has no byte");
	bad(&h, -ENOENT, "buf write m file /no/such", "file '/no/such': cannot open it");
	bad(&h, -EINVAL, "buf write m file /dev/null", "is empty");
	bad(&h, -ERANGE, "buf write m file /dev/zero", "more bytes than the 64 of the buffer");
	end(&h);
}

/* A signal that does not ask for the end, such as SIGWINCH. */
static void test_content_interrupted(void **state)
{
	char path[] = "/tmp/kverbs-unit-XXXXXX", line[80];
	struct hand h;
	int fd;

	fd = mkstemp(path);
	assert_true(fd >= 0);
	begin(&h, KV_SPACE_KERNEL, true);
	good(&h, "pd add name p");
	good(&h, "buf add length 64 name m");
	good(&h, "buf write m text hello");
	snprintf(line, sizeof(line), "buf read m length 5 file %s", path);
	interrupts = 2;
	good(&h, line);
	assert_int_equal(interrupts, 0);
	good(&h, "buf write m text xxxxx");
	snprintf(line, sizeof(line), "buf write m file %s", path);
	interrupts = 2;
	good(&h, line);
	assert_int_equal(interrupts, 0);
	good(&h, "buf read m length 5");
	assert_string_equal(h.text, "hello\n");
	end(&h);
	close(fd);
	unlink(path);
}

/* Two QPs that know each other's address. */
static void connect_two(struct hand *h)
{
	good(h, "pd add name p");
	good(h, "cq add cqe 16 name c");
	good(h, "qp add pd p cq c name a");
	good(h, "qp add pd p cq c name b");
	good(h, "qp address b psn 5");
	assert_string_equal(h->text, "0000:000012:000005:00000000000000000000ffff0a000001\n");
	good(h, "qp connect a peer $b.address");
}

/* Port 2 has another LID, other GIDs and another MTU than port 1. */
static void test_second_port(void **state)
{
	struct hand h;

	begin(&h, KV_SPACE_KERNEL, true);
	good(&h, "pd add name p");
	good(&h, "cq add cqe 16 name c");
	good(&h, "qp add pd p cq c name a");
	good(&h, "qp add pd p cq c name b");
	good(&h, "qp address a port 2");
	assert_string_equal(h.text, "0007:000011:000011:00000000000000000000ffff0a000002\n");
	bad(&h, -EINVAL, "qp address a port 3", "port 3: rxe0 has no such port; it has 2, numbered from 1 on");
	bad(&h, -EINVAL, "qp address a port 0", "port 0: rxe0 has no such port; it has 2, numbered from 1 on");
	good(&h, "qp address b");
	good(&h, "qp connect a peer $b.address port 2");
	says(&h, "port 2");
	says(&h, "path-mtu 512");
	good(&h, "qp address a");
	assert_string_equal(h.text, "0007:000011:000011:00000000000000000000ffff0a000002\n");
	good(&h, "ah add pd p dgid fe80::1 port 2 name h");
	fake_world.broken_port = 2;
	bad(&h, -EIO, "ah add pd p dgid fe80::1 port 2", "port 2 of rxe0 cannot be queried");
	bad(&h, -EIO, "qp address b port 2", "port 2 of rxe0 cannot be queried: Input/output error");
	bad(&h, -EIO, "qp connect b peer 0007:000011:000011:00000000000000000000ffff0a000002 port 2",
	    "port 2 of rxe0 cannot be queried");
	good(&h, "qp address b");
	end(&h);
}

static void test_connect(void **state)
{
	struct hand h;

	begin(&h, KV_SPACE_KERNEL, true);
	connect_two(&h);
	says(&h, "qp 1 name a state rts");
	says(&h, "dest-qpn 18 rq-psn 5 dgid ::ffff:10.0.0.1 sgid-index 1");
	says(&h, "path-mtu 1024");
	says(&h, "sq-psn 17 timeout 14 retry-cnt 6 rnr-retry 6 max-rd-atomic 1");
	assert_int_equal(json_object_array_length(kv_out_get(h.doc, "/verbs")), 4);
	assert_int_equal(kv_out_get_count(h.doc, "/verbs/2/ns"), 3000);
	assert_int_equal(kv_out_get_count(h.doc, "/verbs/2/stages_ns/resolve"), 1800);
	assert_int_equal(kv_out_get_count(h.doc, "/verbs/2/stages_ns/modify"), 1200);
	good(&h, "qp show a");
	says(&h, "type rc state rts qpn 17");
	bad(&h, -EINVAL, "qp connect a peer $b.address", "qp 1 is in rts: it can be connected from reset or init");
	bad(&h, -EINVAL, "qp connect b", "'peer' is missing");
	bad(&h, -EINVAL, "qp connect b peer 12", "is no address");
	bad(&h, -EINVAL, "qp connect b peer $b.address sgid-index 7", "sgid-index 7: port 1 of rxe0 has no such GID");
	bad(&h, -EINVAL, "qp connect b peer $b.address qkey 7", "'qkey' means nothing to a qp of type rc");
	bad(&h, -EINVAL, "qp connect b peer $b.address port 3", "port 3: rxe0 has no such port; it has 2");
	/* A failure leaves the QP as it was. */
	fake_world.fail_state = KVERBS_QPS_RTS;
	bad(&h, -EIO, "qp connect b peer $b.address", "to rts: the device does not like it; the qp is back in reset (EIO)");
	good(&h, "qp show b");
	says(&h, "state reset");
	fake_world.fail_state = KVERBS_QPS_RTR;
	good(&h, "qp modify b state init access remote-write pkey-index 3");
	says(&h, "qp 2 name b state init access remote-write port 1 pkey-index 3");
	bad(&h, -EIO, "qp connect b peer $b.address",
	    "to rtr: the device does not like it; the qp is back in init (EIO)");
	good(&h, "qp show b");
	says(&h, "state init");
	says(&h, "access remote-write port 1 pkey-index 3");
	fake_world.fail_state = KVERBS_QPS_RTS;
	bad(&h, -EIO, "qp connect b peer $b.address",
	    "to rts: the device does not like it; the qp is back in init, but receives that were posted are gone (EIO)");
	good(&h, "qp show b");
	says(&h, "state init");
	says(&h, "access remote-write port 1 pkey-index 3");
	/* The first step has nothing to take back. */
	fake_world.fail_state = KVERBS_QPS_INIT;
	bad(&h, -EIO, "qp connect b peer $b.address", "to init: the device does not like it (EIO)");
	/* A value that the last step would refuse is refused before the first step. */
	bad(&h, -ERANGE, "qp connect b peer $b.address timeout 32", "connect: timeout is 32: it must be 0 to 31");
	bad(&h, -ERANGE, "qp connect b peer $b.address retry-cnt 8", "retry-cnt is 8: it must be 0 to 7");
	bad(&h, -ERANGE, "qp connect b peer $b.address rnr-retry 8", "rnr-retry is 8: it must be 0 to 7");
	bad(&h, -ERANGE, "qp connect b peer $b.address max-rd-atomic 256", "it must be 0 to 255");
	bad(&h, -EINVAL, "qp connect b peer $b.address max-rd-atomic 17",
	    "max-rd-atomic is 17, above the device's max_qp_init_rd_atom, 16");
	good(&h, "qp show b");
	says(&h, "access remote-write port 1 pkey-index 3");
	fake_world.fail_state = -1;
	good(&h, "qp connect b peer $b.address");
	good(&h, "qp modify b state err");
	good(&h, "echo $b.state $b.qpn");
	assert_string_equal(h.text, "err 18\n");
	good(&h, "qp add pd p type ud cq c name u");
	good(&h, "qp modify u state init qkey 5");
	fake_world.fail_state = KVERBS_QPS_RTS;
	bad(&h, -EIO, "qp connect u", "the qp is back in init");
	good(&h, "qp show u");
	says(&h, "state init");
	says(&h, "port 1 pkey-index 0 qkey 0x5");
	fake_world.fail_state = -1;
	good(&h, "qp connect u");
	says(&h, "state rts port 1 pkey-index 0 qkey 0x11111111 sq-psn 19");
	good(&h, "qp add pd p type uc cq c name w");
	good(&h, "qp connect w peer $b.address");
	says(&h, "access local-write,remote-write");
	bad(&h, -EINVAL, "qp modify w state rtr", "RTS");
	end(&h);
}

static void refuses_to(struct hand *h, const char *line, const char *text)
{
	char want[400];

	snprintf(want, sizeof(want), "qp modify: %s (EINVAL)", text);
	bad(h, -EINVAL, line, want);
	assert_string_equal(h->f.text, want);
}

/* A refusal names all that is missing and all that is too much. */
static void test_modify(void **state)
{
	struct hand h;

	begin(&h, KV_SPACE_KERNEL, true);
	good(&h, "pd add name p");
	good(&h, "cq add cqe 16 name c");
	good(&h, "qp add pd p cq c name a");
	refuses_to(&h, "qp modify a state rtr timeout 3",
		   "the qp is in RESET: its next state is INIT");
	refuses_to(&h, "qp modify a state init", "access is missing: INIT needs it");
	refuses_to(&h, "qp modify a state init timeout 1 sl 1 sgid-index 1 alt-port 1",
		   "access is missing: INIT needs it; also of no use here: dgid, timeout, alt-dgid");
	refuses_to(&h, "qp modify a state init access none qkey 1",
		   "qkey is of no use here: a qp of type RC has none");
	good(&h, "qp modify a state init access none pkey-index 3 port 2");
	says(&h, "access none port 2 pkey-index 3");
	/* A port that was chosen before stays. */
	good(&h, "qp modify a state init access remote-read");
	assert_null(strstr(h.text, "port"));
	refuses_to(&h, "qp modify a state rtr dgid ::1 dest-qpn 1",
		   "path-mtu is missing: RTR needs it; also missing: rq-psn, min-rnr-timer, max-dest-rd-atomic");
	refuses_to(&h, "qp modify a state rtr",
		   "dgid is missing: RTR needs it (on InfiniBand dlid is enough); also missing: path-mtu, dest-qpn, rq-psn, min-rnr-timer, max-dest-rd-atomic");
	refuses_to(&h, "qp modify a state rtr dgid ::1 dest-qpn 1 path-mtu 1024 rq-psn 1 min-rnr-timer 1 max-dest-rd-atomic 1 sq-psn 1 timeout 1",
		   "timeout is of no use here: RTR does not take it (from INIT); also of no use here: sq-psn");
	good(&h, "qp modify a state rtr dgid ::1 dest-qpn 1 path-mtu 1024 rq-psn 1 min-rnr-timer 1 max-dest-rd-atomic 1");
	refuses_to(&h, "qp modify a state rts timeout 1 retry-cnt 1 rnr-retry 1 max-rd-atomic 1",
		   "sq-psn is missing: RTS needs it");
	good(&h, "qp modify a state rts timeout 1 retry-cnt 1 rnr-retry 1 max-rd-atomic 1 sq-psn 1");
	refuses_to(&h, "qp modify a state rts timeout 14",
		   "timeout is of no use here: RTS does not take it (from RTS)");
	/* A refusal for another reason keeps that reason; further faults are named as well. */
	fake_world.refuse = "sgid_index is missing: dgid needs it";
	refuses_to(&h, "qp modify a state rts dgid ::1 retry-cnt 1",
		   "sgid-index is missing: dgid needs it; also of no use here: dgid, retry-cnt");
	refuses_to(&h, "qp modify a state rts access none",
		   "sgid-index is missing: dgid needs it");
	fake_world.refuse = "state: the qp is in RTS: its next state is SQD, ERR or RESET";
	refuses_to(&h, "qp modify a state init access none timeout 3",
		   "the qp is in RTS: its next state is SQD, ERR or RESET");
	/* Only a whole word is the name of a field. */
	fake_world.refuse = "rq_psn_x is no field, and rq_psn is one, behind other words";
	refuses_to(&h, "qp modify a state rts access none",
		   "rq_psn_x is no field, and rq-psn is one, behind other words");
	end(&h);
}

/* Completions as text. */
static void text_of(const char *list, char *text, size_t size)
{
	struct json_object *result = json_object_new_object();
	FILE *out = fmemopen(text, size, "w");

	json_object_object_add(result, "completions", json_tokener_parse(list));
	kv_text_completions(out, "poll", result);
	fclose(out);
	json_object_put(result);
}

static int count(const char *text, const char *part)
{
	int n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

static void test_post_and_poll(void **state)
{
	char hints[2048] = "";
	struct hand h;

	begin(&h, KV_SPACE_KERNEL, true);
	connect_two(&h);
	good(&h, "buf add length 64 name m");
	good(&h, "poll cq c");
	assert_string_equal(h.text, "no completion\n");
	good(&h, "post recv qp b sge buf m wr-id 7");
	assert_string_equal(h.text, "");
	good(&h, "poll cq c");
	assert_string_equal(h.text, "wr-id 7 op recv status success (0) length 64 qp 2\n");
	good(&h, "expect completions.0.status 0");
	good(&h, "expect completions.0.status success");
	good(&h, "expect completions.0.wr-id 0x7");
	bad(&h, -EBADMSG, "expect completions.0.status 10",
	    "expect: completions.0.status is '0' (success), and not '10'");
	bad(&h, -EINVAL, "expect completions.1.status 0", "has no field 'completions.1.status'");
	good(&h, "mr add pd p name r");
	bad(&h, -EINVAL, "post send qp a sge mr r", "mr 1 is not registered: register it first");
	bad(&h, -EINVAL, "post send qp a sge length 1", "'buf' or 'mr' is missing");
	good(&h, "mr reg r buf m offset 8 length 24 qp a");
	good(&h, "post write-imm qp a sge buf m length 8 sge mr r length 4 sge buf m mr r offset 10 sge mr r offset 20 remote-addr 0x1000 remote-offset 0x10 remote-key 0xdead wr-id 9 imm 0x1234 inline solicited fence");
	assert_int_equal(kv_out_get_count(h.doc, "/result/wr/0/remote_addr"), 0x1010);
	assert_int_equal(kv_out_get_count(h.doc, "/result/wr/0/sge/0/buf"), 1);
	assert_null(kv_out_get(h.doc, "/result/wr/0/sge/0/mr"));
	/* An MR alone stands for the bytes that are registered. */
	assert_int_equal(kv_out_get_count(h.doc, "/result/wr/0/sge/1/buf"), 1);
	assert_int_equal(kv_out_get_count(h.doc, "/result/wr/0/sge/1/mr"), 1);
	assert_int_equal(kv_out_get_count(h.doc, "/result/wr/0/sge/1/offset"), 8);
	assert_int_equal(kv_out_get_count(h.doc, "/result/wr/0/sge/2/length"), 54);
	assert_int_equal(kv_out_get_count(h.doc, "/result/wr/0/sge/3/length"), 12);
	good(&h, "poll cq c count 1");
	assert_string_equal(h.text, "wr-id 9 op write status remote access error (10) vendor-err 0x88 imm 0x1234 qp 1\n"
			    "status 10: the peer's key, rights or range: examples/20-wrong-rkey.kv\n");
	/* Each status once, and what it has in common with a measurement. */
	text_of("[{\"status\": 12}, {\"status\": 5}, {\"status\": 5}, {\"status\": 0}, {\"status\": 12}]", hints, sizeof(hints));
	assert_non_null(strstr(hints, "status 12: the peer has not answered: --ack-timeout"));
	assert_non_null(strstr(hints, "status 5: the QP went to ERR before: the first error tells why"));
	assert_int_equal(count(hints, "status 12: "), 1);
	assert_int_equal(count(hints, "status 5: "), 1);
	assert_null(strstr(hints, "status 0:"));
	good(&h, "expect completions.0.status 'remote access error'");
	good(&h, "post fetch-add qp a sge mr r remote-addr 0 remote-key 1 add 5");
	assert_int_equal(kv_out_get_count(h.doc, "/result/wr/0/sge/0/length"), 8);
	good(&h, "poll cq c max 1");
	good(&h, "post send qp a unsignaled");
	bad(&h, -ETIMEDOUT, "poll cq c count 2 timeout 1ms", "0 of 2 completions came within 0.001 s (ETIMEDOUT)");
	/* Completions that were taken are printed even if more were wanted. */
	good(&h, "post send qp a wr-id 3");
	bad(&h, -ETIMEDOUT, "poll cq c count 2 timeout 1ms", "1 of 2 completions came");
	assert_string_equal(h.text, "wr-id 3 op send status success (0) qp 1\n");
	/* Asleep, and awake again. */
	good(&h, "post send qp a wr-id 4");
	fake_world.late_polls = 2;
	good(&h, "poll cq c wait");
	assert_int_equal(fake_world.waits, 1);
	says(&h, "wr-id 4");
	bad(&h, -ETIMEDOUT, "poll cq c --wait timeout 1ms", "0 of 1 completions came");
	bad(&h, -EINVAL, "poll cq c timeout 1s", "needs 'count' or 'wait'");
	bad(&h, -EINVAL, "poll cq c count 0", "'count' is 0");
	bad(&h, -EINVAL, "poll", "'cq' is missing");
	good(&h, "post write qp a remote-addr 0 remote-key 1 unsignaled and send wr-id 12 and fetch-add sge mr r remote-addr 8 remote-key 1 add 1 wr-id 13");
	assert_int_equal(kv_out_get_count(h.doc, "/result/qp"), 1);
	assert_int_equal(json_object_array_length(kv_out_get(h.doc, "/result/wr")), 3);
	assert_string_equal(kv_out_get_string(h.doc, "/result/wr/1/op"), "send");
	assert_int_equal(kv_out_get_count(h.doc, "/result/wr/2/remote_addr"), 8);
	good(&h, "poll cq c count 2");
	assert_string_equal(h.text, "wr-id 12 op send status success (0) qp 1\nwr-id 13 op fetch-add status success (0) qp 1\n");
	fake_world.posted = 2;
	bad(&h, -ENOMEM, "post send qp a and send and send", "the device refuses wr 3 of 3; the 2 before it are posted");
	fake_world.posted = 0;
	good(&h, "poll cq c count 2");
	bad(&h, -EINVAL, "post send qp a and", "wr 2: a request is missing behind 'and'");
	bad(&h, -EINVAL, "post send qp a and fly", "wr 2: 'fly' is no request: behind 'and' stands an operation");
	bad(&h, -EINVAL, "post send qp a and send qp a", "wr 2: 'qp' is not known; it takes sge (buf, mr, offset, length), wr-id, inline");
	bad(&h, -EINVAL, "post send qp a and send and send sge", "wr 3: 'buf' or 'mr' is missing");
	bad(&h, -EINVAL, "post recv", "it takes 'qp' or 'srq'");
	bad(&h, -EINVAL, "post read qp a imm 1", "'imm' is not known; it takes qp, sge (buf, mr, offset, length), wr-id");
	bad(&h, -EINVAL, "post write qp a remote-addr 1", "'remote-key' is missing");
	good(&h, "refused ETIMEDOUT poll cq c count 1 timeout 0");
	assert_string_equal(h.text, "refused: poll: 0 of 1 completions came within 0 s (ETIMEDOUT)\n");
	good(&h, "expect errno ETIMEDOUT");
	bad(&h, -EBADMSG, "refused EINVAL poll cq c count 1 timeout 0", "'poll' was refused with ETIMEDOUT, and not with EINVAL: 0 of 1");
	bad(&h, -EBADMSG, "refused EINVAL pd add", "'pd add' was carried out");
	bad(&h, -EINVAL, "refused EINVAL pd fly", "'fly' is not known");
	bad(&h, -EINVAL, "refused EWHAT pd add", "no errno's name");
	bad(&h, -EINVAL, "refused EINVAL echo x", "calls no verb that could refuse it");
	end(&h);
}

static void test_monitor(void **state)
{
	struct hand h;

	begin(&h, KV_SPACE_KERNEL, true);
	fake_world.event.type = KVERBS_EVENT_WC_ERROR;
	fake_world.event.qp = 3;
	fake_world.event.wc_status = 12;
	fake_world.event.vendor_err = 0x81;
	strcpy(fake_world.event.dev, "rxe0");
	good(&h, "monitor count 1 time 1s");
	good(&h, "expect events.0.event wc-error");
	good(&h, "monitor time 0");
	good(&h, "expect count 0");
	fake_world.event.type = KVERBS_EVENT_WC_ERROR;
	fake_world.event.wc_status = 12;
	good(&h, "monitor count 1 time 1s");
	good(&h, "expect events.0.status 'transport retry counter exceeded'");
	good(&h, "expect count 1");
	good(&h, "monitor time 0");
	fake_world.event.type = KVERBS_EVENT_CM;
	fake_world.event.conn = 4;
	fake_world.event.cm_event = KVERBS_CM_EVENT_REJECTED;
	fake_world.event.cm_status = 28;
	good(&h, "monitor count 1 time 1s");
	good(&h, "expect events.0.event cm");
	good(&h, "expect events.0.conn 4");
	good(&h, "expect events.0.cm-event rejected");
	good(&h, "expect events.0.status 28");
	bad(&h, -ETIMEDOUT, "monitor time 0 count 1", "0 of 1 events came");
	end(&h);
}

static void test_verbs(void **state)
{
	struct hand h;

	begin(&h, KV_SPACE_USER, true);
	connect_two(&h);
	good(&h, "buf add length 64 name bytes");
	assert_string_equal(kv_out_get_string(h.doc, "/verbs/0/verb"), "first touch");
	good(&h, "mr add pd p name m");
	assert_int_equal(json_object_array_length(kv_out_get(h.doc, "/verbs")), 0);
	good(&h, "mr reg m buf bytes");
	assert_string_equal(kv_out_get_string(h.doc, "/verbs/0/verb"), "ibv_reg_mr");
	assert_int_equal(h.s.verb_ns, 2000);
	good(&h, "post send qp a");
	fake_world.late_polls = 3;
	good(&h, "poll cq c count 1");
	assert_true(json_object_get_boolean(kv_out_get(h.doc, "/verbs/0/idle")));
	assert_int_equal(kv_out_get_count(h.doc, "/verbs/0/calls"), 3);
	assert_string_equal(kv_out_get_string(h.doc, "/verbs/1/verb"), "ibv_poll_cq");
	/* Empty polls are no cost of the poll that found a completion. */
	assert_int_equal(h.s.verb_ns, 100);
	good(&h, "refused ENOENT qp del 9");
	assert_int_equal(json_object_array_length(kv_out_get(h.doc, "/verbs")), 0);
	fake_world.fail_state = KVERBS_QPS_ERR;
	good(&h, "refused EIO qp modify a state err");
	assert_string_equal(kv_out_get_string(h.doc, "/verbs/0/verb"), "ibv_modify_qp");
	assert_string_equal(kv_out_get_string(h.doc, "/verbs/0/errno"), "EIO");
	end(&h);
	begin(&h, KV_SPACE_KERNEL, true);
	connect_two(&h);
	good(&h, "buf add length 64 name bytes");
	good(&h, "mr add pd p name m");
	good(&h, "mr reg m buf bytes qp a");
	/* The QP was looked at before. */
	assert_string_equal(kv_out_get_string(h.doc, "/verbs/1/verb"), "ib_post_send");
	assert_string_equal(kv_out_get_string(h.doc, "/verbs/1/wr"), "IB_WR_REG_MR");
	assert_int_equal(kv_out_get_count(h.doc, "/verbs/1/ns"), 2000);
	end(&h);
	begin(&h, KV_SPACE_KERNEL, true);
	good(&h, "cq add cqe 1 context event name c");
	assert_string_equal(kv_out_get_string(h.doc, "/verbs/0/verb"), "ib_create_cq");
	good(&h, "cq del c");
	assert_string_equal(kv_out_get_string(h.doc, "/verbs/0/verb"), "ib_destroy_cq");
	good(&h, "cq add cqe 1 name d");
	assert_string_equal(kv_out_get_string(h.doc, "/verbs/0/verb"), "ib_create_cq");
	assert_int_equal(kv_out_get_count(h.doc, "/verbs/0/ns"), 1000);
	good(&h, "cq del d");
	good(&h, "cq add cqe 1 context softirq name e");
	assert_string_equal(kv_out_get_string(h.doc, "/verbs/0/verb"), "ib_alloc_cq");
	good(&h, "cq del e");
	assert_string_equal(kv_out_get_string(h.doc, "/verbs/0/verb"), "ib_free_cq");
	end(&h);
}

/* From here on what is traced goes to memory. */
static void trace_begin(struct hand *h, FILE **real)
{
	h->s.trace = true;
	*real = stderr;
	stderr = open_memstream(&h->traced, &h->traced_size);
}

/* Is this all that was traced? */
static void trace_end(struct hand *h, FILE *real, const char *expected)
{
	fclose(stderr);
	stderr = real;
	h->s.trace = false;
	assert_string_equal(h->traced, expected);
	free(h->traced);
}

static void traces(struct hand *h, const char *line, int error,
		   const char *expected)
{
	FILE *real;

	trace_begin(h, &real);
	assert_int_equal(run(h, line), error);
	trace_end(h, real, expected);
}

static void test_trace(void **state)
{
	struct hand h;
	FILE *real;

	begin(&h, KV_SPACE_KERNEL, true);
	traces(&h, "pd add name p", 0, "ib_alloc_pd(rxe0) = pd 1  [1.000 us]\n");
	traces(&h, "pd del 9", -ENOENT,
	       "ib_dealloc_pd(pd 9) not called: no pd with id 9 (ENOENT)\n");
	good(&h, "cq add cqe 8 name c");
	good(&h, "qp add pd p cq c name a");
	traces(&h, "qp show a", 0, "ib_query_qp(qp 1) = reset\n");
	good(&h, "qp modify a state init access none");
	traces(&h, "qp modify a state rtr path-mtu 1024 dest-qpn 18 rq-psn 5 dgid ::ffff:10.0.0.1 sgid-index 1 max-dest-rd-atomic 1 min-rnr-timer 12",
	       0,
	       "ib_query_qp(qp 1) = init\n"
	       "ib_modify_qp(qp 1, state rtr, path-mtu 1024, dest-qpn 18, rq-psn 5, dgid ::ffff:10.0.0.1, sgid-index 1, sl 0, traffic-class 0, flow-label 0, hop-limit 64, min-rnr-timer 12, max-dest-rd-atomic 1) = 0  [3.000 us: resolve 1.800, modify 1.200]\n");
	good(&h, "qp modify a state reset");
	good(&h, "buf add length 64 name b");
	good(&h, "mr add pd p name m");
	traces(&h, "mr reg m buf b qp a access remote-read", 0,
	       "ib_query_qp(qp 1) = reset\n"
	       "ib_map_mr_sg(mr 1, buf 1, offset 0, length 64), "
	       "ib_post_send(mr 1, qp 1, access remote-read, IB_WR_REG_MR), "
	       "ib_poll_cq(send-cq) = lkey 0x101, rkey 0x201  [2.000 us]\n");
	traces(&h, "mr inv m qp a", 0,
	       "ib_query_qp(qp 1) = reset\n"
	       "ib_post_send(mr 1, qp 1, IB_WR_LOCAL_INV), ib_poll_cq(send-cq) = 0  [1.500 us]\n");
	fake_world.refusal = "qp: the qp is in RESET: bring it to INIT first";
	traces(&h, "post recv qp a", -EINVAL,
	       "ib_post_recv(qp 1, op recv, wr-id 0, sge none) not called: "
	       "the qp is in RESET: bring it to INIT first (EINVAL)\n");
	assert_int_equal(json_object_array_length(kv_out_get(h.doc, "/verbs")), 0);
	/* Not the text says whether the verb was called. */
	fake_world.refusal = "ib_post_recv failed, one could think";
	traces(&h, "post recv qp a", -EINVAL,
	       "ib_post_recv(qp 1, op recv, wr-id 0, sge none) not called: "
	       "ib_post_recv failed, one could think (EINVAL)\n");
	/* Another verb, before it. */
	fake_world.failed = KVERBS_STAGE_QUERY;
	traces(&h, "post recv qp a", -EINVAL,
	       "ib_post_recv(qp 1, op recv, wr-id 0, sge none) not called: "
	       "ib_post_recv failed, one could think (EINVAL)\n");
	fake_world.failed = KVERBS_STAGE_POST;
	fake_world.refusal = "the device refuses the request";
	traces(&h, "post recv qp a", -EINVAL,
	       "ib_post_recv(qp 1, op recv, wr-id 0, sge none) = -22 (EINVAL) the device refuses the request\n");
	assert_int_equal(json_object_array_length(kv_out_get(h.doc, "/verbs")), 1);
	fake_world.refusal = NULL;
	fake_world.failed = KVERBS_STAGE_UNSPEC;
	traces(&h, "post recv qp a wr-id 1 and recv wr-id 2", 0,
	       "ib_post_recv(qp 1, op recv, wr-id 1, sge none; op recv, wr-id 2, sge none) = 0  [0.900 us]\n");
	assert_int_equal(json_object_array_length(kv_out_get(h.doc, "/verbs")), 1);
	fake_world.posted = 1;
	traces(&h, "post recv qp a wr-id 1 and recv wr-id 2", -ENOMEM,
	       "ib_post_recv(qp 1, op recv, wr-id 1, sge none; op recv, wr-id 2, sge none) = -12 (ENOMEM) of the request behind 1 posted ones  [0.900 us]\n");
	fake_world.posted = 0;
	good(&h, "poll cq c count 3");
	good(&h, "post recv qp a");
	fake_world.late_polls = 2;
	traces(&h, "poll cq c count 1", 0,
	       "ib_poll_cq(cq 1) = 0  [0.100 us each] 2 times\n"
	       "ib_poll_cq(cq 1) = 1  [0.100 us]\n");
	/* At the end of a batch. */
	trace_begin(&h, &real);
	assert_int_equal(kv_flush_each(&h.s, false), 5);
	trace_end(&h, real,
		  "ib_query_qp(qp 1) = reset\n"
		  "ib_destroy_qp(qp 1) = 0  [0.500 us]\n"
		  "ib_dereg_mr(mr 1) = 0  [0.500 us]\n"
		  "ib_destroy_cq(cq 1) = 0  [0.500 us]\n"
		  "ib_dealloc_pd(pd 1) = 0  [0.500 us]\n");
	assert_int_equal(fake_world.objects, 0);
	end(&h);
	begin(&h, KV_SPACE_KERNEL, false);
	good(&h, "pd add");
	fake_world.lists_changing = 1;
	traces(&h, "flush", 0, "ib_dealloc_pd(pd 1) = 0  [0.500 us]\n");
	/* The fake's number of flushed objects is added. */
	assert_string_equal(h.text, "flushed 4 busy 1\n");
	end(&h);
}

static void test_conn(void **state)
{
	struct hand h;

	begin(&h, KV_SPACE_KERNEL, true);
	connect_two(&h);
	good(&h, "qp add pd p cq c name q");
	bad(&h, -EINVAL, "conn listen", "'addr' is missing: address to listen on");
	bad(&h, -EINVAL, "conn listen host", "addr 'host' is no address; it takes 192.0.2.1");
	bad(&h, -EINVAL, "conn listen 10.0.0.1 backlog 1025", "is too large");
	bad(&h, -EINVAL, "conn listen 10.0.0.1 backlog 0", "backlog is 0");
	bad(&h, -EINVAL, "conn listen 10.0.0.1 fast", "'fast' is not known; it takes backlog, dev, name");
	good(&h, "conn show");
	assert_int_equal(json_object_array_length(kv_out_get(h.doc, "/result/objects")), 0);
	good(&h, "conn listen $dev.gid --backlog 3 name l");
	says(&h, "conn 1 name l dev rxe0 state listening src 10.0.0.1:7777 port 7777 backlog 3 waiting 0");
	bad(&h, -ETIMEDOUT, "conn get-request l timeout 0", "conn get-request: ");
	fake_world.requests = 2;
	good(&h, "conn get-request l name r");
	says(&h, "conn 2 name r dev rxe0 state requested event connect-request listener 1");
	says(&h, "private-length 56 private-data who is it");
	bad(&h, -EINVAL, "conn accept r", "'qp' is missing");
	bad(&h, -ENOENT, "conn accept r qp 9", "no qp with id 9");
	bad(&h, -EINVAL, "conn accept r qp q name s", "'name' is for the request that a listener has; conn 2 exists already");
	good(&h, "conn accept r qp q no-wait");
	says(&h, "state accepted");
	good(&h, "conn wait r");
	says(&h, "state established event established listener 1 qp 3");
	good(&h, "conn disconnect r");
	says(&h, "state disconnected event disconnected");
	good(&h, "conn accept l qp q name s");
	says(&h, "conn 3 name s dev rxe0 state established");
	fake_world.in_use = true;
	bad(&h, -EBUSY, "qp del q", "qp 3 is in use by conn 2 (r), conn 3 (s): delete these first");
	fake_world.in_use = false;
	good(&h, "conn del s");
	fake_world.requests = 1;
	good(&h, "conn get-request l name s");
	good(&h, "conn reject s private-data hex:00ff");
	says(&h, "state rejected");
	bad(&h, -EINVAL, "conn reject s private-data hex:0", "private-data 'hex:0' is no list of bytes: each byte takes two digits");
	bad(&h, -EINVAL, "conn reject s", "in another state");
	bad(&h, -EINVAL, "conn wait s state gone", "state 'gone' is not known; it takes idle, listening");
	end(&h);
}

static void test_conn_connect(void **state)
{
	struct hand h;

	begin(&h, KV_SPACE_USER, true);
	connect_two(&h);
	good(&h, "qp add pd p cq c name q");
	bad(&h, -EINVAL, "conn connect 10.0.0.1 qp q", "addr '10.0.0.1' has no port; it takes ADDR:PORT");
	bad(&h, -EINVAL, "conn connect fe80::1 qp q", "has no port; it takes [ADDR]:PORT");
	bad(&h, -EINVAL, "conn connect 10.0.0.1:0 qp q", "has no port");
	bad(&h, -EINVAL, "conn connect 10.0.0.1:5", "'qp' is missing");
	bad(&h, -EINVAL, "conn connect 10.0.0.1:5 qp q retry-cnt 8", "is too large");
	bad(&h, -ENOENT, "conn connect 10.0.0.1:5 qp 9", "no qp with id 9");
	fake_world.answer = KVERBS_CONN_ANSWERED;
	good(&h, "conn connect 10.0.0.1:5 --qp q --src 10.0.0.2 private-data hello name x");
	says(&h, "conn 1 name x dev rxe0 state established event connect-response src 10.0.0.2 dst 10.0.0.1:5 qp 3");
	good(&h, "echo $x.dst $x.state");
	assert_string_equal(h.text, "10.0.0.1:5 established\n");
	good(&h, "conn wait x");
	good(&h, "conn del x");
	good(&h, "conn connect [2001:db8::1]:5 qp q no-wait name x");
	says(&h, "state connecting event route-resolved dst [2001:db8::1]:5");
	good(&h, "conn wait x state answered");
	says(&h, "state answered");
	good(&h, "conn wait x");
	says(&h, "state established");
	/* A failed command leaves nothing, and gives no name. */
	fake_world.answer = KVERBS_CONN_REJECTED;
	bad(&h, -ECONNREFUSED, "conn connect 10.0.0.1:5 qp q name y",
	    "consumer defined (28)");
	if (!strstr(h.f.text, "10.0.0.1:5") || !strstr(h.f.text, "go away"))
		fail_msg("'%s'", h.f.text);
	bad(&h, -EINVAL, "conn show y", "'y' is the name of nothing");
	fake_world.answer = 0;
	bad(&h, -ETIMEDOUT, "conn connect 10.0.0.1:5 qp q timeout 0s", "10.0.0.1:5");
	good(&h, "conn show");
	assert_int_equal(json_object_array_length(kv_out_get(h.doc, "/result/objects")), 1);
	/* Unless somebody else waits. */
	good(&h, "conn connect 10.0.0.1:5 qp q no-wait name y");
	fake_world.answer = KVERBS_CONN_REJECTED;
	bad(&h, -ECONNREFUSED, "conn wait y", "consumer defined (28)");
	says(&h, "state rejected event rejected status consumer defined (28)");
	says(&h, "private-length 148 private-data go away");
	end(&h);
}

static void test_conn_trace(void **state)
{
	struct hand h;
	FILE *real;

	begin(&h, KV_SPACE_KERNEL, true);
	connect_two(&h);
	good(&h, "qp add pd p cq c name q");
	traces(&h, "conn listen 10.0.0.1 name l", 0,
	       "rdma_create_id(rxe0) = conn 1  [1.000 us]\n"
	       "rdma_bind_addr(conn 1, 10.0.0.1), rdma_listen(conn 1, backlog 128) = 10.0.0.1:7777  [4.000 us]\n");
	fake_world.answer = KVERBS_CONN_ANSWERED;
	traces(&h, "conn connect 10.0.0.1:7777 qp q private-data hi timeout 90s access remote-read no-wait name x",
	       0,
	       "ib_query_qp(qp 3) = reset\n"
	       "rdma_create_id(rxe0) = conn 2  [1.000 us]\n"
	       "rdma_resolve_addr(conn 2, dst 10.0.0.1:7777, timeout-ms 60000) = 0  [4.000 us]\n"
	       "rdma_resolve_route(conn 2, timeout-ms 60000) = 0  [4.000 us]\n"
	       "rdma_connect(conn 2, qp 3, access remote-read, rnr-retry 6, private-length 2, private-data hi, retry-cnt 6) = 0  [4.000 us]\n");
	traces(&h, "conn wait x", 0,
	       "rdma_accept(conn 2) = 0  [4.000 us]\n");
	traces(&h, "conn disconnect x", 0,
	       "rdma_disconnect(conn 2) = 0  [4.000 us]\n");
	fake_world.requests = 1;
	good(&h, "conn get-request l name r");
	traces(&h, "conn reject r private-data no", 0,
	       "rdma_reject(conn 3, private-data no) = 0  [4.000 us]\n");
	/* At the end of a batch connections go before their QPs. */
	trace_begin(&h, &real);
	assert_int_equal(kv_flush_each(&h.s, false), 8);
	trace_end(&h, real,
		  "rdma_destroy_id(conn 1) = 0  [0.500 us]\n"
		  "rdma_destroy_id(conn 2) = 0  [0.500 us]\n"
		  "rdma_destroy_id(conn 3) = 0  [0.500 us]\n"
		  "ib_query_qp(qp 1) = rts\n"
		  "ib_query_qp(qp 2) = reset\n"
		  "ib_query_qp(qp 3) = reset\n"
		  "ib_destroy_qp(qp 1) = 0  [0.500 us]\n"
		  "ib_destroy_qp(qp 2) = 0  [0.500 us]\n"
		  "ib_destroy_qp(qp 3) = 0  [0.500 us]\n"
		  "ib_destroy_cq(cq 1) = 0  [0.500 us]\n"
		  "ib_dealloc_pd(pd 1) = 0  [0.500 us]\n");
	end(&h);
	begin(&h, KV_SPACE_USER, true);
	connect_two(&h);
	good(&h, "qp add pd p cq c name q");
	fake_world.answer = KVERBS_CONN_ANSWERED;
	trace_begin(&h, &real);
	good(&h, "conn connect 10.0.0.1:5 qp q src 10.0.0.2 private-data hi access remote-read no-wait timeout 90s");
	trace_end(&h, real,
		  "ibv_query_qp(qp 3) = reset\n"
		  "rdma_create_id(rxe0) = conn 1  [1.000 us]\n"
		  "rdma_bind_addr(conn 1, 10.0.0.2), rdma_resolve_addr(conn 1, dst 10.0.0.1:5, timeout-ms 60000) = 0  [4.000 us]\n"
		  "rdma_resolve_route(conn 1, timeout-ms 60000) = 0  [4.000 us]\n"
		  "rdma_connect(conn 1, qp 3, access remote-read, rnr-retry 6, private-length 2, private-data hi, retry-cnt 6) = 0  [4.000 us]\n");
	traces(&h, "conn wait 1", 0, "rdma_establish(conn 1) = 0  [4.000 us]\n");
	end(&h);
}

static void note(const struct kv_session *s, const char *text,
		 struct json_object *doc, void *arg)
{
	struct kv_cost *t = arg;

	if (s->timed)
		kv_cost_add(t, (unsigned int)kv_out_get_count(doc, "/line"),
			     text, s->space, s->verb_ns);
}

static int run_batch(struct hand *h, const char *text, struct kv_cost *t)
{
	struct kv_batch batch = { .name = "x.kv", .told = note, .arg = t };
	int ret;

	batch.in = fmemopen((char *)text, strlen(text), "r");
	assert_non_null(batch.in);
	ret = kv_batch_run(&batch, &h->s, &h->f);
	fclose(batch.in);
	return ret;
}

static void test_batch(void **state)
{
	struct kv_cost t = { 0 };
	struct json_object *list;
	struct hand h;

	begin(&h, KV_SPACE_KERNEL, true);
	assert_int_equal(run_batch(&h, "# two lines\npd add \\\n  name p\n\ncq add cqe 4", &t), 0);
	assert_int_equal(fake_world.objects, 2);
	end(&h);
	begin(&h, KV_SPACE_USER, true);
	assert_int_equal(run_batch(&h, "\npd add\r\n", &t), 0);
	end(&h);
	list = kv_cost_describe(&t, 3);
	assert_int_equal(json_object_array_length(list), 2);
	assert_int_equal(kv_out_get_count(list, "/0/line"), 2);
	assert_string_equal(kv_out_get_string(list, "/0/command"), "pd add   name p");
	assert_int_equal(kv_out_get_real(list, "/0/kernel_ns"), 1000);
	assert_null(kv_out_get(list, "/1/user_ns"));
	json_object_put(list);
	kv_cost_clear(&t);

	begin(&h, KV_SPACE_KERNEL, true);
	assert_int_equal(run_batch(&h, "pd add\n\npd \\\n del 9\npd add", &t), -ENOENT);
	assert_string_equal(h.f.text, "x.kv:3: pd del: no pd with id 9; there is 1 (ENOENT)");
	assert_int_equal(h.f.exit, KV_EXIT_FAILED);
	assert_int_equal(fake_world.objects, 1);
	assert_int_equal(run_batch(&h, "pd add\npd add 'x", &t), -EINVAL);
	assert_string_equal(h.f.text, "x.kv:2: a quote ' is not closed");
	assert_int_equal(h.f.exit, KV_EXIT_USAGE);
	assert_int_equal(run_batch(&h, "pd add \\", &t), 0);
	end(&h);
	kv_cost_clear(&t);
}

static void test_options(void **state)
{
	char *line[] = { "--json", "pd", "show", "--space=user", "--dev", "rxe0",
			 "--wait", "--", "--trace" };
	char *batch[] = { "x", "--repeat", "3", "--set", "a=1", "--set=b=2",
			  "--space", "both" };
	char *wrong[][2] = {
		{ "--space", "outer" }, { "--repeat", "0" }, { "--set", "a" },
		{ "--frob", "x" }, { "x", "--dev" }, { "--json", "-" }, { "-j", "x.json" }, { "--json=", "x" }, { "-jx", "x" },
	};
	char *json[][3] = { { "pd", "-j" }, { "--json", "pd" }, { "--json=x.json", "pd" } };
	char *former[] = { "--json", "x.json", NULL };
	struct kv_object_options o;
	char *mistake[][4] = {
		{ "--repeat", "0", "--json" }, { "--frob", "x.kv", "-j" }, { "--frob", "--json=x.json", "x.kv" },
		{ "--frob", "--", "--json" },
	};
	struct kv_fault f;
	int n = 8;

	assert_int_equal(kv_object_options_take(&o, 9, line, &f), 0);
	assert_string_equal(o.json, "-");
	assert_true(o.has_space && !o.trace);
	assert_int_equal(o.spaces, 1 << KV_SPACE_USER);
	assert_string_equal(o.dev, "rxe0");
	assert_int_equal(o.n, 4);
	assert_string_equal(o.word[2], "--wait");
	assert_string_equal(o.word[3], "--trace");
	kv_object_options_free(&o);
	memset(&o, 0, sizeof(o));
	assert_int_equal(kv_option_read("batch", &n, batch, kv_object_batch_rows, &o, false, &f), 1);
	assert_int_equal(o.repeat, 3);
	assert_int_equal(o.sets, 2);
	assert_string_equal(o.set[1], "b=2");
	assert_int_equal(o.spaces, 3);
	kv_object_options_free(&o);
	for (size_t i = 0; i < sizeof(json) / sizeof(json[0]); i++) {
		assert_int_equal(kv_object_options_take(&o, 2, json[i], &f), 0);
		assert_string_equal(o.json, i < 2 ? "-" : "x.json");
		assert_int_equal(o.n, 1);
		kv_object_options_free(&o);
	}
	assert_int_equal(kv_object_options_take(&o, 2, former, &f), -EINVAL);
	assert_string_equal(f.text, "--json x.json: write --json=x.json to have JSON there, or --json behind all words to print it");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		n = 2;
		memset(&o, 0, sizeof(o));
		assert_int_equal(kv_option_read("batch", &n, wrong[i], kv_object_batch_rows, &o,
						false, &f), -EINVAL);
		assert_int_equal(f.exit, KV_EXIT_USAGE);
		kv_object_options_free(&o);
	}
	/* A mistake is reported as JSON wherever --json stands, but not where it is no option. */
	for (size_t i = 0; i < sizeof(mistake) / sizeof(mistake[0]); i++) {
		n = 3;
		memset(&o, 0, sizeof(o));
		assert_int_equal(kv_option_read("batch", &n, mistake[i], kv_object_batch_rows, &o,
						false, &f), -EINVAL);
		if (i < 3)
			assert_string_equal(o.json, i < 2 ? "-" : "x.json");
		else
			assert_null(o.json);
		kv_object_options_free(&o);
	}
}

static void test_names(void **state)
{
	static const struct kv_option rows[] = {
		{ "gid-index", "N", "", KV_OPTION_U32, .max = 9, .letter = 'x', .alias = "gid" },
		{ "gather", NULL, "", KV_OPTION_FLAG, .at = 4 },
		{ "server", "[SPACE]", "", KV_OPTION_ENUM_MAY, .at = 8, .has = 5, .names = kv_enum_space },
		{ .name = NULL },
	};
	static const struct {
		char *word[3];
		int n;
		uint32_t gid, space;
	} line[] = {
		{ { "--gid", "1" }, 0, 1, 9 }, { { "--gid-index", "2" }, 0, 2, 9 }, { { "--gi", "3" }, 0, 3, 9 },
		{ { "-x", "4" }, 0, 4, 9 }, { { "--server", "user" }, 0, 0, KV_SPACE_USER },
		{ { "--server", "host" }, 1, 0, 9 }, { { "host", "--server" }, 1, 0, 9 },
		{ { "--server=kernel", "user" }, 1, 0, KV_SPACE_KERNEL },
	};
	struct {
		uint32_t gid;
		bool gather, has;
		uint32_t space;
	} args;
	char text[64], *ambiguous[] = { "--g", "1" };
	struct kv_fault f;
	int n = 2;

	for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++) {
		char *word[] = { line[i].word[0], line[i].word[1], NULL };

		n = 2;
		memset(&args, 0, sizeof(args));
		args.space = 9;
		assert_int_equal(kv_option_read("x", &n, word, rows, &args, false, &f), 1);
		assert_int_equal(n, line[i].n);
		assert_int_equal(args.gid, line[i].gid);
		assert_int_equal(args.space, line[i].space);
		assert_int_equal(args.has, i >= 4);
	}
	n = 2;
	assert_int_equal(kv_option_read("x", &n, ambiguous, rows, &args, false, &f), -EINVAL);
	kv_option_format(rows, text, sizeof(text));
	assert_string_equal(text, "-x, --gid-index, --gid N");
}

/* Letters of options stand together as with getopt(); the last one may have a value. */
static void test_letters(void **state)
{
	static const struct kv_option rows[] = {
		{ "pretty", NULL, "", KV_OPTION_FLAG, .at = 0, .letter = 'p' },
		{ "sizes", "N", "", KV_OPTION_TEXT, .at = 8, .letter = 's', .flag = 'a', .flagged = "all" },
		{ "json", "[=FILE]", "", KV_OPTION_OUTPUT, .at = 16, .letter = 'j' },
		{ .name = NULL },
	};
	static const struct {
		char *word[3];
		int ret, words;
		bool pretty;
		const char *sizes, *json;
	} line[] = {
		{ { "-jp", "w" }, 1, 1, true, NULL, "-" },
		{ { "-pj" }, 1, 0, true, NULL, "-" },
		{ { "-pa", "w" }, 1, 1, true, "all", NULL },
		{ { "-js64", "w" }, 1, 1, false, "64", "-" },
		{ { "-pjs", "64" }, 1, 0, true, "64", "-" },
		{ { "-apj" }, 1, 0, true, "all", "-" },
		/* The value of s is the rest of the word. */
		{ { "-spj" }, 1, 0, false, "pj", NULL },
		{ { "-jx" }, -EINVAL, 0, false, NULL, NULL },
		{ { "-ps" }, -EINVAL, 0, true, NULL, NULL },
		/* Behind a mistake. */
		{ { "--fly", "-pj", "w" }, -EINVAL, 1, false, NULL, "-" },
	};
	struct {
		bool pretty;
		const char *sizes, *json;
	} args;
	struct kv_fault f;

	for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++) {
		char *word[4] = { 0 };
		int n = 0;

		for (; n < 3 && line[i].word[n]; n++)
			word[n] = line[i].word[n];
		memset(&args, 0, sizeof(args));
		assert_int_equal(kv_option_read("x", &n, word, rows, &args, false, &f), line[i].ret);
		assert_int_equal(n, line[i].words);
		assert_int_equal(args.pretty, line[i].pretty);
		if (line[i].sizes)
			assert_string_equal(args.sizes, line[i].sizes);
		else
			assert_null(args.sizes);
		if (line[i].json)
			assert_string_equal(args.json, line[i].json);
		else
			assert_null(args.json);
	}
}

/* The list of commands names those that a type of objects has. */
static void test_lists(void **state)
{
	static const struct {
		const char *noun, *list;
	} rows[] = {
#define OBJECT(TYPE, type, list, ...) { #type, list },
#include "model/objects.def"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char list[128], *rest, *word;

		snprintf(list, sizeof(list), "%s", strchr(rows[i].list, ':') + 1);
		for (word = strtok_r(list, " ,", &rest); word; word = strtok_r(NULL, " ,", &rest))
			assert_true(!strcmp(word, "...") ||
				    kv_command_find(kv_noun_find(rows[i].noun), word));
	}
}

/* A character of two bytes has one column. */
static void test_wrap(void **state)
{
	static const char text[] = "12 \xc2\xb5s 456 \xc2\xb1\xc2\xb1 9";
	char *wrapped = NULL;
	size_t size;
	FILE *out = open_memstream(&wrapped, &size);

	kv_wrap_to(out, text, 2, 0, 13);
	kv_wrap_to(out, text, 2, 0, 12);
	fclose(out);
	assert_string_equal(wrapped, "12 \xc2\xb5s 456 \xc2\xb1\xc2\xb1\n  9\n12 \xc2\xb5s 456\n  \xc2\xb1\xc2\xb1 9\n");
	free(wrapped);
}

/* A limit is named, and so is the line. */
static void test_limits(void **state)
{
	static char line[KV_LEXER_LINE_MAX + 64], value[KV_VARIABLES_VALUE_MAX + 1];
	struct kv_cost t = { 0 };
	char text[1024] = "set A x\n";
	struct kv_fault f;
	struct hand h;

	begin(&h, KV_SPACE_KERNEL, true);
	for (int i = 0; i < 40; i++)
		strcat(text, "set A $A$A\n");
	assert_int_equal(run_batch(&h, text, &t), -EINVAL);
	assert_string_equal(h.f.text, "x.kv:18: set: the value of 'A' has 131072 bytes; a variable holds at most 65536");
	assert_int_equal(h.f.exit, KV_EXIT_USAGE);
	memset(value, 'v', sizeof(value) - 1);
	assert_int_equal(kv_variables_set(&h.s.variables, "A", value, &f), 0);
	/* Each of them is short enough. A variable that is set again counts once. */
	for (unsigned int i = 1; i < KV_VARIABLES_MAX / KV_VARIABLES_VALUE_MAX; i++) {
		char name[16];

		snprintf(name, sizeof(name), "B%u", i);
		assert_int_equal(kv_variables_set(&h.s.variables, name, value, &f), 0);
	}
	assert_int_equal(kv_variables_set(&h.s.variables, "A", value, &f), 0);
	assert_int_equal(kv_variables_set(&h.s.variables, "C", "c", &f), -EINVAL);
	assert_string_equal(f.text, "with 'C' the variables would have 16777217 bytes; together they hold at most 16777216");
	strcpy(text, "echo ");
	for (int i = 0; i < 16; i++)
		strcat(text, "$A");
	assert_int_equal(run_batch(&h, text, &t), -EINVAL);
	assert_string_equal(h.f.text, "x.kv:1: the command has more than 1048576 bytes once its references are replaced");
	text[strlen(text) - 2] = '\0';
	assert_int_equal(run_batch(&h, text, &t), 0);

	memset(line, 'x', sizeof(line));
	memcpy(line, "pd add\necho ", 12);
	line[7 + KV_LEXER_LINE_MAX] = '\0';
	assert_int_equal(run_batch(&h, line, &t), 0);
	memcpy(line + 7 + KV_LEXER_LINE_MAX, "x\npd add", 9);
	assert_int_equal(run_batch(&h, line, &t), -EINVAL);
	assert_string_equal(h.f.text, "x.kv:2: the command has more than 1048576 bytes");
	/* With the lines that continue it, too. */
	memcpy(line + 99, "\\\n", 2);
	assert_int_equal(run_batch(&h, line, &t), 0);
	memcpy(line + 7 + KV_LEXER_LINE_MAX, "xxx\npd add", 11);
	assert_int_equal(run_batch(&h, line, &t), -EINVAL);
	assert_string_equal(h.f.text, "x.kv:2: the command has more than 1048576 bytes");
	kv_cost_clear(&t);
	end(&h);
}

static void test_byte_order_mark(void **state)
{
	struct kv_cost t = { 0 };
	struct hand h;

	begin(&h, KV_SPACE_KERNEL, true);
	assert_int_equal(run_batch(&h, "\xef\xbb\xbfpd add\npd add", &t), 0);
	assert_int_equal(fake_world.objects, 2);
	assert_int_equal(run_batch(&h, "\xef\xbb\xbf", &t), 0);
	/* Anywhere else it is what it is. */
	assert_int_equal(run_batch(&h, "pd add\n\xef\xbb\xbfpd add", &t), -EINVAL);
	assert_non_null(strstr(h.f.text, "x.kv:2: \xef\xbb\xbfpd: there is no command"));
	assert_int_equal(run_batch(&h, " \xef\xbb\xbfpd add", &t), -EINVAL);
	assert_int_equal(run_batch(&h, "\xef\xbb\xbf\xef\xbb\xbfpd add", &t), -EINVAL);
	kv_cost_clear(&t);
	end(&h);
}

static void drop_line(const struct kv_session *s, const char *text,
		      struct json_object *doc, void *arg)
{
	FILE *out = fopen("/dev/null", "we");

	kv_text_print(out, doc);
	fclose(out);
}

/* Carry out what @in has, and print it to nowhere. */
static int run_stream(struct hand *h, FILE *in)
{
	struct kv_batch batch = { .in = in, .name = "x.kv", .told = drop_line };
	int ret;

	assert_non_null(in);
	ret = kv_batch_run(&batch, &h->s, &h->f);
	fclose(in);
	return ret;
}

/* Lines that do not end are not read for ever. */
static void test_endless(void **state)
{
	static const struct {
		const char *path;
		const char *says;
	} files[] = {
		{ "/dev/zero", "x.kv:1: the line has a zero byte: it is no text" },
		{ "/dev/full", "x.kv:1: the line has a zero byte: it is no text" },
	};
	struct hand h;

	begin(&h, KV_SPACE_KERNEL, true);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		assert_int_equal(run_stream(&h, fopen(files[i].path, "re")), -EINVAL);
		assert_string_equal(h.f.text, files[i].says);
	}
	end(&h);
}

/* A command of @n words. */
static void many_words(size_t n)
{
	FILE *in = tmpfile();
	struct hand h;

	begin(&h, KV_SPACE_KERNEL, true);
	fputs("echo", in);
	while (n--)
		fputs(" x", in);
	rewind(in);
	assert_int_equal(run_stream(&h, in), 0);
	end(&h);
}

/* A command of @n lines. */
static void many_continuations(size_t n)
{
	FILE *in = tmpfile();
	struct hand h;

	begin(&h, KV_SPACE_KERNEL, true);
	fputs("echo x\\\n", in);
	while (n--)
		fputs("x\\\n", in);
	rewind(in);
	assert_int_equal(run_stream(&h, in), 0);
	end(&h);
}

/* A command with @n references. */
static void many_references(size_t n)
{
	FILE *in = tmpfile();
	struct hand h;

	begin(&h, KV_SPACE_KERNEL, true);
	fputs("set x y\necho ", in);
	while (n--)
		fputs("${x}", in);
	rewind(in);
	assert_int_equal(run_stream(&h, in), 0);
	end(&h);
}

/* @n variables and @n objects with names, each of which is used. */
static void many_names(size_t n)
{
	struct kv_variables names = { 0 };
	struct kv_fault f;
	struct kv_why why;
	char text[32];
	uint32_t id;

	for (uint32_t i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "v%u", i);
		assert_int_equal(kv_variables_set(&names, text, "x", &f), 0);
		snprintf(text, sizeof(text), "p%u", i);
		assert_int_equal(kv_variables_check(&names, text, &f), 0);
		assert_int_equal(kv_variables_add(&names, text, KV_PD, i + 1, &f), 0);
	}
	for (uint32_t i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "p%u", i);
		assert_int_equal(kv_variables_id(&names, KV_PD, text, &id, &why), 0);
		assert_int_equal(id, i + 1);
		assert_string_equal(kv_variables_of(&names, KV_PD, id), text);
		kv_variables_delete(&names, KV_PD, id);
		assert_null(kv_variables_of(&names, KV_PD, id));
	}
	kv_variables_clear(&names);
}

/* A table of the times of @n lines, which come out in their order. */
static void many_times(size_t n)
{
	struct kv_cost t = { 0 };
	struct json_object *list;

	/* Of user space there are more lines than of the kernel. */
	for (unsigned int i = 0; i < n; i += 2)
		kv_cost_add(&t, i + 1, "pd add", KV_SPACE_KERNEL, i);
	for (unsigned int i = 0; i < n; i++)
		kv_cost_add(&t, i + 1, "pd add", KV_SPACE_USER, i);
	list = kv_cost_describe(&t, 3);
	assert_int_equal(json_object_array_length(list), n);
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(kv_out_get_count(json_object_array_get_idx(list, i), "/line"), i + 1);
	json_object_put(list);
	kv_cost_clear(&t);
}

static void test_linear_line(void **state)
{
	assert_linear(many_words, 5000);
	assert_linear(many_continuations, 5000);
	assert_linear(many_references, 5000);
}

static void test_linear_names(void **state)
{
	assert_linear(many_names, 1000);
}

static void test_linear_times(void **state)
{
	assert_linear(many_times, 2000);
}

#ifndef ROUNDS
#define ROUNDS 3000
#endif

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Lines of words that mean something, put together without any meaning. */
static void test_noise(void **state)
{
	static const char *const bits[] = {
		"pd", "cq", "buf", "mr", "srq", "ah", "qp", "post", "poll", "flush",
		"echo", "expect", "refused", "set", "EINVAL", "ENOENT", "add",
		"show", "del", "modify", "connect", "address", "reg", "inv",
		"write", "read", "send", "recv", "fetch-add", "pd 1", "cq 1",
		"qp 1", "sge buf 1", "name a", "name b", "length 64", "cqe 4",
		"max-wr 1", "state init", "state rtr", "peer $b.address", "text x",
		"hex 00", "format hex", "offset 1", "remote-addr 1",
		"remote-key 1", "wr-id 1", "1", "a", "$a", "$last.id", "$dev.gid",
		"conn", "conn listen ::1", "conn get-request 1", "conn connect 10.0.0.1:5",
		"conn accept 1", "conn wait 1", "no-wait", "timeout 0",
		"private-data hex:", "src [::1]:9", "'", "\"", "access all", "dgid ::1", "psn 1", "''",
	};
	static const size_t count = sizeof(bits) / sizeof(bits[0]);
	uint32_t seed = 7;
	struct hand h;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		begin(&h, next(&seed) % 2, true);
		for (unsigned int l = 0; l < 12; l++) {
			char line[512] = "";
			size_t n = next(&seed) % 7;

			/* Half of them begin in a way that leads on. */
			if (next(&seed) % 2) {
				strcat(line, bits[next(&seed) % 8]);
				strcat(line, " add pd 1 cq 1 length 64 ");
			}
			for (size_t j = 0; j < n; j++) {
				strcat(line, bits[next(&seed) % count]);
				strcat(line, " ");
			}
			run(&h, line);
		}
		end(&h);
	}
}

/* A signal that comes while nobody waits ends no wait. It stays: this is the last test. */
static void test_interrupted(void **state)
{
	struct hand h;

	begin(&h, KV_SPACE_KERNEL, true);
	/* Less than a look takes, and more than a loaded host keeps us away. */
	good(&h, "monitor time 150ms");
	assert_in_range(fake_world.longest_ms, 1, 150);
	assert_int_equal(kv_interrupt_init(), 0);
	fake_world.event.type = KVERBS_EVENT_WC_ERROR;
	fake_world.signal = SIGTERM;
	fake_world.longest_ms = 0;
	fake_world.waits = 0;
	good(&h, "monitor");
	good(&h, "expect count 1");
	assert_int_equal(fake_world.waits, 1);
	assert_in_range(fake_world.longest_ms, 1, 1000);
	bad(&h, -EINTR, "sleep 60s", "interrupted");
	end(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_persistent),
		cmocka_unit_test(test_kept_names),
		cmocka_unit_test(test_references),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_content),
		cmocka_unit_test(test_second_port),
		cmocka_unit_test(test_connect),
		cmocka_unit_test(test_modify),
		cmocka_unit_test(test_post_and_poll),
		cmocka_unit_test(test_monitor),
		cmocka_unit_test(test_verbs),
		cmocka_unit_test(test_trace),
		cmocka_unit_test(test_conn),
		cmocka_unit_test(test_conn_connect),
		cmocka_unit_test(test_conn_trace),
		cmocka_unit_test(test_batch),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_endless),
		cmocka_unit_test(test_byte_order_mark),
		cmocka_unit_test(test_linear_line),
		cmocka_unit_test(test_linear_names),
		cmocka_unit_test(test_linear_times),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_letters),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_content_interrupted),
		cmocka_unit_test(test_interrupted),
	};

	return cmocka_run_group_tests_name("hand", tests, NULL, NULL);
}
