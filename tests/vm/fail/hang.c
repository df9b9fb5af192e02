// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a function of the kernel's wait before it does its work, for tests in a guest: verbs, as
 * a firmware that does not answer does. And registers a generic netlink family and a notifier of
 * netlink meanwhile, as any module may.
 *
 * /sys/module/hang/parameters/:
 *   verb    the function, which may sleep; empty: none
 *   ms      how long the next call of it waits at the most; 0 once that has begun
 *   waits   Y while it waits; N ends that
 *   family  Y: the family is there, and has a notifier
 */
#include <linux/kprobes.h>
#include <linux/linkage.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/notifier.h>
#include <linux/objtool.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <net/genetlink.h>

#ifndef CONFIG_X86_64
#error How a function is put off is written for x86-64 only.
#endif

static unsigned int ms;
module_param(ms, uint, 0644);

static unsigned int limit;
static bool waits;
static DECLARE_WAIT_QUEUE_HEAD(queue);

/* Where the function goes on; its probe lets it pass then. */
static unsigned long behind __used;

static void __used hang_sleep(void)
{
	wait_event_timeout(queue, !READ_ONCE(waits), msecs_to_jiffies(limit));
	WRITE_ONCE(waits, false);
}

static int set_waits(const char *value, const struct kernel_param *param)
{
	int ret = param_set_bool(value, param);

	wake_up_all(&queue);
	return ret;
}

static const struct kernel_param_ops waits_ops = {
	.set = set_waits,
	.get = param_get_bool,
};

module_param_cb(waits, &waits_ops, &waits, 0644);

/* The code that runs in front of the function: the function's arguments stay unchanged. */
asmlinkage void hang_wait(void);
asm(".pushsection .text\n"
	".type hang_wait, @function\n"
	"hang_wait:\n"
	ANNOTATE_NOENDBR "\n"
	"push %rbp\n"
	"mov %rsp, %rbp\n"
	"push %rdi\n"
	"push %rsi\n"
	"push %rdx\n"
	"push %rcx\n"
	"push %r8\n"
	"push %r9\n"
	"push %rax\n"
	"push %r10\n"
	"call hang_sleep\n"
	"pop %r10\n"
	"pop %rax\n"
	"pop %r9\n"
	"pop %r8\n"
	"pop %rcx\n"
	"pop %rdx\n"
	"pop %rsi\n"
	"pop %rdi\n"
	"pop %rbp\n"
	"push behind(%rip)\n"
	ASM_RET
	".size hang_wait, . - hang_wait\n"
	".popsection\n");
STACK_FRAME_NON_STANDARD(hang_wait);

static int before(struct kprobe *probe, struct pt_regs *regs)
{
	unsigned int left = READ_ONCE(ms);

	if (!left || cmpxchg(&ms, left, 0) != left)
		return 0;
	limit = left;
	WRITE_ONCE(waits, true);
	behind = (unsigned long)probe->addr;
	instruction_pointer_set(regs, (unsigned long)hang_wait);
	return 1;
}

NOKPROBE_SYMBOL(before);

static void disarm(void)
{
	WRITE_ONCE(ms, 0);
}

#include "verb.h"

static struct genl_family other_family = {
	.name = "kverbs_other",
	.version = 1,
	.module = THIS_MODULE,
};

static int ignore(struct notifier_block *nb, unsigned long event, void *data)
{
	return NOTIFY_DONE;
}

static struct notifier_block other_notifier = { .notifier_call = ignore };

static bool registered;

static int family_add(void)
{
	int ret = netlink_register_notifier(&other_notifier);

	if (ret)
		return ret;
	ret = genl_register_family(&other_family);
	if (ret)
		netlink_unregister_notifier(&other_notifier);
	return ret;
}

static int family_del(void)
{
	int ret = genl_unregister_family(&other_family);

	return ret ?: netlink_unregister_notifier(&other_notifier);
}

static int set_family(const char *value, const struct kernel_param *param)
{
	bool wanted;
	int ret = kstrtobool(value, &wanted);

	if (ret || wanted == registered)
		return ret;
	ret = wanted ? family_add() : family_del();
	if (!ret)
		registered = wanted;
	return ret;
}

static const struct kernel_param_ops family_ops = {
	.set = set_family,
	.get = param_get_bool,
};

module_param_cb(family, &family_ops, &registered, 0644);

static int __init start(void)
{
	return 0;
}
module_init(start);

static void __exit end(void)
{
	kernel_param_lock(THIS_MODULE);
	forget();
	if (registered)
		family_del();
	kernel_param_unlock(THIS_MODULE);
}
module_exit(end);

MODULE_DESCRIPTION("Makes a function of the kernel's wait, for tests");
MODULE_LICENSE("GPL");
