// SPDX-License-Identifier: MIT
/* A device with two ports: choosing one, what is told of both, and connections at the second. */
#include "test.h"
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fake_backend.h"
#include "measure/pair.h"
#include "out/devices.h"
#include "out/out.h"

static int begin(void **state)
{
	fake_world_reset();
	return 0;
}

static void opens(uint32_t asked, uint32_t number, uint8_t last, uint32_t mtu)
{
	struct kv_site site = { 0 };
	struct kv_fault f = { 0 };

	if (kv_site_open(&site, KV_SPACE_KERNEL, NULL, asked, -1, &f))
		fail_msg("port %u: %s", asked, f.text);
	assert_int_equal(site.port->number, number);
	assert_int_equal(site.port->active_mtu, mtu);
	assert_int_equal(site.gid->raw[15], last);
	kv_site_close(&site);
}

static void refuses(uint32_t asked, int gid, int error, const char *want)
{
	struct kv_site site = { 0 };
	struct kv_fault f = { 0 };

	assert_int_equal(kv_site_open(&site, KV_SPACE_USER, NULL, asked, gid, &f), error);
	if (!strstr(f.text, want))
		fail_msg("'%s', and not '%s'", f.text, want);
	assert_null(site.b);
	assert_int_equal(fake_world.open, 0);
}

static void a_site_is_on_the_port_that_was_asked_for(void **state)
{
	opens(1, 1, 1, 1024);
	opens(2, 2, 2, 512);
	opens(KV_PORT_ANY, 1, 1, 1024);
	refuses(3, -1, -EINVAL, "--ib-port 3: rxe0 has no such port; it has 2, numbered from 1 on (user space)");
	refuses(2, 7, -EINVAL, "--gid-index 7: port 2 of rxe0 has no such GID (user space)");
}

static void a_port_that_fails_leaves_the_other(void **state)
{
	fake_world.broken_port = 1;
	refuses(1, -1, -EIO, "user space: port 1 of rxe0 cannot be queried: Input/output error");
	opens(2, 2, 2, 512);
	opens(KV_PORT_ANY, 2, 2, 512);
}

static void more_ports_than_are_kept(void **state)
{
	fake_world.large_dev = true;
	refuses(KV_PORTS_MAX + 1, -1, -EINVAL, "rxe0 has 5 ports, and kverbs can use the first 4");
}

static void chooses(struct kv_site *site, uint32_t number, int error, const char *want)
{
	struct kv_fault f = { 0 };

	assert_int_equal(kv_site_choose(site, number, -1, &f), error);
	if (!strstr(f.text, want))
		fail_msg("'%s', and not '%s'", f.text, want);
}

/* A fault of a port of another host names that host. */
static void the_peers_port_is_named_as_its(void **state)
{
	struct kv_site site = { .host = "there" };
	struct kv_fault f;

	assert_int_equal(kv_site_open_backend(KV_SPACE_USER, &site.b, &f), 0);
	fake_world.broken_port = 1;
	assert_int_equal(kv_dev_choose(site.b, NULL, &site.dev, &f), 0);
	site.dev.port[1].state = 1;
	chooses(&site, 1, -EIO, "user space of there: port 1 of rxe0 cannot be queried: Input/output error");
	chooses(&site, 2, -ENETDOWN, "user space of there: port 2 of rxe0 is not active");
	chooses(&site, 3, -EINVAL, "--peer-ib-port 3: rxe0 has no such port; it has 2, numbered from 1 on (user space of there)");
	site.dev.port[1].state = 4;
	assert_int_equal(kv_site_choose(&site, 2, 7, &f), -EINVAL);
	assert_string_equal(f.text, "--peer-gid-index 7: port 2 of rxe0 of there has no such GID (user space); 'kverbs dev show' lists them there");
	chooses(&site, 2, 0, "");
	chooses(&site, KV_PORT_ANY, 0, "");
	assert_int_equal(site.port->number, 2);
	kv_site_close(&site);
}

/* Both spaces' devices, as a document. */
static struct json_object *describe(void)
{
	struct kv_devices *view = calloc(KV_SPACES, sizeof(*view));
	struct json_object *doc;

	assert_non_null(view);
	for (unsigned int i = 0; i < KV_SPACES; i++)
		assert_int_equal(kv_devices_take(&view[i], i, NULL), 0);
	doc = kv_devices_describe(view);
	free(view);
	return doc;
}

/* The printed text of a document; the caller frees it. */
static char *print(struct json_object *doc)
{
	FILE *file = tmpfile();
	int out = dup(STDOUT_FILENO);
	struct kv_fault f;
	char *text = NULL;
	size_t size = 0;

	assert_non_null(file);
	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	assert_int_equal(kv_devices_print(doc, &f), 0);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	rewind(file);
	assert_true(getdelim(&text, &size, 0, file) > 0);
	fclose(file);
	return text;
}

static void has(const char *text, const char *word)
{
	if (!strstr(text, word))
		fail_msg("no '%s' in:\n%s", word, text);
}

static void both_ports_are_told(void **state)
{
	struct json_object *doc = describe();
	char *text = print(doc);

	for (unsigned int i = 0; i < KV_SPACES; i++) {
		const char *space = kv_enum_name(kv_enum_space, i);
		char path[64];

		for (unsigned int port = 0; port < 2; port++) {
			snprintf(path, sizeof(path), "/devices/0/%s/ports/%u/number", space, port);
			assert_int_equal(kv_out_get_count(doc, path), port + 1);
			snprintf(path, sizeof(path), "/devices/0/%s/ports/%u/gids/1/gid", space,
				 port);
			assert_string_equal(kv_out_get_string(doc, path),
					    port ? "::ffff:10.0.0.2" : "::ffff:10.0.0.1");
		}
		snprintf(path, sizeof(path), "/devices/0/%s/ports/1/active_mtu_bytes", space);
		assert_int_equal(kv_out_get_count(doc, path), 512);
	}
	has(text, "\nport 1");
	has(text, "\nport 2");
	has(text, "::ffff:10.0.0.1");
	has(text, "::ffff:10.0.0.2");
	free(text);
	json_object_put(doc);
}

static void a_failed_port_is_told_with_its_error(void **state)
{
	struct json_object *doc;
	char *text;

	fake_world.broken_port = 2;
	doc = describe();
	text = print(doc);
	assert_string_equal(kv_out_get_string(doc, "/devices/0/kernel/ports/1/error"), "EIO");
	assert_int_equal(kv_out_get_count(doc, "/devices/0/kernel/ports/1/number"), 2);
	assert_null(kv_out_get(doc, "/devices/0/kernel/ports/1/state"));
	assert_null(kv_out_get(doc, "/devices/0/kernel/ports/0/error"));
	assert_int_equal(kv_out_get_count(doc, "/devices/0/user/ports/0/state"), 4);
	has(text, "\nport 2");
	has(text, "EIO");
	has(text, "::ffff:10.0.0.1");
	assert_null(strstr(text, "::ffff:10.0.0.2"));
	free(text);
	json_object_put(doc);
}

static void check_end(const struct kv_endpoint *e, uint32_t port, uint32_t peer_lid, uint8_t last,
		      uint32_t mtu)
{
	const struct kv_qp_attr *attr = &fake_find(e->site->b, KV_QP, e->qp)->qp.attr;

	assert_int_equal(attr->port, port);
	assert_int_equal(attr->path_mtu, mtu);
	assert_int_equal(attr->av.dlid, peer_lid);
	assert_int_equal(attr->av.dgid[15], last);
}

/* One end at each port: the smaller MTU counts, and each is told the other's address. */
static void the_ends_of_a_pair_are_at_their_ports(void **state)
{
	struct kv_workload work = {
		.op = KVERBS_OP_WRITE, .size = 8, .ack_timeout = 14, .retry_cnt = 6,
	};
	struct kv_site site[2] = { 0 };
	struct kv_fault f = { 0 };
	struct kv_pair pair;

	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(kv_site_open(&site[i], KV_SPACE_KERNEL, NULL, i + 1, -1, &f), 0);
	if (kv_pair_create(&pair, &site[0], &site[1], &work, &f))
		fail_msg("%s", f.text);
	check_end(&pair.end[0], 1, 7, 2, 512);
	check_end(&pair.end[1], 2, 0, 1, 512);
	kv_pair_destroy(&pair);
	for (unsigned int i = 0; i < 2; i++)
		kv_site_close(&site[i]);
	assert_int_equal(fake_world.objects, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_site_is_on_the_port_that_was_asked_for, begin),
		cmocka_unit_test_setup(a_port_that_fails_leaves_the_other, begin),
		cmocka_unit_test_setup(more_ports_than_are_kept, begin),
		cmocka_unit_test_setup(the_peers_port_is_named_as_its, begin),
		cmocka_unit_test_setup(both_ports_are_told, begin),
		cmocka_unit_test_setup(a_failed_port_is_told_with_its_error, begin),
		cmocka_unit_test_setup(the_ends_of_a_pair_are_at_their_ports, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
