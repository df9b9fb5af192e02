// SPDX-License-Identifier: MIT
#include "model/row.h"

#define ANY UINT32_MAX

#define S struct kv_pd_init
static const struct kv_member pd_init_members[] = {
	KV_TEXT_AT(S, dev, 64, A(PD_DEV), KNOWN("device")),
	KV_BOOL(S, persistent, A(PD_PERSISTENT)),
};
#undef S

const struct kv_shape kv_shape_pd_init = KV_SHAPE(struct kv_pd_init, pd_init_members);

#define S struct kv_pd
static const struct kv_member pd_members[] = {
	KV_U32(S, id, ANY, A(PD_ID), KNOWN("pd")),
	KV_TEXT(S, dev, A(PD_DEV), KNOWN("device")),
	KV_BOOL(S, persistent, A(PD_PERSISTENT)),
	KV_U32(S, local_dma_lkey, ANY, A(PD_LOCAL_DMA_LKEY)),
};
#undef S

const struct kv_shape kv_shape_pd = KV_SHAPE(struct kv_pd, pd_members);
