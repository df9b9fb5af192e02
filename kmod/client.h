/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_CLIENT_H
#define _KV_CLIENT_H

int kv_client_init(void);
void kv_client_exit(void);

#endif
