/* SPDX-License-Identifier: MIT */
#ifndef KV_MARK_H
#define KV_MARK_H

/* An instruction that does nothing and that nobody else has: NOPL with a displacement of its own. */
#define KV_MARK 0x0f, 0x1f, 0x80, 0x6b, 0x76, 0x6d, 0x6b

#endif
