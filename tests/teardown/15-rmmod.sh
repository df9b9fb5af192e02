# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# shellcheck disable=SC2034,SC2086,SC2154
#
# rmmod, tried while runs go on, and again and again while the tools are killed. In every other round
# there is no run, but connections and objects, which it takes along.
. ./rounds.sh

cause=rmmod title="rmmod" within=10
signals=KILL

strike() {
	if [ "$kinds" != none ]; then
		if rmmod kverbs 2>"$dir/rmmod.err"; then
			blame refused "rmmod succeeds while runs go on"
		else
			grep -qiE 'in use|busy|unavailable' "$dir/rmmod.err" ||
				blame refused "rmmod does not say that it is busy" "$dir/rmmod.err"
		fi
		strike_rmmod
		for i in $apart; do
			ended "$i" && blame refused "what does not use the module has ended" "$dir/$i.err"
		done
		hit INT $apart
	elif ! timeout $((within * slow)) rmmod kverbs 2>"$dir/rmmod.err"; then
		blame taken "rmmod is refused, or hangs" "$dir/rmmod.err"
	fi
	for object in pd cq qp mr srq cm_id; do
		! rdma resource show $object | grep -F '[kverbs]' >"$dir/rmmod.out" ||
			blame taken "the kernel still lists a $object" "$dir/rmmod.out"
	done
}

prepare() {
	if [ $((round % 2)) = 1 ]; then
		kinds="lats others"
	else
		kinds=none
	fi
}

rounds refused "it is refused while runs go on, and says that the module is busy" \
	taken "without runs it takes connections and objects along"
