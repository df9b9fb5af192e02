# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# kverbs batch on a terminal: lines are edited, recalled and completed; --echo and --step.
. ./hand.sh

export TERM=xterm XDG_STATE_HOME="$work/state"

# types: the keys come from stdin, as printf writes them; the terminal's output is in $work/screen, the exit
# status in $status
types() {
	while IFS= read -r line; do
		# shellcheck disable=SC2059 # the line is a format
		printf "$line\n"
	done >"$work/typed"
	status=0
	timeout -s KILL 60 terminal 80 --type "$work/typed" kverbs batch - >"$work/raw" 2>&1 || status=$?
	tr -d '\r' <"$work/raw" >"$work/screen"
}

kverbs srq add pd "$(kverbs pd add | awk '{ print $2 }')" max-wr 4 name persistent_one >/dev/null
types <<'END'
srq show persis\t\r
pd ad name frist\033[D\033[D\033[D\033[D\033[D\033[D\033[D\033[D\033[D\033[D\033[Dd\005\177\177\177\177irst\r
pd show first\r
echo again\r
\020\020\r
echo gone\003
ec\tcomplete\r
cq add context ev\tcqe 16 name queue\r
cq show qu\t\r
cq show $q\t\r
cq del --h\t\r
expect con\tevent\r
help pd\r
help lat\r
? cq\r
help\r
frob\r
sleep 1000\r
!\003
echo after\r
quit\r
END
same "quit ends the batch" 0 $status
has "a line is edited" "pd * name first*" "$work/screen"
same "a line is recalled" 3 "$(grep -c '^pd .* name first' "$work/screen")"
check "Ctrl-C drops the line" sh -c '! grep -qx "gone" "$1"' - "$work/screen"
has "a word is completed: a command" "complete" "$work/screen"
same "a word is completed: a value, a key and a name" 3 "$(grep -c '^cq .* name queue' "$work/screen")"
has "a word is completed: a name of a persistent object" "srq * name persistent_one*" "$work/screen"
kverbs flush >/dev/null
has "a word is completed: an option" "usage:" "$work/screen"
check "a word is completed: a field" sh -c '! grep -q "expect:" "$1"' - "$work/screen"
has "help COMMAND" "pd: protection domain*" "$work/screen"
has "help of a command of the shell" "kverbs: stdin:*: 'lat' is a command of the shell, *" "$work/screen"
has "? COMMAND" "cq: completion queue*" "$work/screen"
has "help" "*quit  *ends the batch*" "$work/screen"
has "a mistake does not end the batch" "kverbs: stdin:*: frob: there is no command 'frob'*" "$work/screen"
has "Ctrl-C ends a command" "kverbs: stdin:*: sleep: interrupted" "$work/screen"
has "and the batch goes on" "after" "$work/screen"

types <<'END'
help qp add\r
pd help\r
pd add name p\r
pd\r
quit\r
END
check "help of an object's command is the tool's" sh -c '[ -z "$(kverbs help qp add | grep -vxF -f "$1")" ]' - "$work/screen"
check "help behind an object, too" sh -c '[ -z "$(kverbs help pd | grep -vxF -f "$1")" ]' - "$work/screen"
same "an object alone shows the objects" 2 "$(grep -c '^pd [0-9]* name p ' "$work/screen")"
types <<'END'
echo after\r
quit\r
END

types <<'END'
\020\020\r
\004
END
same "Ctrl-D ends the batch" 0 $status
has "the history outlives the batch" "after" "$work/screen"

check "a single command does not load the editor" sh -c \
	'LD_DEBUG=files kverbs pd show 2>&1 | grep -q libjson && ! LD_DEBUG=files kverbs pd show 2>&1 | grep -q edit'
for word in help quit exit '?'; do
	echo "$word" >"$work/line"
	refused "$word is no command of a file" 2 "there is no command '$word'" kverbs batch "$work/line"
	refused "$word is no command of a pipe" 2 "stdin:1: $word: there is no command '$word'" \
		sh -c "kverbs batch - <'$work/line'"
done

printf '# two lines\necho a\n\necho \\\n  b\n' >"$work/lines"
kverbs batch "$work/lines" --echo >"$work/out"
same "--echo: each line stands before its result" "> # two lines
> echo a
a

> echo   b
b" "$(cat "$work/out")"
echo | kverbs batch "$work/lines" --step >"$work/out"
same "--step: the end of standard input ends the batch" "0 > # two lines
> echo a
a

> echo   b" "$? $(cat "$work/out")"
printf '\n\n' | kverbs batch "$work/lines" --step >"$work/out"
same "--step: each Enter carries out a command" b "$(tail -n 1 "$work/out")"
refused "--step takes no commands from standard input" 2 "--step needs a FILE" kverbs batch - --step
check "--echo and --json are refused together" sh -c \
	'! kverbs batch "$1" --echo --json 2>&1 >/dev/null | grep -v -- "--echo prints text, and --json prints none"' - "$work/lines"

types <<END
pd add dev ${DEV%?}\tname there\r
dev show ${DEV%?}\t\r
quit\r
END
has "a device is completed as a value" "pd [0-9]*there*" "$work/screen"
has "and by itself" "*node GUID*" "$work/screen"

for option in "--space both" "--repeat 2"; do
	# shellcheck disable=SC2086 # words
	timeout -s KILL 60 terminal 80 --type /dev/null kverbs batch - $option 2>&1 | tr -d '\r' >"$work/screen"
	check "$option on a terminal is refused" grep -F "kverbs: ${option%% [0-9]*} repeats all lines: write them into a FILE" "$work/screen"
done
printf 'pd add name pd\ncq add cqe 16\npd del pd\n' >"$work/lines"
check "lines from a pipe are repeated" sh -c "kverbs batch - --space both <'$work/lines' | grep -F 'median of 10 rounds'"
kverbs batch "$work/lines" --space both >"$work/out"
has "--space both: ten rounds by default" "*median of 10 rounds*" "$work/out"
has "and each figure says how many there were" " *1 pd add name pd * 10" "$work/out"
kverbs batch "$work/lines" --space both --json >"$work/json"
check "likewise as JSON" jq -e '.repeat == 10 and ([.times[] | .kernel_samples, .user_samples] | unique) == [10]' "$work/json"
keep "$(numbered batch)" "$work/json"
finish
