# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Figures of --plot. The guest has no gnuplot: a program of that name leaves the script in place of the image, and
# tests/abi/plots.py has gnuplot draw it on the host.
. ./tap.sh

mkdir "$work/bin" "$work/broken" "$work/images"
cat >"$work/bin/gnuplot" <<'END'
#!/bin/sh
exec cat
END
cat >"$work/broken/gnuplot" <<'END'
#!/bin/sh
read -r line || exit 0
echo "something of it is drawn"
printf '\n%s\n     ^\n     line 1: what broke\n\n' "$line" >&2
exit 1
END
chmod 755 "$work/bin/gnuplot" "$work/broken/gnuplot"

image=$work/images/figure.svg

# plot FIGURE COMMAND...: its figure in both formats, each with the document of its own run beside it
plot() {
	figure=$1
	shift
	mkdir -p "$OUT/plots"
	for ending in svg png; do
		# shellcheck disable=SC2086 # words
		check "$figure has a figure: .$ending" sh -c "PATH=$work/bin:$PATH kverbs $* $by_cm --plot $OUT/plots/$figure.$ending \
			--json=$OUT/plots/$figure.$ending.json >'$work/text' && grep -q '^plot ' '$OUT/plots/$figure.$ending'"
	done
	check "$figure: its text, too" grep -qE "$DEV|connections|boot" "$work/text"
}
plot lat lat --op write --space user --iters 1000
plot null lat --loop null --space kernel --iters 1000
plot compare compare --ops write,send --sizes 8,64,4k --rounds 6 --duration "$(fewer 200ms 2)"
plot quadrants compare --quadrants --ops write --sizes 64,4k --rounds 2 --duration "$(fewer 200ms 2)"
plot scale scale --qps 1,4 --rounds 1 --duration 10ms
plot bw bw --op write,read --size 64,4k --rounds 2 --duration "$(fewer 200ms 2)"
serves() {
	rdma resource show cm_id | grep -q "state LISTEN.*:7500 "
}
kverbs conn-rate --server kernel --port 7500 >/dev/null 2>&1 &
server=$!
check "a server of connections" wait_for 60 serves
by_cm='' plot conn-rate conn-rate --client user "$ADDR" --port 7500 --iters 200
kill $server
wait $server 2>/dev/null
plot bw-rate bw --op write --size 64 --rate 500,2k,200% --rounds 2 --duration "$(fewer 200ms 2)"
plot bw-kernel bw --space kernel --size 64 --rounds 2 --duration "$(fewer 200ms 2)"
# alike SCRIPT SCRIPT: the same words; numbers may differ by the rounding of a document
alike() {
	awk '
		NR == FNR { line[FNR] = $0; lines = FNR; next }
		{
			n = split(line[FNR], word, " ")
			bad += n != NF
			for (i = 1; i <= n; i++) {
				d = word[i] - $i
				if (word[i] != $i && (d == 0 || (d < 0 ? -d : d) > 0.001 * $i))
					bad++
			}
		}
		END { exit bad > 0 || lines != FNR || !lines }' "$1" "$2"
}
by_cm='' plot merge merge "$OUT/plots/compare.svg.json"
for figure in lat compare scale bw bw-rate conn-rate merge; do
	PATH=$work/bin:$PATH kverbs plot "$OUT/plots/$figure.svg.json" "$work/again.svg" >"$work/out" 2>&1
	check "$figure: plot draws the same from the document" alike "$work/again.svg" "$OUT/plots/$figure.svg"
done
plot knee bw --space kernel --size 64-1k --depth 4 --rounds 1 --duration 10ms

# refused NAME STATUS TEXT PATH FILE: told, and no file comes or changes
refused() {
	status=0
	# shellcheck disable=SC2086 # words
	PATH=$4 "$kverbs" lat $by_cm --op write --space user --iters 10 --plot "$5" >"$work/out" 2>&1 || status=$?
	if [ $status = "$2" ] && grep -qF -- "$3" "$work/out" && [ "$(ls "$work/images")" = "${before:-}" ]; then
		pass "refused: $1"
	else
		echo "exit status $status" >>"$work/out"
		ls "$work/images" >>"$work/out"
		fail "refused: $1" "$work/out"
	fi
}
kverbs=$(command -v kverbs)
refused "no gnuplot" 1 "--plot: there is no gnuplot in PATH; Debian: apt-get install gnuplot-nox; or write --json=FILE, and draw it elsewhere by 'kverbs plot FILE IMAGE'" /nowhere "$image"
check "before anything is measured" sh -c "! grep -q samples '$work/out'"
refused "gnuplot fails" 1 "--plot: gnuplot has failed: line 1: what broke" "$work/broken:$PATH" "$image"
refused "another ending" 2 "the name of an image ends in .svg or .png" "$work/bin:$PATH" "$work/images/figure.gif"
refused "no place for it" 1 "--plot=/proc/figure.svg: cannot write there" "$work/bin:$PATH" /proc/figure.svg
echo "an older one" >"$image"
before=figure.svg
refused "gnuplot fails where an image is" 1 "what broke" "$work/broken:$PATH" "$image"
check "which stays" grep -qF "an older one" "$image"

finish
