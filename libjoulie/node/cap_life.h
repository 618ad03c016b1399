/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The life of one control under a cap (docs/rules/enforcement.md#states): what to write next, and
 * what a write and the readings after it make of the state. Pure; values are in the control's own
 * unit (µW, kHz).
 */

#include "base/arena.h"
#include "caps/state.h"

enum jl_goal {
    JL_GOAL_NONE,    /* not ours, and nothing is asked for */
    JL_GOAL_CAP,     /* the spec asks for a value */
    JL_GOAL_RESTORE, /* what was found is to be given back */
};

enum jl_wrote {
    JL_WROTE_VERIFIED,  /* reads back as it should */
    JL_WROTE_DISAGREES, /* accepted, and something else reads back */
    JL_WROTE_LOCKED,    /* refused, and the limit is switched off: locked by the firmware */
    JL_WROTE_REFUSED,   /* refused */
    JL_WROTE_DENIED,    /* no permission, or a read-only tree */
    JL_WROTE_LOST,      /* the device is gone */
    JL_WROTE_FAILED,    /* anything else, a journal that takes nothing included */
    JL_WROTE_REVERTED,  /* worked, and went back because another part of the node failed */
    JL_WROTE_UNBOUNDED, /* not tried: nobody knows how much it may be */
};

struct jl_cap_life {
    enum jl_device_state state;
    enum jl_cap_reason reason;
    bool has_written;
    uint64_t requested; /* what we wrote last */
    uint64_t written;   /* what read back then */
    uint32_t reasserts; /* in the last 10 min */
    int64_t reassert_ms[JL_REASSERT_MAX];
    uint32_t failures;     /* in a row */
    uint32_t probes;       /* pauses since it last worked */
    int64_t not_before_ms; /* no try before this time: a pause, a ramp's next step, contested */
    int64_t since_ms;      /* of the last write that worked, or when it was found as wanted */
};

struct jl_cap_life_view {
    enum jl_goal goal;
    uint64_t target;
    bool has_value;
    uint64_t value;  /* that reads now */
    uint64_t unit;   /* smallest step; readings closer than it are equal */
    bool is_request; /* cpufreq: others may lower the effective value, ours may be raised all the
                        same */
    bool ramps;
    double reference_w; /* of the ramp */
    int64_t now_ms;     /* monotonic */
};

/* Whether something is to be written now, and what. */
bool jl_cap_life_next(struct jl_cap_life *life, const struct jl_cap_life_view *view,
                      uint64_t *out_value);

void jl_cap_life_wrote(struct jl_cap_life *life, const struct jl_cap_life_view *view,
                       enum jl_wrote wrote, uint64_t value, uint64_t read_back);

/* Waiting for better times: a group of controls that must change together waits with it. */
bool jl_cap_life_is_waiting(const struct jl_cap_life *life, int64_t now_ms);

/* ---- limiter ---- */

/* Which limit holds a package back at this moment (docs/rules/node-agent.md#limiter). The higher
 * wins when packages differ. */
enum jl_limiter {
    JL_LIMITER_UNKNOWN,
    JL_LIMITER_NONE,
    JL_LIMITER_MSR,
    JL_LIMITER_THERMAL,
    JL_LIMITER_MMIO,
    JL_LIMITER_OUT_OF_BAND,
    JL_LIMITER_FIRMWARE,
};

extern const struct jl_words jl_limiter_words;

struct jl_limiter_view {
    enum jl_cap_reason reason;
    bool is_off;    /* `enabled` reads 0 */
    double limit_w; /* that reads back */
    bool has_other; /* a second pair of limits, of MMIO */
    double other_w;
    bool has_watts;
    double watts;
    bool is_hot; /* thermal throttling was counted since the reading before */
};

enum jl_limiter jl_limiter(const struct jl_limiter_view *view);

/* ---- reasons as messages of a report ---- */

/* "[reason: ][name: ]sentence" in the arena; NULL = memory ran out. */
const char *jl_reason_text(struct jl_arena *arena, const char *name, enum jl_cap_reason reason);
