/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A host whose machine is kept by another process, joulie-capd: each call here is a packet and its
 * reply (wire.h), and what the journal there holds is mirrored. Once a connection failed nothing
 * more goes over it.
 */

#include <joulie/error.h>

#include "caps/journal.h"
#include "enforce/give_back.h"
#include "enforce/keep.h"
#include "enforce/wire.h"

struct jl_packet { /* one way and back */
    const struct jl_wire_request *request;
    size_t request_bytes;
    struct jl_wire_reply *reply; /* room for the largest; NULL = there is none */
    size_t reply_bytes;
    bool takes_fd; /* else one that comes is closed */
    int fd;        /* that came with it; -1 = none */
};

/* 0, or JOULIE_E_IO: the connection is not to be used any more. */
typedef int jl_exchange_fn(void *user, struct jl_packet *packet, struct joulie_error *err);

/* Over a socket, whose number is in user (client_socket.c). */
int jl_exchange_by_socket(void *user, struct jl_packet *packet, struct joulie_error *err);

struct jl_client {
    jl_exchange_fn *exchange; /* NULL = there is no connection now */
    void *exchange_user;
    bool is_lost;
    struct joulie_error fault; /* why it is lost */
    bool has_open;
    struct jl_journal open; /* as it was listed last, and what replies said of it since */
    struct jl_arena open_memory;
    struct jl_wire_terms terms;
    struct jl_wire_request request;
    struct jl_wire_reply reply;
};

void jl_client_connect(struct jl_client *client, jl_exchange_fn *exchange, void *user);
void jl_client_clear(struct jl_client *client);
bool jl_client_is_there(const struct jl_client *client); /* a connection that works */

/* Each: 0, the code of the other end, JOULIE_E_IO where "keeper" when the connection does not work,
 * JOULIE_E_NOMEM. */
int jl_client_hello(struct jl_client *client, const char *owner, struct joulie_error *err);
int jl_client_list(struct jl_client *client, struct joulie_error *err);
int jl_client_beat(struct jl_client *client, struct joulie_error *err);
int jl_client_leave(struct jl_client *client, struct joulie_error *err);
/* The energy counter of a zone; *out_fd is the caller's, also where this fails: -1 = none came. */
int jl_client_energy(struct jl_client *client, const char *zone, int *out_fd,
                     struct joulie_error *err);

/* As jl_keep_write(), whose root and journal are those of the other end; what cannot be asked for
 * failed. */
int jl_client_write(struct jl_client *client, const struct jl_keep *keep,
                    struct jl_keep_item *items, size_t count, bool is_group,
                    struct joulie_error *err);

/* As jl_give_back() of what is open there. */
size_t jl_client_give_back(struct jl_client *client, const struct jl_give_back *how,
                           struct joulie_error *err);
