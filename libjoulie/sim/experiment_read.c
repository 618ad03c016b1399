/* SPDX-License-Identifier: Apache-2.0 */

/* The file of an experiment, expanded into cells and runs (docs/rules/experiments.md#file). Called
 * by experiment.c. */

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "policy/policy.h"
#include "policy/power_off.h"
#include "schema/document.h"
#include "sim/experiment.h"
#include "sim/generate.h"
#include "sim/inventory.h"
#include "sim/placement.h"
#include "sim/trace.h"

#define MOST_RUNS 1000000
#define MOST_SEEDS 10000
#define MOST_LOAD 2

#define RECORD scenario_in
#define MEMBERS                                                                   \
    STRING(name, "name", "In every table.", REQUIRED)                             \
    RAW(inventory, "inventory", "The machines.", ANY_MEMBERS)                     \
    STRING(inventory_file, "inventoryFile", "The same in a file of its own.")     \
    INTEGER(nodes, "nodes", "Scale the inventory to so many nodes.", AT_LEAST(1)) \
    RAW(workload, "workload", "Options of generated traces.", ANY_MEMBERS)        \
    STRING(trace_file, "traceFile", "A recorded trace instead.")                  \
    NUMBERS(loads, "loads", "Of this scenario, instead of those of the experiment.")
#include "schema/record.h"

#define RECORD policy_in
#define MEMBERS                                                                                 \
    STRING(name, "name", "In every table.", REQUIRED)                                           \
    RAW(policy, "policy", "Settings of the policy, as the member policy of plan.", ANY_MEMBERS) \
    STRING(placement, "placement", "What nodes are scored by; default joulie.")                 \
    STRING(placement_base, "placementBase", "The scoring of kube-scheduler in it.")             \
    INTEGER(extender_weight, "extenderWeight", "Of the extender beside it.", BETWEEN(1, 100))   \
    RAW(scoring, "scoring", "The extender's scoring profile.", ANY_MEMBERS)                     \
    RAW(power_off, "powerOff", "Settings of power_off_v1; without them nodes stay on.", ANY_MEMBERS)
#include "schema/record.h"

#define RECORD experiment_in
#define MEMBERS                                                                               \
    STRING(name, "name", "Of the experiment.")                                                \
    LIST(scenarios, "scenarios", scenario_in, "Machines and what runs on them.", REQUIRED)    \
    NUMBERS(loads, "loads", "Mean allocations of the scarcest resource, above 0 to 2.")       \
    LIST(policies, "policies", policy_in, "What is compared.")                                \
    STRINGS(baselines, "baselines", "Scorings of kube-scheduler alone; default all of them.") \
    RAW(seeds, "seeds", "How many, from 1, or a list of them.", REQUIRED)                     \
    STRING(physics, "physics", "current (the default) or v0.1.1.")                            \
    STRINGS(speeds, "speeds", "catalog (the default) and equal.")
#include "schema/record.h"

static const char *const default_baselines[] = { "least-allocated", "kube", "most-allocated" };
static const char *const default_speeds[] = { "catalog" };

struct reading {
    const struct joulie_experiment_options *options;
    struct jl_decode *decode;
    struct jl_arena *arena; /* of the experiment */
};

static struct jl_path member(const char *key, const struct jl_path *up)
{
    return (struct jl_path){ .up = up, .key = jl_text(key) };
}

static struct jl_path item(size_t index, const struct jl_path *up)
{
    return (struct jl_path){ .up = up, .index = index };
}

static int fail(const struct reading *reading, int code, const struct jl_path *at,
                const char *format, ...) __attribute__((format(printf, 4, 5)));

static int fail(const struct reading *reading, int code, const struct jl_path *at,
                const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int rc = jl_decode_fail_list(reading->decode, code, at, SIZE_MAX, format, arguments);
    va_end(arguments);
    return rc;
}

/* What somebody else found wrong in the text at a path: its place becomes a part of the path, its
 * line that of the experiment. */
static int fail_inside(const struct reading *reading, int code, const struct jl_path *at,
                       const char *joint, const struct joulie_error *detail)
{
    struct jl_decode *decode = reading->decode;
    struct joulie_error *err = decode->err;
    char outer[JL_PATH_TEXT];
    size_t offset = SIZE_MAX;
    jl_path_print(at, outer);
    const bool has_place = detail->where[0] != '\0';
    const char *where =
        JL_JOIN(reading->arena, outer, has_place ? joint : "", has_place ? detail->where : "");
    if (code == JOULIE_E_NOMEM || !where)
        return jl_fail_memory(err);
    if (joint[0] != '.' || !jl_locate(decode->text, decode->len, where, &offset))
        offset = SIZE_MAX;
    jl_decode_fail(decode, code, at, offset, "%s", detail->message);
    const uint32_t line = err->line;
    const uint32_t column = err->column;
    jl_fail(err, code, where, "%s", detail->message);
    jl_error_set_line(err, line, column);
    return code;
}

static const char *copy(const struct reading *reading, const char *text)
{
    return jl_arena_string(reading->arena, text);
}

/* ---- texts ---- */

static int read_file(const struct reading *reading, const char *name, const struct jl_path *at,
                     const char **out, size_t *out_len)
{
    const void *bytes = NULL;
    size_t len = 0;
    if (!reading->options->find_file ||
        reading->options->find_file(reading->options->user, name, &bytes, &len) != 0)
        return fail(reading, JOULIE_E_NOT_FOUND, at, "there is no file \"%.200s\"", name);
    *out = jl_arena_copy(reading->arena, bytes ? bytes : "", len);
    *out_len = len;
    return *out ? 0 : jl_fail_memory(reading->decode->err);
}

static int copy_raw(const struct reading *reading, const struct jl_raw *raw, const char **out,
                    size_t *out_len)
{
    *out = jl_arena_copy(reading->arena, raw->text, raw->len);
    *out_len = raw->len;
    return *out ? 0 : jl_fail_memory(reading->decode->err);
}

/* ---- words and numbers ---- */

static int check_words(const struct reading *reading, const struct jl_list *list, const char *key,
                       bool (*is_known)(const char *word))
{
    const struct jl_path list_at = member(key, NULL);
    for (size_t i = 0; i < list->count; i++) {
        const struct jl_path at = item(i, &list_at);
        const char *word = ((const char *const *)list->items)[i];
        if (!is_known(word))
            return fail(reading, JOULIE_E_UNSUPPORTED, &at, "there is no \"%.64s\"", word);
        for (size_t j = 0; j < i; j++) {
            if (jl_same(word, ((const char *const *)list->items)[j]))
                return fail(reading, JOULIE_E_CONFLICT, &at, "\"%.64s\" is given twice", word);
        }
    }
    return list->count > 0 ? 0 : fail(reading, JOULIE_E_REQUIRED, &list_at, "the list is empty");
}

static bool is_baseline(const char *word)
{
    struct jl_sim_ranking ranking;
    return jl_sim_ranking_of(word, &ranking) && ranking.extender_weight == 0;
}

static bool is_speeds(const char *word)
{
    return jl_same(word, "catalog") || jl_same(word, "equal");
}

/* The list as the experiment keeps it; given NULL = the defaults. */
static int take_words(const struct reading *reading, const struct jl_list *given, const char *key,
                      bool (*is_known)(const char *word), const char *const *defaults, size_t count,
                      const char *const **out, size_t *out_count)
{
    *out = defaults;
    *out_count = count;
    if (!given)
        return 0;
    const int rc = check_words(reading, given, key, is_known);
    if (rc < 0)
        return rc;
    const char **words = JL_NEW_ARRAY(reading->arena, given->count, const char *);
    for (size_t i = 0; words && i < given->count; i++)
        words[i] = copy(reading, ((const char *const *)given->items)[i]);
    *out = words;
    *out_count = given->count;
    return reading->arena->is_failed ? jl_fail_memory(reading->decode->err) : 0;
}

/* 1 to count. */
static int count_seeds(const struct reading *reading, struct jl_text text, uint64_t *seeds,
                       size_t *out_count)
{
    const struct jl_path at = member("seeds", NULL);
    int64_t count = 0;
    if (jl_integer_of(text.ptr, text.len, &count) < 0)
        return fail(reading, JOULIE_E_TYPE, &at, "a number of seeds or a list of them");
    if (count < 1 || count > MOST_SEEDS)
        return fail(reading, JOULIE_E_RANGE, &at, "must be at least 1 and at most %d", MOST_SEEDS);
    for (size_t i = 0; i < (size_t)count; i++)
        seeds[i] = i + 1;
    *out_count = (size_t)count;
    return 0;
}

static int list_seeds(const struct reading *reading, struct jl_text text, uint64_t *seeds,
                      size_t *out_count)
{
    const struct jl_path list_at = member("seeds", NULL);
    size_t count = 0;
    text = jl_text_trim((struct jl_text){ text.ptr + 1, text.len - 2 });
    for (; text.len > 0; count++) {
        const struct jl_path at = item(count, &list_at);
        const struct jl_text one = jl_text_trim(jl_text_cut(&text, ','));
        int64_t seed = 0;
        if (count == MOST_SEEDS)
            return fail(reading, JOULIE_E_LIMIT, &list_at, "more than %d seeds", MOST_SEEDS);
        if (jl_integer_of(one.ptr, one.len, &seed) < 0)
            return fail(reading, JOULIE_E_TYPE, &at, "a seed is a whole number");
        if (seed < 0)
            return fail(reading, JOULIE_E_RANGE, &at, "a seed is not negative");
        for (size_t i = 0; i < count; i++) {
            if (seeds[i] == (uint64_t)seed)
                return fail(reading, JOULIE_E_CONFLICT, &at, "the seed is given twice");
        }
        seeds[count] = (uint64_t)seed;
    }
    *out_count = count;
    return count > 0 ? 0 : fail(reading, JOULIE_E_REQUIRED, &list_at, "the list is empty");
}

static int read_seeds(const struct reading *reading, const struct jl_raw *raw,
                      struct joulie_experiment *out)
{
    const struct jl_text text = { raw->text, raw->len };
    uint64_t *seeds = JL_NEW_ARRAY(reading->arena, MOST_SEEDS, uint64_t);
    out->seeds = seeds;
    if (!seeds)
        return jl_fail_memory(reading->decode->err);
    return raw->text[0] == '[' ? list_seeds(reading, text, seeds, &out->seed_count)
                               : count_seeds(reading, text, seeds, &out->seed_count);
}

static int read_loads(const struct reading *reading, const struct jl_list *list,
                      const struct jl_path *list_at, struct jl_experiment_scenario *out)
{
    double *loads = JL_NEW_ARRAY(reading->arena, list->count, double);
    if (!loads)
        return jl_fail_memory(reading->decode->err);
    for (size_t i = 0; i < list->count; i++) {
        const struct jl_path at = item(i, list_at);
        loads[i] = ((const double *)list->items)[i];
        if (!(loads[i] > 0 && loads[i] <= MOST_LOAD))
            return fail(reading, JOULIE_E_RANGE, &at, "must be above 0 and at most %d", MOST_LOAD);
        for (size_t j = 0; j < i; j++) {
            if (loads[j] >= loads[i] && loads[j] <= loads[i])
                return fail(reading, JOULIE_E_CONFLICT, &at, "the load is given twice");
        }
    }
    out->loads = loads;
    out->load_count = list->count;
    return 0;
}

/* ---- scenarios ---- */

static int read_inventory(const struct reading *reading, const struct scenario_in *in,
                          const struct jl_path *at, enum jl_physics_rules rules,
                          struct jl_experiment_scenario *out)
{
    const bool is_inline = in->given.inventory;
    const struct jl_path inline_at = member("inventory", at);
    const struct jl_path file_at = member("inventoryFile", at);
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    struct jl_inventory inventory = { 0 };
    if (is_inline == in->given.inventory_file)
        return fail(reading, is_inline ? JOULIE_E_CONFLICT : JOULIE_E_REQUIRED, &inline_at,
                    is_inline ? "an inventory and a file of one are both given"
                              : "a scenario needs an inventory, or an inventoryFile");
    int rc = is_inline ? copy_raw(reading, &in->inventory, &out->inventory, &out->inventory_len)
                       : read_file(reading, in->inventory_file, &file_at, &out->inventory,
                                   &out->inventory_len);
    if (rc < 0)
        return rc;
    rc = jl_inventory_read(out->inventory, out->inventory_len, in->nodes, rules, &inventory,
                           &detail);
    if (rc < 0)
        return fail_inside(reading, rc, is_inline ? &inline_at : &file_at, is_inline ? "." : ": ",
                           &detail);
    jl_inventory_clear(&inventory);
    return 0;
}

static int read_workload(const struct reading *reading, const struct scenario_in *in,
                         const struct jl_path *scenario_at, struct jl_experiment_scenario *out)
{
    const struct jl_path at = member("workload", scenario_at);
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    struct joulie_workload_options *options = &out->workload;
    int rc = in->given.workload ? jl_decode_raw(reading->decode, &in->workload, &at,
                                                &joulie_workload_options_table, options)
                                : 0;
    if (rc < 0)
        return rc;
    options->struct_size = sizeof *options;
    options->mode = copy(reading, options->mode ? options->mode : "diurnal");
    if (!options->mode)
        return jl_fail_memory(reading->decode->err);
    const struct joulie_workload_options whole =
        jl_experiment_workload(out, out->load_count > 0 ? out->loads : NULL, 1);
    rc = jl_generate_check(&whole, &detail);
    return rc < 0 ? fail_inside(reading, rc, &at, ": ", &detail) : 0;
}

static int read_trace(const struct reading *reading, const struct scenario_in *in,
                      const struct jl_path *scenario_at, struct jl_experiment_scenario *out)
{
    const struct jl_path at = member("traceFile", scenario_at);
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_trace_clear) struct jl_trace trace = { 0 };
    if (in->given.workload || in->given.loads)
        return fail(reading, JOULIE_E_CONFLICT, &at,
                    "a recorded trace has no workload and no loads");
    int rc = read_file(reading, in->trace_file, &at, &out->trace, &out->trace_len);
    if (rc < 0)
        return rc;
    rc = jl_trace_read(out->trace, out->trace_len, false, &trace, &detail);
    return rc < 0 ? fail_inside(reading, rc, &at, ": ", &detail) : 0;
}

static int read_scenario(const struct reading *reading, const struct experiment_in *whole,
                         size_t index, struct joulie_experiment *out)
{
    const struct scenario_in *in = JL_ITEM(whole->scenarios, scenario_in, index);
    const struct jl_path list_at = member("scenarios", NULL);
    const struct jl_path at = item(index, &list_at);
    const struct jl_path loads_at = member("loads", in->given.loads ? &at : NULL);
    const struct jl_list *loads = in->given.loads      ? &in->loads
                                  : whole->given.loads ? &whole->loads
                                                       : NULL;
    struct jl_experiment_scenario *scenario = &out->scenarios[index];
    const enum jl_physics_rules rules =
        jl_same(out->physics, "current") ? JL_PHYSICS_CURRENT : JL_PHYSICS_V0_1_1;
    scenario->name = copy(reading, in->name);
    scenario->nodes = in->nodes;
    int rc = read_inventory(reading, in, &at, rules, scenario);
    if (rc == 0 && in->given.trace_file)
        return read_trace(reading, in, &at, scenario);
    if (rc == 0 && loads)
        rc = read_loads(reading, loads, &loads_at, scenario);
    return rc < 0 ? rc : read_workload(reading, in, &at, scenario);
}

/* Names stand in tables, and tell rows apart. */
static int check_name(const struct reading *reading, const char *list, size_t index,
                      const char *name, bool is_taken)
{
    const struct jl_path list_at = member(list, NULL);
    const struct jl_path item_at = item(index, &list_at);
    const struct jl_path at = member("name", &item_at);
    if (jl_is_empty(name))
        return fail(reading, JOULIE_E_REQUIRED, &at, "the name is empty");
    return is_taken ? fail(reading, JOULIE_E_CONFLICT, &at, "there are two \"%.64s\"", name) : 0;
}

static int read_scenarios(const struct reading *reading, const struct experiment_in *in,
                          struct joulie_experiment *out)
{
    const struct jl_path at = member("scenarios", NULL);
    int rc = 0;
    if (in->scenarios.count == 0)
        return fail(reading, JOULIE_E_REQUIRED, &at, "the list is empty");
    out->scenarios =
        JL_NEW_ARRAY(reading->arena, in->scenarios.count, struct jl_experiment_scenario);
    if (!out->scenarios)
        return jl_fail_memory(reading->decode->err);
    for (size_t i = 0; i < in->scenarios.count && rc == 0; i++) {
        const char *name = JL_ITEM(in->scenarios, scenario_in, i)->name;
        bool is_taken = false;
        for (size_t j = 0; j < i; j++)
            is_taken |= jl_same(name, out->scenarios[j].name);
        rc = check_name(reading, "scenarios", i, name, is_taken);
        if (rc == 0)
            rc = read_scenario(reading, in, i, out);
        out->scenario_count++;
    }
    return rc;
}

/* ---- policies and baselines ---- */

static int read_placement(const struct reading *reading, const struct policy_in *in,
                          const struct jl_path *policy_at, struct jl_experiment_subject *out)
{
    const struct jl_path at = member("placement", policy_at);
    const struct jl_path base_at = member("placementBase", policy_at);
    const struct jl_path scoring_at = member("scoring", policy_at);
    struct jl_sim_ranking ranking;
    struct jl_scoring_profile scoring;
    out->placement = in->given.placement ? copy(reading, in->placement) : "joulie";
    out->placement_base = copy(reading, in->placement_base);
    out->extender_weight = in->extender_weight;
    if (in->given.placement && !jl_sim_ranking_of(in->placement, &ranking))
        return fail(reading, JOULIE_E_UNSUPPORTED, &at, "there is no placement \"%.64s\"",
                    in->placement);
    if (in->given.placement_base &&
        jl_word_value(&jl_kube_scoring_words, jl_text(in->placement_base)) == JL_KUBE_UNKNOWN)
        return fail(reading, JOULIE_E_UNSUPPORTED, &base_at,
                    "kube-scheduler has no scoring \"%.64s\"", in->placement_base);
    if (!in->given.scoring)
        return 0;
    const int rc = jl_decode_raw(reading->decode, &in->scoring, &scoring_at,
                                 &jl_scoring_profile_table, &scoring);
    return rc < 0 ? rc : copy_raw(reading, &in->scoring, &out->scoring, &out->scoring_len);
}

static int read_power_off(const struct reading *reading, const struct policy_in *in,
                          const struct jl_path *policy_at, struct jl_experiment_subject *out)
{
    const struct jl_path at = member("powerOff", policy_at);
    struct jl_power_off_config config;
    if (!in->given.power_off)
        return 0;
    const int rc =
        jl_decode_raw(reading->decode, &in->power_off, &at, &jl_power_off_config_table, &config);
    return rc < 0 ? rc : copy_raw(reading, &in->power_off, &out->power_off, &out->power_off_len);
}

static int read_policy(const struct reading *reading, const struct policy_in *in, size_t index,
                       struct jl_experiment_subject *out)
{
    const struct jl_path list_at = member("policies", NULL);
    const struct jl_path at = item(index, &list_at);
    const struct jl_path policy_at = member("policy", &at);
    struct jl_policy_config config;
    out->name = copy(reading, in->name);
    int rc = read_placement(reading, in, &at, out);
    if (rc == 0)
        rc = read_power_off(reading, in, &at, out);
    if (rc < 0 || !in->given.policy)
        return rc;
    rc = jl_decode_raw(reading->decode, &in->policy, &policy_at, &jl_policy_config_table, &config);
    return rc < 0 ? rc : copy_raw(reading, &in->policy, &out->policy, &out->policy_len);
}

static int read_subjects(const struct reading *reading, const struct experiment_in *in,
                         struct joulie_experiment *out)
{
    const char *const *words;
    int rc =
        take_words(reading, in->given.baselines ? &in->baselines : NULL, "baselines", is_baseline,
                   default_baselines, JL_COUNT(default_baselines), &words, &out->baseline_count);
    if (rc < 0)
        return rc;
    out->subjects = JL_NEW_ARRAY(reading->arena, out->baseline_count + in->policies.count,
                                 struct jl_experiment_subject);
    if (!out->subjects)
        return jl_fail_memory(reading->decode->err);
    for (size_t i = 0; i < out->baseline_count; i++)
        out->subjects[out->subject_count++] = (struct jl_experiment_subject){ .name = words[i],
                                                                              .placement = words[i],
                                                                              .is_baseline = true };
    for (size_t i = 0; i < in->policies.count && rc == 0; i++) {
        const struct policy_in *policy = JL_ITEM(in->policies, policy_in, i);
        bool is_taken = is_baseline(policy->name);
        for (size_t j = 0; j < out->subject_count; j++)
            is_taken |= jl_same(policy->name, out->subjects[j].name);
        rc = check_name(reading, "policies", i, policy->name, is_taken);
        if (rc == 0)
            rc = read_policy(reading, policy, i, &out->subjects[out->subject_count++]);
    }
    return rc;
}

/* ---- cells and runs ---- */

static size_t cells_of(const struct jl_experiment_scenario *scenario)
{
    return scenario->load_count > 0 ? scenario->load_count : 1;
}

/* A recorded trace knows no seeds. */
static size_t seeds_of(const struct joulie_experiment *experiment,
                       const struct jl_experiment_scenario *scenario)
{
    return scenario->trace ? 1 : experiment->seed_count;
}

static void add_cell(struct joulie_experiment *out, const struct jl_experiment_cell *from)
{
    struct jl_experiment_cell *cell = &out->cells[out->cell_count++];
    *cell = *from;
    cell->seeds = seeds_of(out, from->scenario);
    cell->runs = &out->runs[out->run_count];
    for (size_t i = 0; i < cell->seeds * out->subject_count; i++)
        out->runs[out->run_count++] = (struct jl_experiment_run){
            .subject = &out->subjects[i % out->subject_count],
            .seed = out->seeds[i / out->subject_count],
        };
}

static int expand(const struct reading *reading, struct joulie_experiment *out)
{
    const struct jl_path at = member("scenarios", NULL);
    size_t cells = 0;
    size_t runs = 0;
    for (size_t i = 0; i < out->scenario_count; i++) {
        const size_t more = out->speeds_count * cells_of(&out->scenarios[i]);
        cells += more;
        runs += more * seeds_of(out, &out->scenarios[i]) * out->subject_count;
        if (runs > MOST_RUNS)
            return fail(reading, JOULIE_E_LIMIT, &at, "more than %d runs", MOST_RUNS);
    }
    out->cells = JL_NEW_ARRAY(reading->arena, cells, struct jl_experiment_cell);
    out->runs = JL_NEW_ARRAY(reading->arena, runs, struct jl_experiment_run);
    if (!out->cells || !out->runs)
        return jl_fail_memory(reading->decode->err);
    for (size_t i = 0; i < out->scenario_count; i++) {
        const struct jl_experiment_scenario *scenario = &out->scenarios[i];
        for (size_t j = 0; j < out->speeds_count * cells_of(scenario); j++) {
            const size_t load = j % cells_of(scenario);
            const struct jl_experiment_cell cell = {
                .scenario = scenario,
                .speeds = out->speeds[j / cells_of(scenario)],
                .has_load = scenario->load_count > 0,
                .load = scenario->load_count > 0 ? scenario->loads[load] : 0,
            };
            add_cell(out, &cell);
        }
    }
    return 0;
}

/* ---- the whole ---- */

static int read_physics(const struct reading *reading, const struct experiment_in *in,
                        struct joulie_experiment *out)
{
    const struct jl_path at = member("physics", NULL);
    const char *word = in->given.physics ? in->physics : "current";
    out->physics = jl_same(word, "v0.1.1") ? "v0.1.1" : "current";
    return jl_same(word, out->physics) ? 0
                                       : fail(reading, JOULIE_E_UNSUPPORTED, &at,
                                              "there is no physics set \"%.64s\"", word);
}

static int read_all(const struct reading *reading, const struct experiment_in *in,
                    struct joulie_experiment *out)
{
    out->name = copy(reading, in->name);
    out->build = copy(reading, reading->options->build);
    int rc = read_physics(reading, in, out);
    if (rc == 0)
        rc = read_seeds(reading, &in->seeds, out);
    if (rc == 0)
        rc = take_words(reading, in->given.speeds ? &in->speeds : NULL, "speeds", is_speeds,
                        default_speeds, JL_COUNT(default_speeds), &out->speeds, &out->speeds_count);
    if (rc == 0)
        rc = read_subjects(reading, in, out);
    if (rc == 0)
        rc = read_scenarios(reading, in, out);
    if (rc == 0 && reading->arena->is_failed)
        rc = jl_fail_memory(reading->decode->err);
    return rc < 0 ? rc : expand(reading, out);
}

int jl_experiment_read(const struct joulie_experiment_options *options,
                       struct joulie_experiment *out, struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena scratch = { 0 };
    JL_CLEANUP(jl_document_clear) struct jl_document document = { 0 };
    struct experiment_in in;
    int rc = jl_document_read(&document, options->text, options->len, err);
    if (rc < 0)
        return rc;
    struct jl_decode decode = jl_document_decode(&document, &scratch, err);
    const struct reading reading = { options, &decode, &out->arena };
    rc = jl_decode_document(&decode, &experiment_in_table, &in);
    return rc < 0 ? rc : read_all(&reading, &in, out);
}
