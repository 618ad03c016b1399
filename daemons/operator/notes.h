/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What was reported about each node, so that it is reported once and not in each step. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <joulie/remote.h>
#include <joulie/words.h>

#include "base/map.h"

/* Kinds of a write to a node: which are reported apart. */
enum jd_write {
    JD_WRITE_SPEC,
    JD_WRITE_STATUS,
    JD_WRITE_LABEL,
    JD_WRITE_POWER, /* of a Node: that it is switched off or woken */
    JD_WRITE_DELETE,
    JD_WRITES
};

/* Where the power of a node is read by TelemetryProfiles. */
struct jd_wire {
    char *url; /* NULL = nowhere */
    enum joulie_remote_type type;
    int64_t timeout_ms;
};

struct jd_note {
    struct jd_wire wires[2]; /* as it is wired; the source before, while the new one is silent */
    bool is_wire_good;       /* the first has answered */
    bool is_new_source_bad;  /* as it was logged */
    char *node_name;
    int64_t sampled_ms;                    /* policy time of its last good sample; 0 = none */
    bool is_power_bad;                     /* the last read failed and was reported */
    int write_code[JD_WRITES];             /* HTTP code of a failure that was reported; 0 = none */
    uint64_t would_write[JD_WRITES];       /* --dry-run: hash of what was reported; 0 = nothing */
    uint64_t round;                        /* of reads, when it was last read */
    enum joulie_power_action power_advice; /* without a command: what was reported */
};

struct jd_notes {
    struct jl_index index; /* node name -> struct jd_note * */
};

struct jd_note *jd_note_of(struct jd_notes *notes, const char *node_name); /* NULL = no memory */
/* NULL = nothing was reported of it. */
struct jd_note *jd_note_find(const struct jd_notes *notes, const char *node_name);
/* It is to be read there; false = memory ran out, and what was stays. */
bool jd_note_wire(struct jd_note *note, const char *url, enum joulie_remote_type type,
                  int64_t timeout_ms);
void jd_note_wired(struct jd_note *note);  /* that has answered: the source before is forgotten */
void jd_note_unwire(struct jd_note *note); /* it is read nowhere */
void jd_free_endpoint(struct joulie_remote_endpoint *endpoint);
void jd_notes_forget(struct jd_notes *notes, const char *node_name);
void jd_notes_clear(struct jd_notes *notes);
/* The oldest last sample of the nodes that this round read; 0 = none. */
int64_t jd_notes_oldest_sample(const struct jd_notes *notes, uint64_t round);
