/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_BUF_H
#define _KV_BUF_H

#include <linux/dma-direction.h>
#include "obj.h"

struct kv_refusal;
struct sg_table;

/**
 * struct kv_buf_piece - a physically contiguous part of a buffer; the last may end within a page
 * @start: its first byte
 * @dma: its DMA address, mapped for both directions
 * @offset: of its first byte in the buffer
 * @length: bytes
 */
struct kv_buf_piece {
	void *start;
	u64 dma;
	u64 offset;
	u32 length;
};

/**
 * struct kv_buf - a buffer
 * @obj: base; no parents
 * @length: its bytes
 * @pieces: number of entries in @piece
 * @piece: in order; zeroed when they were made
 */
struct kv_buf {
	struct kv_obj obj;
	u64 length;
	unsigned int pieces;
	struct kv_buf_piece *piece;
};

/**
 * struct kv_buf_place - where a byte of a buffer is
 * @at: the CPU's address
 * @dma: the DMA address, for the PD's local_dma_lkey
 * @length: the number of bytes from there to the end of the piece; 0 behind the end of the buffer
 */
struct kv_buf_place {
	void *at;
	u64 dma;
	u32 length;
};

struct kv_obj *kv_buf_create(const struct kv_new *new, u64 length, unsigned int pieces, int node,
			     struct kv_refusal *why);
int kv_buf_node(const struct kv_buf *buf);
struct kv_buf_place kv_buf_place(const struct kv_buf *buf, u64 offset);
bool kv_buf_coherent(const struct kv_buf *buf, u64 offset);
int kv_buf_make_sg(const struct kv_buf *buf, u64 offset, u64 length, struct sg_table *sg);
void kv_buf_copy(struct kv_buf *buf, u64 offset, void *data, u32 length,
		 enum dma_data_direction to);

extern struct kv_obj_class kv_buf_class;

#endif
