/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the files of a remote node share: its parts, and the step that is on its way. */

#include <joulie/node.h>
#include <joulie/remote.h>

#include "agent/endpoints.h"
#include "agent/remote.h"
#include "agent/sample.h"
#include "base/text.h"

enum jd_remote_phase {
    JD_REMOTE_IDLE,
    JD_REMOTE_TRYING, /* a source that is to take over */
    JD_REMOTE_READING,
    JD_REMOTE_WRITING,
    JD_REMOTE_CHECKING
};

/* What a request is for. */
enum jd_ask { JD_ASK_NOTHING, JD_ASK_CPU, JD_ASK_GPU, JD_ASK_THROTTLE };

struct jd_remote_part { /* all CPUs, or every GPU */
    const char *word;   /* cpu, gpu */
    enum joulie_node_kind kind;
    const struct joulie_remote_endpoint *endpoint;
    struct jd_watts max;   /* of the hardware */
    struct jd_watts limit; /* as it was read last */
    bool is_known;         /* the limit was read once, so that it is known what was there before */
    bool is_inherited;     /* an agent before this one says that it put a cap there */
    bool has_original;
    double original_w; /* limit before our first cap */
    unsigned unseen;   /* writes in a row that were taken and are not seen */
    /* of this step */
    bool is_written;
    bool is_restore;
    bool is_new; /* the original was noted for this write */
    double target_w;
    enum joulie_node_outcome outcome;
    bool is_pending; /* as the backend says */
    char *message;   /* of the backend */
};

struct jd_throttle { /* of a backend that lowers frequencies */
    bool is_ours;    /* not 0 by us */
    double pct;      /* in force */
    bool is_used;    /* in this step */
    bool has_failed; /* in this step */
    double wanted_pct;
    double cap_w; /* that it is to keep */
    struct joulie_throttle *controller;
};

struct jd_remote {
    const struct jd_agent_shared *shared;
    char *name;
    struct jd_endpoints endpoints; /* in use */
    struct jd_endpoints wanted;    /* with is_rewired: what takes over, part by part */
    bool is_wired;
    bool is_rewired;
    bool has_moved;
    bool is_moving;      /* this step gives back what the old control holds */
    unsigned move_count; /* such steps in a row */
    bool is_stuck;       /* as it was logged */
    const char *logged_try;
    struct joulie_node *node;
    struct jd_remote_part cpu;
    struct jd_remote_part gpu;
    struct jd_throttle throttle;
    struct jd_watts twin_pct; /* percent that is asked for and no watts */
    struct json_object *report;
    const char *logged_problem;
    bool has_logged_failure; /* a step */
    /* of the step on its way */
    enum jd_remote_phase phase;
    int64_t now_ms;
    struct jd_sample sample;
    size_t write_count;
    size_t write_index;
    enum jd_ask asked;
    bool has_failed;   /* the library could not step */
    unsigned restored; /* limits that were given back */
    bool has_written;  /* a request was taken */
    bool is_checked;   /* the sample was read after the writes */
    bool is_late;
    bool is_short;
    bool is_concluding; /* the writes are made: only the throttle is left */
    struct jd_transfer *transfer;
    struct jd_timer deadline;
    void (*done)(void *user, bool is_good);
    void *done_user;
};

/* remote_wiring.c */
int jd_remote_wire(void *remote, const char *facts, struct joulie_error *err);
bool jd_remote_is_moving(const void *remote);
bool jd_remote_has_moved(void *remote);
/* A source that has still to answer; NULL = none. */
const struct joulie_remote_endpoint *jd_remote_new_source(const struct jd_remote *remote);
/* What it answered: true = it takes over. */
bool jd_remote_try(struct jd_remote *remote, const struct jd_reply *reply);
/* After a step that should have given back. */
void jd_remote_end_move(struct jd_remote *remote);

/* remote_facts.c */
int jd_remote_take_hardware(void *remote, const char *text, size_t len, struct joulie_error *err);
int jd_remote_take_twin(void *remote, const char *text, size_t len, struct joulie_error *err);
char *jd_remote_hardware(void *remote, const char *facts, int64_t now_ms);
void jd_remote_log_sample(struct jd_remote *remote, const struct jd_sample *sample);

/* A part as the library reads it: with what was there before us, and its limit if it counts. */
struct joulie_node_reading jd_remote_reading(const struct jd_remote_part *part, bool has_limit);

/* remote_write.c */
void jd_remote_decide(struct jd_remote *remote);
/* true = there is a request to be made: jd_remote_put_request(). */
bool jd_remote_next_request(struct jd_remote *remote);
void jd_remote_put_request(const struct jd_remote *remote, struct jl_buffer *out);
void jd_remote_take_reply(struct jd_remote *remote, const struct jd_reply *reply);

/* remote_report.c */
void jd_remote_conclude(struct jd_remote *remote);
