/* SPDX-License-Identifier: MIT */
/* How seeds are put together: each call adds to what the last one began. */
#ifndef _FUZZ_BUILD_H
#define _FUZZ_BUILD_H

#include <stdint.h>
#include "fuzz.h"

void build_begin(struct sequence *s);
void build_end(void);
void build(uint8_t command);
void build_act(uint8_t act);
void build_flags(uint16_t flags);
void put_u32(uint16_t type, uint32_t value);
void put_u64(uint16_t type, uint64_t value);
void put_flag(uint16_t type);
void put_bytes(uint16_t type, uint16_t len);
void put_id(uint16_t type, uint8_t command, uint8_t nth);
void put_seen(uint16_t type, uint16_t len, uint8_t command, uint8_t attr, uint8_t nth);
void put_kind(uint16_t type, uint8_t kind, uint64_t value);
void put_port(uint16_t type, uint64_t which);
void nest_begin(uint16_t type);
void nest_end(void);

/* seed_conn.c */
void seed_conn(void);
void seed_conn_refused(void);
void seed_conn_group(void);
void seed_conn_pair(uint8_t a, uint8_t b);

#endif
