# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# shellcheck disable=SC2034,SC2086,SC2154
#
# rmmod, tried while runs go on, and again and again while the tools are killed. In every other round
# there is no run, but connections and objects, which it takes along; so it does in a round whose runs are
# all in user space, also if their targets are the module's.
. ./rounds.sh

cause=rmmod title="rmmod" within=10
signals=KILL

# A process with an end of the module's goes with the module. A process without one is told to end.
end_others() {
	local i command
	for i in $runs; do
		read -r command <"$dir/$i.command"
		case $command in
		*kernel* | *--quadrants*) ;;
		*) hit INT "$i" ;;
		esac
	done
}

strike() {
	if [ $((held + holding_by_turns)) = 0 ]; then
		timeout $((within * slow)) rmmod kverbs 2>"$dir/rmmod.err" ||
			blame taken "rmmod is refused, or hangs" "$dir/rmmod.err"
	else
		if ! rmmod kverbs 2>"$dir/rmmod.err"; then
			grep -qiE 'in use|busy|unavailable' "$dir/rmmod.err" ||
				blame refused "rmmod does not say that it is busy" "$dir/rmmod.err"
		elif [ "$held" = 1 ]; then
			blame refused "rmmod succeeds while runs go on"
		fi
		strike_rmmod
	fi
	for i in $apart; do
		ended "$i" && blame refused "what does not use the module has ended" "$dir/$i.err"
	done
	end_others
	now
	told=$now
	for object in pd cq qp mr srq cm_id; do
		! rdma resource show $object | grep -F '[kverbs]' >"$dir/rmmod.out" ||
			blame taken "the kernel still lists a $object" "$dir/rmmod.out"
	done
}

prepare() {
	if [ $((round % 2)) = 1 ]; then
		kinds="lats others"
		turn=$(((round + 1) / 2))
		persisting=$((turn % 2))
	else
		kinds=none
	fi
}

rounds refused "it is refused while runs go on, and says that the module is busy" \
	taken "without runs it takes connections and objects along"
