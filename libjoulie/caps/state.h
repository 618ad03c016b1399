/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* States of a controllable device and what observations make of them
 * (docs/rules/enforcement.md#states).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/words.h"
#include "kinds/node_twin.h"

enum jl_device_state {
    JL_DEVICE_UNKNOWN,
    JL_DEVICE_MONITOR,
    JL_DEVICE_IDLE,
    JL_DEVICE_APPLYING,
    JL_DEVICE_CAPPED,
    JL_DEVICE_DRIFTED,
    JL_DEVICE_CONTESTED,
    JL_DEVICE_RESTORING,
    JL_DEVICE_FAILED,
    JL_DEVICE_WORD_UNKNOWN, /* the word of JL_DEVICE_UNKNOWN in a document */
};

/* Closed set of words, before a colon in messages. */
enum jl_cap_reason {
    JL_CAP_REASON_NONE,
    JL_CAP_REASON_LOCKED,
    JL_CAP_REASON_REFUSED,
    JL_CAP_REASON_NOT_ENFORCED,
    JL_CAP_REASON_INEFFECTIVE,
    JL_CAP_REASON_LIMITED_BY_OTHER,
    JL_CAP_REASON_RAMPING,
    JL_CAP_REASON_DRIFTED,
    JL_CAP_REASON_CONTESTED,
    JL_CAP_REASON_NO_BACKEND,
    JL_CAP_REASON_NO_PERMISSION,
    JL_CAP_REASON_MASKED,
    JL_CAP_REASON_MODEL_UNKNOWN,
    JL_CAP_REASON_DEVICE_LOST,
    JL_CAP_REASON_STUCK,
    JL_CAP_REASON_BELOW_FLOOR,
    JL_CAP_REASON_ABOVE_CEILING,
    JL_CAP_REASON_UNBOUNDED,
};

#define JL_REASSERT_MAX 3
#define JL_REASSERT_WINDOW_MS (INT64_C(10) * 60 * 1000)
#define JL_CONTESTED_MS (INT64_C(10) * 60 * 1000)
#define JL_FAILURES_MAX 3 /* writes that fail before the state does */

extern const struct jl_words jl_device_state_words; /* with the word unknown */
extern const struct jl_words jl_cap_reason_words;   /* NONE has no word */

enum joulie_control_result jl_device_result(enum jl_device_state state);
/* The worse of two: error, blocked, pending, applied, none. */
enum joulie_control_result jl_cap_worse(enum joulie_control_result a, enum joulie_control_result b);
/* The worst of several; none without any. */
enum joulie_control_result jl_cap_worst(const enum joulie_control_result *results, size_t count);

struct jl_drift {
    enum jl_device_state state;
    enum jl_cap_reason reason;
    bool write; /* again what we wrote */
};

/* What a reading of a limit makes of a device in a state; reasserted = times in the last 10 min. */
struct jl_drift jl_cap_drift(enum jl_device_state state, uint64_t written_uw, uint64_t read_uw,
                             uint64_t unit_uw, uint32_t reasserted);

/* Whether the power shows that a cap does not work: judged 30 s after the write, above 50 % load.
 */
struct jl_effect {
    double cap_w;
    double measured_w;
    double load_pct;
    double since_write_s;
};

bool jl_cap_is_ineffective(const struct jl_effect *effect);
/* The power at or below which a cap holds: cap + max(5 W, 5 %). */
double jl_cap_effect_bound_w(double cap_w);

/* The result of a device whose power was measured: at best blocked where the cap does not work. */
enum joulie_control_result jl_cap_effect_result(enum jl_device_state state,
                                                const struct jl_effect *effect);
