/* SPDX-License-Identifier: Apache-2.0 */

/*
 * How well a cap is held where only frequencies can hold it: the controller `proportional` beside
 * `legacy` (docs/rules/frequencies.md) on an AMD server whose package limits cannot be written, in
 * virtual time. With --print the seconds as CSV, an empty line, a summary as JSON lines; without it
 * tests of what must be true of every plant.
 */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"
#include "enforce/rig.h"

#define PACKAGES 2
#define CAP_W 200.0 /* of each package */
#define SECONDS 600
#define CAP_AT_S 30 /* until then there is no cap, where the load does not say otherwise */
#define STEADY_S 60 /* the last so many are "steady" */
#define WINDOW_S 10 /* a cap is kept when the mean over so many keeps it */
#define SUBSTEPS 10 /* of a second: the power is a mean over them */

struct load {
    const char *name;
    const char *host; /* of tests/support/fixtures */
    double (*demand_w)(int second, double noise);
    int cap_at_s;
    int until_s; /* the cap is judged up to here */
};

static double demand_step(int second, double noise)
{
    (void)second;
    (void)noise;
    return 320;
}

static double demand_ramp(int second, double noise)
{
    (void)noise;
    return second < 60 ? 100 : second < 360 ? 100 + 250.0 * (second - 60) / 300 : 350;
}

static double demand_noise(int second, double noise)
{
    (void)second;
    return 290 + 40 * noise;
}

static double demand_vanishes(int second, double noise)
{
    (void)noise;
    return second < 300 ? 320 : 90;
}

static const struct load loads[] = {
    { "step", "amd-pstate", demand_step, CAP_AT_S, SECONDS },
    { "ramp", "amd-pstate", demand_ramp, 0, SECONDS },
    { "noise", "amd-pstate", demand_noise, CAP_AT_S, SECONDS },
    { "vanishing", "amd-pstate", demand_vanishes, CAP_AT_S, 300 },
    { "table", "amd-epyc", demand_step, CAP_AT_S, SECONDS },
};

enum controller { PROPORTIONAL, LEGACY, CONTROLLERS };

static const char *const controller_names[CONTROLLERS] = { "proportional", "legacy" };

struct second {
    double demand_w;
    double cap_w;   /* of both packages; INFINITY = none */
    double power_w; /* mean of this second */
    double ghz;     /* mean limit of the policies at its end */
};

struct run {
    struct second seconds[SECONDS];
    uint64_t changes; /* writes to frequency limits, by policy */
    bool is_out_of_range;
    bool has_failed;
    bool is_given_back;
};

/* ---- one run ---- */

static struct rig start(const char *host, enum controller controller)
{
    struct rig rig = rig_new(host);
    rig.options.dvfs_controller = controller_names[controller];
    rig_open(&rig);
    return rig;
}

/* Slow and fast parts of a load that changes all the time; within about -1 to 1. */
static double next_noise(struct jl_random *random, double *slow)
{
    *slow = 0.97 * *slow + 0.03 * 4 * jl_random_range(random, -1, 1);
    return *slow + jl_random_range(random, -0.5, 0.5);
}

static double pass_second(struct rig *rig)
{
    double sum_w = 0;
    for (int i = 0; i < SUBSTEPS; i++) {
        fk_advance_ms(rig->fk, 1000 / SUBSTEPS);
        for (size_t p = 0; p < PACKAGES; p++)
            sum_w += fk_power_w(rig->fk, p);
    }
    return sum_w / SUBSTEPS;
}

static const char *const max_freqs[] = { MAX_FREQ("0"), MAX_FREQ("2"), MAX_FREQ("4"),
                                         MAX_FREQ("6") };

/* Of all policies; false: one of them is outside of its range. */
static bool mean_limit(const struct rig *rig, uint64_t max_khz, double *out_ghz)
{
    bool is_good = true;
    *out_ghz = 0;
    for (size_t i = 0; i < JL_COUNT(max_freqs); i++) {
        const uint64_t khz = fk_number(rig->fk, max_freqs[i]);
        is_good &= khz > 0 && khz <= max_khz;
        *out_ghz += (double)khz / 1e6 / (double)JL_COUNT(max_freqs);
    }
    return is_good;
}

static uint64_t frequency_writes(const struct rig *rig)
{
    return fk_writes(rig->fk, ALL_MAX_FREQS);
}

static void simulate(const struct load *load, enum controller controller, struct run *run)
{
    struct rig rig = start(load->host, controller);
    struct jl_random random = { 1 };
    double slow[PACKAGES] = { 0 };
    const uint64_t max_khz = fk_number(rig.fk, max_freqs[0]);
    rig_cap_none(&rig);
    *run = (struct run){ 0 };
    for (int i = 0; i < SECONDS; i++) {
        struct second *second = &run->seconds[i];
        if (i == load->cap_at_s)
            rig_cap_w(&rig, CAP_W);
        for (size_t p = 0; p < PACKAGES; p++) {
            const double demand_w = load->demand_w(i, next_noise(&random, &slow[p]));
            fk_set_demand_w(rig.fk, p, demand_w);
            second->demand_w += demand_w;
        }
        rig_tick(&rig);
        second->cap_w = i >= load->cap_at_s ? PACKAGES * CAP_W : (double)INFINITY;
        second->power_w = pass_second(&rig);
        run->is_out_of_range |= !mean_limit(&rig, max_khz, &second->ghz);
    }
    run->changes = frequency_writes(&rig) / JL_COUNT(max_freqs);
    run->has_failed = rig_restore(&rig) != 0;
    double ghz = 0;
    run->is_given_back = mean_limit(&rig, max_khz, &ghz) && ghz >= run->seconds[0].ghz;
    rig_free(&rig);
}

/* ---- figures ---- */

struct figures {
    int settle_s; /* after the cap came, or after the load went; -1 = never */
    double above_ws;
    double peak_pct;
    double steady_error_w;
    double steady_w;
};

/* docs/rules/enforcement.md#effect: a cap holds up to this power. */
static double bound_w(double cap_w)
{
    const double share_w = 0.05 * cap_w;
    return cap_w + (share_w > 5 ? share_w : 5);
}

/* Mean power of the last WINDOW_S seconds under the cap. */
static double mean_w(const struct load *load, const struct run *run, int i)
{
    const int from = i - WINDOW_S + 1 > load->cap_at_s ? i - WINDOW_S + 1 : load->cap_at_s;
    double sum_w = 0;
    for (int k = from; k <= i; k++)
        sum_w += run->seconds[k].power_w;
    return sum_w / (i - from + 1);
}

static bool is_settled(const struct load *load, const struct run *run, int i)
{
    if (load->until_s < SECONDS) /* the load went: nothing is held back any more */
        return run->seconds[i].ghz >= run->seconds[0].ghz;
    return mean_w(load, run, i) <= bound_w(run->seconds[i].cap_w);
}

static struct figures judge(const struct load *load, const struct run *run)
{
    struct figures out = { .settle_s = 0 };
    const bool has_gone = load->until_s < SECONDS;
    const int from = has_gone ? load->until_s : load->cap_at_s;
    for (int i = load->cap_at_s; i < SECONDS; i++) {
        const struct second *second = &run->seconds[i];
        const double above_w = second->power_w - second->cap_w;
        out.above_ws += above_w > 0 ? above_w : 0;
        if (100 * above_w / second->cap_w > out.peak_pct)
            out.peak_pct = 100 * above_w / second->cap_w;
        if (i >= from && !is_settled(load, run, i))
            out.settle_s = i + 1 - from;
    }
    if (out.settle_s == SECONDS - from)
        out.settle_s = -1;
    for (int i = SECONDS - STEADY_S; i < SECONDS; i++) {
        const struct second *second = &run->seconds[i];
        const double wanted_w = second->demand_w < second->cap_w ? second->demand_w : second->cap_w;
        out.steady_error_w += fabs(second->power_w - wanted_w) / STEADY_S;
        out.steady_w += second->power_w / STEADY_S;
    }
    return out;
}

/* ---- printing ---- */

static void print_seconds(const struct load *load, const struct run *runs)
{
    for (int i = 0; i < SECONDS; i++) {
        const struct second *one = &runs[PROPORTIONAL].seconds[i];
        const struct second *other = &runs[LEGACY].seconds[i];
        printf("%s,%d,%.1f,%.0f,%.1f,%.3f,%.1f,%.3f\n", load->name, i, one->demand_w,
               PACKAGES * CAP_W, one->power_w, one->ghz, other->power_w, other->ghz);
    }
}

static void print_summary(const struct load *load, const struct run *run, const char *controller)
{
    const struct figures figures = judge(load, run);
    printf("{\"load\":\"%s\",\"controller\":\"%s\",", load->name, controller);
    if (figures.settle_s >= 0)
        printf("\"settleS\":%d,", figures.settle_s);
    printf("\"aboveWs\":%.0f,\"peakPct\":%.1f,\"steadyErrorW\":%.1f,\"steadyW\":%.1f,"
           "\"changes\":%llu}\n",
           figures.above_ws, figures.peak_pct, figures.steady_error_w, figures.steady_w,
           (unsigned long long)run->changes);
}

static struct run runs[JL_COUNT(loads)][CONTROLLERS];

static int run_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < JL_COUNT(loads); i++)
        for (int c = 0; c < CONTROLLERS; c++)
            simulate(&loads[i], (enum controller)c, &runs[i][c]);
    return 0;
}

static int print_all(void)
{
    run_all(NULL);
    puts("load,t_s,demand_w,cap_w,proportional_w,proportional_ghz,legacy_w,legacy_ghz");
    for (size_t i = 0; i < JL_COUNT(loads); i++)
        print_seconds(&loads[i], runs[i]);
    puts("");
    for (size_t i = 0; i < JL_COUNT(loads); i++)
        for (int c = 0; c < CONTROLLERS; c++)
            print_summary(&loads[i], &runs[i][c], controller_names[c]);
    return 0;
}

/* ---- tests ---- */

static const struct run *run_of(const char *name, enum controller controller)
{
    for (size_t i = 0; i < JL_COUNT(loads); i++)
        if (strcmp(loads[i].name, name) == 0)
            return &runs[i][controller];
    fail_msg("there is no load %s", name);
    return NULL;
}

static struct figures figures_of(const char *name, enum controller controller)
{
    const struct run *run = run_of(name, controller);
    const size_t i = (size_t)(run - &runs[0][0]) / CONTROLLERS;
    return judge(&loads[i], run);
}

static void a_limit_never_leaves_the_range_of_its_policy(void **state)
{
    (void)state;
    for (size_t i = 0; i < JL_COUNT(loads); i++)
        for (int c = 0; c < CONTROLLERS; c++)
            assert_false(runs[i][c].is_out_of_range);
}

static void every_frequency_is_given_back_at_the_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < JL_COUNT(loads); i++)
        for (int c = 0; c < CONTROLLERS; c++) {
            assert_false(runs[i][c].has_failed);
            assert_true(runs[i][c].is_given_back);
        }
}

static void proportional_holds_the_cap_within_seconds(void **state)
{
    (void)state;
    static const char *const names[] = { "step", "ramp", "table" };
    for (size_t i = 0; i < JL_COUNT(names); i++) {
        const struct figures figures = figures_of(names[i], PROPORTIONAL);
        assert_true(figures.steady_w <= bound_w(PACKAGES * CAP_W));
        assert_in_range(figures.settle_s, 0, 30); /* judged after 30 s */
    }
}

static void proportional_settles_in_fewer_seconds_than_legacy(void **state)
{
    (void)state;
    static const char *const names[] = { "step", "vanishing" };
    for (size_t i = 0; i < JL_COUNT(names); i++) {
        const int ours_s = figures_of(names[i], PROPORTIONAL).settle_s;
        const int legacy_s = figures_of(names[i], LEGACY).settle_s;
        assert_true(ours_s >= 0);
        assert_true(legacy_s < 0 || ours_s < legacy_s);
    }
}

static void proportional_lets_less_energy_pass_above_the_cap(void **state)
{
    (void)state;
    for (size_t i = 0; i < JL_COUNT(loads); i++) {
        const double ours_ws = judge(&loads[i], &runs[i][PROPORTIONAL]).above_ws;
        const double legacy_ws = judge(&loads[i], &runs[i][LEGACY]).above_ws;
        assert_true(ours_ws <= legacy_ws);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--print") == 0)
        return print_all();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_never_leaves_the_range_of_its_policy),
        cmocka_unit_test(every_frequency_is_given_back_at_the_end),
        cmocka_unit_test(proportional_holds_the_cap_within_seconds),
        cmocka_unit_test(proportional_settles_in_fewer_seconds_than_legacy),
        cmocka_unit_test(proportional_lets_less_energy_pass_above_the_cap),
    };
    return cmocka_run_group_tests(tests, run_all, NULL);
}
