# SPDX-License-Identifier: MIT
#
# The processes under way in a round: awk -v seed=N -v cause=NAME -v round=N -v turn=N -v only=WORD -f plan.awk
#
# All kinds are shuffled, once for each seed and cause; the rounds take them one after the
# other, so that in fifty of them every kind has come by, and a round can be repeated. turn: which one it is of
# the rounds that take any; a list of even length would never come to its other half if that were every other round.
# Two runs, one of them in user space alone, and two of the other kinds. only=peer: two
# that have a peer; only=cm: two whose peers the CM has connected; only=raw: nothing of the CM's. iwarp=1: nothing
# else, no atomics, and nothing with immediate data.

function random(n) {
	state = (state * 16807) % 2147483647
	return int(state / 2147483647 * n)
}

function shuffle(list, n,    i, j, item) {
	for (i = n; i > 1; i--) {
		j = random(i) + 1
		item = list[i]
		list[i] = list[j]
		list[j] = item
	}
}

function add_lats(    ends, loops, ways, e, l, w, mixed) {
	split("kernel/kernel user/user kernel/user user/kernel", ends, " ")
	split("completion/write completion/read completion/fetch-add completion/cmp-swp " \
	      "one-thread/send one-thread/write pingpong/send pingpong/write", loops, " ")
	split("raw cm", ways, " ")
	for (e = 1; e <= 4; e++) {
		mixed = ends[e] == "kernel/user" || ends[e] == "user/kernel"
		for (l = 1; l <= 8; l++) {
			if (mixed && loops[l] ~ /^one-thread/)
				continue
			for (w = 1; w <= 2; w++) {
				if (only == "raw" && ways[w] == "cm")
					continue
				if (iwarp && (ways[w] == "raw" || loops[l] ~ /fetch-add|cmp-swp/))
					continue
				if (ends[e] == "user/user")
					user[++users] = "lat " ends[e] "/" loops[l] "/" ways[w]
				else
					kernel[++kernels] = "lat " ends[e] "/" loops[l] "/" ways[w]
			}
		}
	}
	# Each iteration registers an MR, and its key is invalidated: the kernel asks. libsiw answers with another key.
	split("kernel/kernel/pingpong/send-inv/raw kernel/user/pingpong/send-inv/raw kernel/kernel/one-thread/send-inv/raw " \
	      "kernel/kernel/pingpong/send-inv/cm kernel/user/pingpong/send-inv/cm kernel/kernel/one-thread/send-inv/cm " \
	      "kernel/kernel/completion/read-inv/cm", loops, " ")
	for (l = 1; l <= 7; l++)
		if (!(only == "raw" && loops[l] ~ /cm$/) && (iwarp ? loops[l] ~ /cm$/ && loops[l] !~ /user/ : loops[l] !~ /read-inv/))
			kernel[++kernels] = "lat " loops[l]
}

function add_others(    k, n, list) {
	n = split("served/kernel/kernel/raw served/user/user/raw served/kernel/user/raw served/user/kernel/raw " \
		  "served/kernel/kernel/cm served/user/user/cm served/kernel/user/cm served/user/kernel/cm " \
		  "ping-client/kernel ping-client/user ping-server/kernel ping-server/user " \
		  "pingpong/kernel/user/rc pingpong/user/kernel/rc pingpong/kernel/kernel/uc pingpong/user/user/uc " \
		  "pingpong/kernel/kernel/ud pingpong/user/kernel/ud pingpong/kernel/kernel/srq pingpong/user/user/srq " \
		  "put/kernel/kernel put/user/user put/kernel/user put/user/kernel " \
		  "get/kernel/kernel get/user/user get/kernel/user get/user/kernel " \
		  "streams/kernel/raw/polled/2/write streams/user/raw/event/1/write streams/kernel/cm/softirq/2/write " \
		  "streams/user/cm/polled/2/write streams/kernel/raw/event/1/write streams/kernel/cm/workqueue/1/write " \
		  "streams/kernel/raw/polled/2/send streams/user/raw/polled/1/write-imm " \
		  "streams/kernel/raw/polled/2/write/one-cq streams/user/cm/polled/1/write/one-cq " \
		  "streams/kernel/cm/polled/2/send streams/user/cm/polled/1/send/one-cq " \
		  "streams/kernel/raw/polled/1/send/one-cq streams/kernel/raw/polled/2/send/srq " \
		  "streams/user/raw/polled/1/send/srq streams/kernel/cm/polled/2/write/rate streams/user/raw/polled/1/write/rate " \
		  "streams/kernel/raw/polled/2/write/turns streams/user/cm/polled/1/write/turns " \
		  "rate/kernel rate/user quadrants conns/kernel conns/user posted/kernel posted/user", list, " ")
	for (k = 1; k <= n; k++) {
		if (only == "peer" && list[k] !~ /^(served|ping|put|get)/)
			continue
		if (only == "raw" && list[k] ~ /cm($|\/)|^(ping-|rate|conns)/)
			continue
		if (only == "cm" && list[k] !~ /^(served.*cm|ping-|rate|conns)/)
			continue
		if (iwarp && list[k] ~ /raw($|\/)|^(pingpong|put|get)/)
			continue
		other[++others] = list[k]
		sub(/\//, " ", other[others])
	}
}

BEGIN {
	state = seed % 1000000 + 7
	for (i = 1; i <= length(cause); i++)
		state = (state * 31 + index("abcdefghijklmnopqrstuvwxyz-", substr(cause, i, 1))) % 2147483646 + 1
	for (i = 0; i < 10; i++)
		random(2)
	add_lats()
	add_others()
	shuffle(kernel, kernels)
	shuffle(user, users)
	shuffle(other, others)
	print kernel[(turn - 1) % kernels + 1]
	print user[(turn - 1) % users + 1]
	print other[(2 * turn - 2) % others + 1]
	print other[(2 * turn - 1) % others + 1]
	# And numbers for whatever else is left to chance.
	state = (state + round * 7919) % 2147483646 + 1
	for (i = 0; i < 10; i++)
		random(2)
	line = "chance"
	for (i = 0; i < 24; i++)
		line = line " " random(1000)
	print line
}
