// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "model/row.h"
#include "remote/call.h"
#include "remote/wire.h"

#include "model/as_shape.h"
#include "file/file.def"
#include "model/as_shape.h"
#include "remote/call.def"

const struct kv_call_row kv_call_rows[KV_CALLS] = {
#define OP(NAME, name_, in, out, about_, ...)						\
	[KV_CALL_##NAME] = {								\
		.name = #name_, .args = &kv_shape_##in, .result = &kv_shape_##out,	\
		.about = about_, .sends = KV_OP_##NAME == KV_OP_BUF_WRITE,		\
	},
#define LOCAL(...)
#include "model/ops.def"
#define CALL(NAME, name_, args_, result_)						\
	[KV_CALL_##NAME] = {								\
		.name = #name_, .args = &kv_shape_##args_, .result = &kv_shape_##result_, \
		.about = KV_NO_TYPE,							\
	},
	KV_CALLS_OTHER(CALL)
};

/**
 * kv_call_put_bins() - write the bins of a histogram that are not empty as data
 * @data: room for KV_WIRE_DATA_MAX bytes; receives an array of struct kverbs_bin, as in
 *	KVERBS_A_RUN_BINS
 * @length: receives the number of bytes that were written
 *
 * Return: 0, or -EMSGSIZE if the histogram has more bins than there is room for.
 */
int kv_call_put_bins(const struct kv_hist *hist, uint8_t *data, uint32_t *length)
{
	struct kverbs_bin bin;

	*length = 0;
	for (unsigned int i = 0; i < KV_HIST_BINS; i++) {
		if (!hist->bin[i].count)
			continue;
		if (*length + sizeof(bin) > KV_WIRE_DATA_MAX)
			return -EMSGSIZE;
		bin.min = kv_hist_bin_min(hist, i);
		bin.max = kv_hist_bin_max(hist, i);
		bin.count = hist->bin[i].count;
		memcpy(data + *length, &bin, sizeof(bin));
		*length += (uint32_t)sizeof(bin);
	}
	return 0;
}
