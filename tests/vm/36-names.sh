# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Names of persistent objects: they stand for ids in all commands that follow, and never for another object.
. ./hand.sh

names=/run/kverbs/names
rm -rf /run/kverbs
rmmod kverbs && insmod "$KO"

# id COMMAND…: the id that the command prints
id() {
	kverbs "$@" | awk '{ print $2; exit }'
}

same "nothing is written for an object without a name" "" "$(kverbs pd del "$(id pd add)"; ls /run/kverbs 2>/dev/null)"
dom=$(id pd add name dom)
kverbs cq add cqe 8 name comps >"$work/out"
has "who makes an object names it" "cq * name comps dev $DEV persistent *" "$work/out"
kverbs qp add pd dom cq comps name out >"$work/out"
has "names stand for ids, of keys, too" "qp * name out *pd $dom *" "$work/out"
kverbs pd show >"$work/out"
has "show tells names" "pd $dom name dom *" "$work/out"
check "in JSON, too" sh -c "kverbs pd show dom --json | jq -e '.result.name == \"dom\" and .result.id == $dom'"
kverbs srq add pd dom max-wr 8 name queue >/dev/null
kverbs srq modify queue limit 2 >"$work/out"
has "so does what changes an object" "srq * name queue * limit 2" "$work/out"
check "and its name can be deleted" kverbs srq del queue
kverbs pd show dom -d >"$work/out"
has "with -d it tells which objects use it" "pd $dom name dom * used-by-qp *" "$work/out"
check "as numbers in JSON" sh -c "kverbs pd show --details --json | jq -e '.result.objects[0].used_by_qp[0] | numbers'"
same "the names of a type, for completion" "dom" "$(kverbs completion pd)"
check "others can read the file and not write it" test "$(stat -c '%U %a' /run/kverbs $names | tr '\n' ' ')" = "root 755 root 644 "

refused "a name is given once" 2 "the name 'dom' is taken: pd $dom has it" kverbs srq add pd dom max-wr 4 name dom
same "and what could not get it is not there" 0 "$(kverbs srq show --json | grep -c '"id":')"
refused "a name is of one kind" 2 "'dom' is pd $dom, and no cq" kverbs cq show dom
same "a name that nobody gave" "kverbs: pd del: 'nobody' is the name of nothing; there is dom" "$(kverbs pd del nobody 2>&1)"
refused "an object in use keeps its name" 1 "(out): delete that first (EBUSY)" kverbs pd del dom

# --- batches
printf '%s\n' 'pd show dom' 'pd add name dom' 'pd show dom' 'expect persistent false' | kverbs batch - >"$work/out"
has "a batch knows the name" "pd $dom name dom dev $DEV persistent *" "$work/out"
echo 'pd show dom' >"$work/show.kv"
refused "in user space it is none" 2 "'dom' is the name of nothing" kverbs batch "$work/show.kv" --space user
same "a name of the batch's own hides it there, and nowhere else" "pd $dom" "$(kverbs pd show dom | cut -d ' ' -f 1-2)"

# --- objects that go
qp=$(kverbs qp show out | awk '{ print $2; exit }')
kverbs qp del "$qp"
refused "who deletes an object by its id deletes the name" 2 "'out' is the name of nothing; there is none" kverbs qp show out
echo "pd del $dom" | kverbs batch -
refused "what a batch has deleted is not there" 1 "'dom' was pd $dom; there is none (ENOENT)" kverbs pd show dom
refused "nor for others" 1 "'dom' was pd $dom" kverbs srq add pd dom max-wr 4
again=$(id pd add name dom)
check "its name can be given again" test "$again" -gt "$dom"
kverbs flush >/dev/null
same "flush forgets all names" "" "$(tail -n +2 $names)"

# --- the module, loaded again, begins with the same ids
old=$(id pd add name old)
rmmod kverbs && insmod "$KO"
first=$(id pd add)
while [ "$first" -lt "$old" ]; do first=$(id pd add); done
check "the id is in use again" kverbs pd show "$old"
refused "but the name is none" 2 "'old' is the name of nothing" kverbs pd show old
refused "nor is it in another network namespace" 2 "'new' is the name of nothing" \
	sh -c 'kverbs pd add name new >/dev/null && unshare -n kverbs pd show new'

# --- several at once
for i in 1 2 3 4 5 6; do
	kverbs pd add name one >"$work/one.$i" 2>&1 &
done
wait
same "of six that give a name one succeeds" 1 "$(cat "$work"/one.* | grep -c '^pd ')"
same "and five are told who has it" 5 "$(cat "$work"/one.* | grep -c "the name 'one' is taken")"
for i in 1 2 3 4 5 6; do
	kverbs pd add name "n$i" >/dev/null &
done
wait
same "six names at once are six names" 6 "$(kverbs pd show | grep -c ' name n[1-6] ')"

# --- a file that others could have written
chmod 666 $names
refused "a file that others may write names nothing" 2 "$names can be written by others than root" kverbs pd show one
before=$(kverbs pd show 2>/dev/null | wc -l)
refused "and gets no name" 1 "$names can be written by others than root" kverbs pd add name two
same "nor is there an object" "$before" "$(kverbs pd show 2>/dev/null | wc -l)"
kverbs pd show >"$work/out" 2>"$work/err"
check "show says why it has no names" grep -qF "$names can be written by others than root" "$work/err"
rm $names
ln -s /etc/passwd $names
refused "a link is not followed" 2 "cannot open $names" kverbs pd show one
rm $names
check "without the file all begins anew" kverbs pd add name one
kverbs flush >/dev/null

check "nothing is left" nothing_left
finish
