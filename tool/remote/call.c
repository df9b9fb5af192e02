// SPDX-License-Identifier: MIT
#include <errno.h>
#include "remote/call.h"
#include "remote/wire.h"

#define S struct kv_request
static const struct kv_member request_members[] = {
	KV_U32(S, seq, UINT32_MAX),
	KV_TEXT_AT(S, call, 32),
	KV_OBJECT(S, args),
};
#undef S

#define S struct kv_reply
static const struct kv_member reply_members[] = {
	KV_U32(S, seq, UINT32_MAX),
	KV_S32(S, ret, -4095, 0),
	KV_U64(S, verb_ns, UINT64_MAX),
	KV_TEXT(S, error),
	KV_OBJECT(S, result),
};
#undef S

const struct kv_shape kv_shape_request = KV_SHAPE(struct kv_request, request_members);
const struct kv_shape kv_shape_reply = KV_SHAPE(struct kv_reply, reply_members);

const struct kv_call_row kv_call_rows[KV_CALLS] = {
#define OP(NAME, name_, in, out, about_, ...)						\
	[KV_CALL_##NAME] = {								\
		.name = #name_, .args = &kv_shape_##in, .result = &kv_shape_##out,	\
		.about = about_, .sends = KV_OP_##NAME == KV_OP_MR_WRITE,		\
	},
#define LOCAL(...)
#include "model/ops.def"
#define CALL(NAME, name, args, result) OTHER(NAME, #name, &kv_shape_##args, &kv_shape_##result)
#define OTHER(NAME, name_, args_, result_)						\
	[KV_CALL_##NAME] = {								\
		.name = name_, .args = args_, .result = result_, .about = KV_NO_TYPE,	\
	},
	KV_CALLS_OTHER(CALL)
};

static void put_number(uint8_t *to, unsigned int bytes, uint64_t value)
{
	while (bytes--) {
		to[bytes] = (uint8_t)value;
		value >>= 8;
	}
}

static uint64_t take_number(const uint8_t *from, unsigned int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *from++;
	return value;
}

/**
 * kv_call_put_bins() - write bins as data: 32 bits each of index, low and high, and 64 bits
 *	of count, each in network order
 * @hist: the histogram
 * @data: room for KV_WIRE_DATA_MAX bytes
 * @length: receives how many bytes were written
 *
 * Return: 0, or -EMSGSIZE: it has more bins than there is room for.
 */
int kv_call_put_bins(const struct kv_hist *hist, uint8_t *data, uint32_t *length)
{
	uint8_t *at = data;

	for (unsigned int i = 0; i < KV_HIST_BINS; i++) {
		const struct kv_hist_bin *bin = &hist->bin[i];

		if (!bin->count)
			continue;
		if (at + KV_CALL_BIN_BYTES > data + KV_WIRE_DATA_MAX)
			return -EMSGSIZE;
		put_number(at, 4, i);
		put_number(at + 4, 4, bin->low);
		put_number(at + 8, 4, bin->high);
		put_number(at + 12, 8, bin->count);
		at += KV_CALL_BIN_BYTES;
	}
	*length = (uint32_t)(at - data);
	return 0;
}

/* Do its extremes lie in the bin? */
static bool is_bin(const struct kv_hist *hist, unsigned int i)
{
	uint64_t min = kv_hist_bin_min(hist, i), max = kv_hist_bin_max(hist, i);

	return min <= max && kv_hist_index(min) == i && kv_hist_index(max) == i;
}

/**
 * kv_call_take_bins() - read what kv_call_put_bins() wrote
 * @hist: receives it; its other bins stay
 * @data: the data
 * @length: bytes there
 *
 * Return: 0 or -EBADMSG.
 */
int kv_call_take_bins(struct kv_hist *hist, const uint8_t *data,
		      uint32_t length)
{
	uint64_t index;

	if (length % KV_CALL_BIN_BYTES)
		return -EBADMSG;
	for (; length; length -= KV_CALL_BIN_BYTES, data += KV_CALL_BIN_BYTES) {
		struct kv_hist_bin *bin;

		index = take_number(data, 4);
		if (index >= KV_HIST_BINS)
			return -EBADMSG;
		bin = &hist->bin[index];
		bin->low = (uint32_t)take_number(data + 4, 4);
		bin->high = (uint32_t)take_number(data + 8, 4);
		bin->count = take_number(data + 12, 8);
		if (!is_bin(hist, (unsigned int)index))
			return -EBADMSG;
	}
	return 0;
}
