/* SPDX-License-Identifier: Apache-2.0 */

#define _GNU_SOURCE /* memmem */

/*
 * Traces and inventories: a job that is accepted has every default filled and in range, a refusal
 * says where and why, and a trace holds what its lines hold one by one, lenient or not.
 */

#include <float.h>
#include <string.h>

#include <joulie/object.h>
#include <joulie/sim.h>

#include "base/text.h"
#include "fuzz/fuzz.h"
#include "kubernetes/names.h"
#include "schema/decode.h"
#include "schema/encode.h"
#include "sim/inventory.h"
#include "sim/trace.h"

#define SCALED_NODES 7
#define NOW "2026-03-13T12:00:00Z"

static void require_reported(int rc, const struct joulie_error *err)
{
    FUZZ_REQUIRE(rc < 0 && rc == err->code && rc != JOULIE_E_INTERNAL);
    FUZZ_REQUIRE(err->message[0] != '\0' && (err->where[0] != '\0' || err->line > 0));
}

/* ---- jobs ---- */

static bool is_unit(double value)
{
    return value >= 0 && value <= 1;
}

static bool is_amount(double value)
{
    return value >= 0 && value <= DBL_MAX;
}

static bool is_word(const struct jl_words *words, int value)
{
    return jl_word_of(words, value) != NULL;
}

static void check_work(const struct jl_work *work, bool has_gpus)
{
    FUZZ_REQUIRE(is_word(&jl_cpu_class_words, (int)work->cpu_class));
    FUZZ_REQUIRE(is_word(&jl_gpu_class_words, (int)work->gpu_class) ||
                 (!has_gpus && work->gpu_class == JL_GPU_UNKNOWN));
    FUZZ_REQUIRE(is_unit(work->cpu_util) && is_unit(work->gpu_util) && is_unit(work->memory));
    FUZZ_REQUIRE(is_unit(work->io) && is_unit(work->feed));
    FUZZ_REQUIRE(is_unit(work->sensitivity_cpu) && is_unit(work->sensitivity_gpu));
}

static void check_job(const struct jl_trace_job *job)
{
    FUZZ_REQUIRE(!jl_is_empty(job->job_id) && !jl_is_empty(job->name_space));
    FUZZ_REQUIRE(is_amount(job->submit_s) && job->submit_s <= JL_SIM_LONGEST_S);
    FUZZ_REQUIRE(is_amount(job->cpu_cores) && jl_trace_millicores(job) >= 0);
    FUZZ_REQUIRE(is_amount(job->cpu_units) && is_amount(job->gpu_units));
    FUZZ_REQUIRE(job->memory_bytes >= 0 && job->gpu_count >= 0);
    FUZZ_REQUIRE(job->gpu_vendor == NULL ||
                 (job->gpu_count > 0 &&
                  (jl_same(job->gpu_vendor, "nvidia") || jl_same(job->gpu_vendor, "amd"))));
    check_work(&job->work, job->gpu_count > 0);
}

static bool is_same_work(const struct jl_work *a, const struct jl_work *b)
{
    return a->has == b->has && a->cpu_class == b->cpu_class && a->gpu_class == b->gpu_class &&
           a->cpu_util == b->cpu_util && a->gpu_util == b->gpu_util && a->memory == b->memory &&
           a->io == b->io && a->feed == b->feed && a->sensitivity_cpu == b->sensitivity_cpu &&
           a->sensitivity_gpu == b->sensitivity_gpu;
}

static bool is_same_job(const struct jl_trace_job *a, const struct jl_trace_job *b)
{
    return jl_same(a->job_id, b->job_id) && jl_same(a->workload_id, b->workload_id) &&
           jl_same(a->workload_type, b->workload_type) && jl_same(a->pod_role, b->pod_role) &&
           jl_same(a->name_space, b->name_space) && jl_same(a->gpu_vendor, b->gpu_vendor) &&
           a->is_gang == b->is_gang && a->is_performance == b->is_performance &&
           a->submit_s == b->submit_s && a->cpu_cores == b->cpu_cores &&
           a->memory_bytes == b->memory_bytes && a->gpu_count == b->gpu_count &&
           a->cpu_units == b->cpu_units && a->gpu_units == b->gpu_units &&
           is_same_work(&a->work, &b->work);
}

/* ---- lines ---- */

/* Strictly; what is taken is taken in the same way when unknown members are skipped. */
static int read_line(struct jl_arena *arena, const char *text, size_t len,
                     struct jl_trace_line *out)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int rc = jl_trace_read_line(arena, text, len, 0, out, &err);
    if (rc < 0) {
        require_reported(rc, &err);
        return rc;
    }
    if (!out->is_skipped)
        check_job(&out->job);
    struct jl_trace_line again;
    FUZZ_REQUIRE(jl_trace_read_line(arena, text, len, JL_LENIENT, &again, NULL) == 0);
    FUZZ_REQUIRE(again.is_skipped == out->is_skipped && again.is_workload == out->is_workload);
    FUZZ_REQUIRE(again.is_gpu_ignored == out->is_gpu_ignored);
    FUZZ_REQUIRE(out->is_skipped || is_same_job(&out->job, &again.job));
    return 0;
}

struct walk { /* over the lines of a trace, beside what was read of it leniently */
    const struct jl_trace *lenient;
    size_t lines;
    size_t jobs;
    size_t bad;
    size_t first_bad; /* line number, 0 = none */
    size_t ignored_gpus;
    size_t workloads;
};

static bool is_repeated(const struct walk *walk, const char *job_id)
{
    for (size_t i = 0; i < walk->jobs; i++) {
        if (jl_same(walk->lenient->jobs[i].job_id, job_id))
            return true;
    }
    return false;
}

static void walk_line(struct walk *walk, const char *text, size_t len)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_trace_line line;
    const int rc = read_line(&arena, text, len, &line);
    walk->lines++;
    if (rc == 0) {
        walk->ignored_gpus += line.is_gpu_ignored;
        walk->workloads += line.is_workload;
    }
    if (rc == 0 && line.is_skipped)
        return;
    if (rc < 0 || is_repeated(walk, line.job.job_id)) {
        walk->bad++;
        walk->first_bad = walk->first_bad > 0 ? walk->first_bad : walk->lines;
        return;
    }
    FUZZ_REQUIRE(walk->jobs < walk->lenient->count);
    FUZZ_REQUIRE(is_same_job(&line.job, &walk->lenient->jobs[walk->jobs]));
    walk->jobs++;
}

static void check_strict(const char *text, size_t len, const struct walk *walk)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_trace trace;
    const int rc = jl_trace_read(text, len, false, &trace, &err);
    FUZZ_REQUIRE((rc == 0) == (walk->bad == 0));
    if (rc < 0) {
        require_reported(rc, &err);
        FUZZ_REQUIRE(err.line == walk->first_bad && jl_starts_with(err.where, "line "));
        return;
    }
    FUZZ_REQUIRE(trace.bad_lines == 0 && trace.lines == walk->lines);
    FUZZ_REQUIRE(trace.count == walk->lenient->count);
    for (size_t i = 0; i < trace.count; i++)
        FUZZ_REQUIRE(is_same_job(&trace.jobs[i], &walk->lenient->jobs[i]));
    jl_trace_clear(&trace);
}

static void check_trace(const char *text, size_t len)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_trace lenient;
    FUZZ_REQUIRE(jl_trace_read(text, len, true, &lenient, &err) == 0);
    struct walk walk = { .lenient = &lenient };
    for (size_t start = 0; start < len;) {
        const char *end = memchr(text + start, '\n', len - start);
        const size_t line_len = end != NULL ? (size_t)(end - text) - start : len - start;
        walk_line(&walk, text + start, line_len);
        start += line_len + 1;
    }
    FUZZ_REQUIRE(walk.lines == lenient.lines && walk.jobs == lenient.count);
    FUZZ_REQUIRE(walk.bad == lenient.bad_lines && walk.workloads == lenient.workload_records);
    FUZZ_REQUIRE(walk.ignored_gpus == lenient.ignored_gpu_requests);
    FUZZ_REQUIRE(walk.jobs + walk.bad + walk.workloads + lenient.skipped_lines == walk.lines);
    check_strict(text, len, &walk);
    jl_trace_clear(&lenient);
}

static void check_report(const char *text, size_t len)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *json = NULL;
    FUZZ_REQUIRE(joulie_workload_inspect(text, len, 1, &json, &err) == 0);
    char *line = NULL;
    FUZZ_REQUIRE(joulie_format(json, strlen(json), JOULIE_FORM_LINE, &line, &err) == 0);
    joulie_free(line);
    joulie_free(json);
}

/* ---- inventories ---- */

/* What is handed out reads back as it would from an API server. */
static void check_object(const struct jl_table *table, const void *object, void *back)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    jl_encode(&text, table, object);
    FUZZ_REQUIRE(!text.is_failed);
    struct jl_decode decode = { .arena = &arena, .text = text.data, .len = text.len, .err = &err };
    FUZZ_REQUIRE(jl_decode_document(&decode, table, back) == 0);
}

static void check_family(const struct jl_sim_family *family)
{
    const double lowest_w = jl_sim_socket_min_w(family);
    FUZZ_REQUIRE(family->sockets >= 1 && family->cores >= 1 && family->gpus >= 0);
    FUZZ_REQUIRE(family->memory_bytes >= 0);
    FUZZ_REQUIRE((family->gpus > 0) == (family->gpu_vendor != NULL));
    FUZZ_REQUIRE((family->gpus > 0) == (family->gpu_resource != NULL));
    FUZZ_REQUIRE(is_amount(lowest_w) && is_amount(jl_sim_socket_max_w(family)));
    FUZZ_REQUIRE(lowest_w <= jl_sim_socket_max_w(family));
    FUZZ_REQUIRE(is_amount(family->profile.idle_w) && is_amount(family->profile.peak_w));
    FUZZ_REQUIRE(is_amount(family->profile.min_freq) && is_amount(family->profile.knee));
}

static void check_machine(const struct jl_sim_machine *machine)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_node node;
    struct jl_node_hardware hardware;
    FUZZ_REQUIRE(jl_is_dns_subdomain(jl_text(machine->name)));
    check_family(machine->family);
    FUZZ_REQUIRE(jl_sim_node_object(machine, &arena, &node) == 0);
    FUZZ_REQUIRE(jl_sim_hardware_object(machine, NOW, &arena, &hardware) == 0);
    check_object(&jl_node_table, &node, &(struct jl_node){ 0 });
    check_object(&jl_node_hardware_table, &hardware, &(struct jl_node_hardware){ 0 });
}

static void check_inventory(const char *text, size_t len, int64_t nodes,
                            enum jl_physics_rules rules)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_inventory inventory;
    const int rc = jl_inventory_read(text, len, nodes, rules, &inventory, &err);
    if (rc < 0) {
        require_reported(rc, &err);
        return;
    }
    FUZZ_REQUIRE(inventory.count > 0 && (nodes == 0 || inventory.count == (size_t)nodes));
    for (size_t i = 1; i < inventory.count; i++)
        FUZZ_REQUIRE(jl_compare(inventory.machines[i - 1].name, inventory.machines[i].name) < 0);
    check_machine(&inventory.machines[0]);
    check_machine(&inventory.machines[inventory.count - 1]);
    jl_inventory_clear(&inventory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    check_trace(text, size);
    check_report(text, size);
    check_inventory(text, size, SCALED_NODES, JL_PHYSICS_CURRENT);
    if (memmem(text, size, "replicas", strlen("replicas")) ==
        NULL) /* which may ask for a million */
        check_inventory(text, size, 0, JL_PHYSICS_V0_1_1);
    return 0;
}
