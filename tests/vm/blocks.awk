# SPDX-License-Identifier: MIT
#
# Takes the blocks of commands out of documents: those that are indented by four columns, and those between fences.
#
# usage: awk -v dir=DIR -f blocks.awk DOCUMENT…
#
# Writes of each block DIR/NUMBER.text and DIR/NUMBER.how, whose first line says where the block stands, and whose
# second one is the comment right in front of it, if there is one: <!-- not run: REASON -->, <!-- run by: TEST -->,
# <!-- run after: SET-UP --> or <!-- printed by: SET-UP -->.

function begin() {
	name = sprintf("%s/%03d", dir, ++blocks)
	printf "%s:%d\n%s\n", FILENAME, FNR, comment >(name ".how")
	comment = ""
	blank = ""
}

function finish() {
	if (name != "") {
		close(name ".text")
		close(name ".how")
	}
	name = ""
}

FNR == 1 {
	finish()
	fenced = 0
	comment = ""
	before = 1
}

/^```/ {
	fenced = !fenced
	finish()
	if (fenced)
		begin()
	next
}

fenced {
	print >(name ".text")
	next
}

# Blank lines within an indented block belong to it.
/^[ \t]*$/ {
	blank = blank "\n"
	before = 1
	next
}

/^    / && (name != "" || before) {
	if (name == "")
		begin()
	printf "%s%s\n", blank, substr($0, 5) >(name ".text")
	blank = ""
	next
}

{
	finish()
	blank = ""
	before = /-->$/
	comment = ""
	if (/^<!-- .* -->$/ && !/SPDX/)
		comment = substr($0, 6, length($0) - 9)
}

END {
	finish()
}
