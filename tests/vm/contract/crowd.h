/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CONTRACT_CROWD_H
#define TESTS_CONTRACT_CROWD_H

#include "contract.h"

/*
 * For tests with more runs than CPUs. The threads of the runs poll all the time. They inherit the niceness of
 * the test, but not its scheduling class, so between these two the test and each thread that does not poll run
 * before them.
 */
void crowd_begin(void);
void crowd_end(void);

/* A device that nobody else needs: all later objects of the test are on it. */
void crowd_enter_device(void);
/* Deletes it. Return: how many seconds that took. */
double crowd_delete_device(void);
void crowd_leave_device(void);

#endif
