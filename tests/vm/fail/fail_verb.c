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
 *
 * And on a kernel with /proc/PID/fail-nth, so that it counts what is allocated for a thread's
 * commands, wherever they are carried out:
 *   lender  the thread: its count is lent to each work item of kverbs that carries out a command;
 *           0: none
 *   lent    Y while that is so
 */
#include <linux/kprobes.h>
#include <linux/linkage.h>
#include <linux/module.h>
#include <linux/objtool.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#ifndef CONFIG_X86_64
#error How a function is left at once is written for x86-64 only.
#endif

static int error = -EIO;
module_param(error, int, 0644);

static unsigned int nth;
module_param(nth, uint, 0644);

static unsigned int more;
module_param(more, uint, 0644);

/* The code that runs in its place: it returns to the caller. */
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

static void disarm(void)
{
	WRITE_ONCE(nth, 0);
}

#include "verb.h"

#ifdef CONFIG_FAULT_INJECTION
static struct task_struct *lender;

static bool lent;
module_param(lent, bool, 0444);

static int lend(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	WRITE_ONCE(lent, true);
	current->fail_nth = xchg(&lender->fail_nth, 0);
	return 0;
}

static int give_back(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	lender->fail_nth = current->fail_nth;
	current->fail_nth = 0;
	/* Pairs with the lender's reading of its count, after that of this parameter. */
	smp_store_release(&lent, false);
	return 0;
}

static struct kretprobe carrier;

static void end_lending(void)
{
	if (!lender)
		return;
	unregister_kretprobe(&carrier);
	put_task_struct(lender);
	lender = NULL;
}

static int set_lender(const char *value, const struct kernel_param *param)
{
	int id, ret = kstrtoint(value, 0, &id);

	end_lending();
	if (ret || !id)
		return ret;
	lender = get_pid_task(find_vpid(id), PIDTYPE_PID);
	if (!lender)
		return -ESRCH;
	carrier = (struct kretprobe){
		.kp.symbol_name = "kverbs:call_run_queued",
		.entry_handler = lend,
		.handler = give_back,
	};
	ret = register_kretprobe(&carrier);
	if (ret) {
		put_task_struct(lender);
		lender = NULL;
	}
	return ret;
}

static int get_lender(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%d\n", lender ? task_pid_nr(lender) : 0);
}

static const struct kernel_param_ops lender_ops = {
	.set = set_lender,
	.get = get_lender,
};

module_param_cb(lender, &lender_ops, NULL, 0644);
#else
static void end_lending(void)
{
}
#endif

static int __init start(void)
{
	return 0;
}
module_init(start);

static void __exit end(void)
{
	kernel_param_lock(THIS_MODULE);
	end_lending();
	forget();
	kernel_param_unlock(THIS_MODULE);
}
module_exit(end);

MODULE_DESCRIPTION("Makes a function of the kernel's fail, for tests");
MODULE_LICENSE("GPL");
