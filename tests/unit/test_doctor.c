// SPDX-License-Identifier: MIT
/* The findings of 'kverbs doctor' about devices that are not as they should be. */
#include "test.h"
#include <errno.h>
#include <json-c/json.h>
#include <string.h>
#include "doctor/doctor.h"
#include "out/out.h"
#include "sys/device.h"

/* One device with one port in both spaces, as it should be. */
static struct kv_devices view[KV_SPACES];
static struct kv_doctor found;

/* In place of the network interface's own addresses. */
static bool has_address;

bool kv_netdev_has(const char *netdev, const uint8_t addr[16])
{
	assert_string_equal(netdev, "eth7");
	return has_address;
}

static int begin(void **state)
{
	memset(view, 0, sizeof(view));
	for (unsigned int s = 0; s < KV_SPACES; s++) {
		struct kv_dev *dev = &view[s].dev[0];

		view[s].open = true;
		view[s].n = 1;
		strcpy(dev->name, "rxe0");
		dev->caps = KVERBS_CAP_RC | KVERBS_CAP_UD;
		dev->listed = 1;
		dev->port[0] = (struct kv_port){
			.number = 1, .state = 4, .max_mtu = 4096, .active_mtu = 4096, .gids = 1,
		};
		strcpy(dev->port[0].gid[0].netdev, "eth7");
	}
	memset(&found, 0, sizeof(found));
	found.list = json_object_new_array();
	return 0;
}

static int end(void **state)
{
	json_object_put(found.list);
	return 0;
}

/* One finding is worse than a note, or is a note: this one, and so often. */
static void finds(enum kv_severity severity, unsigned int times, const char *check, const char *text,
		  const char *mend)
{
	unsigned int n = 0;

	kv_doctor_devices(&found, view);
	for (size_t i = 0; i < json_object_array_length(found.list); i++) {
		struct json_object *f = json_object_array_get_idx(found.list, i);

		if (!strcmp(kv_out_get_string(f, "/severity"), "ok"))
			continue;
		assert_string_equal(kv_out_get_string(f, "/check"), check);
		if (!strstr(kv_out_get_string(f, "/text"), text))
			fail_msg("'%s' has no '%s'", kv_out_get_string(f, "/text"), text);
		assert_string_equal(kv_out_get_string(f, "/mend"), mend);
		n++;
	}
	assert_int_equal(n, times);
	assert_int_equal(found.count[severity], times);
}

static void nothing_is_missing(void **state)
{
	finds(KV_ERROR, 0, "", "", "");
	assert_int_equal(found.count[KV_FINE], 3);
}

static void a_space_that_can_not_be_asked(void **state)
{
	view[KV_SPACE_KERNEL].open = false;
	view[KV_SPACE_KERNEL].n = 0;
	strcpy(view[KV_SPACE_KERNEL].fault.text, "kernel space: the module is not loaded");
	finds(KV_ERROR, 1, "module", "the module is not loaded", "-");
}

static void a_module_that_is_not_loaded(void **state)
{
	view[KV_SPACE_KERNEL].open = false;
	view[KV_SPACE_KERNEL].n = 0;
	view[KV_SPACE_KERNEL].fault.error = -EOPNOTSUPP;
	strcpy(view[KV_SPACE_KERNEL].fault.text, "kernel space: the module is not loaded");
	finds(KV_ERROR, 1, "module", "the module is not loaded",
	      "modprobe kverbs || { modprobe rdma_cm && insmod build/module/kverbs.ko; }");
}

static void no_device(void **state)
{
	view[0].n = view[1].n = 0;
	kv_doctor_devices(&found, view);
	assert_int_equal(found.count[KV_ERROR], 2);
}

static void a_device_of_one_space(void **state)
{
	strcpy(view[KV_SPACE_KERNEL].dev[1].name, "mlx5_0");
	view[KV_SPACE_KERNEL].n = 2;
	finds(KV_WARNING, 1, "device", "mlx5_0 is visible in kernel space, and not in user space", "-");
}

static void a_port_that_can_not_be_queried(void **state)
{
	view[KV_SPACE_KERNEL].dev[0].port[0].error = EIO;
	finds(KV_WARNING, 1, "port", "port 1 of rxe0 can't be queried: Input/output error",
	      "rdma link delete rxe0 && rdma link add rxe0 type rxe netdev eth7");
}

static void a_port_that_is_down(void **state)
{
	view[KV_SPACE_KERNEL].dev[0].port[0].state = 1;
	finds(KV_ERROR, 1, "port", "port 1 of rxe0 is not active", "ip link set eth7 up");
}

static void a_port_without_a_gid(void **state)
{
	view[KV_SPACE_KERNEL].dev[0].port[0].gids = 0;
	finds(KV_ERROR, 1, "gid", "port 1 of rxe0 has no GID", "ip address add ADDRESS/PREFIX dev NETDEV");
}

/* The RDMA core's own GID, of the MAC address. */
static void a_gid_that_is_no_address(void **state)
{
	view[KV_SPACE_KERNEL].dev[0].port[0].link_layer = 2;
	has_address = true;
	nothing_is_missing(state);
	end(state);
	begin(state);
	view[KV_SPACE_KERNEL].dev[0].port[0].link_layer = 2;
	has_address = false;
	finds(KV_ERROR, 1, "gid", "port 1 of rxe0 has no GID with an address", "ip address add ADDRESS/PREFIX dev eth7");
}

static void a_small_mtu(void **state)
{
	view[KV_SPACE_KERNEL].dev[0].port[0].active_mtu = 1024;
	finds(KV_NOTE, 1, "mtu", "the path MTU at port 1 of rxe0 is 1024, and could be 4096",
	      "ip link set eth7 mtu 4500");
}

static void iwarp_has_no_path_mtu(void **state)
{
	view[KV_SPACE_KERNEL].dev[0].caps = KVERBS_CAP_RC;
	view[KV_SPACE_KERNEL].dev[0].port[0].active_mtu = 1024;
	finds(KV_NOTE, 0, "", "", "");
}

static void without_the_module_user_space_is_looked_at(void **state)
{
	view[KV_SPACE_KERNEL].n = 0;
	view[KV_SPACE_USER].dev[0].port[0].state = 1;
	kv_doctor_devices(&found, view);
	/* No device in the kernel, and a port that is down. */
	assert_int_equal(found.count[KV_ERROR], 2);
	assert_int_equal(found.count[KV_WARNING], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_is_missing, begin, end),
		cmocka_unit_test_setup_teardown(a_space_that_can_not_be_asked, begin, end),
		cmocka_unit_test_setup_teardown(a_module_that_is_not_loaded, begin, end),
		cmocka_unit_test_setup_teardown(no_device, begin, end),
		cmocka_unit_test_setup_teardown(a_device_of_one_space, begin, end),
		cmocka_unit_test_setup_teardown(a_port_that_can_not_be_queried, begin, end),
		cmocka_unit_test_setup_teardown(a_port_that_is_down, begin, end),
		cmocka_unit_test_setup_teardown(a_port_without_a_gid, begin, end),
		cmocka_unit_test_setup_teardown(a_gid_that_is_no_address, begin, end),
		cmocka_unit_test_setup_teardown(a_small_mtu, begin, end),
		cmocka_unit_test_setup_teardown(iwarp_has_no_path_mtu, begin, end),
		cmocka_unit_test_setup_teardown(without_the_module_user_space_is_looked_at, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
