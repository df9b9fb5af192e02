/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CONTRACT_FAULT_H
#define TESTS_CONTRACT_FAULT_H

#include "steps.h"

/**
 * struct fault - something in the kernel that can be made to fail, one time
 * @what: a phrase
 * @is_its: is this what a command answers then?
 * @stage: the stage that has failed by the refusal, of enum kverbs_stage; negative: not known
 * @keeps: a request that is refused may stay in use until its QP is reset
 * @most: how often it is tried at the most
 * @arm: from now on the nth is to fail; called right before the message goes out
 * @disarm: nothing fails any more. Was there an nth?
 */
struct fault {
	const char *what;
	bool (*is_its)(int error);
	int stage;
	bool keeps;
	unsigned int most;
	void (*arm)(unsigned int n);
	bool (*disarm)(void);
};

/**
 * struct fault_tally - what came of a step
 * @hits: how often it was made to fail
 * @failures: so often the command failed
 * @good: each of these said so, left all as it was, and worked when it was given again
 * @all: the last try got through untouched
 */
struct fault_tally {
	unsigned int hits;
	unsigned int failures;
	bool good;
	bool all;
};

/* The 1st fails, the 2nd, ... until the command gets through untouched. */
struct fault_tally fault_try(struct scene *s, const struct step *step,
			     const struct fault *fault);
/* Were all commands tried that the module has? */
void fault_check_commands(void);

#endif
