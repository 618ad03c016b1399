/* SPDX-License-Identifier: Apache-2.0 */

/*
 * How much one sample weighs, and for how many days samples speak
 * (docs/rules/autoscaling-statistics.md#confidence). The engine asks before it trusts a
 * percentile.
 */

#include "autoscale/confidence.h"

#define SHORTEST_S 1.0
#define LONGEST_S 300.0
#define S_PER_MINUTE 60.0
#define MINUTES_PER_DAY 1440.0
#define NS_PER_S 1e9
#define NS_PER_DAY 86400e9

double jl_sample_minutes(int64_t since_ns)
{
    const double since_s = (double)since_ns / NS_PER_S;
    if (since_s <= SHORTEST_S)
        return SHORTEST_S / S_PER_MINUTE;
    return (since_s < LONGEST_S ? since_s : LONGEST_S) / S_PER_MINUTE;
}

void jl_confidence_add(struct jl_confidence *confidence, double minutes, int64_t at_ns)
{
    if (!confidence->has_any || at_ns < confidence->first_ns)
        confidence->first_ns = at_ns;
    if (!confidence->has_any || at_ns > confidence->last_ns)
        confidence->last_ns = at_ns;
    confidence->has_any = true;
    confidence->minutes += minutes;
}

double jl_confidence_days(const struct jl_confidence *confidence)
{
    const uint64_t span_ns = (uint64_t)confidence->last_ns - (uint64_t)confidence->first_ns;
    const double span_days = (double)span_ns / NS_PER_DAY;
    const double covered_days = confidence->minutes / MINUTES_PER_DAY;
    return span_days < covered_days ? span_days : covered_days;
}
