// SPDX-License-Identifier: MIT
/*
 * Commands under which something fails. Each time they must say so, leave all as it
 * was, and work when they are given again.
 */
#include <errno.h>
#include <string.h>
#include <linux/genetlink.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include "fault.h"
#include "raw.h"

static const struct fault *armed;
static unsigned int nth;
/* Commands that were tried, by number; as a list. */
static bool tried[OPS_MAX + 1], listed[OPS_MAX + 1];

/* Right before the first message goes out: allocations by libnl are not of interest. */
static int on_out(struct nl_msg *msg, void *arg)
{
	const struct nlmsghdr *header = nlmsg_hdr(msg);
	const struct genlmsghdr *genl = nlmsg_data(header);

	(void)arg;
	if (!armed)
		return NL_OK;
	if ((header->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP)
		listed[genl->cmd] = true;
	else
		tried[genl->cmd] = true;
	armed->arm(nth);
	armed = NULL;
	return NL_OK;
}

/* true: there was an nth */
static bool try_nth(struct scene *s, const struct step *step, const struct fault *fault,
		    unsigned int n, struct fault_tally *tally)
{
	struct snapshot before = snapshot(&s->l), after;
	bool hit, moved, told;
	uint32_t failed;
	int ret;

	s->l.nl.base.err[0] = '\0';
	nth = n;
	armed = fault;
	ret = step->call(s);
	failed = s->l.nl.base.failed;
	armed = NULL;
	hit = fault->disarm();
	tally->hits += hit;
	if (!ret)
		return hit;
	tally->failures++;
	after = snapshot(&s->l);
	moved = step->moves && strstr(s->l.nl.base.err, "the device left the qp in another state");
	told = fault->stage < 0 || failed == (uint32_t)fault->stage;
	if (!hit || !told || !fault->is_its(ret) || !s->l.nl.base.err[0] ||
	    after.live != before.live ||
	    after.bytes != before.bytes || (!step->once && !moved && !fault->keeps && after.hash != before.hash)) {
		note("  %s, %s %u: %d \"%s\", stage %u%s%s%s%s", step->name, fault->what, n, ret,
		     s->l.nl.base.err, failed, told ? "" : ", which is another one",
		     hit ? "" : ", none failed",
		     after.hash != before.hash ? ", something changed" : "",
		     after.live != before.live || after.bytes != before.bytes ?
		     ", something is left" : "");
		tally->good = false;
	}
	if (!step->once)
		must(&s->l, step->call(s), "the same once more");
	return hit;
}

struct fault_tally fault_try(struct scene *s, const struct step *step,
			     const struct fault *fault)
{
	struct fault_tally tally = { .good = true };
	bool hit = true;
	unsigned int n;

	nl_socket_modify_cb(s->l.nl.sock, NL_CB_MSG_OUT, NL_CB_CUSTOM, on_out, NULL);
	s->listed = 0;
	for (n = 1; n <= fault->most && hit; n++) {
		if (step->before)
			must(&s->l, step->before(s), "what it needs");
		hit = try_nth(s, step, fault, n, &tally);
		if (step->after)
			must(&s->l, step->after(s), "the way back");
	}
	tally.all = !hit;
	return tally;
}

void fault_check_commands(void)
{
	static const unsigned int not_iwarp[] = {
		KVERBS_CMD_AH_NEW, KVERBS_CMD_AH_DEL, KVERBS_CMD_AH_GET, KVERBS_CMD_CONN_ESTABLISH,
		KVERBS_CMD_CONN_CONNECT, KVERBS_CMD_CONN_ACCEPT, KVERBS_CMD_SRQ_MODIFY,
		KVERBS_CMD_QP_ATTACH, KVERBS_CMD_QP_DETACH, KVERBS_CMD_CONN_JOIN,
		KVERBS_CMD_CONN_LEAVE,
	};
	unsigned int cmd, i, missing = 0;
	struct family family;

	family_learn(&family);
	for (i = 0; i < (is_iwarp() ? COUNT(not_iwarp) : 0); i++)
		family.flags[not_iwarp[i]] = 0;
	for (cmd = 1; cmd <= OPS_MAX; cmd++) {
		if (family.flags[cmd] & GENL_CMD_CAP_DO && !tried[cmd]) {
			note("  command %u was not tried", cmd);
			missing++;
		}
		if (family.flags[cmd] & GENL_CMD_CAP_DUMP && !listed[cmd]) {
			note("  nor the list of command %u", cmd);
			missing++;
		}
	}
	result(!missing, "every command was tried");
}
