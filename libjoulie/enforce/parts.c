/* SPDX-License-Identifier: Apache-2.0 */

/* What the pure step is asked over (packages with their limits and what is in force), and what the
 * other files ask about its answer. */

#include "base/number.h"
#include "caps/ramp.h"
#include "enforce/host.h"

#define UW_PER_W 1e6

/* What a zone can take at most; the limit of the journal, not our own cap, when there is one. */
double jl_control_reference_w(const struct jl_control *control)
{
    return jl_cap_ceiling_w(jl_cap_reference_w(control->file.max.code == 0, control->file.max.value,
                                               control->has_found, control->found));
}

/* A limit that reads 0 is none that works. */
static bool can_be_limited(const struct jl_control *control)
{
    return control->file.now.code == 0 ? control->file.now.value > 0 : control->has_found;
}

bool jl_host_is_locked(const struct joulie_host *host)
{
    const struct jl_control *control = NULL;
    while ((control = jl_control_next(host, JL_CONTROL_LONG, JL_NOWHERE, control)) != NULL) {
        if (control->life.state == JL_DEVICE_MONITOR)
            return true;
    }
    return false;
}

/* The packages are one group: where the firmware locked one of them, frequencies are what is left
 * (docs/rules/enforcement.md#backend). */
enum jl_backend jl_host_choose_backend(const struct joulie_host *host)
{
    const bool has_policy = jl_control_next(host, JL_CONTROL_FREQ_MAX, JL_NOWHERE, NULL) != NULL;
    bool has_limit = false;
    const struct jl_control *control = NULL;
    while ((control = jl_control_next(host, JL_CONTROL_LONG, JL_NOWHERE, control)) != NULL)
        has_limit |= can_be_limited(control);
    if (has_limit && (!has_policy || !jl_host_is_locked(host)))
        return JL_BACKEND_RAPL;
    return has_policy ? JL_BACKEND_DVFS : JL_BACKEND_NONE;
}

bool jl_host_limit_in_force(const struct joulie_host *host, size_t package, double *out_w)
{
    size_t zones = 0, known = 0;
    *out_w = 0;
    const struct jl_control *control = NULL;
    while ((control = jl_control_next(host, JL_CONTROL_LONG, package, control)) != NULL) {
        zones++;
        known += control->file.now.code == 0;
        *out_w += control->file.now.code == 0 ? (double)control->file.now.value / UW_PER_W : 0;
    }
    return zones > 0 && known == zones;
}

/* Sums over the zones of a package. */
static void sum_limits(const struct joulie_host *host, size_t package, struct jl_part *part)
{
    size_t zones = 0;
    double unit_w = 0;
    const struct jl_control *control = NULL;
    while ((control = jl_control_next(host, JL_CONTROL_LONG, package, control)) != NULL) {
        const struct jl_journal_entry *entry = jl_host_open_key(host, control->file.key);
        zones++;
        unit_w = jl_max(unit_w, (double)control->file.unit / UW_PER_W);
        part->limits.max_w += jl_control_reference_w(control);
        part->is_ours |= entry != NULL;
        part->original_w += (double)(entry != NULL ? entry->value : control->found) / UW_PER_W;
        part->is_controllable |= can_be_limited(control);
    }
    part->has_current = jl_host_limit_in_force(host, package, &part->current_w);
    part->limits.power_unit_w = unit_w * (double)(zones > 0 ? zones : 1);
}

/* What a package takes at most: the host says it, else the catalog. */
static double max_of(const struct joulie_host *host, size_t package)
{
    struct jl_part part = { .kind = JOULIE_NODE_KIND_PACKAGE };
    sum_limits(host, package, &part);
    return part.limits.max_w > 0 ? part.limits.max_w : host->catalog_max_w;
}

/* The part of a package as the step sees it. By frequency a package has a maximum and no limit that
 * reads; without a backend only the maximum is known, for the report. */
static struct jl_part part_of(const struct joulie_host *host, size_t package)
{
    struct jl_part part = { .kind = JOULIE_NODE_KIND_PACKAGE,
                            .index = host->packages[package].index };
    switch (host->backend) {
    case JL_BACKEND_RAPL:
        sum_limits(host, package, &part);
        break;
    case JL_BACKEND_DVFS:
        part.limits.max_w = max_of(host, package);
        part.is_controllable = true;
        break;
    case JL_BACKEND_NONE:
        part.limits.max_w = max_of(host, package);
        break;
    }
    return part;
}

int jl_host_make_parts(struct joulie_host *host)
{
    const size_t count = host->package_count;
    jl_arena_reset(&host->tick_memory);
    host->has_tick = false;
    host->has_summary = false;
    host->shown.is_there = false;
    host->part_count = 0;
    host->parts = JL_NEW_ARRAY(&host->tick_memory, count + 1, struct jl_part);
    host->wants = JL_NEW_ARRAY(&host->tick_memory, count + 1, struct jl_part_want);
    host->readings = JL_NEW_ARRAY(&host->tick_memory, count + 1, struct jl_part_reading);
    if (host->parts == NULL || host->wants == NULL || host->readings == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < count; i++)
        host->parts[i] = part_of(host, i);
    host->part_count = count;
    return 0;
}

/* Dies share the watts of their package by what each of them can take. */
uint64_t jl_control_target_uw(const struct joulie_host *host, const struct jl_control *control,
                              double package_w)
{
    double all_w = 0;
    const struct jl_control *zone = NULL;
    while ((zone = jl_control_next(host, JL_CONTROL_LONG, control->package, zone)) != NULL)
        all_w += jl_control_reference_w(zone);
    const double share = all_w > 0 ? jl_control_reference_w(control) / all_w : 1;
    return jl_cap_power_limit_uw(package_w * share, (double)control->file.unit / UW_PER_W);
}

/* ---- what the last step wants ---- */

int64_t jl_host_monotonic_ms(const struct joulie_host *host)
{
    return host->time.monotonic_us / 1000;
}

bool jl_is_cap_wanted(const struct joulie_host *host, size_t package)
{
    return package < host->part_count && host->wants[package].reason == JL_REASON_CAP;
}

/* Only the long-term limit carries a cap; the short-term one follows it up. */
bool jl_is_limited(const struct joulie_host *host, const struct jl_control *control)
{
    return control->file.kind == JL_CONTROL_LONG && jl_is_cap_wanted(host, control->package);
}

bool jl_is_in_group(const struct joulie_host *host, const struct jl_control *control)
{
    return jl_is_limited(host, control) ||
           (control->file.kind == JL_CONTROL_SHORT && jl_is_cap_wanted(host, control->package));
}

/* Open keys of an earlier process stay as they are until somebody says what is desired. */
bool jl_host_awaits_word(const struct joulie_host *host)
{
    return !host->has_twin_word && !host->is_disabled &&
           jl_host_monotonic_ms(host) - host->first_tick_ms <= host->config.spec_read_timeout_ms;
}
