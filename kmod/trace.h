/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kverbs

/*
 * Events of the control path: /sys/kernel/tracing/events/kverbs. There is none in the measured
 * loops. Refusals have netlink:netlink_extack.
 */
#if !defined(_KV_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _KV_TRACE_H

#include <linux/tracepoint.h>
#include <kverbs.h>
#include "event.h"
#include "obj.h"

#define kv_show_rank(rank)						\
	__print_symbolic(rank, { KV_OBJ_RUN, "run" }, { KV_OBJ_CONN, "conn" },	\
			 { KV_OBJ_QP, "qp" }, { KV_OBJ_AH, "ah" },	\
			 { KV_OBJ_SRQ, "srq" }, { KV_OBJ_MR, "mr" },	\
			 { KV_OBJ_BUF, "buf" }, { KV_OBJ_CQ, "cq" },	\
			 { KV_OBJ_PD, "pd" })

#define kv_show_stage(stage)						\
	__print_symbolic(stage, { KVERBS_STAGE_CREATE, "create" },	\
			 { KVERBS_STAGE_DESTROY, "destroy" },		\
			 { KVERBS_STAGE_QUERY, "query" },		\
			 { KVERBS_STAGE_RESOLVE, "resolve" },		\
			 { KVERBS_STAGE_DRAIN, "drain" },		\
			 { KVERBS_STAGE_MODIFY, "modify" },		\
			 { KVERBS_STAGE_MAP, "map" },			\
			 { KVERBS_STAGE_POST, "post" },			\
			 { KVERBS_STAGE_COMPLETION, "completion" },	\
			 { KVERBS_STAGE_ARM, "arm" },			\
			 { KVERBS_STAGE_BIND, "bind" },			\
			 { KVERBS_STAGE_CM, "cm" })

#define kv_show_event(type)						\
	__print_symbolic(type, { KVERBS_EVENT_RUN_STARTED, "run-started" },	\
			 { KVERBS_EVENT_RUN_DONE, "run-done" },		\
			 { KVERBS_EVENT_COMPLETION, "completion" },	\
			 { KVERBS_EVENT_WC_ERROR, "wc-error" },		\
			 { KVERBS_EVENT_CM, "cm" })

/* An object has an id, or has it no longer. */
DECLARE_EVENT_CLASS(kverbs_obj,
	TP_PROTO(const struct kv_obj *obj),
	TP_ARGS(obj),
	TP_STRUCT__entry(
		__field(u32, rank)
		__field(u32, id)
		__field(bool, persistent)
	),
	TP_fast_assign(
		__entry->rank = obj->class->rank;
		__entry->id = obj->id;
		__entry->persistent = kv_obj_persistent(obj);
	),
	TP_printk("%s %u%s", kv_show_rank(__entry->rank), __entry->id,
		  __entry->persistent ? " persistent" : "")
);

DEFINE_EVENT(kverbs_obj, kverbs_obj_new, TP_PROTO(const struct kv_obj *obj), TP_ARGS(obj));
DEFINE_EVENT(kverbs_obj, kverbs_obj_del, TP_PROTO(const struct kv_obj *obj), TP_ARGS(obj));

/* A verb about an object has returned. While one is made its id is 0. */
TRACE_EVENT(kverbs_verb,
	TP_PROTO(const struct kv_obj *obj, u32 stage, u64 ns),
	TP_ARGS(obj, stage, ns),
	TP_STRUCT__entry(
		__field(u32, rank)
		__field(u32, id)
		__field(u32, stage)
		__field(u64, ns)
	),
	TP_fast_assign(
		__entry->rank = obj->class->rank;
		__entry->id = obj->id;
		__entry->stage = stage;
		__entry->ns = ns;
	),
	TP_printk("%s %u %s ns=%llu", kv_show_rank(__entry->rank), __entry->id,
		  kv_show_stage(__entry->stage), __entry->ns)
);

/* ib_post_send(), ib_post_recv() or ib_post_srq_recv() has returned. */
TRACE_EVENT(kverbs_post,
	TP_PROTO(const struct kv_obj *queue, u32 wrs, u32 posted, int error, u64 ns),
	TP_ARGS(queue, wrs, posted, error, ns),
	TP_STRUCT__entry(
		__field(u32, rank)
		__field(u32, id)
		__field(u32, wrs)
		__field(u32, posted)
		__field(int, error)
		__field(u64, ns)
	),
	TP_fast_assign(
		__entry->rank = queue->class->rank;
		__entry->id = queue->id;
		__entry->wrs = wrs;
		__entry->posted = posted;
		__entry->error = error;
		__entry->ns = ns;
	),
	TP_printk("%s %u wrs=%u posted=%u error=%d ns=%llu", kv_show_rank(__entry->rank),
		  __entry->id, __entry->wrs, __entry->posted, __entry->error, __entry->ns)
);

/* CQ_POLL has taken completions. */
TRACE_EVENT(kverbs_poll,
	TP_PROTO(const struct kv_obj *cq, u32 wcs, u64 ns),
	TP_ARGS(cq, wcs, ns),
	TP_STRUCT__entry(
		__field(u32, id)
		__field(u32, wcs)
		__field(u64, ns)
	),
	TP_fast_assign(
		__entry->id = cq->id;
		__entry->wcs = wcs;
		__entry->ns = ns;
	),
	TP_printk("cq %u wcs=%u ns=%llu", __entry->id, __entry->wcs, __entry->ns)
);

/* Something has happened to an object, whether anybody listens or not. */
TRACE_EVENT(kverbs_event,
	TP_PROTO(const struct kv_obj *obj, const struct kv_event *event),
	TP_ARGS(obj, event),
	TP_STRUCT__entry(
		__field(u32, rank)
		__field(u32, id)
		__field(u32, type)
		__field(int, error)
		__field(u32, wc_status)
		__field(u32, cm_event)
		__field(int, cm_status)
	),
	TP_fast_assign(
		__entry->rank = obj->class->rank;
		__entry->id = obj->id;
		__entry->type = event->type;
		__entry->error = event->error;
		__entry->wc_status = event->wc_status;
		__entry->cm_event = event->cm_event;
		__entry->cm_status = event->cm_status;
	),
	TP_printk("%s %u %s error=%d wc_status=%u cm_event=%u cm_status=%d",
		  kv_show_rank(__entry->rank), __entry->id,
		  kv_show_event(__entry->type), __entry->error, __entry->wc_status,
		  __entry->cm_event, __entry->cm_status)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
