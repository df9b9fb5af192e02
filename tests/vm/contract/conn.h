/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CONTRACT_CONN_H
#define TESTS_CONTRACT_CONN_H

#include <netinet/in.h>
#include "contract.h"

/**
 * struct duo - a connection of the RDMA CM, both ends ours
 * @listener: the conn that had the request
 * @active: the conn that asked
 * @passive: the conn that was asked
 * @port: of @listener
 * @a: the end that @active connects
 * @p: the end that @passive connects
 */
struct duo {
	uint32_t listener;
	uint32_t active;
	uint32_t passive;
	uint16_t port;
	struct end a;
	struct end p;
};

/* Our own address of a family. */
struct sockaddr_storage conn_addr(int family, uint16_t port);
uint16_t conn_port(const struct sockaddr_storage *addr);

/* A dummy netdev reaches everybody, until it is told to ask. */
bool conn_arp(void);
void conn_noarp(bool off);

uint32_t conn_new(struct link *l);
int conn_del(struct link *l, uint32_t id);
struct kv_conn conn_get(struct link *l, uint32_t id);
/* Waits up to 20 s. */
bool conn_is(struct link *l, uint32_t id, uint32_t state, struct kv_conn *conn);
void conn_must_be(struct link *l, uint32_t id, uint32_t state);
bool conn_waits(struct link *l, uint32_t listener, uint32_t requests);
struct kv_conn_param conn_param(uint32_t qp);

uint32_t conn_listener(struct link *l, int family, uint32_t backlog, uint16_t *port);
uint32_t conn_routed(struct link *l, int family, uint16_t port);
uint32_t conn_taken(struct link *l, uint32_t listener);

/* Up to these states of both; passive 0: nobody has taken the request. */
void duo_make(struct link *l, struct duo *d, int family, uint32_t active, uint32_t passive);
/* The CONNs; their QPs stay. */
void duo_del(struct link *l, const struct duo *d);

#endif
