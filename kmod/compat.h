/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_COMPAT_H
#define _KV_COMPAT_H

/* All that depends on the kernel's version, and no other file does. */

#include <linux/version.h>

/* What pre_doit() and post_doit() of a generic netlink family get. */
#if KERNEL_VERSION(6, 2, 0) <= LINUX_VERSION_CODE
#define kv_compat_genl_ops genl_split_ops
#else
#define kv_compat_genl_ops genl_ops
#endif

/* The attributes that the request for a list has. */
#if KERNEL_VERSION(6, 6, 0) <= LINUX_VERSION_CODE
#define kv_compat_dump_attrs(cb) (genl_dumpit_info(cb)->info.attrs)
#else
#define kv_compat_dump_attrs(cb) (genl_dumpit_info(cb)->attrs)
#endif

#endif
