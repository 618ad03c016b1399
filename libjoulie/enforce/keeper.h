/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One machine kept for clients: what is done for a packet, within bounds and behind the journal,
 * and giving back (docs/rules/enforcement.md#capd). No socket and no clock is here: joulie-capd
 * receives, waits and sends.
 */

#include <joulie/error.h>

#include "enforce/bounds.h"
#include "enforce/journal_file.h"
#include "enforce/wire.h"

struct jl_keeper {
    struct jl_root root;
    int state_fd;
    const char *state_name; /* in messages; borrowed */
    const char *boot_id;
    struct jl_arena texts;
    struct jl_bounds bounds;
    bool may_enable; /* limits that are switched off may be switched on */
    /* A control that went back for nobody; NULL = nobody is told. */
    void (*gave)(const char *key, uint64_t value);

    struct jl_journal_file *journal; /* NULL = not ours */
    int32_t holder_pid;              /* whom the lock names; 0 = this process */
    struct jl_os_file lock;          /* when it was released */
    bool has_lock;
    bool is_taken_over; /* another process took the lock since then */
    bool has_client;    /* it said hello, and its writes are taken */
    bool leaves;        /* what it wrote stays when it is gone */
    char owner[JL_WIRE_OWNER_BYTES];
    struct jl_arena memory;      /* of one answer or attempt */
    struct jl_control_file file; /* at hand while giving back */
};

struct jl_keeper_time {
    int64_t wall_ms;
    int64_t monotonic_ms;
};

struct jl_keeper_answer {
    size_t bytes; /* of the reply; 0 = there is none */
    int fd;       /* that goes with it, to be closed afterwards; -1 = none */
    bool ends;    /* the connection ends with it */
};

/* Nothing open, no bounds; the rest is the caller's to fill in. */
struct jl_keeper jl_keeper_new(void);
/* Opens the machine and the state folder (NULL = below the root), which joulie-rescue --prepare
 * made. 0 or JOULIE_E_IO. */
int jl_keeper_open(struct jl_keeper *keeper, const char *root, const char *state_dir,
                   struct joulie_error *err);
void jl_keeper_close(struct jl_keeper *keeper);

/* Any bytes at all: a packet of len bytes, of which at most sizeof *request are there. */
struct jl_keeper_answer jl_keeper_answer(struct jl_keeper *keeper,
                                         const struct jl_wire_request *request, size_t len,
                                         struct jl_keeper_time now, struct jl_wire_reply *reply);
/* The reply that ends a connection. */
struct jl_keeper_answer jl_keeper_refuse(uint32_t kind, const struct joulie_error *err,
                                         struct jl_wire_reply *reply);

/* Takes the journal's lock and reads it, if that was not done: 0 or the code of
 * jl_journal_open_own(). */
int jl_keeper_claim(struct jl_keeper *keeper, struct joulie_error *err);
void jl_keeper_release(struct jl_keeper *keeper);
/* The same for what is to be given back: JOULIE_E_CONFLICT also, with is_taken_over, when another
 * process took the lock since it was released, and has what is open; JOULIE_E_IO when one with
 * another state folder holds the machine. err is not NULL. */
int jl_keeper_reclaim(struct jl_keeper *keeper, struct joulie_error *err);
/* What a client that is gone wrote, or an earlier process; with keeps_local what a person set
 * stays. How many controls are not back; err is about the journal. */
size_t jl_keeper_give_back(struct jl_keeper *keeper, bool keeps_local, int64_t wall_ms,
                           struct joulie_error *err);
