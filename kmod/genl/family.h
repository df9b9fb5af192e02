/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_FAMILY_H
#define _KV_FAMILY_H

int kv_netlink_init(void);
void kv_netlink_exit(void);

#endif
