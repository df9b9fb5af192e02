# SPDX-License-Identifier: GPL-2.0
#
# Prints a kernel log without reports that are known to be others' own; each of their lines becomes an empty one.
#
# rxe of 7.2: the work item that sends for a UC or UD QP schedules itself again in rxe_xmit_packet() when the QP's
# last reference is gone, and rxe warns of that itself (rxe_sched_task(), rxe_task.c).
function release(   i) {
	for (i = 1; i <= held; i++)
		print foreign && !ours ? "" : line[i]
	held = foreign = ours = 0
}
/\[ cut here \]/ || (!inside && /WARNING: /) { release(); inside = 1 }
!inside { print; next }
{ line[++held] = $0 }
/WARNING: .*\/rxe_task\.c:/ { foreign = 1 }
/\[kverbs\]/ { ours = 1 }
# A report that has lost its end ends somewhere.
/\[ end trace / || held == 200 { release(); inside = 0 }
END { release() }
