/* SPDX-License-Identifier: Apache-2.0 */

/* nodes.csv, jobs.csv and decisions.csv (docs/rules/simulation.md#tables). */

#include "base/memory.h"
#include "base/number.h"
#include "base/sort.h"
#include "sim/summary.h"

#define J_PER_WH 3600.0

/* A text field; quoted where it has to be. */
static void put_field(struct jl_buffer *out, const char *text)
{
    bool is_plain = true;
    for (const char *p = text; *p; p++)
        is_plain &= *p != ',' && *p != '"' && *p != '\n' && *p != '\r';
    if (is_plain) {
        jl_put_string(out, text);
        return;
    }
    jl_put_char(out, '"');
    for (const char *p = text; *p; p++) {
        if (*p == '"')
            jl_put_char(out, '"');
        jl_put_char(out, *p);
    }
    jl_put_char(out, '"');
}

static void put_number(struct jl_buffer *out, double value)
{
    jl_put_char(out, ',');
    jl_put_double(out, value);
}

static void put_integer(struct jl_buffer *out, int64_t value)
{
    jl_put_char(out, ',');
    jl_put_i64(out, value);
}

/* ---- nodes.csv ---- */

struct node_row {
    const char *run_word;
    double start_s;
    double end_s;
    double cpu_j; /* in this hour */
    double gpu_j;
    uint32_t running;
    const char *state;
};

static void put_node_row(struct jl_buffer *out, const struct jl_sim_node *node,
                         const struct node_row *row)
{
    const double energy_j = row->cpu_j + row->gpu_j;
    jl_put_string(out, row->run_word);
    jl_put_char(out, ',');
    put_field(out, node->machine->name);
    put_integer(out, (int64_t)(row->start_s / JL_SIM_HOUR_S));
    put_number(out, row->cpu_j / J_PER_WH);
    put_number(out, row->gpu_j / J_PER_WH);
    put_number(out, energy_j / (row->end_s - row->start_s));
    put_integer(out, row->running);
    jl_put_char(out, ',');
    jl_put_string(out, row->state ? row->state : "");
    jl_put_char(out, '\n');
}

static void put_run_nodes(struct jl_buffer *out, const struct jl_sim_fleet *fleet,
                          const struct jl_sim_hours *hours, const char *word)
{
    const double kept_s = (double)hours->count * JL_SIM_HOUR_S;
    for (size_t i = 0; i < fleet->node_count; i++) {
        const struct jl_sim_node *node = &fleet->nodes[i];
        struct jl_sim_hour before = { .cpu_j = 0 };
        for (size_t hour = 0; hour < hours->count; hour++) {
            const struct jl_sim_hour *now = &hours->items[hour * fleet->node_count + i];
            const double start_s = (double)hour * JL_SIM_HOUR_S;
            const struct node_row row = { word,
                                          start_s,
                                          start_s + JL_SIM_HOUR_S,
                                          now->cpu_j - before.cpu_j,
                                          now->gpu_j - before.gpu_j,
                                          now->running,
                                          now->state };
            put_node_row(out, node, &row);
            before = *now;
        }
        if (fleet->now_s > kept_s) { /* the hour that the run ended in */
            const struct node_row row = { word,
                                          kept_s,
                                          fleet->now_s,
                                          jl_sim_energy_j(&node->cpu, fleet->now_s) - before.cpu_j,
                                          jl_sim_energy_j(&node->gpu, fleet->now_s) - before.gpu_j,
                                          (uint32_t)node->job_count,
                                          before.state };
            put_node_row(out, node, &row);
        }
    }
}

int jl_sim_put_nodes(struct jl_buffer *out, const struct jl_sim_pair *pair)
{
    jl_put_string(out, "run,node,hour,cpu_wh,gpu_wh,mean_power_w,running,state\n");
    put_run_nodes(out, pair->controlled, pair->controlled_hours, "controlled");
    if (pair->uncontrolled)
        put_run_nodes(out, pair->uncontrolled, pair->uncontrolled_hours, "uncontrolled");
    return jl_buffer_code(out);
}

/* ---- jobs.csv ---- */

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

static void put_job_half(struct jl_buffer *out, const struct jl_sim_fleet *fleet, size_t index)
{
    const struct jl_sim_job *job = &fleet->jobs[index];
    jl_put_char(out, ',');
    jl_put_string(out, state_word(job->state));
    jl_put_char(out, ',');
    if (job->has_started)
        put_field(out, fleet->nodes[job->node].machine->name);
    if (job->has_started)
        put_number(out, job->start_s);
    else
        jl_put_char(out, ',');
    if (job->state > JL_JOB_RUNNING)
        put_number(out, job->end_s);
    else
        jl_put_char(out, ',');
    put_number(out, jl_sim_done(&job->cpu, fleet->now_s));
    put_number(out, jl_sim_done(&job->gpu, fleet->now_s));
}

#define JOB_COLUMNS(run)                                                                       \
    run "_state," run "_node," run "_started_s," run "_ended_s," run "_cpu_units," run "_gpu_" \
        "units"

int jl_sim_put_jobs(struct jl_buffer *out, const struct jl_sim_pair *pair)
{
    const struct jl_sim_workload *workload = pair->controlled->workload;
    jl_put_string(out, "id,class,submitted_s,cpu_units,gpu_units," JOB_COLUMNS("controlled"));
    if (pair->uncontrolled)
        jl_put_string(out, "," JOB_COLUMNS("uncontrolled"));
    jl_put_char(out, '\n');
    for (size_t i = 0; i < workload->count; i++) {
        const struct jl_trace_job *job = workload->tasks[i].job;
        put_field(out, job->job_id);
        jl_put_string(out, job->is_performance ? ",performance" : ",standard");
        put_number(out, job->submit_s);
        put_number(out, job->cpu_units);
        put_number(out, job->gpu_units);
        put_job_half(out, pair->controlled, i);
        if (pair->uncontrolled)
            put_job_half(out, pair->uncontrolled, i);
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
    if (left->time_s != right->time_s)
        return left->time_s < right->time_s ? -1 : 1;
    return (left->node > right->node) - (left->node < right->node);
}

static void put_known(struct jl_buffer *out, bool is_known, double value)
{
    if (is_known)
        put_number(out, value);
    else
        jl_put_char(out, ',');
}

static void put_decision(struct jl_buffer *out, const struct jl_sim_fleet *fleet,
                         const struct jl_sim_decision *decision)
{
    const char *profile = jl_word_of(&jl_profile_words, (int)decision->profile);
    jl_put_double(out, decision->time_s);
    jl_put_char(out, ',');
    put_field(out, fleet->nodes[decision->node].machine->name);
    jl_put_char(out, ',');
    jl_put_string(out, profile ? profile : "");
    jl_put_string(out, decision->is_draining ? ",true" : ",false");
    put_known(out, decision->cpu.given.cap_pct, decision->cpu.cap_pct);
    put_known(out, decision->cpu.given.cap_w, decision->cpu.cap_w);
    put_known(out, decision->gpu.given.cap_pct, decision->gpu.cap_pct);
    put_known(out, decision->gpu.given.cap_w, decision->gpu.cap_w);
    jl_put_char(out, '\n');
}

static void free_rows(struct jl_sim_decision **rows)
{
    jl_free(*rows);
}

int jl_sim_put_decisions(struct jl_buffer *out, const struct jl_sim_pair *pair)
{
    const size_t count = pair->decisions->count;
    JL_CLEANUP(free_rows) struct jl_sim_decision *rows = jl_calloc(count + 1, sizeof *rows);
    if (!rows)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < count; i++)
        rows[i] = pair->decisions->rows[i];
    if (jl_sort(rows, count, sizeof *rows, compare_decisions, NULL) < 0)
        return JOULIE_E_NOMEM;
    jl_put_string(out,
                  "time_s,node,profile,draining,cpu_cap_pct,cpu_cap_w,gpu_cap_pct,gpu_cap_w\n");
    for (size_t i = 0; i < count; i++)
        put_decision(out, pair->controlled, &rows[i]);
    return jl_buffer_code(out);
}
