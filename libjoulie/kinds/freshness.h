/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One freshness rule for every reader of a NodeTwin (docs/rules/reconcile.md#freshness). */

#include <stdbool.h>
#include <stdint.h>

#define JL_TWIN_STALENESS_MS (INT64_C(5) * 60 * 1000)
#define JL_TWIN_MAX_AGE_MS (INT64_C(60) * 60 * 1000)

struct jl_freshness {
    int64_t staleness_ms;
    int64_t max_age_ms;
    bool has_heartbeat;
    int64_t heartbeat_ms;
};

/* The earliest update that is fresh; every later one is, also one of the future. */
int64_t jl_fresh_from_ms(const struct jl_freshness *rule, int64_t now_ms);
bool jl_update_is_fresh(int64_t updated_ms, const struct jl_freshness *rule, int64_t now_ms);

/* last_updated is the RFC 3339 text of the twin; NULL or unparsable = stale; a future one is fresh;
 * exactly the threshold is fresh. */
bool jl_twin_is_fresh(const char *last_updated, const struct jl_freshness *rule, int64_t now_ms);
