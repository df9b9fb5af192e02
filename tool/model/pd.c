// SPDX-License-Identifier: MIT
#include "model/row.h"

#define S struct kv_pd_init
SHAPE(pd_init, DEV(PD_DEV), KV_BOOL(S, persistent, A(PD_PERSISTENT), UNTOLD));
#undef S

#define S struct kv_pd
SHAPE(pd, HEAD(PD, "pd"), KV_U32(S, local_dma_lkey, ANY, A(PD_LOCAL_DMA_LKEY), TOLD_UNLESS_0));
#undef S
