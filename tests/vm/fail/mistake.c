// SPDX-License-Identifier: GPL-2.0
/*
 * Makes mistakes that a kernel with checkers must report, for the test of the tests:
 * write a name to /sys/module/mistake/parameters/make.
 */
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

static DEFINE_MUTEX(a);
static DEFINE_MUTEX(b);
static DEFINE_SPINLOCK(spin);
/* A value that the compiler must not know. */
static int seen;
static int bits = 40;

static void use_after_free(void)
{
	int *p = kmalloc(sizeof(*p), GFP_KERNEL);

	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	WRITE_ONCE(seen, *p);
}

static void shift(void)
{
	WRITE_ONCE(seen, 1 << READ_ONCE(bits));
}

/* It says that it might: a function that really sleeps takes more along. */
static void sleep_atomic(void)
{
	spin_lock(&spin);
	might_sleep();
	spin_unlock(&spin);
}

static void never(struct timer_list *timer)
{
}

static void free_active(void)
{
	struct timer_list *timer = kmalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return;
	timer_setup(timer, never, 0);
	mod_timer(timer, jiffies + 1000 * HZ);
	kfree(timer);
}

static void warn(void)
{
	WARN_ON(READ_ONCE(bits));
}

/* Nobody waits: it is the order that is wrong. */
static void lock_order(void)
{
	mutex_lock(&a);
	mutex_lock(&b);
	mutex_unlock(&b);
	mutex_unlock(&a);
	mutex_lock(&b);
	mutex_lock(&a);
	mutex_unlock(&a);
	mutex_unlock(&b);
}

static int count(void *arg)
{
	while (!kthread_should_stop()) {
		bits++;
		/* Once each time. */
		barrier();
		if (need_resched())
			schedule();
	}
	return 0;
}

static void race(void)
{
	struct task_struct *other = kthread_run(count, NULL, "mistake");
	unsigned long end = jiffies + HZ;

	if (IS_ERR(other))
		return;
	while (time_before(jiffies, end)) {
		bits++;
		barrier();
		if (need_resched())
			schedule();
	}
	kthread_stop(other);
}

static void leak(void)
{
	int i;

	/* An old copy of a pointer may lie on a stack: not of all of them. */
	for (i = 0; i < 100; i++)
		WRITE_ONCE(seen, !kmalloc(1000, GFP_KERNEL));
}

static const struct {
	const char *name;
	void (*make)(void);
} mistakes[] = {
	{ "use-after-free", use_after_free },
	{ "shift", shift },
	{ "sleep-atomic", sleep_atomic },
	{ "free-active", free_active },
	{ "warn", warn },
	{ "lock-order", lock_order },
	{ "race", race },
	{ "leak", leak },
};

static int set_make(const char *value, const struct kernel_param *param)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mistakes); i++) {
		if (!sysfs_streq(value, mistakes[i].name))
			continue;
		mistakes[i].make();
		return 0;
	}
	return -EINVAL;
}

static const struct kernel_param_ops make_ops = { .set = set_make };

module_param_cb(make, &make_ops, NULL, 0200);

MODULE_DESCRIPTION("Makes mistakes, for the test of what finds them");
MODULE_LICENSE("GPL");
