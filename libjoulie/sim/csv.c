/* SPDX-License-Identifier: Apache-2.0 */

/* nodes.csv, families.csv, jobs.csv and decisions.csv (docs/rules/simulation.md#tables). */

#include "base/memory.h"
#include "base/number.h"
#include "base/sort.h"
#include "sim/emit.h"
#include "sim/power.h"
#include "sim/summary.h"

#define J_PER_WH 3600.0

/*
 * A table is one list of columns, a COLUMN(name, what writes the field of a row) each; its header
 * (with a comma before every name) and its rows are both made from the list.
 */

/* ---- nodes.csv ---- */

struct node_row { /* a node in an hour */
    const char *run_word;
    const char *name;
    double start_s;
    double end_s;
    struct jl_sim_energy energy;
    uint32_t running;
    const char *state;
    enum jl_sim_power_state power;
};

static double row_w(const struct node_row *row)
{
    return (jl_sim_sum_j(row->energy.cpu_j) + jl_sim_sum_j(row->energy.gpu_j)) /
           (row->end_s - row->start_s);
}

static double part_wh(const struct node_row *row, enum jl_energy_part part)
{
    return (row->energy.cpu_j[part] + row->energy.gpu_j[part]) / J_PER_WH;
}

#define NODE_COLUMNS                                                                 \
    COLUMN("run", jl_csv_text(out, row->run_word))                                   \
    COLUMN("node", jl_csv_text(out, row->name))                                      \
    COLUMN("hour", jl_csv_integer(out, (int64_t)(row->start_s / JL_SIM_HOUR_S)))     \
    COLUMN("cpu_wh", jl_csv_number(out, jl_sim_sum_j(row->energy.cpu_j) / J_PER_WH)) \
    COLUMN("gpu_wh", jl_csv_number(out, jl_sim_sum_j(row->energy.gpu_j) / J_PER_WH)) \
    COLUMN("mean_power_w", jl_csv_number(out, row_w(row)))                           \
    COLUMN("running", jl_csv_integer(out, row->running))                             \
    COLUMN("state", jl_csv_text(out, row->state))                                    \
    COLUMN("idle_busy_wh", jl_csv_number(out, part_wh(row, JL_ENERGY_IDLE_BUSY)))    \
    COLUMN("idle_empty_wh", jl_csv_number(out, part_wh(row, JL_ENERGY_IDLE_EMPTY)))  \
    COLUMN("dynamic_wh", jl_csv_number(out, part_wh(row, JL_ENERGY_DYNAMIC)))        \
    COLUMN("off_wh", jl_csv_number(out, part_wh(row, JL_ENERGY_OFF)))                \
    COLUMN("power", jl_csv_text(out, jl_word_of(&jl_sim_power_words, (int)row->power)))

#define COLUMN(name, put) "," name
static const char node_header[] = NODE_COLUMNS "\n";
#undef COLUMN

static void put_node_row(struct jl_buffer *out, const struct node_row *row)
{
#define COLUMN(name, put) put;
    NODE_COLUMNS
#undef COLUMN
    jl_put_char(out, '\n');
}

static struct jl_sim_energy less(const struct jl_sim_energy *now,
                                 const struct jl_sim_energy *before)
{
    struct jl_sim_energy out = *now;
    for (int part = 0; part < JL_ENERGY_PARTS; part++) {
        out.cpu_j[part] -= before->cpu_j[part];
        out.gpu_j[part] -= before->gpu_j[part];
    }
    return out;
}

/* The hours that were kept, and the one that the run ended in. */
static void put_run_nodes(struct jl_buffer *out, const struct jl_sim_fleet *fleet,
                          const struct jl_sim_hours *hours, const char *word)
{
    for (size_t i = 0; i < fleet->node_count; i++) {
        const struct jl_sim_node *node = &fleet->nodes[i];
        struct jl_sim_hour before = { .running = 0 };
        struct node_row row = { .run_word = word, .name = node->machine->name };
        for (size_t hour = 0; hour < hours->count; hour++) {
            const struct jl_sim_hour *now = &hours->items[hour * fleet->node_count + i];
            row.start_s = (double)hour * JL_SIM_HOUR_S;
            row.end_s = row.start_s + JL_SIM_HOUR_S;
            row.energy = less(&now->energy, &before.energy);
            row.running = now->running;
            row.state = now->state;
            row.power = now->power;
            put_node_row(out, &row);
            before = *now;
        }
        row.start_s = (double)hours->count * JL_SIM_HOUR_S;
        row.end_s = fleet->now_s;
        if (row.end_s <= row.start_s)
            continue;
        struct jl_sim_energy end = { .cpu_j = { 0 } };
        jl_sim_add_energy(&end, node, fleet->now_s);
        row.energy = less(&end, &before.energy);
        row.running = (uint32_t)node->job_count;
        row.state = before.state;
        row.power = node->power_state;
        put_node_row(out, &row);
    }
}

int jl_sim_put_nodes(struct jl_buffer *out, const struct jl_sim_pair *pair)
{
    jl_put_string(out, node_header + 1);
    put_run_nodes(out, pair->controlled, pair->controlled_hours, "controlled");
    if (pair->uncontrolled)
        put_run_nodes(out, pair->uncontrolled, pair->uncontrolled_hours, "uncontrolled");
    return jl_buffer_code(out);
}

/* ---- families.csv ---- */

struct family_row {
    const char *run_word;
    const struct jl_sim_family *family;
    const struct jl_sim_family_energy *sum;
};

#define PART_COLUMNS(kind)                                                                       \
    COLUMN(#kind "_idle_busy_j",                                                                 \
           jl_csv_number(out, row->sum->energy.kind##_j[JL_ENERGY_IDLE_BUSY]))                   \
    COLUMN(#kind "_idle_empty_j",                                                                \
           jl_csv_number(out, row->sum->energy.kind##_j[JL_ENERGY_IDLE_EMPTY]))                  \
    COLUMN(#kind "_dynamic_j", jl_csv_number(out, row->sum->energy.kind##_j[JL_ENERGY_DYNAMIC])) \
    COLUMN(#kind "_off_j", jl_csv_number(out, row->sum->energy.kind##_j[JL_ENERGY_OFF]))

#define FAMILY_COLUMNS                                     \
    COLUMN("run", jl_csv_text(out, row->run_word))         \
    COLUMN("cpu", jl_csv_text(out, row->family->cpu_text)) \
    COLUMN("gpu", jl_csv_text(out, row->family->gpu_text)) \
    COLUMN("nodes", jl_csv_integer(out, row->sum->nodes))  \
    PART_COLUMNS(cpu) PART_COLUMNS(gpu)

#define COLUMN(name, put) "," name
static const char family_header[] = FAMILY_COLUMNS "\n";
#undef COLUMN

static void put_family_row(struct jl_buffer *out, const struct family_row *row)
{
#define COLUMN(name, put) put;
    FAMILY_COLUMNS
#undef COLUMN
    jl_put_char(out, '\n');
}

static int put_run_families(struct jl_buffer *out, const struct jl_sim_fleet *fleet, double until_s,
                            const char *word)
{
    const struct jl_inventory *inventory = fleet->inventory;
    JL_CLEANUP(jl_freep)
    struct jl_sim_family_energy *sums = jl_calloc(inventory->family_count, sizeof *sums);
    if (!sums)
        return JOULIE_E_NOMEM;
    jl_sim_energy_by_family(fleet, until_s, sums);
    for (size_t i = 0; i < inventory->family_count; i++) {
        const struct family_row row = { word, &inventory->families[i], &sums[i] };
        put_family_row(out, &row);
    }
    return 0;
}

int jl_sim_put_families(struct jl_buffer *out, const struct jl_sim_pair *pair)
{
    const double until_s = jl_sim_window_s(pair);
    jl_put_string(out, family_header + 1);
    int rc = put_run_families(out, pair->controlled, until_s, "controlled");
    if (rc == 0 && pair->uncontrolled)
        rc = put_run_families(out, pair->uncontrolled, until_s, "uncontrolled");
    return rc < 0 ? rc : jl_buffer_code(out);
}

/* ---- jobs.csv ---- */

/* A job that no node takes ends as "unplaced", never as completed. */
static const char *state_word(enum jl_sim_job_state state)
{
    switch (state) {
    case JL_JOB_FUTURE:
        return "future";
    case JL_JOB_QUEUED:
        return "queued";
    case JL_JOB_RUNNING:
        return "running";
    case JL_JOB_COMPLETED:
        return "completed";
    case JL_JOB_FAILED:
        return "failed";
    case JL_JOB_UNPLACED:
        break;
    }
    return "unplaced";
}

static const char *node_of(const struct jl_sim_fleet *fleet, const struct jl_sim_job *job)
{
    return job->has_started ? fleet->nodes[job->node].machine->name : NULL;
}

#define JOB_COLUMNS                                                                       \
    COLUMN("id", jl_csv_text(out, trace->job_id))                                         \
    COLUMN("class", jl_csv_text(out, trace->is_performance ? "performance" : "standard")) \
    COLUMN("submitted_s", jl_csv_number(out, trace->submit_s))                            \
    COLUMN("cpu_units", jl_csv_number(out, trace->cpu_units))                             \
    COLUMN("gpu_units", jl_csv_number(out, trace->gpu_units))                             \
    COLUMN("gpus", jl_csv_integer(out, trace->gpu_count))

/* What came of a job in a run, whose word stands before the names. */
#define RUN_COLUMNS                                                               \
    COLUMN("state", jl_csv_text(out, state_word(job->state)))                     \
    COLUMN("node", jl_csv_text(out, node_of(fleet, job)))                         \
    COLUMN("started_s", jl_csv_known(out, job->has_started, job->start_s))        \
    COLUMN("ended_s", jl_csv_known(out, job->state > JL_JOB_RUNNING, job->end_s)) \
    COLUMN("cpu_units", jl_csv_number(out, jl_sim_done(&job->cpu, fleet->now_s))) \
    COLUMN("gpu_units", jl_csv_number(out, jl_sim_done(&job->gpu, fleet->now_s))) \
    COLUMN("slowdown", put_slowdown(out, fleet, index))

static void put_slowdown(struct jl_buffer *out, const struct jl_sim_fleet *fleet, size_t index)
{
    double slowdown = 0;
    const bool is_known = jl_sim_measure(fleet, index, JOULIE_SIM_MEASURE_SLOWDOWN, &slowdown);
    jl_csv_known(out, is_known, slowdown);
}

static void put_job(struct jl_buffer *out, const struct jl_trace_job *trace)
{
#define COLUMN(name, put) put;
    JOB_COLUMNS
#undef COLUMN
}

static void put_job_in_run(struct jl_buffer *out, const struct jl_sim_fleet *fleet, size_t index)
{
    const struct jl_sim_job *job = &fleet->jobs[index];
#define COLUMN(name, put) put;
    RUN_COLUMNS
#undef COLUMN
}

#define COLUMN(name, put) "," name
static const char job_header[] = JOB_COLUMNS;
#undef COLUMN
#define COLUMN(name, put) ",controlled_" name
static const char controlled_header[] = RUN_COLUMNS;
#undef COLUMN
#define COLUMN(name, put) ",uncontrolled_" name
static const char uncontrolled_header[] = RUN_COLUMNS;
#undef COLUMN

int jl_sim_put_jobs(struct jl_buffer *out, const struct jl_sim_pair *pair)
{
    const struct jl_sim_workload *workload = pair->controlled->workload;
    jl_put_string(out, job_header + 1);
    jl_put_string(out, controlled_header);
    jl_put_string(out, pair->uncontrolled ? uncontrolled_header : "");
    jl_put_char(out, '\n');
    for (size_t i = 0; i < workload->count; i++) {
        put_job(out, workload->tasks[i].job);
        put_job_in_run(out, pair->controlled, i);
        if (pair->uncontrolled)
            put_job_in_run(out, pair->uncontrolled, i);
        jl_put_char(out, '\n');
    }
    return jl_buffer_code(out);
}

/* ---- decisions.csv ---- */

static int compare_decisions(const void *a, const void *b, void *user)
{
    const struct jl_sim_decision *left = a;
    const struct jl_sim_decision *right = b;
    (void)user;
    const int order = JL_ORDER(left->time_s, right->time_s);
    return order != 0 ? order : JL_ORDER(left->node, right->node);
}

#define DECISION_COLUMNS                                                                         \
    COLUMN("time_s", jl_csv_number(out, decision->time_s))                                       \
    COLUMN("node", jl_csv_text(out, fleet->nodes[decision->node].machine->name))                 \
    COLUMN("profile", jl_csv_text(out, jl_word_of(&jl_profile_words, (int)decision->profile)))   \
    COLUMN("draining", jl_csv_text(out, decision->is_draining ? "true" : "false"))               \
    COLUMN("cpu_cap_pct", jl_csv_known(out, decision->cpu.given.cap_pct, decision->cpu.cap_pct)) \
    COLUMN("cpu_cap_w", jl_csv_known(out, decision->cpu.given.cap_w, decision->cpu.cap_w))       \
    COLUMN("gpu_cap_pct", jl_csv_known(out, decision->gpu.given.cap_pct, decision->gpu.cap_pct)) \
    COLUMN("gpu_cap_w", jl_csv_known(out, decision->gpu.given.cap_w, decision->gpu.cap_w))

#define COLUMN(name, put) "," name
static const char decision_header[] = DECISION_COLUMNS "\n";
#undef COLUMN

static void put_decision(struct jl_buffer *out, const struct jl_sim_fleet *fleet,
                         const struct jl_sim_decision *decision)
{
#define COLUMN(name, put) put;
    DECISION_COLUMNS
#undef COLUMN
    jl_put_char(out, '\n');
}

int jl_sim_put_decisions(struct jl_buffer *out, const struct jl_sim_pair *pair)
{
    const size_t count = pair->decisions->count;
    JL_CLEANUP(jl_freep) struct jl_sim_decision *rows = jl_calloc(count + 1, sizeof *rows);
    if (!rows)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < count; i++)
        rows[i] = pair->decisions->rows[i];
    if (jl_sort(rows, count, sizeof *rows, compare_decisions, NULL) < 0)
        return JOULIE_E_NOMEM;
    jl_put_string(out, decision_header + 1);
    for (size_t i = 0; i < count; i++)
        put_decision(out, pair->controlled, &rows[i]);
    return jl_buffer_code(out);
}
