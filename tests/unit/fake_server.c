// SPDX-License-Identifier: MIT
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "fake_server.h"

/* A TCP connection to ourselves, both ends nonblocking. */
void fake_pair(int fd[2])
{
	static int listener = -1;
	static struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);

	if (listener < 0) {
		listener = socket(AF_INET, SOCK_STREAM, 0);
		at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		if (bind(listener, (struct sockaddr *)&at, len) ||
		    listen(listener, 1) ||
		    getsockname(listener, (struct sockaddr *)&at, &len))
			abort();
	}
	fd[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(fd[0], (struct sockaddr *)&at, len)) {
		perror("connect");
		abort();
	}
	fd[1] = accept(listener, NULL, NULL);
	fcntl(fd[0], F_SETFL, O_NONBLOCK);
	fcntl(fd[1], F_SETFL, O_NONBLOCK);
}

void fake_serve_init(struct kv_serve *s)
{
	memset(s, 0, sizeof(*s));
	s->clients = 1;
	s->space[KV_SPACE_KERNEL] = true;
	s->space[KV_SPACE_USER] = true;
	s->limits = (struct kv_limits){
		.objects = 40,
		.bytes = 1 << 20,
		.time_ns = 3600000000000ULL,
		.idle_ns = 60000000000ULL,
	};
}
