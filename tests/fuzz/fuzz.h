/* SPDX-License-Identifier: MIT */
/*
 * A fuzzer of a generic netlink family. It learns the messages from
 * the kernel (CTRL_CMD_GETFAMILY, CTRL_CMD_GETPOLICY); valid sessions to begin with
 * are in seed.c. A sequence of messages is kept as trees of attributes whose ids,
 * keys and addresses are found when it is sent, so that it makes sense each time.
 *
 * The same seed of the random numbers makes the same decisions; what the kernel
 * does meanwhile (CPUs, completions) is not ours to repeat.
 */
#ifndef _FUZZ_H
#define _FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define POLICIES 96
#define CLASSES 16
#define ATTRS 64
#define COMMANDS 256
#define NODES 56
#define MESSAGES 72
#define SOCKETS 4
/* The one that lives in a network namespace of its own. */
#define FOREIGN (SOCKETS - 1)

/**
 * struct attr_policy - what the kernel takes for an attribute
 * @type: enum netlink_attribute_type, 0 if it takes none
 * @nest: policy of what is in it, -1 if there is none
 * @min: least value of a number
 * @max: greatest value, inclusive
 * @mask: bits that may be set, 0 if there is no mask
 * @min_len: bytes
 * @max_len: bytes, 0 if nothing is said
 */
struct attr_policy {
	uint8_t type;
	int nest;
	uint64_t min;
	uint64_t max;
	uint64_t mask;
	uint32_t min_len;
	uint32_t max_len;
};

/**
 * struct family - what the kernel tells of the family
 * @id: its message type
 * @commands: how many it has
 * @command: their numbers
 * @policy_of: policy of each number, -1 if there is none
 * @class_of: class of each policy, 0 of those of nests
 * @policy: the policies
 */
struct family {
	uint16_t id;
	unsigned int commands;
	uint8_t command[COMMANDS];
	int policy_of[COMMANDS];
	uint8_t class_of[POLICIES];
	struct attr_policy policy[POLICIES][ATTRS];
};

/**
 * enum kind - where the payload of an attribute comes from
 * @KIND_NEST: from the nodes that follow and are deeper
 * @KIND_U32: value
 * @KIND_U64: value
 * @KIND_BYTES: random, value is their seed, len their number
 * @KIND_ID: id of an object of class a, the b-th youngest of the same socket
 * @KIND_ID_ANY: ditto, of whatever socket
 * @KIND_SEEN: number of attribute b that replies of class a had, the value-th
 *	youngest; of len bytes
 * @KIND_DEV: name of the device
 * @KIND_GID: a GID of the device, value says which
 * @KIND_ADDR: a socket address, value says which; its port is that of the last
 *	listener that replies had if a is 1
 * @KIND_DEEP: value nests in each other
 */
enum kind {
	KIND_NEST,
	KIND_U32,
	KIND_U64,
	KIND_BYTES,
	KIND_ID,
	KIND_ID_ANY,
	KIND_SEEN,
	KIND_DEV,
	KIND_GID,
	KIND_ADDR,
	KIND_DEEP,
};

/**
 * struct node - an attribute
 * @type: nla_type, with its flags
 * @len: bytes of the payload, of the kinds that can't know
 * @lie: added to nla_len
 * @kind: enum kind
 * @depth: 0 at the top level
 * @policy: that the kernel holds it against, -1 if it is unknown
 * @a: see enum kind
 * @b: ditto
 * @value: ditto
 */
struct node {
	uint16_t type;
	uint16_t len;
	int16_t lie;
	uint8_t kind;
	uint8_t depth;
	int8_t policy;
	uint8_t a;
	uint8_t b;
	uint64_t value;
};

/* The treatment of a message, beside its sending. */
#define ACT_RETRY (1U << 0)	/* again and again until it is not refused, for some ms */
#define ACT_JOIN (1U << 1)	/* not alone: in one buffer with the next */
#define ACT_DEAF (1U << 2)	/* replies are left where they are */
#define ACT_CLOSE (1U << 3)	/* the socket is closed after it */

/**
 * struct message - a command
 * @socket: 0 .. SOCKETS - 1
 * @command: of the family
 * @version: of the family, in the header
 * @act: ACT_*
 * @flags: NLM_F_*, NLM_F_REQUEST too
 * @reserved: of the header, 0 in a valid one
 * @lie: added to nlmsg_len
 * @trailing: bytes after the attributes
 * @nodes: attributes
 * @node: the attributes, in the order of a walk
 */
struct message {
	uint8_t socket;
	uint8_t command;
	uint8_t version;
	uint8_t act;
	uint16_t flags;
	uint16_t reserved;
	int32_t lie;
	uint16_t trailing;
	uint16_t nodes;
	struct node node[NODES];
};

/**
 * struct sequence - a session
 * @messages: how many
 * @message: the messages, in order
 */
struct sequence {
	unsigned int messages;
	struct message message[MESSAGES];
};

/**
 * struct place - what a session needs to know of the guest
 * @dev: the RDMA device
 * @addr: IPv4 address of its netdev, dotted
 * @addr6: IPv6 address
 * @gid: index of the IPv4 GID
 * @iwarp: the device is iWARP's
 */
struct place {
	const char *dev;
	const char *addr;
	const char *addr6;
	unsigned int gid;
	bool iwarp;
};

extern struct family family;
extern struct place place;

/* random.c */
void random_seed(uint64_t seed);
uint64_t random_u64(void);
uint32_t random_below(uint32_t limit);
bool one_in(uint32_t n);

/* policy.c */
int policy_read(const char *name);
const struct attr_policy *policy_attr(int policy, unsigned int type);
unsigned int policy_class(uint8_t command);

/* model.c */
void model_reply(unsigned int socket, uint8_t command, const void *attrs, int len);
uint32_t model_id(unsigned int socket, unsigned int class, unsigned int nth);
uint64_t model_seen(unsigned int class, unsigned int attr, unsigned int nth);
bool model_any(unsigned int bytes, uint64_t *value);
unsigned int model_addr(const struct node *node, void *to);
void model_gid(const struct node *node, uint8_t *to);

/* encode.c */
size_t encode(const struct message *m, uint32_t seq, uint8_t *to, size_t room);

/* seed.c */
unsigned int seed_count(void);
void seed_make(unsigned int which, struct sequence *s);

/* value.c */
void value_pick(struct node *node);

/* mutate.c */
void mutate_message(struct message *m);
void mutate_sequence(struct sequence *s, const struct sequence *other);

/* session.c */
int session_open(void);
bool session_send(const struct message *m);
void session_end(bool flush);
int session_balance(void);
int session_print(bool plain);
extern uint64_t sent;
extern bool session_talks;

/* kcov.c */
bool kcov_open(unsigned int job);
void kcov_start(void);
unsigned int kcov_take(void);
unsigned int kcov_points(void);
int kcov_save(const char *path);

/* corpus.c */
void corpus_add(const struct sequence *s, unsigned int messages, const struct message *last);
unsigned int corpus_size(void);
void corpus_pick(struct sequence *s);

#endif
