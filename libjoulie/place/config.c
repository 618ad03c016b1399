/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_place_config_init(), and what joulie_place_nodes() makes of a config and of work. */

#include "place/config.h"

#include <joulie/error.h>

#include "base/error.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/time.h"
#include "place/profile.h"

#define WORK_BITS \
    (JOULIE_WORK_HAS_CPU | JOULIE_WORK_HAS_MEMORY | JOULIE_WORK_HAS_GPU | JOULIE_WORK_HAS_GPU_UTIL)
#define LARGEST_DEMAND 1e18 /* bytes, cores, GPUs; sums of a score stay finite */
#define LONGEST_MS                                                                \
    INT64_C(100000000000000) /* some 3000 years; no difference of times overflows \
                              */

_Static_assert(sizeof(struct joulie_place_config) == 8 + 8 + 4 * 4 + 4 * 8 + 2 * 4 + 19 * 8,
               "no padding");
_Static_assert(sizeof(struct joulie_work) == 8 + 8 + 4 * 8 + 6 * 4, "no padding");

int joulie_place_config_init(struct joulie_place_config *config, enum joulie_place_rules rules)
{
    struct joulie_place_config ours;
    if (jl_sized_check(config, sizeof *config) < 0)
        return JOULIE_E_ABI;
    if ((unsigned)rules > JOULIE_PLACE_RULES_EFFICIENCY)
        return JOULIE_E_ENUM;
    jl_place_config_init(&ours,
                         rules == JOULIE_PLACE_RULES_UNKNOWN ? JOULIE_PLACE_RULES_CURRENT : rules);
    jl_sized_write(config, &ours, sizeof ours);
    return JOULIE_OK;
}

static int check_choices(const struct joulie_place_config *config, struct joulie_error *err)
{
    if ((unsigned)config->rules > JOULIE_PLACE_RULES_EFFICIENCY)
        return jl_fail(err, JOULIE_E_ENUM, "config.rules", "not a rule set of this build");
    if ((unsigned)config->fail_policy > JOULIE_FAIL_CLOSED)
        return jl_fail(err, JOULIE_E_ENUM, "config.fail_policy", "not a policy of this build");
    if ((unsigned)config->spread > JOULIE_SPREAD_RANK)
        return jl_fail(err, JOULIE_E_ENUM, "config.spread", "not a spread of this build");
    if (config->score_range != 10 && config->score_range != 100)
        return jl_fail(err, JOULIE_E_RANGE, "config.score_range", "neither 10 nor 100");
    if (config->is_marginal_scoring != 0 && config->is_marginal_scoring != 1)
        return jl_fail(err, JOULIE_E_RANGE, "config.is_marginal_scoring", "neither 0 nor 1");
    return 0;
}

static int check_times(const struct joulie_place_config *config, struct joulie_error *err)
{
    if (config->staleness_ms < 0 || config->staleness_ms > LONGEST_MS)
        return jl_fail(err, JOULIE_E_RANGE, "config.staleness_ms", "no age");
    if (config->max_age_ms < 0 || config->max_age_ms > LONGEST_MS)
        return jl_fail(err, JOULIE_E_RANGE, "config.max_age_ms", "no age");
    if (config->stale_grace_ms < 0 || config->stale_grace_ms > LONGEST_MS)
        return jl_fail(err, JOULIE_E_RANGE, "config.stale_grace_ms", "no age");
    if ((config->has & JOULIE_PLACE_CONFIG_HAS_HEARTBEAT) != 0 &&
        !jl_is_instant(config->heartbeat_ms))
        return jl_fail(err, JOULIE_E_RANGE, "config.heartbeat_ms", "no clock shows this time");
    return 0;
}

/* The bounds are those of the scoring profile's document. */
static int check_numbers(const struct joulie_place_config *config, struct joulie_error *err)
{
    struct jl_scoring_profile profile;
    jl_scoring_profile_of(config, &profile);
    const char *member = jl_scoring_profile_fault(&profile);
    return member == NULL ? 0 : jl_fail(err, JOULIE_E_RANGE, member, "out of its bounds");
}

int jl_place_config_read(const struct joulie_place_config *config, struct joulie_place_config *out,
                         struct joulie_error *err)
{
    if (config == NULL)
        jl_place_config_init(out, JOULIE_PLACE_RULES_CURRENT);
    else if (jl_sized_check(config, sizeof *config) < 0 ||
             jl_sized_read(out, sizeof *out, config) < 0 || out->reserved != 0 ||
             (out->has & ~JOULIE_PLACE_CONFIG_HAS_HEARTBEAT) != 0)
        return jl_fail_abi(err, "config");
    int rc = check_choices(out, err);
    if (rc == 0)
        rc = check_times(out, err);
    if (rc < 0)
        return rc;
    if (out->rules == JOULIE_PLACE_RULES_UNKNOWN)
        out->rules = JOULIE_PLACE_RULES_CURRENT;
    return check_numbers(out, err);
}

/* ---- work ---- */

/* A number that is not set is 0. */
static int read_demand(const struct joulie_work *work, uint64_t bit, double *value,
                       const char *where, struct joulie_error *err)
{
    if ((work->has & bit) == 0)
        *value = 0;
    return *value >= 0 && *value <= LARGEST_DEMAND
               ? 0
               : jl_fail(err, JOULIE_E_RANGE, where, "not a number from 0 to 1e18");
}

static int check_work(const struct joulie_work *work, struct joulie_error *err)
{
    if ((unsigned)work->workload_class > JOULIE_WORKLOAD_OTHER)
        return jl_fail(err, JOULIE_E_ENUM, "work.workload_class", "not a class of this build");
    if ((unsigned)work->gpu_vendor > JOULIE_GPU_VENDOR_INTEL)
        return jl_fail(err, JOULIE_E_ENUM, "work.gpu_vendor", "not a vendor of this build");
    if ((unsigned)work->cpu_sensitivity > JOULIE_LEVEL_NONE)
        return jl_fail(err, JOULIE_E_ENUM, "work.cpu_sensitivity", "not a level of this build");
    if ((unsigned)work->gpu_sensitivity > JOULIE_LEVEL_NONE)
        return jl_fail(err, JOULIE_E_ENUM, "work.gpu_sensitivity", "not a level of this build");
    if ((unsigned)work->gpu_bound > JOULIE_BOUND_NONE)
        return jl_fail(err, JOULIE_E_ENUM, "work.gpu_bound", "not a bound of this build");
    if ((work->has & JOULIE_WORK_HAS_GPU_UTIL) != 0 &&
        !(work->gpu_util >= 0 && work->gpu_util <= 1))
        return jl_fail(err, JOULIE_E_RANGE, "work.gpu_util", "not a number from 0 to 1");
    return 0;
}

int jl_place_work_read(const struct joulie_work *work, enum joulie_place_rules rules,
                       struct joulie_work *out, struct joulie_error *err)
{
    struct joulie_work ours;
    if (jl_sized_check(work, sizeof *work) < 0 || jl_sized_read(&ours, sizeof ours, work) < 0 ||
        ours.reserved != 0 || (ours.has & ~WORK_BITS) != 0)
        return jl_fail_abi(err, "work");
    int rc = check_work(&ours, err);
    if (rc == 0)
        rc = read_demand(&ours, JOULIE_WORK_HAS_CPU, &ours.cpu_cores, "work.cpu_cores", err);
    if (rc == 0)
        rc = read_demand(&ours, JOULIE_WORK_HAS_MEMORY, &ours.memory_bytes, "work.memory_bytes",
                         err);
    if (rc == 0)
        rc = read_demand(&ours, JOULIE_WORK_HAS_GPU, &ours.gpu_count, "work.gpu_count", err);
    if (rc < 0)
        return rc;
    if (ours.workload_class == JOULIE_WORKLOAD_UNKNOWN)
        ours.workload_class = JOULIE_WORKLOAD_STANDARD;
    jl_work_fall_back(&ours, rules);
    *out = ours;
    return 0;
}
