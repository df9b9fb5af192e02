# SPDX-License-Identifier: GPL-2.0
#
# Prints a kernel log without reports that are known to be others' own; each of their lines becomes an empty one.
#
# rxe of 7.2: the work item that sends for a UC or UD QP schedules itself again in rxe_xmit_packet() when the QP's
# last reference is gone, and rxe warns of that itself (rxe_sched_task(), rxe_task.c).
#
# rxe: rxe_pool_get_index() finds a packet's QP under RCU and then takes a reference, while __rxe_cleanup() takes the QP
# out of the same table. Nothing waits for such readers before the RDMA core frees the QP, so the count may be in freed
# memory (seen once on 6.12, rxe_sender()). The module calls ib_destroy_qp(), so it stands in the stack of the free.
function release(   i) {
	for (i = 1; i <= held; i++)
		print foreign && !ours ? "" : line[i]
	held = foreign = ours = inside = past = 0
}
/\[ cut here \]/ || (!inside && /WARNING: /) { release(); inside = "warning" }
/BUG: KASAN: slab-use-after-free in rxe_pool_get_index\+/ { release(); inside = "kasan"; foreign = 1 }
!inside { print; next }
{ line[++held] = $0 }
inside == "warning" && /WARNING: .*\/rxe_task\.c:/ { foreign = 1 }
# Of a use of freed memory, that of the stacks of its allocation and its free does not count.
inside == "kasan" && /Allocated by task/ { past = 1 }
/\[kverbs\]/ && !past { ours = 1 }
# A report that has lost its end ends somewhere.
(inside == "warning" && /\[ end trace /) || (inside == "kasan" && /==========/) || held == 200 { release() }
END { release() }
