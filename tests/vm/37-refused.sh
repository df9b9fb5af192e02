# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Refusals of verbs, in both spaces: errno and text, and everything is as it was
# afterwards. Faults of the words themselves are in tests/vm/38-mistakes.sh.
. ./hand.sh

printf 1234567 >"$work/seven"
: >"$work/empty"
mkfifo "$work/fifo"

# The objects of the commands below. a and b are connected, u is a UD QP in RTS, v2 a UC one;
# i and t are in INIT, all others in RESET.
objects_first() {
	cat <<'END'
pd add name p
pd add name p2
cq add cqe 64 name c
cq add cqe 3 name tiny
cq add cqe 64 context event name ce
buf add length 4k name m
buf add length 8k name m3
mr add pd p name k
mr add pd p2 name k2
mr add pd p max-pages 1 name k3
srq add pd p max-wr 8 name s
srq add pd p max-wr 1 name s2
ah add pd p dgid $dev.gid name h
ah add pd p2 dgid $dev.gid name h2
qp add pd p cq c max-send-sge 2 max-inline 32 name a
qp add pd p cq c name b
qp add pd p cq c type ud name u
qp add pd p cq c type uc name v
qp add pd p cq c type uc name v2
qp add pd p cq c srq s name w
qp add pd p cq c name r
qp add pd p cq c type ud name x
qp add pd p cq c type ud name y
qp add pd p cq c max-recv-wr 3 name i
qp add pd p cq tiny name t
qp add pd p cq c name n
qp address a
qp address b
qp connect a peer $b.address
qp connect b peer $a.address
qp connect u
qp connect v2 peer $b.address
qp modify i state init access none
qp modify t state init access none
mr reg k buf m qp a access local-write,remote-write
buf write m text canary
END
}

# objects: those, or what of them iWARP has: QPs that are all RC, of which a CM connects a and b, and no AH
objects() {
	if ! iwarp; then
		objects_first
		return
	fi
	objects_first | sed -n '/^qp address/q; p' | sed '/^ah /d; s/ type u[cd]//'
	pair_lines a b
	objects_first | sed -n '/^qp modify i/,$p'
}

# Commands for functions that iWARP lacks.
not_on_iwarp='^= poll cq c |^E.* post recv qp t$|monitor time|^E.* qp modify r state init access none$|srq modify s max-wr 3|(^|[ |])(ah add|ah del|qp (modify )?(u|v|v2|x|y)( |$)|ah h|@gid|qp connect|qp address|fetch-add|cmp-swp)|state (rtr|rts|sqd|sqe)|pkey-index 70|\$dev\.gid|remote-qpn'

# rows FILE: the table as it holds for the device; commands that it can't take go to FILE
rows() {
	sed "s/rxe0/$DEV/g" >"$work/all"
	if ! iwarp; then
		: >"$1"
		cat "$work/all"
		return
	fi
	grep -E "$not_on_iwarp" "$work/all" | grep -v '^=' >"$1"
	grep -vE "$not_on_iwarp" "$work/all" |
		sed -E 's/, ah \* \(h2?\)//; s/\(k2\): delete these first/(k2): delete that first/
			s/((the qp is in (INIT|RESET)): bring it to (INIT, )?RTR and RTS first \|) \| post/\1 \2: on iWARP its conn brings it to RTS | post/
			s/qp \* \(u\) and 9 more/qp * (u), qp * (v) and 8 more/; s/which is 15/which is 8/
			# libsiw takes no receive without a piece.
			s/^(= post recv (qp|srq) [a-z0-9]+)$/\1 sge mr k/'
}

# ERRNO | text in kernel space | text in user space | command. Texts are patterns as of a shell;
# no text for user space: the same, -: there the command is all right.
# = command: to go on with.
# @gid: where to, and from where.
table() {
	cat <<'END'
# Objects that are in use, or that are not there.
EBUSY | pd * is in use by mr * (k), mr * (k3), srq * (s), srq * (s2), ah * (h), qp * (a), qp * (b), qp * (u) and 9 more: delete these first | | pd del p
EBUSY | pd * is in use by mr * (k2), ah * (h2): delete these first | | pd del p2
EBUSY | cq * is in use by qp * (a), qp * (b), qp * (u), qp * (v), qp * (v2), qp * (w), qp * (r), qp * (x) and 3 more: delete these first | | cq del c
EBUSY | cq * is in use by qp * (t): delete that first | | cq del tiny
EBUSY | srq * is in use by qp * (w): delete that first | | srq del s
= post recv qp a sge mr k
EBUSY | mr: in use by a posted request: poll its completion, or reset the qp | mr 1 is in use by a posted request: poll its completion, or reset the qp | mr del k
EBUSY | buf * is in use by mr * (k): delete that first | | buf del m
= post send qp u sge mr k length 8 ah h remote-qpn $b.qpn remote-qkey 0x11111111 wr-id 9
EBUSY | ah: in use by a posted request: poll its completion, or reset the qp | ah 1 is in use by a posted request: poll its completion, or reset the qp | ah del h
= poll cq c count 1
= pd add name gone
= pd del gone
ENOENT | pd: no pd with this id among yours; there [ai]* | no pd with id 3 in user space; there [ai]* | pd del gone
ENOENT | pd: no pd with this id among yours; there [ai]* | no pd with id 3 in user space; there [ai]* | pd show gone
ENOENT | pd: no pd with this id among yours; there [ai]* | no pd with id 3 in user space; there [ai]* | mr add pd gone
ENOENT | cq: no cq with this id among yours; there [ai]* | no cq with id 2000000000 in user space; there [ai]* | cq del 2000000000
ENOENT | mr: no mr with this id among yours; there [ai]* | no mr with id 2000000000 in user space; there [ai]* | mr del 2000000000
ENOENT | srq: no srq with this id among yours; there [ai]* | no srq with id 2000000000 in user space; there [ai]* | srq del 2000000000
ENOENT | ah: no ah with this id among yours; there [ai]* | no ah with id 2000000000 in user space; there [ai]* | ah del 2000000000
ENOENT | qp: no qp with this id among yours; there [ai]* | no qp with id 2000000000 in user space; there [ai]* | qp del 2000000000
ENOENT | qp: no qp with this id among yours; there [ai]* | no qp with id 2000000000 in user space; there [ai]* | qp show 2000000000
ENOENT | send_cq: no cq with this id among yours; there [ai]* | no cq with id 2000000000 in user space; there [ai]* | qp add pd p cq 2000000000
ENOENT | srq: no srq with this id among yours; there [ai]* | no srq with id 2000000000 in user space; there [ai]* | qp add pd p cq c srq 2000000000
ENOENT | cq: no cq with this id among yours; there [ai]* | no cq with id 2000000000 in user space; there [ai]* | poll cq 2000000000
ENOENT | qp: no qp with this id among yours; there [ai]* | no qp with id 2000000000 in user space; there [ai]* | post send qp 2000000000
ENOENT | srq: no srq with this id among yours; there [ai]* | no srq with id 2000000000 in user space; there [ai]* | post recv srq 2000000000
ENOENT | mr: no mr with this id among yours; there [ai]* | no mr with id 2000000000 in user space; there [ai]* | post send qp a sge mr 2000000000
ENOENT | ah: no ah with this id among yours; there [ai]* | no ah with id 2000000000 in user space; there [ai]* | post send qp u sge mr k length 8 ah 2000000000 remote-qpn 1 remote-qkey 1
ENOENT | buf: no buf with this id among yours; there [ai]* | no buf with id 2000000000 in user space; there [ai]* | buf write 2000000000 text x
ENOENT | buf: no buf with this id among yours; there [ai]* | no buf with id 2000000000 in user space; there [ai]* | buf del 2000000000
ENOENT | sge 1: buf: no buf with this id among yours; there [ai]* | no buf with id 2000000000 in user space; there [ai]* | post send qp a sge buf 2000000000 length 8
ENOENT | qp: no qp with this id among yours; there [ai]* | no qp with id 2000000000 in user space; there [ai]* | qp address 2000000000
ENOENT | qp: no qp with this id among yours; there [ai]* | no qp with id 2000000000 in user space; there [ai]* | qp connect 2000000000
ENODEV | device: no such RDMA device in this network namespace; there is rxe0 | no RDMA device 'nosuch0' in user space; there is rxe0 | pd add dev nosuch0
ENODEV | device: no such RDMA device in this network namespace; there is rxe0 | no RDMA device 'nosuch0' in user space; there is rxe0 | cq add dev nosuch0 cqe 1
# Numbers that are out of range, and values that a device can't take.
ERANGE | cqe: integer out of range: it takes 1 to 2147483647 | cqe is 0: it must be 1 to *, the device's max_cqe | cq add cqe 0
ERANGE | cqe: integer out of range: it takes 1 to 2147483647; max_cqe of * is [0-9]* | cqe is 2147483648: it must be 1 to *, the device's max_cqe | cq add cqe 2147483648
EINVAL | cqe is above the device's max_cqe; max_cqe of * is [0-9]* | cqe is 99999999: it must be 1 to *, the device's max_cqe | cq add cqe 99999999
EINVAL | comp_vector is not below the device's num_comp_vectors | comp_vector is 99: it must be 0 to *, rxe0 has * | cq add cqe 8 comp-vector 99
EINVAL | *a cq with context polled makes no events to moderate: make a cq with another context; * | | cq add cqe 8 moderation-count 1 moderation-period 1
EINVAL | moderation_count and moderation_period go together: give both; * | | cq add cqe 8 context event moderation-count 1
EOPNOTSUPP | *the device has no CQ moderation; max_cq_moderation_count of rxe0 is 0* | | cq add cqe 8 context event moderation-count 1 moderation-period 1
ERANGE | moderation_count: integer out of range: it takes 0 to 65535; * | moderation_count is 65536: it must be 0 to 65535 | cq add cqe 8 context event moderation-count 65536 moderation-period 1
ERANGE | length: integer out of range: it takes 1 to 18446744073709551615 | length is 0 bytes: in user space it must be 1 to 1073741824 | buf add length 0
EDQUOT | *buffers and queues*; in use are * of at most [0-9]* bytes | length is 68719476736 bytes: in user space it must be 1 to 1073741824 | buf add length 64g
ERANGE | pieces: integer out of range: it takes 1 to 1048576 | pieces is 1048577: it must be 0 to 1048576 | buf add length 64 pieces 1048577
EINVAL | node: there is no NUMA node of this number with memory | node 777: there is no NUMA node of this number with memory: Invalid argument | buf add length 64 node 777
ERANGE | max_pages: integer out of range: it takes 1 to 2147483647; max_fast_reg_pages of * is [0-9]* | max_pages is 2147483648: it must be 0 to 2147483647 | mr add pd p max-pages 2147483648
ERANGE | max_wr: integer out of range: it takes 1 to 2147483647 | max_wr is 0: it must be 1 to *, the device's max_srq_wr | srq add pd p max-wr 0
EINVAL | max_wr is above the device's max_srq_wr; max_srq_wr of * is [0-9]* | max_wr is 99999999: it must be 1 to *, the device's max_srq_wr | srq add pd p max-wr 99999999
EINVAL | max_sge is above the device's max_srq_sge; max_srq_sge of * is [0-9]* | max_sge is 99: it must be 1 to *, the device's max_srq_sge | srq add pd p max-wr 8 max-sge 99
EINVAL | limit is above max_wr | limit 9 is above max_wr, which is 8 | srq add pd p max-wr 8 limit 9
EINVAL | limit is above max_wr: raise max_wr first | limit 99 is above max_wr, which is 15: raise max_wr first | srq modify s limit 99
EINVAL | max_wr is above the device's max_srq_wr; max_srq_wr of * is [0-9]* | max_wr is 99999999: it must be 1 to *, the device's max_srq_wr | srq modify s max-wr 99999999
= srq modify s limit 5
EINVAL | max_wr is below limit: lower limit first | max_wr 3 is below limit: lower limit first | srq modify s max-wr 3
= srq modify s limit 0
EINVAL | dgid is missing: RoCE needs it | | ah add pd p
EINVAL | the destination's MAC address can't be resolved: check dgid and the route | ibv_create_ah: Invalid argument: check dgid, sgid_index and the route to it | ah add pd p dgid fe80::77
EINVAL | sgid_index: no GID at sgid_index of this port | sgid_index is 200: rxe0 has no GID there on port 1 | ah add pd p dgid $dev.gid sgid-index 200
ERANGE | sgid_index: integer out of range: it takes 0 to 255 | sgid_index is 256: it must be 0 to 255 | ah add pd p dgid $dev.gid sgid-index 256
EINVAL | port: the device has no such port | port is 2: rxe0 has 1 to 1 | ah add pd p dgid $dev.gid port 2
ERANGE | port: integer out of range: it takes 1 to 4294967295 | port is 0: rxe0 has 1 to 1 | ah add pd p dgid $dev.gid port 0
EINVAL | dlid is of no use here: RoCE has no LIDs | | ah add pd p dgid $dev.gid dlid 3
ERANGE | sl: integer out of range: it takes 0 to 15 | sl is 16: it must be 0 to 15 | ah add pd p dgid $dev.gid sl 16
ERANGE | traffic_class: integer out of range: it takes 0 to 255 | traffic_class is 256: it must be 0 to 255 | ah add pd p dgid $dev.gid traffic-class 256
ERANGE | flow_label: integer out of range: it takes 0 to 1048575 | flow_label is 1048576: it must be 0 to 1048575 | ah add pd p dgid $dev.gid flow-label 0x100000
ERANGE | hop_limit: integer out of range: it takes 0 to 255 | hop_limit is 256: it must be 0 to 255 | ah add pd p dgid $dev.gid hop-limit 256
ERANGE | max_send_wr: integer out of range: it takes 1 to 2147483647 | max_send_wr is 0: it must be 1 to *, the device's max_qp_wr | qp add pd p cq c max-send-wr 0
EINVAL | max_send_wr is above the device's max_qp_wr; max_qp_wr of * is [0-9]* | max_send_wr is 99999999: it must be 1 to *, the device's max_qp_wr | qp add pd p cq c max-send-wr 99999999
EINVAL | max_recv_wr is above the device's max_qp_wr; max_qp_wr of * is [0-9]* | max_recv_wr is 99999999: it must be 1 to *, the device's max_qp_wr | qp add pd p cq c max-recv-wr 99999999
EINVAL | max_send_sge is above the device's max_send_sge; max_send_sge of * is [0-9]* | max_send_sge is 99: it must be 1 to *, the device's max_send_sge | qp add pd p cq c max-send-sge 99
EINVAL | max_recv_sge is above the device's max_recv_sge; max_recv_sge of * is [0-9]* | max_recv_sge is 99: it must be 1 to *, the device's max_recv_sge | qp add pd p cq c max-recv-sge 99
EINVAL | max_inline: ib_create_qp failed: max_inline may be more than the device takes | ibv_create_qp with max_send_wr 16, max_recv_wr 16 and max_inline 1048576: Invalid argument | qp add pd p cq c max-inline 1m
EINVAL | max_recv_wr is of no use here: receives come from the srq | | qp add pd p cq c srq s max-recv-wr 3
EOPNOTSUPP | rxe0 has no XRC: its cap_flags lack bit 20, IBV_DEVICE_XRC | | qp add pd p cq c type xrc-ini
EOPNOTSUPP | rxe0 has no XRC: its cap_flags lack bit 20, IBV_DEVICE_XRC | | qp add pd p cq c type xrc-tgt
# Transitions: those that there are not, what each needs, and what it does not take.
EINVAL | the qp is in RESET: its next state is INIT | | qp modify r state rtr
EINVAL | the qp is in RESET: its next state is INIT | | qp modify r state rts
EINVAL | the qp is in RESET: its next state is INIT | | qp modify r state sqd
EINVAL | no qp is brought to SQE: it goes there by itself, after an error of its send queue | | qp modify r state sqe
EINVAL | the qp is in RESET: its next state is INIT | | qp modify r state err
EINVAL | access is missing: INIT needs it | | qp modify r state init
EINVAL | qkey is of no use here: a qp of type RC has none | | qp modify r state init access none qkey 1
EINVAL | access is missing: INIT needs it; also of no use here: qkey, dgid, timeout | | qp modify r state init qkey 1 timeout 3 @gid
EINVAL | dest-qpn is of no use here: INIT does not take it (from RESET) | | qp modify r state init access none dest-qpn 1
EINVAL | cur-state is of no use here: INIT does not take it (from RESET) | | qp modify r state init access none cur-state reset
EINVAL | port: the device has no such port | port is 2: rxe0 has 1 to 1 | qp modify r state init access none port 2
ERANGE | port: integer out of range: it takes 1 to 4294967295 | port is 0: rxe0 has 1 to 1 | qp modify r state init access none port 0
EINVAL | pkey-index: no P_Key at pkey-index of this port | pkey-index is 70: no P_Key there on port 1 | qp modify r state init access none pkey-index 70
ERANGE | pkey-index: integer out of range: it takes 0 to 65535 | pkey-index is 65536: it must be 0 to 65535 | qp modify r state init access none pkey-index 65536
EINVAL | qkey is missing: INIT needs it | | qp modify x state init
EINVAL | qkey is missing: INIT needs it; also of no use here: access | | qp modify x state init access none
= qp modify r state init access none
EINVAL | the qp is in INIT: its next state is RTR, ERR or RESET | | qp modify r state rts
EINVAL | dgid is missing: RTR needs it (on InfiniBand dlid is enough); also missing: path-mtu, dest-qpn, rq-psn, min-rnr-timer, max-dest-rd-atomic | | qp modify r state rtr
EINVAL | sgid-index is missing: dgid needs it; also missing: path-mtu, dest-qpn, rq-psn, min-rnr-timer, max-dest-rd-atomic | | qp modify r state rtr dgid $dev.gid
EINVAL | path-mtu is missing: RTR needs it; also missing: dest-qpn, rq-psn, min-rnr-timer, max-dest-rd-atomic | | qp modify r state rtr @gid
EINVAL | rq-psn is missing: RTR needs it; also missing: dest-qpn, min-rnr-timer, max-dest-rd-atomic | | qp modify r state rtr @gid path-mtu 1024
EINVAL | min-rnr-timer is missing: RTR needs it; also missing: dest-qpn, max-dest-rd-atomic | | qp modify r state rtr @gid path-mtu 1024 rq-psn 1
EINVAL | min-rnr-timer is missing: RTR needs it; also missing: max-dest-rd-atomic | | qp modify r state rtr @gid path-mtu 1024 rq-psn 1 dest-qpn 17
EINVAL | max-dest-rd-atomic is missing: RTR needs it | | qp modify r state rtr @gid path-mtu 1024 rq-psn 1 dest-qpn 17 min-rnr-timer 1
EINVAL | max-dest-rd-atomic is above the device's max_qp_rd_atom; max_qp_rd_atom of * is [0-9]* | max-dest-rd-atomic is 255, above the device's max_qp_rd_atom, * | qp modify r state rtr @gid path-mtu 1024 rq-psn 1 dest-qpn 17 min-rnr-timer 1 max-dest-rd-atomic 255
ERANGE | max-dest-rd-atomic: integer out of range: it takes 0 to 255; max_qp_rd_atom of * is [0-9]* | max-dest-rd-atomic is 256: it must be 0 to 255 | qp modify r state rtr @gid path-mtu 1024 rq-psn 1 dest-qpn 17 min-rnr-timer 1 max-dest-rd-atomic 256
EINVAL | path-mtu must be 256, 512, 1024, 2048 or 4096 | path-mtu is 1000: it must be 256, 512, 1024, 2048 or 4096 | qp modify r state rtr @gid path-mtu 1000 rq-psn 1 dest-qpn 17 min-rnr-timer 1 max-dest-rd-atomic 1
ERANGE | rq-psn: integer out of range: it takes 0 to 16777215 | rq-psn is 16777216: it must be 0 to 16777215 | qp modify r state rtr @gid path-mtu 1024 rq-psn 0x1000000 dest-qpn 17 min-rnr-timer 1 max-dest-rd-atomic 1
ERANGE | dest-qpn: integer out of range: it takes 0 to 16777215 | dest-qpn is 16777216: it must be 0 to 16777215 | qp modify r state rtr @gid path-mtu 1024 rq-psn 1 dest-qpn 0x1000000 min-rnr-timer 1 max-dest-rd-atomic 1
ERANGE | min-rnr-timer: integer out of range: it takes 0 to 31 | min-rnr-timer is 32: it must be 0 to 31 | qp modify r state rtr @gid path-mtu 1024 rq-psn 1 dest-qpn 17 min-rnr-timer 32 max-dest-rd-atomic 1
EINVAL | sgid-index: no GID at sgid-index of this port | sgid-index is 200: rxe0 has no GID there on port 1 | qp modify r state rtr dgid $dev.gid sgid-index 200 path-mtu 1024 rq-psn 1 dest-qpn 17 min-rnr-timer 1 max-dest-rd-atomic 1
EINVAL | the destination's MAC address can't be resolved: check dgid and the route | ibv_modify_qp of qp 7 from INIT to RTR: Invalid argument: check dgid, sgid-index, the route to it, and what the device can do | qp modify r state rtr dgid fe80::77 sgid-index $dev.gid_index path-mtu 1024 rq-psn 1 dest-qpn 17 min-rnr-timer 1 max-dest-rd-atomic 1
EINVAL | rq-psn is missing: RTR needs it; also missing: max-dest-rd-atomic; also of no use here: qkey, sq-psn | | qp modify r state rtr @gid path-mtu 1024 dest-qpn 17 min-rnr-timer 1 sq-psn 1 qkey 1
EINVAL | timeout is of no use here: RTR does not take it (from INIT) | | qp modify r state rtr @gid path-mtu 1024 rq-psn 1 dest-qpn 17 min-rnr-timer 1 max-dest-rd-atomic 1 timeout 3
= qp modify r state rtr @gid path-mtu 1024 rq-psn 1 dest-qpn 17 min-rnr-timer 1 max-dest-rd-atomic 1
EINVAL | the qp is in RTR: its next state is RTS, ERR or RESET | | qp modify r state init access none
EINVAL | timeout is missing: RTS needs it; also missing: sq-psn, retry-cnt, rnr-retry, max-rd-atomic | | qp modify r state rts
EINVAL | retry-cnt is missing: RTS needs it; also missing: sq-psn, rnr-retry, max-rd-atomic | | qp modify r state rts timeout 14
EINVAL | rnr-retry is missing: RTS needs it; also missing: sq-psn, max-rd-atomic | | qp modify r state rts timeout 14 retry-cnt 7
EINVAL | max-rd-atomic is missing: RTS needs it; also missing: sq-psn | | qp modify r state rts timeout 14 retry-cnt 7 rnr-retry 7
EINVAL | sq-psn is missing: RTS needs it | | qp modify r state rts timeout 14 retry-cnt 7 rnr-retry 7 max-rd-atomic 1
ERANGE | timeout: integer out of range: it takes 0 to 31 | timeout is 32: it must be 0 to 31 | qp modify r state rts timeout 32 retry-cnt 7 rnr-retry 7 max-rd-atomic 1 sq-psn 1
ERANGE | retry-cnt: integer out of range: it takes 0 to 7 | retry-cnt is 8: it must be 0 to 7 | qp modify r state rts timeout 14 retry-cnt 8 rnr-retry 7 max-rd-atomic 1 sq-psn 1
ERANGE | rnr-retry: integer out of range: it takes 0 to 7 | rnr-retry is 8: it must be 0 to 7 | qp modify r state rts timeout 14 retry-cnt 7 rnr-retry 8 max-rd-atomic 1 sq-psn 1
ERANGE | max-rd-atomic: integer out of range: it takes 0 to 255; max_qp_init_rd_atom of * is [0-9]* | max-rd-atomic is 256: it must be 0 to 255 | qp modify r state rts timeout 14 retry-cnt 7 rnr-retry 7 max-rd-atomic 256 sq-psn 1
EINVAL | max-rd-atomic is above the device's max_qp_init_rd_atom; max_qp_init_rd_atom of * is [0-9]* | max-rd-atomic is 255, above the device's max_qp_init_rd_atom, * | qp modify r state rts timeout 14 retry-cnt 7 rnr-retry 7 max-rd-atomic 255 sq-psn 1
ERANGE | sq-psn: integer out of range: it takes 0 to 16777215 | sq-psn is 16777216: it must be 0 to 16777215 | qp modify r state rts timeout 14 retry-cnt 7 rnr-retry 7 max-rd-atomic 1 sq-psn 0x1000000
EINVAL | port is of no use here: RTS does not take it (from RTR) | | qp modify r state rts timeout 14 retry-cnt 7 rnr-retry 7 max-rd-atomic 1 sq-psn 1 port 1
EINVAL | the qp is in RTS: its next state is SQD, ERR or RESET | | qp modify a state rtr
EINVAL | the qp is in RTS: its next state is SQD, ERR or RESET | | qp modify a state init access none
EINVAL | timeout is of no use here: RTS does not take it (from RTS) | | qp modify a state rts timeout 3
EINVAL | pkey-index is of no use here: RTS does not take it (from RTS); also of no use here: path-mtu, timeout | | qp modify a state rts timeout 3 path-mtu 1024 pkey-index 0 access none
EINVAL | sgid-index is missing: dgid needs it; also of no use here: dgid | | qp modify a state rts dgid $dev.gid
EINVAL | cur-state is not the state that the qp is in | cur-state is not the state that qp 1 is in: RTS | qp modify a state rts cur-state rtr
EINVAL | path-mtu is of no use here: SQD does not take it (from RTS) | | qp modify a state sqd path-mtu 1024
EINVAL | access is of no use here: ERR does not take it (from RTS) | | qp modify a state err access none
EINVAL | cur-state is of no use here: RESET does not take it (from RTS) | | qp modify a state reset cur-state rts
ERANGE | sqd-async-notify: integer out of range: it takes 0 to 1 | sqd-async-notify is 2: it must be 0 to 1 | qp modify a state sqd sqd-async-notify 2
EINVAL | alt-port: an alternate path is for InfiniBand only | an alternate path is for InfiniBand only | qp modify a state rts alt-dgid $dev.gid alt-sgid-index 1
EINVAL | qkey is of no use here: a qp of type RC has none | | qp modify a state rts path-mig-state migrated qkey 1
EINVAL | access is of no use here: a qp of type UD has none | | qp modify u state rts access none
= qp modify x state init qkey 1
EINVAL | sgid-index is missing: dgid needs it; also of no use here: dgid | | qp modify x state rtr dgid $dev.gid
EINVAL | path-mtu is of no use here: a qp of type UD has none | | qp modify x state rtr path-mtu 1024
= qp modify x state rtr
EINVAL | sq-psn is missing: RTS needs it | | qp modify x state rts
EINVAL | timeout is of no use here: a qp of type UD has none | | qp modify x state rts sq-psn 1 timeout 1
= qp modify x state err
EINVAL | the qp is in ERR: its next state is RESET | | qp modify x state rts
EINVAL | the qp is in ERR: its next state is RESET | | qp modify x state init qkey 1
EINVAL | qp * is in rts: it can be connected from reset or init; 'qp modify * state reset' brings it there | | qp connect a peer $b.address
EINVAL | 'peer' is missing: qp * is of type rc, and needs the address that 'qp address' printed for the other QP | | qp connect n
EINVAL | to rtr: path-mtu must be 256, 512, 1024, 2048 or 4096; the qp is back in reset | to rtr: path-mtu is 1000: it must be 256, 512, 1024, 2048 or 4096; the qp is back in reset | qp connect n peer $b.address path-mtu 1000
EINVAL | sgid-index 200: port 1 of rxe0 has no such GID; 'dev show' lists those that there are | | qp connect n peer $b.address sgid-index 200
EINVAL | port 2: rxe0 has no such port; it has 1, numbered from 1 on | | qp connect n peer $b.address port 2
EINVAL | 'qkey' means nothing to a qp of type rc | | qp connect n peer $b.address qkey 5
EINVAL | to rtr: the destination's MAC address can't be resolved: check dgid and the route; the qp is back in reset | to rtr: ibv_modify_qp of qp 12 from INIT to RTR: Invalid argument: check dgid, sgid-index, the route to it, and what the device can do; the qp is back in reset | qp connect n peer 0000:000012:000012:fe800000000000000000000000000077
EINVAL | to rtr: the destination's MAC address can't be resolved: check dgid and the route; the qp is back in init | to rtr: ibv_modify_qp of qp 10 from INIT to RTR: Invalid argument: check dgid, sgid-index, the route to it, and what the device can do; the qp is back in init | qp connect i peer 0000:000012:000012:fe800000000000000000000000000077 access remote-read
EINVAL | to rtr: path-mtu must be 256, 512, 1024, 2048 or 4096; the qp is back in init | to rtr: path-mtu is 1000: it must be 256, 512, 1024, 2048 or 4096; the qp is back in init | qp connect i peer $b.address path-mtu 1000
ERANGE | timeout is 32: it must be 0 to 31 | | qp connect i peer $b.address timeout 32
ERANGE | retry-cnt is 8: it must be 0 to 7 | | qp connect n peer $b.address retry-cnt 8
ERANGE | rnr-retry is 8: it must be 0 to 7 | | qp connect n peer $b.address rnr-retry 8
ERANGE | max-rd-atomic is 256: it must be 0 to 255 | | qp connect n peer $b.address max-rd-atomic 256
EINVAL | max-rd-atomic is 255, above the device's max_qp_init_rd_atom, * | | qp connect i peer $b.address max-rd-atomic 255
EINVAL | 'timeout' means nothing to a qp of type uc | | qp connect v peer $b.address timeout 3
EINVAL | 'access' means nothing to a qp of type ud | | qp connect y access none
EINVAL | sgid-index 200: port 1 of rxe0 has no such GID; 'dev show' lists those that there are | | qp address a sgid-index 200
EINVAL | port 2: rxe0 has no such port; it has 1, numbered from 1 on | | qp address a port 2
EINVAL | port 0: rxe0 has no such port; it has 1, numbered from 1 on | | qp address a port 0
# Registrations, and the contents of buffers.
EBUSY | the mr is registered already: invalidate it first | mr 1 is registered already: invalidate it first | mr reg k buf m qp a
EINVAL | the qp is of another pd than the mr | mr 2 is not registered | mr inv k2 qp a
EINVAL | 'qp' is missing: in the kernel this is a work request, on a QP in rts | mr 2 is not registered | mr inv k2
EINVAL | 'qp' is missing: in the kernel this is a work request, on a QP in rts | - | mr reg k2 buf m
EINVAL | the qp is of another pd than the mr | - | mr reg k2 buf m qp a
EINVAL | the qp is in RESET: bring it to INIT, RTR and RTS first | - | mr reg k3 buf m qp n
EINVAL | qp: uc and ud qps carry no registration: take an rc qp of the same pd | - | mr reg k3 buf m qp u
EINVAL | access: remote write and remote atomic need local write too | | mr reg k3 buf m qp a access remote-write
EINVAL | length: offset and length name more pages than the mr's max_pages | offset and length name more pages than the mr's max_pages | mr reg k3 buf m3 qp a
EINVAL | length: offset and length name more pages than the mr's max_pages | offset and length name more pages than the mr's max_pages | mr reg k3 buf m3 qp a offset 4095 length 2
EINVAL | offset and length name bytes beyond the end of the buffer | | mr reg k3 buf m qp a offset 4000 length 97
ERANGE | offset 4096 is beyond buf *, which has 4096 bytes | | mr reg k3 buf m qp a offset 4096
ERANGE | length: integer out of range: it takes 1 to 18446744073709551615 | length is 0: it must be 1 byte at least | mr reg k3 buf m qp a length 0
ENOENT | qp: no qp with this id among yours; there [ai]* | - | mr reg k3 buf m qp 2000000000
ENOENT | buf: no buf with this id among yours; there [ai]* | no buf with id 2000000000 in user space; there [ai]* | mr reg k3 buf 2000000000 qp a length 64
EINVAL | offset and length name bytes beyond the end of the buffer | | buf write m offset 4090 text 1234567
EINVAL | offset and length name bytes beyond the end of the buffer | | buf write m offset 4096 hex 00
EINVAL | offset and length name bytes beyond the end of the buffer | | buf read m offset 4000 length 97
ERANGE | offset 4096 is beyond buf *, which has 4096 bytes | | buf read m offset 4096
ENOENT | file '*/nosuch': cannot open it: No such file or directory | | buf write m file $dir/nosuch
EISDIR | file '*': cannot read it: Is a directory | | buf write m file $dir
ERANGE | file '*/seven' has more bytes than the 6 of the buffer from there on | | buf write m offset 4090 file $dir/seven
EINVAL | file '*/empty' is empty | | buf write m file $dir/empty
ENOENT | file '*/nosuch': cannot open it: No such file or directory | | buf load m file $dir/nosuch
EINVAL | file '*' is no regular file | | buf load m file $dir
EINVAL | file '/dev/zero' is no regular file | | buf load m file /dev/zero
EINVAL | file '*/fifo' is no regular file | | buf load m file $dir/fifo
ENODATA | file '*/empty' has no byte from 0 on | | buf load m file $dir/empty
ENODATA | file '*/seven' has 7 bytes, and not 8 from 0 on | | buf load m file $dir/seven length 8
ENODATA | file '*/seven' has 7 bytes, and not 1 from 7 on | | buf load m file $dir/seven file-offset 7
ENODATA | file '*/seven' has 7 bytes, and not 1 from 8 on | | buf load m file $dir/seven file-offset 8
ERANGE | offset 4096 is beyond buf *, which has 4096 bytes | | buf load m file $dir/seven offset 4096
EINVAL | offset 4090 and length 7 name bytes beyond the end of buf *, which has 4096 | | buf load m file $dir/seven offset 4090 length 7
ERANGE | length is 0: it must be 1 byte at least | | buf load m file $dir/seven length 0
EISDIR | file '*': cannot open it: Is a directory | | buf save m file $dir
ENOENT | file '*/no/such': cannot open it: No such file or directory | | buf save m file $dir/no/such
EINVAL | file '/dev/null' is no regular file | | buf save m file /dev/null
EINVAL | file '/proc/sys/kernel/hostname' is the kernel's, in /proc, sysfs or the like: such files can only be loaded | | buf save m file /proc/sys/kernel/hostname
EINVAL | offset 4000 and length 97 name bytes beyond the end of buf *, which has 4096 | | buf save m file $dir/out.saved offset 4000 length 97
EINVAL | file-offset 9223372036854775807 and length 4096 name bytes that no file has | | buf save m file $dir/out.saved file-offset 9223372036854775807
ENOENT | file '*/no/such': cannot write there: No such file or directory | | buf read m file $dir/no/such
# Requests.
EINVAL | ah is missing: a ud qp sends to the address of an ah | | post send qp y sge mr k length 8
EINVAL | the qp is in RESET: bring it to INIT first | | post recv qp y sge mr k
EINVAL | the qp is in INIT: bring it to RTR and RTS first | | post send qp i
EINVAL | the qp is in RESET: bring it to INIT, RTR and RTS first | | post send qp n
EINVAL | the qp's receives come from its srq: post there | | post recv qp w sge mr k
EINVAL | sge 1: the mr is of another pd than the queue | | post send qp a sge buf m mr k2
EINVAL | sge 1: the mr is of another pd than the queue | | post recv srq s sge buf m mr k2
ERANGE | offset 4096 is beyond buf *, which has 4096 bytes | | post send qp a sge buf m offset 4096
ERANGE | offset 4096 is not registered: mr * has 4096 bytes from 0 on | | post send qp a sge mr k offset 4096
EINVAL | sge 1: the bytes are beyond the end of the buffer | | post send qp a sge mr k offset 4000 length 97
EINVAL | more sges than the qp's max_send_sge | | post send qp a sge mr k length 8 sge mr k length 8 sge mr k length 8
EINVAL | more sges than the qp's max_recv_sge | | post recv qp a sge mr k length 8 sge mr k length 8
EINVAL | more bytes than the qp's max_inline | | post send qp a sge mr k length 64 inline
EINVAL | wr 2: sge 1: the bytes are beyond the end of the buffer | | post send qp a and send sge mr k offset 4000 length 97
EINVAL | wr 2: op: recv goes to another queue than the rest of the list: post it apart | wr 2: recv goes to another queue than the rest of the list: post it apart | post send qp a and recv
EINVAL | wr 2: op: an srq takes recv only | wr 2: an srq takes recv only | post recv srq s and send
EBUSY | qp: the queue has no room for the whole list: poll its completions, or post fewer | the queue has no room for the whole list: poll its completions, or post fewer | post recv qp i and recv and recv and recv and recv and recv and recv
EINVAL | an atomic operation takes one sge of 8 bytes | | post fetch-add qp a sge mr k length 4 add 1 remote-addr 0 remote-key 0
EINVAL | an atomic operation takes one sge of 8 bytes | | post fetch-add qp a add 1 remote-addr 0 remote-key 0
EINVAL | remote_addr of an atomic operation is a multiple of 8 | | post fetch-add qp a sge mr k add 1 remote-addr 4 remote-key 0
EINVAL | remote_addr of an atomic operation is a multiple of 8 | | post cmp-swp qp a sge mr k compare 1 swap 2 remote-addr 4 remote-key 0
EINVAL | ah is for ud qps only: this one is connected | | post send qp a sge mr k length 8 ah h remote-qpn 1 remote-qkey 1
EINVAL | ah is missing: a ud qp sends to the address of an ah | | post send qp u sge mr k length 8
ERANGE | remote_qpn: integer out of range: it takes 0 to 16777215 | remote_qpn is 16777216: it must be 0 to 16777215 | post send qp u sge mr k length 8 ah h remote-qpn 0x1000000 remote-qkey 1
EINVAL | the ah and the qp are of different pds | | post send qp u sge mr k length 8 ah h2 remote-qpn 1 remote-qkey 1
EINVAL | a ud qp takes send, with or without imm, and recv only | | post write qp u sge mr k length 8 remote-addr 0 remote-key 0
EINVAL | a uc qp takes send and write, with or without imm, and recv only | | post read qp v2 sge mr k length 8 remote-addr 0 remote-key 0
EINVAL | a uc qp takes send and write, with or without imm, and recv only | | post fetch-add qp v2 sge mr k add 1 remote-addr 0 remote-key 0
EINVAL | sge 1: the mr is not registered: register it first | | post send qp a sge buf m mr k3 length 8
EINVAL | mr * is not registered: register it first | | post send qp a sge mr k3 length 8
EINVAL | sge 1: the mr is registered over another buffer | | post send qp a sge buf m3 mr k length 8
= post recv qp i
= post recv qp i
= post recv qp i
EBUSY | qp: the receive queue is full: poll its completions | the receive queue is full: poll its completions | post recv qp i
EINVAL | max-rd-atomic is 255, above the device's max_qp_init_rd_atom, * | | qp connect i peer $b.address max-rd-atomic 255
EINVAL | to rtr: * the qp is back in init | | qp connect i peer 0000:000012:000012:fe800000000000000000000000000077
EBUSY | qp: the receive queue is full: poll its completions | the receive queue is full: poll its completions | post recv qp i
= post recv qp t
= post recv qp t
= post recv qp t
EBUSY | qp: the cq could overflow: poll its completions, or make it with more cqe | the cq could overflow: poll its completions, or make it with more cqe | post recv qp t
= post recv srq s2
EBUSY | the srq is full: poll its completions | | post recv srq s2
EINVAL | the cq's context is polled: make one with context event | the context of cq 1 is polled: make one with context event | poll cq c wait
ETIMEDOUT | 0 of 2 completions came within 0.02 s | | poll cq c count 2 timeout 20ms
ETIMEDOUT | 0 of 1 completions came within 0.02 s | | poll cq ce wait timeout 20ms
ETIMEDOUT | 0 of 1 completions came within 0.02 s | | poll cq ce wait solicited timeout 20ms
ETIMEDOUT | 0 of 3 events came within 0.02 s | | monitor time 20ms count 3
END
}

# Makes $work/todo (a line for each refusal: which, errno, what is said, command) and
# $work/batch, which looks at all objects around each command that is refused.
prepare() {
	look="pd show
cq show
buf show
mr show
srq show
ah show
qp show
buf read m length 16 format hex"
	n=0
	: >"$work/todo"
	objects >"$work/batch"
	table | grep -v '^#' | rows "$work/lacking" | sed 's/ *| */|/g; s/@gid/dgid $dev.gid sgid-index $dev.gid_index/' >"$work/table"
	while IFS='|' read -r errno kernel user command; do
		case $errno in
		'= '*)
			echo "${errno#= }" >>"$work/batch"
			continue
			;;
		esac
		text=$kernel
		[ "$space" = kernel ] || text=${user:-$kernel}
		[ "$text" != - ] || continue
		n=$((n + 1))
		echo "$n|$errno|$text|$command" >>"$work/todo"
		printf '%s\n' "echo @before $n" "$look" "refused $errno $command" "echo @after $n" "$look" \
			"echo @end $n" >>"$work/batch"
	done <"$work/table"
}

for space in kernel user; do
	prepare
	status=0
	kverbs batch "$work/batch" --space "$space" --set "dir=$work" >"$work/out" 2>"$work/err" || status=$?
	same "in $space space the batch goes on after each refusal" 0 $status
	[ $status = 0 ] || sed 's/^/#   /' "$work/err"
	# A line for each: which, whether all is as it was, what was said. A request that was posted is sent when the
	# device gets to it, which on rxe of 6.12 is a work item: the next PSN may change while one is under way.
	awk '
	/^@before / { part = 1; before = after = ""; said = "nothing"; next }
	/^@after / { part = 2; next }
	/^@end / && said ~ /in use by a posted request/ {
		gsub(/sq-psn [0-9a-fx]+/, "", before)
		gsub(/sq-psn [0-9a-fx]+/, "", after)
	}
	/^@end / { print $2 "|" (before == after && before != "") "|" said; part = 0; next }
	/^refused: / && part == 1 { said = $0; next }
	part == 1 { before = before "\n" $0 }
	part == 2 { after = after "\n" $0 }
	' "$work/out" >"$work/done"
	while IFS='|' read -r n errno text command; do
		found=$(grep "^$n|" "$work/done") || found="$n|0|it was not reached"
		said=${found#*|}
		unchanged=${said%%|*}
		said=${said#*|}
		said=${said#refused: *: }
		# The pattern is meant as one.
		# shellcheck disable=SC2254
		case $unchanged:$said in
		1:$text" ($errno)")
			pass "$space: $command: $text"
			;;
		*)
			echo "as it was: $unchanged; want \"$text ($errno)\", got \"$said\"" >"$work/why"
			fail "$space: $command" "$work/why"
			;;
		esac
	done <"$work/todo"
	while IFS='|' read -r errno text user command; do
		lacks "$space:$command" "such qp, address or request"
	done <"$work/lacking"
	check "$space: no file was made by what was refused" test ! -e "$work/out.saved"
done
check "nothing is left of these" nothing_left
finish
