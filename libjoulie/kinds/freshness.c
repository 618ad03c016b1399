/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds/freshness.h"

#include <string.h>

#include "base/time.h"

bool jl_update_is_fresh(int64_t updated_ms, const struct jl_freshness *rule, int64_t now_ms)
{
    const int64_t age_ms = now_ms - updated_ms;
    if (age_ms <= rule->staleness_ms)
        return true;
    return rule->has_heartbeat && now_ms - rule->heartbeat_ms <= rule->staleness_ms &&
           age_ms <= rule->max_age_ms;
}

bool jl_twin_is_fresh(const char *last_updated, const struct jl_freshness *rule, int64_t now_ms)
{
    int64_t updated_ms = 0;
    return last_updated != NULL &&
           jl_parse_time(last_updated, strlen(last_updated), &updated_ms) == 0 &&
           jl_update_is_fresh(updated_ms, rule, now_ms);
}
