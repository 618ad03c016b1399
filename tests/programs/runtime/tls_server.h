/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* tls_peer.py on a port of 127.0.0.1, with its certificates in a directory of its own. */

#include <sys/types.h>

struct tls_server {
    char directory[64]; /* ca.crt other-ca.crt client.crt client.key next-client.crt … */
    pid_t pid;
    int port;
};

void tls_server_open(struct tls_server *server);
void tls_server_close(struct tls_server *server);
char *tls_server_read(const struct tls_server *server, const char *name); /* to be freed */
