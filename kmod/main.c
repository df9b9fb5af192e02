// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>

static int __init kverbs_init(void)
{
	return 0;
}

static void __exit kverbs_exit(void)
{
}

module_init(kverbs_init);
module_exit(kverbs_exit);

MODULE_DESCRIPTION("Kernel verbs, measured");
MODULE_LICENSE("GPL");
