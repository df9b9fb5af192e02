/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CONTRACT_STEPS_H
#define TESTS_CONTRACT_STEPS_H

#include "conn.h"

/**
 * struct scene - what the commands are tried on
 * @l: the socket that gives them
 * @a: of a pair of QPs in RTS
 * @b: of it, with a registered target
 * @pd: id, as are the following
 * @cq: polled
 * @event_cq: of the context event
 * @buf: of LENGTH bytes
 * @srq: of @pd
 * @ah: of @pd
 * @qp: of @pd, in RESET between the steps
 * @id: of what a step makes
 * @spec: a run on @a and @b
 * @inv: a run on both, of an MR of @a
 * @duo: of the steps that connect
 * @member: of a multicast group
 * @listed: objects of the list that a step asks for; 0: not known yet
 */
struct scene {
	struct link l;
	struct end a, b;
	uint32_t pd, cq, event_cq, buf, srq, ah, qp, id;
	struct kv_run_spec spec, inv;
	struct duo duo;
	struct end member;
	unsigned int listed;
};

/**
 * struct step - one command; each function returns 0 or a negative errno
 * @name: the step in words
 * @before: brings about what it needs, or NULL
 * @call: the command, in the first message that goes out
 * @after: undoes it, or NULL
 * @once: a call that has failed is not tried again, and may have left an object in
 *	another state, as its kernel-doc says
 * @later: it goes on after the command, by itself: for what fails then, not for what the
 *	command's own allocations are
 * @not_iwarp: iWARP has no such thing
 * @starves_siw: siw frees the queue of READs twice if it has no memory for the other one
 *	(siw_qp_readq_init(), siw_free_qp())
 * @moves: a failure that says so leaves its qp in another state
 * @resolves: an AH is made only for the MAC address
 * @verbs: functions of the kernel's that it can't do without; those that tests can make fail
 */
struct step {
	const char *name;
	int (*before)(struct scene *s);
	int (*call)(struct scene *s);
	int (*after)(struct scene *s);
	bool once;
	bool later;
	bool not_iwarp;
	bool starves_siw;
	bool moves;
	bool resolves;
	const char *verbs;
};

/* Up to one without a name. */
extern const struct step steps[];

void scene_make(struct scene *s);
void scene_end(struct scene *s);

#endif
