/* SPDX-License-Identifier: Apache-2.0 */

/* Whether a NodeTwin is fresh (docs/rules/reconcile.md#freshness). */

#include "kinds/freshness.h"

#include <string.h>

#include "base/time.h"

int64_t jl_fresh_from_ms(const struct jl_freshness *rule, int64_t now_ms)
{
    const bool is_beating =
        rule->has_heartbeat && now_ms - rule->heartbeat_ms <= rule->staleness_ms;
    const bool is_longer = is_beating && rule->max_age_ms > rule->staleness_ms;
    return now_ms - (is_longer ? rule->max_age_ms : rule->staleness_ms);
}

bool jl_update_is_fresh(int64_t updated_ms, const struct jl_freshness *rule, int64_t now_ms)
{
    return updated_ms >= jl_fresh_from_ms(rule, now_ms);
}

bool jl_twin_is_fresh(const char *last_updated, const struct jl_freshness *rule, int64_t now_ms)
{
    int64_t updated_ms = 0;
    return last_updated != NULL &&
           jl_parse_time(last_updated, strlen(last_updated), &updated_ms) == 0 &&
           jl_update_is_fresh(updated_ms, rule, now_ms);
}
