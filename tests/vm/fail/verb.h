/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parameter "verb": a probe in front of a function of the kernel's. The file that includes
 * this has defined the probe's handler, before(), and disarm(): the next calls of the function
 * are left alone.
 */
#include <linux/kprobes.h>
#include <linux/module.h>

static char verb[64];

/* With one the probe may change where the function goes on. */
static void after(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

/* Registered while it names a symbol. */
static struct kprobe probe;

static void forget(void)
{
	if (probe.symbol_name)
		unregister_kprobe(&probe);
	probe = (struct kprobe){ .pre_handler = before, .post_handler = after };
}

/* Under the parameters' lock. */
static int set_verb(const char *value, const struct kernel_param *param)
{
	const char *name;
	int ret;

	disarm();
	forget();
	if (strscpy(verb, value, sizeof(verb)) < 0)
		return -ENAMETOOLONG;
	name = strim(verb);
	if (!*name)
		return 0;
	probe.symbol_name = name;
	ret = register_kprobe(&probe);
	if (ret)
		probe.symbol_name = NULL;
	return ret;
}

static int get_verb(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%s\n", probe.symbol_name ?: "");
}

static const struct kernel_param_ops verb_ops = {
	.set = set_verb,
	.get = get_verb,
};

module_param_cb(verb, &verb_ops, NULL, 0644);
