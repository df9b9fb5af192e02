# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# kverbs put and kverbs get: files through 127.0.0.1, from and to each space; and what is left
# when something goes wrong in the middle, which is nothing.
. ./tap.sh

host=127.0.0.1
port=7590
piece=262144
# 512 pieces (with checkers 256), one by one: with the delay of `paused` 20 s and more, in which even a loaded host sees that they are
# sent. With 64, 2.6 s, the last one was gone before.
slow="--piece 4096 --depth 1"
slow_bytes=$(fewer 2097152 1048576)

mkdir "$work/here" "$work/there"
server=

listening() {
	grep -qi ":$(printf %04X $port) .* 0A " /proc/net/tcp
}

# serve OPTION…: on a port of its own
serve() {
	port=$((port + 1))
	kverbs serve --bind $host --port $port "$@" >"$work/log" 2>&1 &
	server=$!
	wait_for 20 listening || fail "the server listens" "$work/log"
}

stop_server() {
	kill $server 2>/dev/null
	wait $server 2>/dev/null
}

# On a loaded host an acknowledgement may come after rxe's timeout. Then rxe sends a WRITE of several packets again, and
# may make two messages of it (docs/files.md). This link loses nothing, so the timeout is 4 s.
patient="--ack-timeout 20"

# put FILE [OPTION…] and get NAME [OPTION…], the file here being the same name in here/
put() {
	file=$1
	shift
	within 120 kverbs put "$work/here/$file" $host --port $port $patient "$@"
}

get() {
	file=$1
	shift
	within 120 kverbs get "$file" $host "$work/here/$file" --port $port $patient "$@"
}

# random FILE BYTES
random() {
	head -c "$2" /dev/urandom >"$1"
}

hash_of() {
	sha256sum "$1" | cut -d ' ' -f 1
}

# same NAME OUTPUT FILE FILE: equal by sha256sum's judgement, and by the tool's own
same() {
	if [ -f "$3" ] && [ "$(hash_of "$3")" = "$(hash_of "$4")" ] && grep -qF "$(hash_of "$3")" "$2"; then
		pass "$1"
	else
		fail "$1" "$2"
	fi
}

# Names in a folder, hidden ones too.
names() {
	(cd "$1" && find . -mindepth 1 | sort | tr '\n' ' ')
}

sending() {
	rdma resource show qp | grep -q 'type RC'
}

idle() {
	! sending
}

# paused put|get NAME [OPTION…]: starts it, and stops it once it has begun to send. All that goes
# through lo, RDMA too, is late until then: the last piece is far.
paused() {
	way=$1 file=$2
	shift 2
	if [ $way = put ]; then
		set -- "$work/here/$file" $host "$@"
	else
		set -- "$file" $host "$work/here/$file" "$@"
	fi
	tc qdisc add dev lo root netem delay 20ms
	# The process itself, and no shell around it.
	kverbs $way "$@" --port $port >"$work/stdout" 2>"$work/stderr" &
	client=$!
	wait_for 60 sending
	kill -STOP $client
	tc qdisc del dev lo root
	if ! sending; then
		echo "it was stopped too late, or ended by itself:"
		cat "$work/stdout" "$work/stderr"
		return 1
	fi
}

# go_on NAME TEXT [STATUS]: it must fail with this text on stderr, and nothing may be left of it but
# the files in $kept_here and $kept_there
go_on() {
	name=$1 text=$2 want=${3:-1}
	kill -CONT $client 2>/dev/null
	status=0
	wait $client || status=$?
	if [ "$status" = "$want" ] && grep -qF -- "$text" "$work/stderr"; then
		pass "$name"
	else
		echo "exit status $status, want $want; stderr, want \"$text\":" >"$work/why"
		fail "$name" "$work/why" "$work/stderr" "$work/stdout"
	fi
	clean "$name"
}

clean() {
	wait_for 60 idle
	if [ "$(names "$work/here")" = "$kept_here" ] && [ "$(names "$work/there")" = "$kept_there" ]; then
		pass "$1: nothing is left of it"
	else
		{ names "$work/here"; echo; names "$work/there"; } >"$work/why"
		fail "$1: nothing is left of it" "$work/why"
	fi
}

keep() {
	kept_here=$(names "$work/here")
	kept_there=$(names "$work/there")
}

logged() {
	check "$1" wait_for 10 grep -F -- "$2" "$work/log"
}

serve --files "$work/there"

# WRITE with immediate data is how a file travels.
if iwarp; then
	random "$work/here/f" 1000
	random "$work/there/g" 1000
	keep
	for client in kernel user; do
		for at in kernel user; do
			refused "put, $client space here and $at space there" 77 "$DEV: iWARP has no immediate data" \
				put f --client $client --server $at
			clean "put, $client space here and $at space there"
			refused "get, $client space here and $at space there" 77 "iWARP has no immediate data" \
				get g --client $client --server $at
			clean "get, $client space here and $at space there"
		done
	done
	lacks "files put and got, and what goes wrong with them" "immediate data"
	stop_server
	check "nothing is left" nothing_left
	finish
fi

# Whole files.
for size in 0 1 $((piece - 1)) $piece $((piece + 1)) 3000001; do
	random "$work/here/$size" $size
	for client in kernel user; do
		for at in kernel user; do
			[ $client = $at ] || [ $size -gt $piece ] || continue
			how="$size bytes, $client space here and $at space there"
			check "put $how" put $size --piece $piece --client $client --server $at --name "$size-$client-$at"
			same "put $how: the same" "$work/check" "$work/here/$size" "$work/there/$size-$client-$at"
			check "get $how" get "$size-$client-$at" --piece $piece --client $client --server $at
			same "get $how: the same" "$work/check" "$work/here/$size" "$work/here/$size-$client-$at"
		done
	done
done
rm "$work/here/"* "$work/there/"*

mib=$(fewer 16 2)
random "$work/here/big" $((mib << 20))
check "put $mib MiB" put big --space kernel
same "put $mib MiB: the same" "$work/check" "$work/here/big" "$work/there/big"
note "$(grep MiB/s "$work/check")"
note "$(grep 'this host counts' "$work/check")"
rm "$work/here/big"
check "get $mib MiB" get big --client user --server kernel
same "get $mib MiB: the same" "$work/check" "$work/there/big" "$work/here/big"
note "$(grep MiB/s "$work/check")"
rm "$work/here/big" "$work/there/big"

# Files whose length says nothing: it is 0 in /proc, and a page in sysfs.
for space in kernel user; do
	for file in /proc/version /proc/$$/cmdline /sys/class/net/lo/address; do
		base=${file##*/}
		cat $file >"$work/here/$base"
		check "$space: put $file" within 120 kverbs put $file $host --port $port $patient --space $space --force
		same "$space: put $file: the same" "$work/check" "$work/here/$base" "$work/there/$base"
	done
	refused "$space: a file that has more than is read ahead" 1 \
		"/proc/self/pagemap has no known length and more than 64 MiB" \
		within 120 kverbs put /proc/self/pagemap $host --port $port --space $space
done
check "there is nothing of it" [ ! -e "$work/there/pagemap" ]
stop_server
for space in kernel user; do
	for source in /proc/version /proc/$$/cmdline /sys/class/net/lo/address; do
		base=${source##*/}
		serve --files ${source%/*}
		check "$space: get $source" get $base --space $space --force
		cat $source >"$work/there/$base"
		same "$space: get $source: the same" "$work/check" "$work/there/$base" "$work/here/$base"
		stop_server
	done
done
for base in version cmdline address; do
	rm "$work/here/$base" "$work/there/$base"
done
serve --files "$work/there"

random "$work/here/f" 100000
for how in "--piece 4096" "--piece 5000 --depth 3" "--depth 1" "--piece 64k --depth 32"; do
	check "put with $how" put f --space kernel --force $how
	same "put with $how: the same" "$work/check" "$work/here/f" "$work/there/f"
done

# The exit status is about the file. unreported NAME REASON COMMAND…: it ends with 0, and says that there is no report.
# Results go to descriptor 3, as some callers take standard output away.
unreported() {
	name=$1 reason=$2
	shift 2
	rm -f "$work/there/f"
	status=0
	"$@" 2>"$work/stderr" || status=$?
	if [ $status = 0 ] && cmp -s "$work/here/f" "$work/there/f" &&
		grep -qF "f has arrived completely, but the report can't be written: $reason" "$work/stderr"; then
		pass "$name" >&3
	else
		echo "exit status $status, want 0; stderr, want \"$reason\":" >"$work/why"
		fail "$name" "$work/why" "$work/stderr" >&3
	fi
}

unreported "standard output that is full" "cannot write to standard output: No space left" \
	put f --space user 3>&1 >/dev/full
unreported "standard output that is closed" "cannot write to standard output: Bad file" put f --space user 3>&1 >&-
unreported "a document to standard output that is full" "cannot write to standard output: No space left" \
	put f --space user --json 3>&1 >/dev/full
unreported "a document to a file that is full" "cannot write /dev/full: No space left" put f --space user --json=/dev/full 3>&1
status=0
kverbs put "$work/here/f" $host --port $port --space user --json >/dev/full 2>"$work/stderr" || status=$?
check "a file that is not sent, and standard output that is full: status 1" [ $status = 1 ]
check "why it is not sent" grep -F "f is there already" "$work/stderr"
check "why it is not reported" grep -F "cannot write to standard output" "$work/stderr"

kverbs put "$work/here/f" $host:$port --space user --force --json >"$work/put" 2>"$work/stderr"
check "the document has all of it" grep -F "\"sha256\": \"$(hash_of "$work/here/f")\"" "$work/put"
keep put "$work/put"

# Names that are there, and names that can't be.
for space in kernel user; do
	echo other >"$work/here/g"
	refused "$space: put a name that is there" 1 "f is there already; --force replaces it" \
		put g --space $space --name f
	same "$space: it is as it was" "$work/check" "$work/here/f" "$work/there/f" 2>/dev/null ||
		true
	refused "$space: get to a name that is here" 1 "g is there already; --force replaces it" \
		kverbs get f $host "$work/here/g" --port $port --space $space
	check "$space: unless it is to be replaced" kverbs get f $host "$work/here/g" --port $port --space $space --force
	same "$space: by the other" "$work/check" "$work/there/f" "$work/here/g"
done
logged "the server tells, too" "f is there already"
ln -s f "$work/there/link"
ln -s "$work/here/f" "$work/there/out"
mkdir "$work/there/folder" "$work/here/folder"
mkfifo "$work/there/pipe" "$work/here/pipe"
keep
refused "get what is not there" 1 "cannot open nothing: No such file or directory" get nothing --space user
for bad in link out; do
	refused "get a symbolic link: $bad" 1 "$bad is a symbolic link" \
		kverbs get $bad $host "$work/here/new" --port $port --space user
	refused "put over a symbolic link: $bad" 1 "$bad is there already, and is not a regular file" \
		put f --name $bad --force --space user
done
refused "get a folder" 1 "folder is a folder, and not a regular file" \
	kverbs get folder $host "$work/here/new" --port $port --space user
refused "put over a folder" 1 "folder is there already, and is a folder" put f --name folder --force --space user
refused "get a pipe" 1 "pipe is a device, a pipe or a socket" \
	kverbs get pipe $host "$work/here/new" --port $port --space user
refused "put a folder" 1 "here/folder is a folder, and not a regular file" put folder --space user
refused "put a pipe" 1 "here/pipe is a device, a pipe or a socket" put pipe --space user
refused "put what is not there" 1 "cannot open $work/here/nothing: No such file" put nothing --space user
refused "get into a folder that is not there" 1 "cannot open the folder of" \
	kverbs get f $host "$work/nowhere/f" --port $port --space user
for bad in ../f folder/f /etc/passwd; do
	refused "put as $bad" 2 "the name '$bad' at the server has a '/'" put f --name $bad --space user
	refused "get $bad" 2 "the name '$bad' at the server has a '/'" kverbs get $bad $host --port $port --space user
done
for bad in .f . ..; do
	refused "put as $bad" 2 "the name '$bad' at the server begins with a dot" put f --name $bad --space user
done
refused "an empty name" 2 "the name '' at the server is empty" put f --name "" --space user
refused "a name that is too long" 2 "is longer than 255 bytes" put f --name "$(printf %0256d 0)" --space user
refused "no HOST" 2 "HOST is missing" kverbs put "$work/here/f" --space user
refused "no FILE" 2 "FILE is missing" kverbs put --space user
refused "no space" 2 "--space is missing" kverbs put "$work/here/f" $host
refused "one space" 2 "--server is missing" kverbs put "$work/here/f" $host --client user
refused "a piece that is too small" 2 "--piece '100' is too small" put f --piece 100 --space user
refused "more than a buffer can have" 2 "take a smaller --piece or --depth" put f --depth 1024 --piece 1m --space kernel
for way in put get; do
	fails "$way: nobody listens, as JSON" 1 kverbs.$way ECONNREFUSED \
		kverbs $way "$([ $way = get ] || echo "$work/here/")f" $host --port 7589 --space user --json
done
fails "put: what is there already, as JSON" 1 kverbs.put EEXIST put f --space user --json
refused "nobody listens" 1 "nobody listens on port 7589" kverbs put "$work/here/f" $host --port 7589 --space user
clean "all these"
rm -r "$work/there/"* "$work/here/"*

# last_byte FILE BYTE: of a file of $slow_bytes
last_byte() {
	printf %s "$2" | dd of="$1" bs=1 seek=$((slow_bytes - 1)) conv=notrunc 2>/dev/null
}

# Files that change on their way. The last bytes are read last.
for way in put get; do
	for space in kernel user; do
		[ $way = put ] && from=$work/here || from=$work/there
		random "$from/f" $slow_bytes
		# One of 256 random files ends with x already.
		last_byte "$from/f" y
		keep
		check "$way, $space: it sends" paused $way f --space $space $slow
		last_byte "$from/f" x
		go_on "$way, $space: a file that is changed" "f was changed while it was sent"
		[ $way = get ] || logged "$way, $space: the server tells" "puts f: given up: $work/here/f was changed while it was sent"
		[ $way = put ] || logged "$way, $space: the server tells" "fetches f: f was changed while it was sent"
		check "$way, $space: it sends" paused $way f --space $space $slow
		echo more >>"$from/f"
		go_on "$way, $space: a file that grows" "f grew while it was sent: it had $slow_bytes bytes, and has $((slow_bytes + 5))"
		[ $way = get ] || logged "$way, $space: the server tells that it grew" "puts f: given up: $work/here/f grew while it was sent"
		[ $way = put ] || logged "$way, $space: the server tells that it grew" "fetches f: f grew while it was sent"
		truncate -s $slow_bytes "$from/f"
		check "$way, $space: it sends" paused $way f --space $space $slow
		truncate -s $((slow_bytes - 1)) "$from/f"
		go_on "$way, $space: a file that becomes shorter" "f became shorter while it was sent: it had $slow_bytes bytes"
		[ $way = get ] || logged "$way, $space: the server tells that it became shorter" "puts f: given up: $work/here/f became shorter while it was sent"
		[ $way = put ] || logged "$way, $space: the server tells that it became shorter" "fetches f: given up: $host: f became shorter while it was sent"
		rm "$from/f"
	done
done

# Ends that go.
for way in put get; do
	for space in kernel user; do
		[ $way = put ] && from=$work/here || from=$work/there
		random "$from/f" $slow_bytes
		keep
		check "$way, $space: it sends" paused $way f --space $space $slow
		kill -INT $client
		go_on "$way, $space: Ctrl-C" "interrupted after" 130
		check "$way, $space: it sends" paused $way f --space $space $slow
		kill -KILL $client
		wait $client 2>/dev/null
		clean "$way, $space: a client that is killed"
		logged "$way, $space: the server tells" "f: given up: the client is gone"
		check "$way, $space: it sends" paused $way f --space $space $slow
		kill -KILL $server
		wait $server 2>/dev/null
		go_on "$way, $space: a server that is killed" "$host"
		rm "$from/f"
		serve --files "$work/there"
	done
done

# Two with one name: the first has it.
random "$work/here/f" $slow_bytes
echo second >"$work/here/g"
keep
kept_there="./f "
check "two with one name: one sends" paused put f --space user $slow
check "two with one name: the other is quicker" put g --name f --space user
go_on "two with one name: the first is late" "another process has made f meanwhile"
check "two with one name: the other's stays" cmp "$work/here/g" "$work/there/f"
rm "$work/here/"* "$work/there/"*
stop_server

# Room.
mkdir "$work/small"
mount -t tmpfs -o size=12m none "$work/small"
serve --files "$work/small"
random "$work/here/f" $((13 << 20))
refused "no room there" 1 "there is no room for f: it has $((13 << 20)) bytes" put f --space user
random "$work/here/f" $slow_bytes
keep
for space in kernel user; do
	check "$space: it sends" paused put f --space $space $slow
	dd if=/dev/zero of="$work/small/full" bs=64k 2>/dev/null
	go_on "$space: no room any more" "f: "
	check "$space: for want of room" grep -E "No space left|can't be written" "$work/stderr"
	rm "$work/small/full"
	check "$space: and none is lost" [ -z "$(names "$work/small")" ]
done
stop_server
rm "$work/here/"*
serve --files "$work/there"
random "$work/there/f" $((13 << 20))
refused "no room here" 1 "there is no room for f: it has $((13 << 20)) bytes" \
	kverbs get f $host "$work/small/f" --port $port --space user
check "nothing is left here" [ -z "$(names "$work/small")" ]
stop_server
umount "$work/small"
rm "$work/there/"*

# The rights of the server's clients.
random "$work/here/f" 1000
random "$work/there/g" 1000
serve --files "$work/there" --files-read-only
refused "read only" 1 "files can be fetched here, not put" put f --space user
check "read only: get" get g --space user
stop_server
serve --files "$work/there" --file-bytes 999
refused "too long" 1 "a file may have 999 bytes here (kverbs serve --file-bytes), not 1000" put f --space user
stop_server
mkdir "$work/others"
chown 65534 "$work/others"
serve --files "$work/others"
refused "a folder that only another user may write to" 1 "cannot make f: Permission denied" put f --space user
stop_server
serve
refused "put where no files are served" 1 "no files are served here (kverbs serve --files)" put f --space user
refused "get where no files are served" 1 "no files are served here" get nothing --space user
stop_server
refused "a folder that is not there" 1 "--files $work/nowhere: No such file" kverbs serve --files "$work/nowhere"
refused "no folder" 2 "go with --files" kverbs serve --files-read-only
check "nothing is left" nothing_left
finish
