// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "qp_table.h"

#define TYPES (KVERBS_QPT_MAX + 1)
#define STATES (KVERBS_QPS_ERR + 1)
/* One more than the highest bit of KV_QPA_*. */
#define BITS 21

/**
 * struct step - one transition
 * @exists: there is such a transition; those to RESET and ERR are not in the table
 * @needs: by type: KV_QPA_* that must be given
 * @takes: by type: KV_QPA_* that may be given besides
 */
struct step {
	__u8 exists;
	__u32 needs[TYPES];
	__u32 takes[TYPES];
};

/* Attributes that several transitions of the connected types have in common. */
#define PATHS (KV_QPA_ALT_PATH | KV_QPA_ACCESS_FLAGS | KV_QPA_PATH_MIG_STATE)
#define ADDRESS (KV_QPA_AV | KV_QPA_PATH_MTU | KV_QPA_DEST_QPN | KV_QPA_RQ_PSN)
#define RETRIES (KV_QPA_TIMEOUT | KV_QPA_RETRY_CNT | KV_QPA_RNR_RETRY | KV_QPA_MAX_QP_RD_ATOMIC)
#define RESPONDER (KV_QPA_MAX_DEST_RD_ATOMIC | KV_QPA_MIN_RNR_TIMER)

#define TAKES_IN_INIT {								\
	[KVERBS_QPT_RC ... KVERBS_QPT_UC] =					\
		KV_QPA_PKEY_INDEX | KV_QPA_PORT | KV_QPA_ACCESS_FLAGS,		\
	[KVERBS_QPT_UD] = KV_QPA_PKEY_INDEX | KV_QPA_PORT | KV_QPA_QKEY,	\
}

/* From RTR, RTS and SQD alike. */
#define TAKES_TO_RTS {								\
	[KVERBS_QPT_RC] = KV_QPA_CUR_STATE | PATHS | KV_QPA_MIN_RNR_TIMER,	\
	[KVERBS_QPT_UC] = KV_QPA_CUR_STATE | PATHS,				\
	[KVERBS_QPT_UD] = KV_QPA_CUR_STATE | KV_QPA_QKEY,			\
}

static const struct step steps[STATES][STATES] = {
	[KVERBS_QPS_RESET] = {
		[KVERBS_QPS_INIT] = { .exists = 1, .needs = TAKES_IN_INIT },
	},
	[KVERBS_QPS_INIT] = {
		[KVERBS_QPS_INIT] = { .exists = 1, .takes = TAKES_IN_INIT },
		[KVERBS_QPS_RTR] = {
			.exists = 1,
			.needs = {
				[KVERBS_QPT_RC] = ADDRESS | RESPONDER,
				[KVERBS_QPT_UC] = ADDRESS,
			},
			.takes = {
				[KVERBS_QPT_RC ... KVERBS_QPT_UC] =
					KV_QPA_ALT_PATH | KV_QPA_ACCESS_FLAGS | KV_QPA_PKEY_INDEX,
				[KVERBS_QPT_UD] = KV_QPA_PKEY_INDEX | KV_QPA_QKEY,
			},
		},
	},
	[KVERBS_QPS_RTR] = {
		[KVERBS_QPS_RTS] = {
			.exists = 1,
			.needs = {
				[KVERBS_QPT_RC] = KV_QPA_SQ_PSN | RETRIES,
				[KVERBS_QPT_UC ... KVERBS_QPT_UD] = KV_QPA_SQ_PSN,
			},
			.takes = TAKES_TO_RTS,
		},
	},
	[KVERBS_QPS_RTS] = {
		[KVERBS_QPS_RTS] = { .exists = 1, .takes = TAKES_TO_RTS },
		[KVERBS_QPS_SQD] = {
			.exists = 1,
			.takes = { [0 ... KVERBS_QPT_MAX] = KV_QPA_EN_SQD_ASYNC_NOTIFY },
		},
	},
	[KVERBS_QPS_SQD] = {
		[KVERBS_QPS_RTS] = { .exists = 1, .takes = TAKES_TO_RTS },
		[KVERBS_QPS_SQD] = {
			.exists = 1,
			.takes = {
				[KVERBS_QPT_RC] = PATHS | KV_QPA_AV | KV_QPA_PORT |
						  KV_QPA_PKEY_INDEX | RETRIES | RESPONDER,
				[KVERBS_QPT_UC] = PATHS | KV_QPA_AV | KV_QPA_PKEY_INDEX,
				[KVERBS_QPT_UD] = KV_QPA_PKEY_INDEX | KV_QPA_QKEY,
			},
		},
	},
	[KVERBS_QPS_SQE] = {
		[KVERBS_QPS_RTS] = {
			.exists = 1,
			.takes = {
				[KVERBS_QPT_UC] = KV_QPA_CUR_STATE | KV_QPA_ACCESS_FLAGS,
				[KVERBS_QPT_UD] = KV_QPA_CUR_STATE | KV_QPA_QKEY,
			},
		},
	},
};

static const char *const no_step[STATES] = {
	[KVERBS_QPS_RESET] = "the qp is in RESET: its next state is INIT",
	[KVERBS_QPS_INIT] = "the qp is in INIT: its next state is RTR, ERR or RESET",
	[KVERBS_QPS_RTR] = "the qp is in RTR: its next state is RTS, ERR or RESET",
	[KVERBS_QPS_RTS] = "the qp is in RTS: its next state is SQD, ERR or RESET",
	[KVERBS_QPS_SQD] = "the qp is in SQD: its next state is RTS, ERR or RESET",
	[KVERBS_QPS_SQE] = "the qp is in SQE: its next state is RTS, ERR or RESET",
	[KVERBS_QPS_ERR] = "the qp is in ERR: its next state is RESET",
};

static const char no_step_to_sqe[] =
	"no qp is brought to SQE: it goes there by itself, after an error of its send queue";

/*
 * Texts must stay valid, and extack of older kernels can't format a text: so each
 * case has a text of its own.
 */
#define BIT_OF(attr) __builtin_ctz(KV_QPA_##attr)
#define USELESS(name, state) name " is of no use here: " state " does not take it"
#define FOREIGN(name, type) name " is of no use here: a qp of type " type " has none"

/**
 * struct refusal - the texts for an attribute that a transition needs, or does not take
 * @missing: the transition needs it; all transitions that need it lead to one state
 * @state: by the state to go to
 * @type: by the type, if no transition of it takes the attribute
 */
struct refusal {
	const char *missing;
	const char *state[STATES];
	const char *type[TYPES];
};

#define REFUSAL(name)						\
	.state = {						\
		[KVERBS_QPS_RESET] = USELESS(name, "RESET"),	\
		[KVERBS_QPS_INIT] = USELESS(name, "INIT"),	\
		[KVERBS_QPS_RTR] = USELESS(name, "RTR"),	\
		[KVERBS_QPS_RTS] = USELESS(name, "RTS"),	\
		[KVERBS_QPS_SQD] = USELESS(name, "SQD"),	\
		[KVERBS_QPS_SQE] = USELESS(name, "SQE"),	\
		[KVERBS_QPS_ERR] = USELESS(name, "ERR"),	\
	},							\
	.type = {						\
		[KVERBS_QPT_RC] = FOREIGN(name, "RC"),		\
		[KVERBS_QPT_UC] = FOREIGN(name, "UC"),		\
		[KVERBS_QPT_UD] = FOREIGN(name, "UD"),		\
	}

/* state: the one to go to that needs it */
#define NEEDED(name, state) \
	{ .missing = name " is missing: " state " needs it", REFUSAL(name) }

static const struct refusal refusals[BITS] = {
	[BIT_OF(CUR_STATE)] = { REFUSAL("cur_state") },
	[BIT_OF(EN_SQD_ASYNC_NOTIFY)] = { REFUSAL("sqd_async_notify") },
	[BIT_OF(ACCESS_FLAGS)] = NEEDED("access", "INIT"),
	[BIT_OF(PKEY_INDEX)] = NEEDED("pkey_index", "INIT"),
	[BIT_OF(PORT)] = NEEDED("port", "INIT"),
	[BIT_OF(QKEY)] = NEEDED("qkey", "INIT"),
	[BIT_OF(AV)] = {
		.missing = "dgid is missing: RTR needs it (on InfiniBand dlid is enough)",
		REFUSAL("an address (dgid, dlid and what belongs to them)")
	},
	[BIT_OF(PATH_MTU)] = NEEDED("path_mtu", "RTR"),
	[BIT_OF(TIMEOUT)] = NEEDED("timeout", "RTS"),
	[BIT_OF(RETRY_CNT)] = NEEDED("retry_cnt", "RTS"),
	[BIT_OF(RNR_RETRY)] = NEEDED("rnr_retry", "RTS"),
	[BIT_OF(RQ_PSN)] = NEEDED("rq_psn", "RTR"),
	[BIT_OF(MAX_QP_RD_ATOMIC)] = NEEDED("max_rd_atomic", "RTS"),
	[BIT_OF(ALT_PATH)] = { REFUSAL("an alternate path") },
	[BIT_OF(MIN_RNR_TIMER)] = NEEDED("min_rnr_timer", "RTR"),
	[BIT_OF(SQ_PSN)] = NEEDED("sq_psn", "RTS"),
	[BIT_OF(MAX_DEST_RD_ATOMIC)] = NEEDED("max_dest_rd_atomic", "RTR"),
	[BIT_OF(PATH_MIG_STATE)] = { REFUSAL("path_mig_state") },
	[BIT_OF(DEST_QPN)] = NEEDED("dest_qpn", "RTR"),
};

static const char no_attr[] = "no such attribute of a qp";

/* A QP can go from every state to RESET, and from every state but RESET to ERR. */
static int exists(__u32 from, __u32 to)
{
	return to == KVERBS_QPS_RESET || (to == KVERBS_QPS_ERR && from != KVERBS_QPS_RESET) ||
	       steps[from][to].exists;
}

/* Does any transition of this type take the attribute? */
static int has(__u32 type, __u32 bit)
{
	__u32 all = 0;
	int from, to;

	for (from = 0; from < STATES; from++)
		for (to = 0; to < STATES; to++)
			all |= steps[from][to].needs[type] | steps[from][to].takes[type];
	return !!(all & bit);
}

static __u32 lowest(__u32 bits)
{
	return bits & -bits;
}

/**
 * kv_qp_table_check() - may a QP go from one state to another with these attributes?
 * @type: enum kverbs_qp_type
 * @from: enum kverbs_qp_state, the state that it is in
 * @to: enum kverbs_qp_state
 * @mask: KV_QPA_*, the attributes that are given; STATE does not matter
 * @wrong: receives the refusal; its attribute is a bit of KV_QPA_*, the lowest if several are
 *	wrong, and 0 if the QP can't go from the one state to the other
 *
 * Checks first that there is such a transition, then that no attribute is missing,
 * then that the transition takes all attributes. The value of CUR_STATE is not
 * checked.
 *
 * Return: 0 or -EINVAL.
 */
int kv_qp_table_check(__u32 type, __u32 from, __u32 to, __u32 mask, struct kv_refusal *wrong)
{
	const struct refusal *vain;
	const struct step *step;
	__u32 bit, needs, takes;
	const char *text;

	if (type >= TYPES || from >= STATES || to >= STATES)
		return kv_refusal_set(wrong, -EINVAL, "no such type or state of a qp");
	step = &steps[from][to];
	if (!exists(from, to))
		return kv_refusal_set(wrong, -EINVAL, to == KVERBS_QPS_SQE ?
				      no_step_to_sqe : no_step[from]);
	needs = step->needs[type];
	takes = needs | step->takes[type] | KV_QPA_STATE;

	bit = lowest(needs & ~mask);
	if (bit)
		return kv_refusal_set_attr(wrong, -EINVAL, bit,
					   refusals[__builtin_ctz(bit)].missing);
	bit = lowest(mask & ~takes);
	if (!bit)
		return 0;
	if (bit >= 1U << BITS)
		return kv_refusal_set_attr(wrong, -EINVAL, bit, no_attr);
	vain = &refusals[__builtin_ctz(bit)];
	text = has(type, bit) ? vain->state[to] : vain->type[type];
	return kv_refusal_set_attr(wrong, -EINVAL, bit, text ? text : no_attr);
}
