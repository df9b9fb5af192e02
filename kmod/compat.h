/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_COMPAT_H
#define _KV_COMPAT_H

/* All code that depends on the kernel's version is in this file. */

#include <linux/version.h>

/* The type of the operation that pre_doit() and post_doit() of a family get. */
#if KERNEL_VERSION(6, 2, 0) <= LINUX_VERSION_CODE
#define kv_compat_genl_ops genl_split_ops
#else
#define kv_compat_genl_ops genl_ops
#endif

/* The attributes of a request for a list. */
#if KERNEL_VERSION(6, 6, 0) <= LINUX_VERSION_CODE
#define kv_compat_dump_attrs(cb) (genl_dumpit_info(cb)->info.attrs)
#else
#define kv_compat_dump_attrs(cb) (genl_dumpit_info(cb)->attrs)
#endif

#endif
