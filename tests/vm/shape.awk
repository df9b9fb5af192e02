# SPDX-License-Identifier: MIT
#
# Does a program's output have the lines that a document shows, in their order?
#
# usage: awk -f shape.awk SHOWN OUTPUT
#
# Numbers, addresses, the width of columns and the verdict of a comparison are free, and "..." stands for anything.
# Prints the shown lines that are missing, and has exit status 1 if there are any.

function shape(line) {
	gsub(/kernel faster|user faster|equal within ± [0-9.]+ %|not decided/, "VERDICT", line)
	gsub(/[0-9][0-9a-fA-Fx.:,]*/, "N", line)
	gsub(/[-+]N/, "N", line)
	gsub(/…/, "...", line)
	gsub(/[ \t]+/, " ", line)
	sub(/^ /, "", line)
	sub(/ $/, "", line)
	return line
}

function alike(shown, line, parts, n, i, at) {
	n = split(shown, parts, /\.\.\./)
	if (n < 2)
		return shown == line
	if (substr(line, 1, length(parts[1])) != parts[1])
		return 0
	line = substr(line, length(parts[1]) + 1)
	for (i = 2; i < n; i++) {
		at = index(line, parts[i])
		if (!at)
			return 0
		line = substr(line, at + length(parts[i]))
	}
	return length(line) >= length(parts[n]) && substr(line, length(line) - length(parts[n]) + 1) == parts[n]
}

FNR == NR {
	if ($0 != "")
		want[++wanted] = $0
	next
}

# A long line goes on in lines that are indented.
function compare() {
	if (found < wanted && alike(shape(want[found + 1]), shape(whole)))
		found++
}

/^    / {
	whole = whole " " $0
	next
}

{
	compare()
	whole = $0
}

END {
	compare()
	for (i = found + 1; i <= wanted; i++)
		print "not printed: " want[i]
	exit found < wanted
}
