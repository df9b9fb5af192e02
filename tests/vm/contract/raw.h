/* SPDX-License-Identifier: MIT */
#ifndef TESTS_RAW_H
#define TESTS_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Netlink without the tool's library: sockets of any owner, messages byte by byte. */

#define OPS_MAX 255

/**
 * struct family - what the kernel says that the module takes
 * @id: generic netlink id
 * @group: the multicast group of events
 * @flags: GENL_* of each command; 0: there is none
 */
struct family {
	uint16_t id;
	uint32_t group;
	uint32_t flags[OPS_MAX + 1];
};

void family_learn(struct family *f);

int raw_open(void);
/*
 * One request with these attributes; @addressed: by sendto(), to the kernel's address, as libnl
 * does; else by send(). The first answer's error; 1 if that is data.
 * A dump's end without data is 0.
 */
int raw_ask(int fd, const struct family *f, unsigned int cmd, bool dump,
	    bool addressed, const void *attrs, size_t length);
/* Of NETLINK_ADD_MEMBERSHIP; 0 or a negative errno. */
int raw_join(int fd, uint32_t group);

#endif
