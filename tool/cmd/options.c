// SPDX-License-Identifier: MIT
#include "cmd/options.h"
#include "sys/cpu.h"

/**
 * kv_options_need_space() - refuse a command line without --space
 *
 * Return: 0 or -EINVAL.
 */
int kv_options_need_space(const struct kv_options *o, struct kv_fault *f)
{
	return o->has_both ? 0 : kv_fault_usage(f, "--space is missing; it takes kernel or user");
}

/**
 * kv_options_choose_ends() - choose the space of each end, from --space, or from --client and
 *	--server
 * @o: the options; @end receives them
 *
 * Return: 0 or -EINVAL.
 */
int kv_options_choose_ends(struct kv_options *o, struct kv_fault *f)
{
	if (o->has_both && (o->has_end[0] || o->has_end[1]))
		return kv_fault_usage(f, "--space is where both ends are; give it alone, or --client and --server");
	if (!o->has_end[0] && !o->has_end[1]) {
		o->end[0] = o->end[1] = o->both;
		return kv_options_need_space(o, f);
	}
	if (o->has_end[0] && o->has_end[1])
		return 0;
	return kv_fault_usage(f, "--%s is missing; it takes kernel or user, and goes with --%s",
			      o->has_end[0] ? "server" : "client",
			      o->has_end[0] ? "client" : "server");
}

/**
 * kv_options_choose_side() - choose the side and the space of a command that is one end
 * @o: the options; @has_end[1] then tells whether it is the server, @both is its space
 * @addr: the server's address, or NULL
 *
 * Return: 0 or -EINVAL.
 */
int kv_options_choose_side(struct kv_options *o, const char *addr, struct kv_fault *f)
{
	bool server = o->has_end[1];
	uint32_t space = o->end[server];
	struct kv_fault more;
	int ret = 0;

	if (server && o->has_end[0])
		return kv_fault_usage(f, "one end cannot be both; give --server or --client");
	if (!server && !addr)
		ret = kv_fault_usage(f, "the server's address is missing; or give --server");
	if (space == KV_SPACES)
		return kv_fault_join(f, ret, kv_options_need_space(o, ret ? &more : f), &more);
	if (ret)
		return ret;
	if (o->has_both && o->both != space)
		return kv_fault_usage(f, "--space %s does not go with --%s %s", kv_enum_name(kv_enum_space, o->both),
				      server ? "server" : "client", kv_enum_name(kv_enum_space, space));
	o->both = space;
	return 0;
}

/* The CPUs that were named; threads that are more than they get them in turn. */
static int take_cpus(struct kv_options *o, unsigned int wanted, struct kv_fault *f)
{
	unsigned int n = o->cpus.n;

	if (n > wanted)
		return kv_fault_usage(f, "--cpus has %u CPUs, for %u threads at most", n, wanted);
	for (; n && o->work.threads > 1 && o->cpus.n < wanted; o->cpus.n++)
		o->cpus.cpu[o->cpus.n] = o->cpus.cpu[o->cpus.n % n];
	return 0;
}

/*
 * Reversed, the CPUs are those of the hosts' threads, the same on each host; -1: not bound. Only a
 * single responder's thread has a CPU of this host.
 */
static int settle_reversed(struct kv_options *o, struct kv_fault *f)
{
	struct kv_workload *w = &o->work;
	const uint32_t each = w->threads / w->hosts;
	const bool alone = w->threads == 1, named = alone && o->cpus.n > 1;

	if (o->cpus.n > (alone ? 2 : each))
		return kv_fault_usage(f, "--cpus has %u CPUs, for %u thread%s%s", o->cpus.n,
				      alone ? 2 : each, alone || each > 1 ? "s" : "",
				      alone ? " at most" : " of each HOST");
	for (uint32_t i = 0; i < w->threads; i++)
		w->cpu[i] = o->cpus.n ? o->cpus.cpu[i % each % o->cpus.n] : -1;
	return alone ? kv_placement_choose(&o->cpus.cpu[1], named, &w->cpu[1], 1, f) : 0;
}

/**
 * kv_options_settle() - refuse options that do not go together, and choose the CPUs of runs
 * @o: the options, with the HOST if there is one; @work.cpu receives the initiator's and the
 *	responder's CPU, or -1: anywhere; or those of the initiator's threads, of all hosts
 *
 * The CPUs of another host are not known here: that host checks the CPU that was given,
 * and no default is chosen for it.
 */
int kv_options_settle(struct kv_options *o, struct kv_fault *f)
{
	struct kv_workload *w = &o->work;
	unsigned int wanted = w->threads > 1 ? w->threads : 2;
	bool apart = o->peer.host && w->threads == 1;
	int ret;

	if (w->connect == KV_CONNECT_CM && w->mtu)
		return kv_fault_usage(f, "--mtu %u does not go with --connect cm: the CM chooses the path MTU",
				      w->mtu);
	if (w->spins >= 0 && w->completion != KVERBS_CQ_POLLED)
		return kv_fault_usage(f, "--spins goes with --completion polled only");
	if (kv_cq_moderates(&w->moderation) && w->completion == KVERBS_CQ_POLLED)
		return kv_fault_usage(f, "--moderate needs events: it goes with one --completion other than polled");
	if (w->reversed)
		return settle_reversed(o, f);
	ret = take_cpus(o, wanted, f) ?:
	      kv_placement_choose(o->cpus.cpu, apart && o->cpus.n > 1 ? 1 : o->cpus.n, w->cpu,
				  wanted, f);
	if (!ret && apart)
		w->cpu[1] = o->cpus.n > 1 ? o->cpus.cpu[1] : -1;
	return ret;
}

/**
 * kv_options_parse_host() - parse a HOST
 * @o: the options
 * @peer: receives the HOST; has the values of the options for it before
 * @word: the HOST as it was typed; parts of it stay in use
 *
 * Return: 0 or -EINVAL.
 */
int kv_options_parse_host(const struct kv_options *o, struct kv_peer *peer, char *word,
			  struct kv_fault *f)
{
	const char *port = peer->port;
	int ret = kv_peer_parse(peer, word, f);

	if (!ret && peer->ssh && o->peer.token_file)
		return kv_fault_usage(f, "--token does not go with ssh:HOST: ssh decides which users are let in");
	if (!ret && port && peer->port != port)
		return kv_fault_usage(f, "--port %s: the HOST has a port, %s, too", port, peer->port);
	return ret;
}

/**
 * kv_options_take_host() - take the only word that is no option: a HOST, or none
 * @o: receives the HOST as peer, see kv_peer_parse()
 * @n: how many words there are
 * @word: the words; HOST stays in them
 *
 * Return: 0 or -EINVAL.
 */
int kv_options_take_host(struct kv_options *o, const char *command, int n, char **word,
			 struct kv_fault *f)
{
	if (!n && !o->peer_option)
		return 0;
	if (!n)
		return kv_fault_usage(f, "--%s goes with a HOST where 'kverbs serve' runs; see 'kverbs %s --help'",
				      o->peer_option, command);
	if (n > 1)
		return kv_fault_usage(f, "'%s' is unexpected; 'kverbs %s' takes one HOST, see 'kverbs %s --help'",
				      word[1], command, command);
	return kv_options_parse_host(o, &o->peer, word[0], f);
}
