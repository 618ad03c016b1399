/* SPDX-License-Identifier: Apache-2.0 */

/* Bounds of a write: floor, the zone's own maximum, a ramp downwards, the range of a policy.
 * Called by joulie-capd for each value that a client asks for. */

#include "enforce/bounds.h"

#include <string.h>

#include "base/text.h"
#include "caps/ramp.h"

#define UW_PER_W 1e6
/* A client that ramps by its own clock is not slowed down because its packet came a bit earlier. */
#define SLACK_MS 500

static struct jl_bounds_step *step_of(struct jl_bounds *bounds, const char *key)
{
    for (size_t i = 0; i < bounds->count; i++) {
        if (jl_same(bounds->steps[i].key, key))
            return &bounds->steps[i];
    }
    struct jl_bounds_step *step = &bounds->steps[bounds->count];
    if (bounds->count == JL_COUNT(bounds->steps) || strlen(key) >= sizeof step->key)
        return NULL;
    memcpy(step->key, key, strlen(key) + 1);
    step->since_ms = INT64_MIN / 2;
    bounds->count++;
    return step;
}

/* As low as one step below where this interval began; without room for that it stays. */
static uint64_t lowered(struct jl_bounds *bounds, const struct jl_control_file *file,
                        double reference_w, uint64_t value, int64_t monotonic_ms)
{
    struct jl_bounds_step *step = step_of(bounds, file->key);
    if (step == NULL)
        return file->now.value;
    if (monotonic_ms - step->since_ms >= JL_RAMP_STEP_MS - SLACK_MS) {
        step->from = file->now.value;
        step->since_ms = monotonic_ms;
    }
    const double next_w =
        joulie_caps_next_w(reference_w, (double)step->from / UW_PER_W, (double)value / UW_PER_W);
    const uint64_t next = (uint64_t)(next_w * UW_PER_W) / file->unit * file->unit;
    const uint64_t lowest = next > value ? next : value;
    return lowest < file->now.value ? lowest : file->now.value;
}

static uint64_t within(uint64_t value, uint64_t least, uint64_t most)
{
    return value < least ? least : value < most ? value : most;
}

static bool keep_limit(struct jl_bounds *bounds, const struct jl_control_file *file, uint64_t first,
                       int64_t monotonic_ms, uint64_t *value)
{
    const double reference_w = jl_cap_ceiling_w(
        jl_cap_reference_w(file->zone_max.code == 0, file->zone_max.value, true, first));
    const double floor_w = reference_w * bounds->floor_pct / 100;
    *value = within(*value, (uint64_t)(floor_w * UW_PER_W) / file->unit * file->unit,
                    (uint64_t)(reference_w * UW_PER_W));
    if (bounds->ramps && *value < file->now.value)
        *value = lowered(bounds, file, reference_w, *value, monotonic_ms);
    return reference_w > 0;
}

bool jl_bounds_keep(struct jl_bounds *bounds, const struct jl_control_file *file, bool has_first,
                    uint64_t first, int64_t monotonic_ms, uint64_t *value)
{
    if (jl_is_limit_kind(file->kind))
        return keep_limit(bounds, file, has_first ? first : file->now.value, monotonic_ms, value);
    *value = within(*value, file->range.min_khz, file->range.max_khz);
    return true;
}
