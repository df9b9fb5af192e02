// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a function of the kernel's fail, for tests in a guest: verbs above all. The
 * kernel's own fail_function takes only functions that it marks, verbs not among them,
 * and draws a random number in the probe, at which lockdep complains.
 *
 * /sys/module/fail_verb/parameters/:
 *   verb   the function; empty: none
 *   error  what it returns then, a negative errno
 *   nth    at which of the calls from now on, 0: at none; it counts down, and is 0 when
 *          that one came
 *   more   how many of the calls right after that one fail, too; it counts down
 */
#include <linux/kprobes.h>
#include <linux/linkage.h>
#include <linux/module.h>
#include <linux/objtool.h>

#ifndef CONFIG_X86_64
#error How a function is left at once is written for x86-64 only.
#endif

static int error = -EIO;
module_param(error, int, 0644);

static unsigned int nth;
module_param(nth, uint, 0644);

static unsigned int more;
module_param(more, uint, 0644);

static char verb[64];

/* What runs in its place: it returns to the caller. */
asmlinkage void fail_verb_return(void);
asm(".pushsection .text\n"
	".type fail_verb_return, @function\n"
	"fail_verb_return:\n"
	ANNOTATE_NOENDBR "\n"
	ASM_RET
	".size fail_verb_return, . - fail_verb_return\n"
	".popsection\n");

static int before(struct kprobe *probe, struct pt_regs *regs)
{
	unsigned int left = READ_ONCE(nth);

	do {
		if (!left)
			return 0;
	} while (!try_cmpxchg(&nth, &left, left - 1));
	if (left > 1)
		return 0;
	if (READ_ONCE(more)) {
		WRITE_ONCE(more, more - 1);
		WRITE_ONCE(nth, 1);
	}
	regs_set_return_value(regs, error);
	instruction_pointer_set(regs, (unsigned long)fail_verb_return);
	return 1;
}

NOKPROBE_SYMBOL(before);

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

	WRITE_ONCE(nth, 0);
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

static int __init start(void)
{
	return 0;
}
module_init(start);

static void __exit end(void)
{
	kernel_param_lock(THIS_MODULE);
	forget();
	kernel_param_unlock(THIS_MODULE);
}
module_exit(end);

MODULE_DESCRIPTION("Makes a function of the kernel's fail, for tests");
MODULE_LICENSE("GPL");
