/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One step of a node's agent, the part that decides (docs/rules/node-agent.md): the
 * spec and what the node is made of → which limits to write, in which order; then what was read
 * back → the report. Pure: time is an argument, somebody else writes and reads.
 */

#include <joulie/node.h>

#include "base/stamp.h"
#include "caps/caps.h"
#include "catalog/hardware.h"
#include "kinds/node_twin.h"

#define JL_SPEC_READ_TIMEOUT_MS (INT64_C(5) * 60 * 1000) /* default of SPEC_READ_TIMEOUT */

enum jl_node_mode {
    JL_NODE_ENFORCE,
    JL_NODE_OBSERVE, /* SIMULATE_ONLY: nothing is written, nothing is claimed */
};

struct jl_node_config {
    enum jl_node_mode mode;
    double floor_pct; /* CAP_FLOOR_PCT */
    int64_t spec_read_timeout_ms;
    struct jl_freshness freshness; /* with the operator's last heartbeat */
    const char *cpu_backend;       /* rapl, dvfs, hsmp */
    const char *gpu_backend;       /* host-nvidia, host-amd, host-intel, http */
};

void jl_node_defaults(struct jl_node_config *config);

/* One thing that has a limit: a package, a GPU, or what a remote backend takes as one. Watts are
 * those of the part. */
struct jl_part {
    enum joulie_node_kind kind;
    int64_t index;               /* packages: number */
    const char *id;              /* GPUs: UUID or PCI address; remote: "remote" */
    struct jl_cap_limits limits; /* of one package or GPU; 0 = unknown */
    double packages;             /* that the part's watts are of; 0 reads as 1 */
    bool is_controllable;
    bool has_current;
    double current_w;  /* limit that reads back now */
    bool is_ours;      /* the journal says that we changed it */
    double original_w; /* what it was before; with is_ours */
};

/* A remote CPU backend takes the watts of the node: per package times sockets. */
struct jl_part jl_node_remote_cpu(const struct jl_hardware *hardware);
/* A remote GPU backend takes the watts of one GPU and gives them to each. */
struct jl_part jl_node_remote_gpu(const struct jl_hardware *hardware);

/* What is seen of all CPUs together. */
struct jl_node_observed {
    bool has_watts;
    double watts;
    bool has_throttle;
    double throttle_pct;
    const char *limiter; /* msr, mmio, firmware, thermal, out-of-band, none; NULL = unknown */
    bool is_baseline_doubted;
};

struct jl_node_input {
    const struct jl_twin_spec *spec; /* NULL = there is no NodeTwin for this node */
    const char *last_updated;        /* of its status */
    bool is_vouched; /* whoever hands it over stands behind it: last_updated is not judged */
    bool is_unread;  /* it could not be read just now: the one before is believed for a while */
    const struct jl_node_observed *cpu; /* NULL = nothing */
    const struct jl_part *parts;
    size_t part_count;
    int64_t now_ms;      /* in the time of the program */
    struct jl_wall wall; /* in which lastUpdated, the heartbeat and the report are */
};

/* What a step hands to the next one. */
struct jl_node_memory {
    bool is_stale; /* since then the spec is too old to be believed */
    int64_t stale_since_ms;
    struct jl_stamp updated; /* of the twin */
    struct jl_stamp heartbeat;
};

enum jl_write {
    JL_WRITE_NOTHING, /* as it should be already, or not ours to change */
    JL_WRITE_CAP,
    JL_WRITE_ORIGINAL, /* gives back what was there before the first write */
};

/* Why there is or is not a cap; the words of reports come from it. */
enum jl_node_reason {
    JL_REASON_CAP, /* the spec asks for one and it can be had */
    JL_REASON_NO_SPEC,
    JL_REASON_STALE_SPEC,
    JL_REASON_OBSERVING,
    JL_REASON_NO_INTENT,
    JL_REASON_BLOCKED,    /* see cap.block */
    JL_REASON_NO_CONTROL, /* the part takes no limits */
};

struct jl_part_want { /* of one part */
    enum jl_write write;
    enum jl_node_reason reason;
    struct jl_cap cap;  /* with JL_REASON_CAP and JL_REASON_BLOCKED */
    double target_w;    /* limit that should read back: of a cap or of the original */
    double tolerance_w; /* readings this close are equal */
};

/*
 * Decides for every part (wants has room for part_count) and fills order with the parts to be
 * written, those that lower a limit first, so that the sum of the limits never passes the larger of
 * before and after. Returns their number.
 */
size_t jl_node_step(const struct jl_node_config *config, const struct jl_node_input *in,
                    struct jl_node_memory *memory, struct jl_part_want *wants, size_t *order);

/* ---- what came of it ---- */

struct jl_part_reading { /* of one part, after the writes */
    enum joulie_node_outcome outcome;
    bool has_limit;
    double limit_w;  /* that reads back */
    bool is_unseen;  /* written, but its effect on power is still to be waited for */
    bool has_result; /* the control's state says more than the limit that reads back */
    enum joulie_control_result result;
    bool has_watts; /* measured power of the part */
    double watts;
    const char *message; /* of the backend; NULL = none */
};

/* applied, pending, blocked, error or none: what a part's reading says about its want. */
enum joulie_control_result jl_node_result(const struct jl_part_want *want,
                                          const struct jl_part_reading *reading);

/*
 * NodeTwin.status.controlStatus with both parts, `observed` included. readings has part_count
 * items. 0, JOULIE_E_NOMEM or JOULIE_E_LIMIT; texts live in the arena.
 */
int jl_node_report(const struct jl_node_config *config, const struct jl_node_input *in,
                   const struct jl_part_want *wants, const struct jl_part_reading *readings,
                   struct jl_arena *arena, struct jl_control_status *out);

/* The same in short; texts live as long as those of the status. */
struct joulie_node_summary jl_node_summary(const struct jl_control_status *status);
