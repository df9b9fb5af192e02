# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Requests that are outstanding when their QP is reset or destroyed, on a device that answers as
# other drivers do (fail/hardware.c): completions that are taken out of the CQs (mlx5, bnxt_re),
# completions that come 20 ms later, a RESET that is the QP's end (irdma). A device that refuses a
# request in the middle of a list, and one that refuses to destroy.
. ./hand.sh

if ! iwarp && [ ! -e hardware.ko ]; then
	skip "a device like others" "no hardware.ko: make fail-verb; scripts/vm --file DIR/hardware.ko:/kverbs/tests/vm/hardware.ko"
	finish
fi

models=${MODELS:-plain mlx5 irdma}
# They are of RoCE's RESET, which no driver of iWARP's is asked for.
! lacks "a device like others" "transition to RESET, of which these models are" || models=
contexts="polled event softirq workqueue unbound-workqueue"
hardware=/sys/module/hardware/parameters

# repeat N LINE: the line of a batch N times, '#' in it is the number
repeat() {
	awk -v n="$1" -v line="$2" 'BEGIN {
		for (i = 1; i <= n; i++) {
			s = line
			gsub(/#/, i, s)
			print s
		}
	}'
}

# like MODEL: the device, and the module's name of it
like() {
	rmmod kverbs
	case $1 in
	plain) insmod ./hardware.ko ;;
	mlx5) insmod ./hardware.ko purge=1 ;;
	irdma) insmod ./hardware.ko purge=1 flush_ms=20 dead=1 ;;
	esac
	insmod "$KO"
	model=$1
}

# As a device has it: more than was asked for, maybe.
depth_of() {
	sed -n "s/.* $1 \([0-9]*\)\( .*\)\{0,1\}$/\1/p" "$2" | head -n 1
}

find_depths() {
	kverbs batch - >"$work/depths" <<-'END'
		pd add name pd
		cq add cqe 64 name cq
		srq add pd pd max-wr 8 name srq
		qp add pd pd cq cq max-recv-wr 8
	END
	rq=$(depth_of max-recv-wr "$work/depths")
	srq=$(depth_of max-wr "$work/depths")
}

# Of a batch: where completions are to come, and memory. Sends have a CQ of their own: when their
# completions were polled, those of the receives are there.
begin() {
	cat <<-END
		pd add name pd
		cq add cqe 64 context $context name cq
		cq add cqe 64 name send_cq
		buf add length 4k name buf
	END
}

# The state after requests were dropped: no completion comes, and their buffer is free.
gone() {
	cat <<-'END'
		refused ETIMEDOUT poll cq cq count 1 timeout 100ms
		refused ETIMEDOUT poll cq send_cq count 1 timeout 10ms
		buf del buf
		buf add length 4k name buf
	END
}

# A QP that is connected with itself; it receives from the SRQ.
sharer() {
	cat <<-'END'
		qp add pd pd send-cq send_cq recv-cq cq srq srq name a
		qp address a
		qp connect a peer $a.address
	END
}

# As many messages as the SRQ has receives, and they have arrived.
messages() {
	repeat "$srq" "post send qp a wr-id # sge buf buf length 8"
	echo "poll cq send_cq count $srq"
	echo "expect completions.$((srq - 1)).status success"
}

# The commands are in $work/batch.
batch() {
	check "$model, $context: $1" kverbs batch "$work/batch"
}

own_receives() {
	new="qp add pd pd send-cq send_cq recv-cq cq max-recv-wr 8 name a"
	{
		begin
		echo "$new"
		for _ in 1 2; do
			echo "qp modify a state init access none"
			repeat "$rq" "post recv qp a wr-id # sge buf buf"
			echo "refused EBUSY post recv qp a"
			echo "refused EBUSY buf del buf"
			echo "qp modify a state reset"
			gone
		done
		echo "qp modify a state init access none"
		repeat "$rq" "post recv qp a wr-id # sge buf buf"
		echo "qp del a"
		gone
	} >"$work/batch"
	batch "receives of a QP, reset twice and destroyed"

	{
		begin
		echo "$new"
		echo "qp modify a state init access none"
		repeat "$rq" "post recv qp a wr-id # sge buf buf"
		echo "qp modify a state err"
		echo "poll cq cq count $rq"
		for i in 1 "$rq"; do
			echo "expect completions.$((i - 1)).status 5"
			echo "expect completions.$((i - 1)).wr_id $i"
		done
		repeat "$rq" "post recv qp a wr-id # sge buf buf"
		echo "qp modify a state reset"
		gone
	} >"$work/batch"
	batch "receives that failed and were polled, then others, reset"
}

sends() {
	for end in "qp modify b state reset" "qp del b"; do
		{
			begin
			# Nothing is received: the SENDs are repeated for ever.
			for qp in a b; do
				echo "qp add pd pd send-cq send_cq recv-cq cq name $qp"
				echo "qp address $qp"
			done
			cat <<-'END'
				qp connect a peer $b.address
				qp connect b peer $a.address rnr-retry 7
				post send qp b sge buf buf
				post send qp b unsignaled
				post send qp b sge buf buf unsignaled
				post recv qp b sge buf buf
				refused EBUSY buf del buf
			END
			echo "$end"
			gone
		} >"$work/batch"
		batch "sends that nobody receives, ${end% state reset}"
	done
}

shared_receives() {
	for end in "qp modify a state reset" "qp del a" "qp modify a state err"; do
		{
			begin
			echo "srq add pd pd max-wr 8 name srq"
			for _ in 1 2; do
				sharer
				repeat "$srq" "post recv srq srq wr-id # sge buf buf"
				echo "refused EBUSY post recv srq srq"
				messages
				# Nobody polls what the QP has received.
				echo "$end"
				[ "$end" = "qp del a" ] || echo "qp del a"
			done
			gone
			# All places are there, and what is posted there is received.
			sharer
			repeat "$srq" "post recv srq srq wr-id # sge buf buf"
			echo "refused EBUSY post recv srq srq"
			messages
			echo "poll cq cq count $srq"
			echo "expect completions.$((srq - 1)).status success"
			echo "expect completions.$((srq - 1)).wr_id $srq"
			# Those that no QP has taken stay for the next one.
			repeat "$srq" "post recv srq srq wr-id # sge buf buf"
			echo "qp del a"
			echo "refused EBUSY buf del buf"
			sharer
			messages
			echo "poll cq cq count $srq"
			echo "expect completions.$((srq - 1)).status success"
			echo "buf del buf"
		} >"$work/batch"
		batch "an SRQ's receives, $end"
	done
}

# rounds_own N, rounds_shared N: of make, post, reset, destroy; every other one without the reset. The
# CQs of all contexts take turns.
rounds_own() {
	awk -v n="$1" -v cqs="$cqs" -v rq="$receives" -v pd="$pd" -v buf="$buf" -v send_cq="$send_cq" 'BEGIN {
		many = split(cqs, cq, " ")
		for (r = 0; r < n; r++) {
			print "qp add pd " pd " send-cq " send_cq " recv-cq " cq[r % many + 1] " max-recv-wr " rq " name q"
			print "qp modify q state init access none"
			for (i = 0; i < rq; i++)
				print "post recv qp q sge buf " buf
			if (int(r / many) % 2)
				print "qp modify q state reset"
			print "qp del q"
		}
	}'
}

rounds_shared() {
	awk -v n="$1" -v cqs="$cqs" -v depth="$srq" -v pd="$pd" -v buf="$buf" -v srq="$shared" -v send_cq="$send_cq" 'BEGIN {
		many = split(cqs, cq, " ")
		for (r = 0; r < n; r++) {
			print "qp add pd " pd " send-cq " send_cq " recv-cq " cq[r % many + 1] " srq " srq " name q"
			print "qp address q"
			print "qp connect q peer $q.address"
			for (i = 0; i < depth; i++)
				print "post recv srq " srq " sge buf " buf
			for (i = 1; i < depth; i++)
				print "post send qp q unsignaled sge buf " buf " length 8"
			print "post send qp q sge buf " buf " length 8"
			print "poll cq " send_cq " count 1"
			print "expect completions.0.status success"
			if (int(r / many) % 2)
				print "qp modify q state reset"
			print "qp del q"
		}
	}'
}

# kB that the kernel has in objects of its own.
slab() {
	awk '/^SUnreclaim:/ { print $2 }' /proc/meminfo
}

# added ARGUMENT…: makes a persistent object, and prints its id
added() {
	kverbs "$@" | awk '{ print $2; exit }'
}

# many KIND: rounds with objects that stay, then a post on another QP of the device
many() {
	kind=$1
	few=$(fewer 50 10)
	"rounds_$kind" "$few" >"$work/few"
	begun=$(date +%s)
	check "$model, $kind receives: $few rounds" kverbs batch "$work/few"
	# rxe of 6.1 does not tell when a QP takes no more from its SRQ: each time 100 ms are waited.
	if [ $(($(date +%s) - begun)) -gt 4 ] && [ "$rounds" -gt 150 ]; then
		rounds=150
		note "$model, $kind receives: 150 rounds, as $few take $(($(date +%s) - begun)) s"
	fi
	"rounds_$kind" "$rounds" >"$work/many"
	before=$(slab)
	check "$model, $kind receives: $rounds rounds" kverbs batch "$work/many"
	grown=$(($(slab) - before))
	if checked; then
		skip "$model, $kind receives: memory is flat" "checkers keep what is freed"
	elif [ $grown -lt 1024 ]; then
		pass "$model, $kind receives: memory is flat ($grown kB)"
	else
		fail "$model, $kind receives: memory is flat: it has grown by $grown kB"
	fi
	cat >"$work/other" <<-END
		qp add pd $other_pd cq $other_cq name other
		qp modify other state init access none
		post recv qp other sge buf $other_buf
		qp del other
	END
	check "$model, $kind receives: other QPs of the device take posts" kverbs batch "$work/other"
}

all_rounds() {
	rounds=$(fewer 1000 30)
	receives=7
	case $model in
	# Completions that it takes out of the CQs must not add up anywhere.
	mlx5) receives=28 ;;
	# It waits most of the time.
	irdma) rounds=$(fewer 300 30) ;;
	esac
	other_pd=$(added pd add)
	other_cq=$(added cq add cqe 16)
	other_buf=$(added buf add length 4k)
	pd=$(added pd add)
	buf=$(added buf add length 4k)
	shared=$(added srq add pd "$pd" max-wr 8)
	send_cq=$(added cq add cqe 64)
	cqs=
	for context in $contexts; do
		cqs="$cqs $(added cq add cqe 64 context "$context")"
	done
	for kind in own shared; do
		many $kind
	done
	# Nothing that was posted uses it any more.
	check "$model: after all rounds the buffer can be deleted" kverbs buf del "$buf"
	for cq in $cqs; do
		check "$model: and cq $cq" kverbs cq del "$cq"
	done
	check "$model: and the rest is flushed" sh -c "kverbs flush | grep -q ' busy 0$'"
}

# Runs leave receives behind, and a QP that goes in the middle of one leaves more.
runs() {
	for op in write read send; do
		check "$model: $op is measured" kverbs lat --op $op --space kernel --iters 50
	done
	kverbs lat --op send --space kernel --time 100s >/dev/null 2>&1 &
	tool=$!
	wait_for 60 sh -c "rdma resource show qp | grep -F '[kverbs]' | grep -q 'state RTS'"
	kill -KILL $tool
	wait $tool 2>/dev/null
	check "$model: a run that is killed leaves nothing" wait_for 20 nothing_left
}

for model in $models; do
	like "$model"
	objects >"$work/before"
	find_depths
	for context in $contexts; do
		own_receives
		sends
		shared_receives
	done
	all_rounds
	runs
	check "$model: nothing is left" wait_for 20 nothing_left
	objects >"$work/after"
	check "$model: the kernel lists what it did before" cmp "$work/before" "$work/after"
	# The drain of a QP takes the completions in its CQs before the CQs are cleaned.
	check "$model: no completion was taken out of a cq" test "$(cat $hardware/purged)" = 0
	check "$model: no cq was too full" test "$(cat $hardware/overruns)" = 0
	case $model in
	irdma) check "$model: completions have come later" test "$(cat $hardware/delayed)" -gt 0 ;;
	esac
	rmmod kverbs
	rmmod hardware
	insmod "$KO"
done

# refuses NTH NAME TEXT: the commands are in $work/batch; the NTH request of it is refused, and TEXT said
refuses() {
	echo "$1" >$hardware/refuse
	check "lists: $2" kverbs batch "$work/batch"
	has "lists: $2: what is said" "*$3*" "$work/check"
	check "lists: $2: the device was asked for it" test "$(cat $hardware/refuse)" = 0
}

# Requests of a list before the one that the device refuses are posted; that one and the rest leave
# nothing behind.
lists() {
	like plain
	objects >"$work/before"
	context=polled
	both="qp add pd pd send-cq send_cq recv-cq cq max-send-wr 8 max-recv-wr 8 name a
qp address a
qp connect a peer \$a.address"
	piece="sge buf buf length 8"
	{
		begin
		echo "$both"
		echo "post recv qp a $piece wr-id 11 and recv $piece wr-id 12"
		echo "refused EIO post send qp a $piece wr-id 1 and send $piece wr-id 2 and send $piece wr-id 3 and send wr-id 4"
		echo "poll cq send_cq count 2"
		echo "expect completions.0.wr_id 1"
		echo "expect completions.1.wr_id 2"
		echo "expect completions.1.status success"
		echo "poll cq cq count 2"
		echo "cq show send_cq"
		echo "expect pending 0"
		gone
	} >"$work/batch"
	refuses 5 "the third of four sends" "the device refuses wr 3 of 4; the 2 before it are posted (EIO)"
	{
		begin
		echo "$both"
		echo "refused EIO post send qp a $piece wr-id 1 and send wr-id 2"
		echo "cq show send_cq"
		echo "expect pending 0"
		gone
	} >"$work/batch"
	refuses 1 "the first of two" "the device refuses the request (EIO)"
	{
		begin
		echo "$both"
		echo "post recv qp a and recv"
		echo "refused EIO post send qp a unsignaled and send unsignaled and send unsignaled"
		echo "poll cq cq count 2"
		echo "cq show send_cq"
		echo "expect pending 2"
		echo "qp modify a state reset"
		gone
	} >"$work/batch"
	refuses 5 "the third of three silent ones" "the device refuses wr 3 of 3; the 2 before it are posted (EIO)"
	{
		begin
		echo "qp add pd pd send-cq send_cq recv-cq cq max-recv-wr 8 name a"
		echo "qp modify a state init access none"
		echo "refused EIO post recv qp a $piece and recv $piece and recv"
		echo "cq show cq"
		echo "expect pending 1"
		echo "qp modify a state reset"
		gone
	} >"$work/batch"
	refuses 2 "the second of three receives" "the device refuses wr 2 of 3; the 1 before it is posted (EIO)"
	{
		begin
		echo "srq add pd pd max-wr 8 name srq"
		echo "refused EIO post recv srq srq $piece and recv $piece and recv"
		echo "refused EBUSY buf del buf"
		echo "srq del srq"
		echo "buf del buf"
	} >"$work/batch"
	refuses 3 "the third of three receives of an SRQ" "the device refuses wr 3 of 3; the 2 before it are posted (EIO)"
	check "lists: nothing is left" wait_for 20 nothing_left
	objects >"$work/after"
	check "lists: the kernel lists what it did before" cmp "$work/before" "$work/after"
	rmmod kverbs
	rmmod hardware
	insmod "$KO"
}

[ -z "$models" ] || lists

# A device that keeps requests for longer than a drain waits: RESET is refused, and works when they
# have come; a QP that is destroyed leaves its memory to the completions that come later.
slow_device() {
	rmmod kverbs
	insmod ./hardware.ko flush_ms=3000
	insmod "$KO"
	objects >"$work/before"
	context=polled
	{
		begin
		echo "qp add pd pd cq cq name a"
		echo "qp modify a state init access none"
		echo "post recv qp a sge buf buf"
		echo "refused ETIMEDOUT qp modify a state reset"
		echo "refused EBUSY buf del buf"
		echo "poll cq cq count 1 timeout 20s"
		echo "expect completions.0.status 5"
		echo "qp modify a state reset"
		gone
	} >"$work/batch"
	check "slow: a RESET that was refused works when the requests have come" kverbs batch "$work/batch"
	{
		begin
		echo "qp add pd pd cq cq name a"
		echo "qp modify a state init access none"
		echo "post recv qp a sge buf buf"
		echo "post recv qp a"
		echo "qp del a"
		echo "buf del buf"
		echo "refused ETIMEDOUT poll cq cq count 1 timeout 5s"
	} >"$work/batch"
	check "slow: a qp is destroyed before its requests have come" kverbs batch "$work/batch"
	check "slow: completions have come later" test "$(cat $hardware/delayed)" -gt 0
	check "slow: nothing is left" wait_for 20 nothing_left
	objects >"$work/after"
	check "slow: the kernel lists what it did before" cmp "$work/before" "$work/after"
	rmmod kverbs
	rmmod hardware
	insmod "$KO"
}

[ -z "$models" ] || slow_device

# A device whose CQs have moderation: the values given to the driver, at its limits and above.
moderation() {
	rmmod kverbs
	insmod ./hardware.ko moderate=1
	insmod "$KO"
	objects >"$work/before"
	loaded=
	[ ! -e fail_verb.ko ] || [ -e /sys/module/fail_verb ] || { insmod ./fail_verb.ko && loaded=1; }
	check "moderation: the contract" contract "$DEV" cq
	[ -z "$loaded" ] || rmmod fail_verb
	cat >"$work/batch" <<-'END'
		refused EINVAL cq add cqe 8 context event moderation-count 1001 moderation-period 1
		refused EINVAL cq add cqe 8 context event moderation-count 1 moderation-period 501
		cq add cqe 8 context workqueue moderation-count 16 moderation-period 8 name cq
		cq show cq
		expect moderation_count 16
		expect moderation_period 8
	END
	check "moderation: by hand" kverbs --trace batch "$work/batch"
	has "moderation: the verb of its own" "*rdma_set_cq_moderation(cq *, moderation-count 16, moderation-period 8)*" "$work/check"
	has "moderation: the limit" "*; max_cq_moderation_period of $DEV is 500 (EINVAL)*" "$work/check"
	check "moderation: what the driver is given" test "$(cat $hardware/moderated_count $hardware/moderated_period | tr '\n' ' ')" = "16 8 "
	check "moderation: the device's limits" \
		sh -c "kverbs dev show $DEV --json | jq -e '.devices[0].kernel | .max_cq_moderation_count == 1000 and .max_cq_moderation_period == 500'"
	for context in event softirq; do
		# shellcheck disable=SC2086 # words
		check "moderation: $context: a run" kverbs lat --dev "$DEV" --space kernel --op write --completion $context --moderate 7,3 --iters 100 $by_cm \
			--notes --json="$work/moderated.json"
		keep "moderated-$context" "$work/moderated.json"
		has "moderation: $context: how it is told" "*, an event for 7 completions or after 3 us*" "$work/check"
		check "moderation: $context: in the document" \
			jq -e '.point.result | .moderation_count == 7 and .moderation_period_us == 3' "$work/moderated.json"
		check "moderation: $context: what the driver is given" \
			test "$(cat $hardware/moderated_count $hardware/moderated_period | tr '\n' ' ')" = "7 3 "
	done
	check "moderation: nothing is left" wait_for 20 nothing_left
	objects >"$work/after"
	check "moderation: the kernel lists what it did before" cmp "$work/before" "$work/after"
	rmmod kverbs
	rmmod hardware
	insmod "$KO"
}

[ ! -e hardware.ko ] || moderation

# A device that refuses once to destroy something. An object that stays there reaches the memory
# that it was given, until it is destroyed.
verb=/sys/module/fail_verb/parameters

# refuse FUNCTION: the driver's next call of it fails
refuse() {
	echo "${DEV%%[0-9]*}_$1" >$verb/verb
	echo 1 >$verb/nth
}

# refused_once NAME COMMAND…: it is told, or done in spite of it. In any case the device was asked.
refused_once() {
	name=$1
	shift
	status=0
	"$@" >"$work/out" 2>"$work/err" || status=$?
	if [ "$(cat $verb/nth)" = 0 ] && { [ $status = 0 ] || grep -qE 'EBUSY|device' "$work/err"; }; then
		pass "$name"
	else
		echo "status $status, fail_verb's nth $(cat $verb/nth)" >"$work/why"
		fail "$name" "$work/why" "$work/err"
	fi
}

# A connection of persistent QPs, and receives; the id of the object NAME is $NAME.
connected() {
	pd=$(added pd add)
	cq=$(added cq add cqe 64)
	buf=$(added buf add length 4k)
	bytes=$(added buf add length 4k)
	target=$(added mr add pd "$pd")
	a=$(added qp add pd "$pd" cq "$cq")
	b=$(added qp add pd "$pd" cq "$cq")
	check "$1: the qps are connected" connect_qps "$a" "$b"
	cat >"$work/batch" <<-END
		mr reg $target buf $bytes qp $a access local-write,remote-write
		post recv qp $a sge buf $buf
		post recv qp $a sge buf $buf
	END
	check "$1: with requests" kverbs batch "$work/batch"
	iova=$(kverbs mr show "$target" | sed -n 's/.* iova \([^ ]*\).*/\1/p')
	rkey=$(kverbs mr show "$target" | sed -n 's/.* rkey \([^ ]*\).*/\1/p')
}

# The actions of a peer that does not know of the reset.
reach() {
	kverbs post send qp "$b" sge buf "$buf" length 64 wr-id 1
	kverbs post write qp "$b" sge buf "$buf" remote-addr "$iova" remote-key "$rkey" wr-id 2
	kverbs poll cq "$cq" count 2 timeout 10s
} >/dev/null 2>&1

after_refusal() {
	# shellcheck disable=SC2086 # words
	check "$1: another QP works" kverbs lat $by_cm --op send --space kernel --iters 10
	kverbs flush >/dev/null 2>&1
	check "$1: the module unloads" wait_for 20 rmmod kverbs
	for object in qp mr cq pd; do
		check "$1: and the kernel has no $object of ours" \
			sh -c "! rdma resource show $object | grep -F '[kverbs]'"
	done
	insmod "$KO"
	objects >"$work/after"
	check "$1: the kernel lists what it did before" cmp "$work/before" "$work/after"
}

if [ -e fail_verb.ko ]; then
	insmod fail_verb.ko error=-16
	objects >"$work/before"

	connected "ib_destroy_qp() fails"
	! iwarp || check "ib_destroy_qp() fails: the conn goes" sh -c "kverbs conn del $out && kverbs conn del $in"
	refuse destroy_qp
	refused_once "ib_destroy_qp() fails: the command says so, or tries again" kverbs qp del "$a"
	reach
	after_refusal "ib_destroy_qp() fails"

	connected "ib_destroy_qp() fails in a flush"
	refuse destroy_qp
	refused_once "ib_destroy_qp() fails in a flush" kverbs flush
	reach
	after_refusal "ib_destroy_qp() fails in a flush"

	connected "ib_dereg_mr() fails"
	refuse dereg_mr
	refused_once "ib_dereg_mr() fails: the command says so, or tries again" kverbs mr del "$target"
	reach
	after_refusal "ib_dereg_mr() fails"

	# By the end of a batch, which nobody can be told of.
	for function in destroy_qp dereg_mr; do
		refuse $function
		check "$function fails at the end of a batch" kverbs batch - <<-END
			pd add name pd
			cq add cqe 16 name cq
			buf add length 4k name buf
			mr add pd pd name mr
			qp add pd pd cq cq name a
			$(own_peer)
			mr reg mr buf buf qp a access local-write
			post recv qp a sge buf buf
		END
		check "$function: the device was asked" wait_for 20 grep -qx 0 $verb/nth
		after_refusal "$function at the end of a batch"
	done
	rmmod fail_verb
else
	skip "a device that refuses to destroy" "no fail_verb.ko: make fail-verb"
fi
finish
