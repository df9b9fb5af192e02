# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# The blocks of commands in README.md, docs/ and examples/README.md: each runs as it stands there, succeeds, and
# prints lines like those that it shows. A comment in front of a block may say more:
#
#     <!-- not run: REASON -->      it can't run in a guest
#     <!-- run by: TEST -->         another test runs it
#     <!-- run after: NAME -->      documents/NAME.sh is what it needs, or, if its lines are those of a batch,
#                                   documents/NAME.kv
#     <!-- printed by: NAME -->     it is output, that of documents/NAME.sh
#
# Host b is this host, and ssh to it is a shell. 'scripts/vm OPTION… -- COMMAND' is COMMAND, if the device is that of
# the option. make and other programs of scripts/ are for the host of the guests: they are told and not run.
# lat and compare take as few samples as they can, unless the block says how many. On an iWARP device only those
# blocks run that name it.
. ./tap.sh

export folder="$PWD"
place=$work/place
export out="$work/out"
mkdir "$work/blocks" "$work/bin"

# program PATH: makes a program of what comes from stdin
program() {
	cat >"$1"
	chmod 755 "$1"
}

# furnish: a working folder with all that the blocks name
furnish() {
	rm -rf "$place" "$out"
	mkdir -p "$place/scripts" "$place/build/module" "$place/DIR" "$out"
	ln -s /kverbs/examples "$place/examples"
	ln -s "$KO" "$place/build/module/kverbs.ko"
	ln -s "$work/bin/kverbs" "$place/build/kverbs"
	ln -s "$work/bin/vm" "$place/scripts/vm"
	for program in boots deps; do
		ln -s "$work/bin/make" "$place/scripts/$program"
	done
	echo contents | tee "$place/FILE" >"$place/DIR/NAME"
	(umask 077 && head -c 32 /dev/urandom | base64 >"$place/secret")
}

program "$work/bin/kverbs" <<-END_OF_PROGRAM
	#!/bin/sh
	command=\${1:-}
	[ \$# = 0 ] || shift
	case "\$command \$*" in
	*\ --iters*|*\ --time*|*\ --rounds*) ;;
	lat\ *) set -- --iters 50 "\$@" ;;
	scale\ *) set -- --qps 1,2 --rounds 1 --time 20ms "\$@" ;;
	compare\ *) set -- --sizes 64 --rounds 2 --time 20ms "\$@" ;;
	esac
	exec $(command -v kverbs) \${command:+"\$command"} "\$@"
END_OF_PROGRAM
# tests/vm/43-plot.sh checks the script that gnuplot gets.
program "$work/bin/gnuplot" <<-'END_OF_PROGRAM'
	#!/bin/sh
	exec cat
END_OF_PROGRAM
program "$work/bin/vm" <<-'END_OF_PROGRAM'
	#!/bin/sh
	device=rxe
	while [ $# != 0 ]; do
		case $1 in
		--) shift; break ;;
		--device) device=$2; shift ;;
		esac
		shift
	done
	[ $# = 0 ] || [ "$device" != "$DRIVER" ] || exec "$@"
END_OF_PROGRAM
program "$work/bin/make" <<-'END_OF_PROGRAM'
	#!/bin/sh
	echo "${0##*/} $*" >>"$out/elsewhere"
END_OF_PROGRAM
program "$work/bin/ssh" <<-'END_OF_PROGRAM'
	#!/bin/sh
	while [ $# != 1 ]; do
		shift
	done
	exec sh -c "$1"
END_OF_PROGRAM
program "$work/bin/man" <<-'END_OF_PROGRAM'
	#!/bin/sh
	grep '^\.TH '
END_OF_PROGRAM

# script TEXT: makes $work/script of a block, which keeps the output of command N in $out/N, and what the block shows
# of it in $out/N.shown
script() {
	awk -v script="$work/script" -v out="$out" -v tools="$folder/blocks.bash" '
		function quoted(text) {
			gsub(/\047/, "\047\\\047\047", text)
			return "\047" text "\047"
		}
		function flush_command() {
			if (command == "")
				return
			number++
			if (host == "b")
				printf "on_b %s %s\n", quoted(out "/" number), quoted(command) >script
			else
				printf "{\n%s\n} >%s 2>&1\n", command, quoted(out "/" number) >script
			command = ""
		}
		BEGIN {
			printf ". %s\n", quoted(tools) >script
		}
		{
			line[NR] = $0
			if (/^(host [a-z]+# |[$#] )/)
				prompts = 1
		}
		END {
			for (i = 1; i <= NR; i++) {
				text = line[i]
				if (continued) {
					command = command "\n" text
				} else if (!prompts || text ~ /^(host [a-z]+# |[$#] )/) {
					flush_command()
					host = text ~ /^host b# /  ? "b" : "a"
					if (prompts)
						sub(/^(host [a-z]+# |[$#] )/, "", text)
					command = text
				} else if (text != "") {
					print text >(out "/" (number + 1) ".shown")
				}
				continued = command ~ /\\$/
			}
			flush_command()
			print "end_b" >script
		}' "$1"
}

# verify NAME: does $work/script succeed, and print what the block shows?
verify() {
	status=0
	(cd "$place" && within 120 bash "$work/script" >"$out/log" 2>&1 </dev/null) || status=$?
	if [ $status != 0 ]; then
		echo "status $status:" >"$work/why"
		fail "$1" "$work/why" "$work/script" "$out"/*[0-9] "$out/log"
		return
	fi
	for shown in "$out"/*.shown; do
		[ -e "$shown" ] || continue
		awk -f shape.awk "$shown" "${shown%.shown}" >"$work/why" && continue
		fail "$1" "$work/why" "${shown%.shown}"
		return
	done
	pass "$1"
	[ ! -e "$out/elsewhere" ] || sed 's/^/# there, not run in a guest: /' "$out/elsewhere"
}

# block WHERE HOW TEXT
block() {
	where=$1 how=$2 text=$3
	name="${where#../../}: $(sed 's/\(.\)  *# .*/\1/; 1q' "$text")"
	case $how in
	"not run: "?*)
		iwarp || skip "$name" "${how#not run: }"
		return
		;;
	"run by: "?*)
		iwarp || note "$name is run by ${how#run by: }"
		return
		;;
	esac
	if iwarp; then
		grep -q -e '--device siw' "$text" || return 0
	elif ! grep -qv -e '--device siw' "$text"; then
		skip "$name" "for an iWARP device"
		return
	fi
	furnish
	needs=documents/${how#*: }
	case $how in
	"") script "$text" ;;
	"printed by: "*)
		cp "$text" "$out/1.shown"
		printf "{\n. '%s'\n} >'%s' 2>&1\n" "$folder/$needs.sh" "$out/1" >"$work/script"
		;;
	"run after: "*)
		if [ -e "$needs.kv" ]; then
			cat "$needs.kv" "$text" >"$place/block.kv"
			echo "kverbs batch block.kv >'$out/1' 2>&1" >"$work/script"
		else
			script "$text"
			sed -i "1a . '$folder/$needs.sh'" "$work/script"
		fi
		;;
	*)
		echo "the comment in front of it is not known: $how" >"$work/why"
		fail "$name" "$work/why"
		return
		;;
	esac
	verify "$name"
	kverbs flush >/dev/null
}

PATH=$work/bin:$PATH
export KVERBS_SSH="$work/bin/ssh"
cp /etc/hosts "$work/hosts"
echo "$ADDR b" >>/etc/hosts
awk -v dir="$work/blocks" -f blocks.awk ../../README.md ../../docs/*.md ../../examples/README.md
for text in "$work"/blocks/*.text; do
	{
		read -r where
		read -r how
	} <"${text%.text}.how"
	block "$where" "$how" "$text"
done
cat "$work/hosts" >/etc/hosts
check "there were blocks" test -e "$work/blocks/030.text"
check "nothing of all this is left" nothing_left
finish
