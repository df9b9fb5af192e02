// SPDX-License-Identifier: MIT
#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <sys/utsname.h>
#include "out/commit.h"
#include "out/environment.h"
#include "out/out.h"
#include "out/unit.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "sys/io.h"

/* The environment of a measurement. An unknown value is null: nothing is guessed. */

#define DEVICES "/sys/class/infiniband"
#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define VULNERABILITIES "/sys/devices/system/cpu/vulnerabilities"

/* Set by the script that boots a guest: the guest itself can't distinguish KVM from TCG. */
#define ACCEL_VARIABLE "KVERBS_ACCEL_NAME"

/* Returns NULL if there is no line. */
static const char *read_line(const char *path, char *line, size_t size)
{
	return kv_read_line(path, line, size) || !*line ? NULL : line;
}

/* The first line of a file, whose path is printed by @fmt. */
__attribute__((format(printf, 3, 4)))
static void put_file(struct json_object *obj, const char *key, const char *fmt, ...)
{
	char line[1024], path[PATH_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	kv_out_put_string(obj, key, read_line(path, line, sizeof(line)));
}

/* Value of the first "key : value" line of /proc/cpuinfo. */
static const char *find_cpuinfo(const char *key, char *value, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[4096];
	bool found = false;

	if (!file)
		return NULL;
	while (!found && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');

		if (strncmp(line, key, strlen(key)) || !colon)
			continue;
		colon++;
		colon += strspn(colon, " ");
		snprintf(value, size, "%.*s", (int)strcspn(colon, "\n"), colon);
		found = true;
	}
	fclose(file);
	return found ? value : NULL;
}

static void put_date(struct json_object *obj)
{
	time_t now = time(NULL);
	char text[32];
	struct tm tm;

	if (gmtime_r(&now, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		kv_out_put_string(obj, "date", text);
}

static void put_hypervisor(struct json_object *obj)
{
	char flags[4096], vendor[128] = "", product[128] = "", text[260];
	bool guest = find_cpuinfo("flags", flags, sizeof(flags)) && strstr(flags, " hypervisor");

	read_line("/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor));
	read_line("/sys/class/dmi/id/product_name", product, sizeof(product));
	snprintf(text, sizeof(text), "%s%s%s", vendor, *vendor && *product ? " " : "", product);
	kv_out_put_bool(obj, "virtual_machine", guest);
	kv_out_put_string(obj, "machine", *text ? text : NULL);
	kv_out_put_string(obj, "accelerator", getenv(ACCEL_VARIABLE));
	kv_out_put_string(obj, "counts", kv_unit_counts() ? "instructions" : "time");
}

/* The program and its arguments, as they were given. */
static void put_command(struct json_object *obj)
{
	struct json_object *list = json_object_new_array();
	FILE *file = fopen("/proc/self/cmdline", "re");
	size_t room = 0;
	char *word = NULL;

	while (file && getdelim(&word, &room, '\0', file) > 0)
		json_object_array_add(list, json_object_new_string(word));
	free(word);
	if (file)
		fclose(file);
	kv_out_put(obj, "command", list);
}

/* The mean number of threads of the last minute that ran or wanted to. */
static void put_load(struct json_object *obj)
{
	double load;

	kv_out_put(obj, "load", getloadavg(&load, 1) == 1 ? kv_out_real(load, 3) : NULL);
}

static void put_mitigations(struct json_object *obj)
{
	struct json_object *list = json_object_new_object();
	char line[1024], *word = NULL;
	struct dirent *entry;
	DIR *dir;

	kv_out_put(obj, "vulnerabilities", list);
	dir = opendir(VULNERABILITIES);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			put_file(list, entry->d_name, VULNERABILITIES "/%s", entry->d_name);
	if (dir)
		closedir(dir);

	/* If the parameter is absent, the kernel uses its default. */
	if (read_line("/proc/cmdline", line, sizeof(line)))
		word = strstr(line, "mitigations=");
	if (word)
		word[strcspn(word, " ")] = '\0';
	kv_out_put_string(obj, "mitigations", word ? word + strlen("mitigations=") : NULL);
}

/*
 * Do the kernel's keys let the device write in relaxed order? In mlx5 all kernel keys do
 * (mlx5_set_umr_free_mkey(), mlx5_ib_get_dma_mr()); a key of user space does only if requested,
 * which this tool does not do. The table has the drivers whose source was read.
 */
static void put_relaxed_ordering(struct json_object *obj, const char *driver)
{
	static const struct {
		const char *driver;
		bool relaxed;
	} known[] = {
		{ "mlx5_core", true },
		{ "bnxt_en", false },
		{ "ice", false },
		{ "i40e", false },
		{ "cxgb4", false },
		{ "rxe", false },
		{ "Software iWARP stack", false },
	};
	const char *key = "kernel_keys_relaxed_ordering";

	for (size_t i = 0; driver && i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(driver, known[i].driver)) {
			kv_out_put_bool(obj, key, known[i].relaxed);
			return;
		}
	}
	kv_out_put_string(obj, key, NULL);
}

/* rxe and siw have no hardware; their name is their description. */
static void put_device(struct json_object *obj, const char *dev)
{
	char path[PATH_MAX], target[PATH_MAX], name[128];
	const char *driver = NULL;
	bool software;
	ssize_t n;

	kv_out_put_string(obj, "device", dev);
	snprintf(path, sizeof(path), DEVICES "/%s", dev);
	software = realpath(path, target) && !strncmp(target, "/sys/devices/virtual/", 21);
	snprintf(path, sizeof(path), DEVICES "/%s/device/driver", dev);
	n = readlink(path, target, sizeof(target) - 1);
	if (n > 0) {
		target[n] = '\0';
		driver = strrchr(target, '/');
		driver = driver ? driver + 1 : target;
	} else if (software) {
		snprintf(path, sizeof(path), DEVICES "/%s/node_desc", dev);
		driver = read_line(path, name, sizeof(name));
	}
	kv_out_put_string(obj, "driver", driver);
	kv_out_put_bool(obj, "software_device", software);
	put_relaxed_ordering(obj, driver);
	put_file(obj, "firmware", DEVICES "/%s/fw_ver", dev);
	put_file(obj, "netdev", DEVICES "/%s/parent", dev);
}

static void put_gid(struct json_object *obj, const struct kv_site *s)
{
	struct json_object *gid = json_object_new_object();
	char text[INET6_ADDRSTRLEN];

	kv_out_put(obj, "gid", gid);
	kv_out_put_count(gid, "index", s->gid->index);
	kv_out_put_string(gid, "gid", inet_ntop(AF_INET6, s->gid->raw, text, sizeof(text)));
	kv_out_put_string(gid, "type", kv_gid_type_name(&s->dev, s->gid));
}

static void put_port(struct json_object *obj, const struct kv_site *s)
{
	kv_out_put_count(obj, "ib_port", s->port->number);
	kv_out_put_count(obj, "port_mtu_bytes", s->port->active_mtu);
	put_gid(obj, s);
}

static void put_space(struct json_object *obj, const struct kv_site *s)
{
	bool kernel = s->id == KV_SPACE_KERNEL;
	struct kv_info info = { 0 };

	if (kv_op_info_get(s->b, NULL, &info, NULL))
		return;
	kv_out_put_string(obj, kernel ? "module" : "libibverbs", info.version);
	kv_out_put_string(obj, kernel ? "counter_kernel" : "counter_user", info.counter);
	kv_out_put_count(obj, kernel ? "counter_hz_kernel" : "counter_hz_user", info.counter_hz);
}

/**
 * kv_environment_create() - describe the host, device and versions of a measurement
 * @site: the sites of the measurement, all on one device
 * @n: how many, 1 or 2
 * @label: the user's name for the measurement, or NULL
 *
 * Return: the description; the caller owns it.
 */
struct json_object *kv_environment_create(const struct kv_site *site, unsigned int n,
					  const char *label)
{
	struct json_object *obj = json_object_new_object();
	unsigned int cpus;
	struct utsname uts;
	char text[1024];

	put_date(obj);
	kv_out_put_string(obj, "label", label);
	put_command(obj);
	uname(&uts);
	kv_out_put_string(obj, "tool", KVERBS_VERSION);
	kv_out_put_string(obj, "commit", *kv_commit ? kv_commit : NULL);
	kv_out_put_string(obj, "kernel", uts.release);
	kv_out_put_string(obj, "kernel_version", uts.version);
	kv_out_put_string(obj, "architecture", uts.machine);
	for (unsigned int i = 0; i < n; i++)
		put_space(obj, &site[i]);
	put_device(obj, site->dev.name);
	put_port(obj, site);
	/* Without a peer, both ends of every connection are on this device. */
	kv_out_put_string(obj, "path", "loopback");
	put_file(obj, "boot_id", BOOT_ID);
	put_file(obj, "clocksource", KV_CLOCKSOURCE);
	kv_out_put_string(obj, "counter", kv_clock_name());
	kv_out_put(obj, "ns_per_tick", kv_out_real(kv_clock_ns_per_tick(), 9));
	put_mitigations(obj);
	kv_placement_online(text, sizeof(text), &cpus);
	kv_out_put_string(obj, "cpus_online", text);
	kv_out_put_count(obj, "cpu_count", cpus);
	kv_out_put_string(obj, "cpu_model", find_cpuinfo("model name", text, sizeof(text)));
	put_file(obj, "governor", KV_GOVERNOR);
	put_file(obj, "autogroup", KV_AUTOGROUP);
	put_load(obj);
	put_hypervisor(obj);
	return obj;
}

/**
 * kv_environment_add_peer() - describe the other host, or one more host, that a measurement depends
 * on
 * @environment: environment of this host
 * @peer: the sites used on the other host, all on one device
 * @n: how many, 1 or 2
 */
void kv_environment_add_peer(struct json_object *environment,
			 const struct kv_site *peer, unsigned int n)
{
	struct json_object *obj = json_object_new_object(), *further;
	bool here;

	kv_out_put_string(obj, "host", peer->host);
	kv_out_put_string(obj, "tool", peer->version);
	for (unsigned int i = 0; i < n; i++)
		put_space(obj, &peer[i]);
	kv_out_put_string(obj, "device", peer->dev.name);
	put_port(obj, peer);
	here = !strcmp(kv_out_get_string(obj, "/gid/gid"),
		       kv_out_get_string(environment, "/gid/gid"));
	if (kv_out_get(environment, "/peer")) {
		further = kv_out_get(environment, "/further_peers");
		if (!further)
			kv_out_put(environment, "further_peers", further = json_object_new_array());
		json_object_array_add(further, obj);
		return;
	}
	kv_out_put_string(environment, "path", here ? "loopback" : "between two hosts");
	kv_out_put(environment, "peer", obj);
}
