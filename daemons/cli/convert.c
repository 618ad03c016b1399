/* SPDX-License-Identifier: Apache-2.0 */

/* Objects of other releases and dialects (docs/rules/commands.md#conversion). */

#include <stdio.h>
#include <string.h>

#include <joulie/object.h>

#include "base/error.h"
#include "cli.h"
#include "tree.h"

/* ---- TensorFusion objects in another dialect, one by one ---- */

#define WORD_END ": "

struct dialect {
    struct joulie_ask_options options;
    struct jl_buffer members; /* "options":{...}, for every document */
};

/* The library's message begins with the word of what it is. */
static void warn_of_dialect(void *user, const char *where, const char *message)
{
    const char *end = strstr(message, WORD_END);
    (void)user;
    if (end)
        fprintf(stderr, "warning: %.*s: %s: %s\n", (int)(end - message), message, where,
                end + sizeof WORD_END - 1);
    else
        fprintf(stderr, "warning: %s: %s\n", where, message);
}

/* false = a usage error that has been reported. */
static bool read_members(struct jd_call *call, struct jl_buffer *out)
{
    const double gpu_tflops = call->values.gpu_tflops;
    if (jd_given(call, JD_OPTION(gpu_tflops)) && !(gpu_tflops > 0)) {
        jd_usage("--gpu-tflops is above 0");
        return false;
    }
    jl_put_string(out, call->values.detect ? "\"options\":{\"detect\":true" : "\"options\":{");
    jd_json_put_some(out, "to", call->values.to);
    jd_json_put_some(out, "gpuModel", call->values.gpu_model);
    if (gpu_tflops > 0)
        jd_json_put_number(out, "gpuTflops", gpu_tflops);
    jl_put_char(out, '}');
    return true;
}

/* A document of one line with the options as its first member; what is no object stays as it is. */
static void put_document(struct jl_buffer *out, const char *line, const struct jl_buffer *members)
{
    if (line[0] != '{') {
        jl_put_string(out, line);
        return;
    }
    jl_put_char(out, '{');
    jl_put(out, members->data, members->len);
    jl_put_string(out, line[1] == '}' ? "" : ",");
    jl_put_string(out, line + 1);
}

static int take_dialect(struct jd_call *call, const char *text, size_t len, void *user)
{
    const struct dialect *dialect = user;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer document = { 0 };
    JL_CLEANUP(jl_freep) char *line = NULL;
    int status;
    int rc = joulie_format(text, len, JOULIE_FORM_LINE, &line, &err);
    if (rc == JOULIE_OK) {
        put_document(&document, line, &dialect->members);
        if (document.is_failed)
            rc = jl_fail_memory(&err);
    }
    if (rc == JOULIE_OK)
        status = jd_ask_document(call, "convert", document.data, document.len, &dialect->options);
    else
        status = jd_put_error(call, &err);
    return status;
}

static int convert_dialect(struct jd_call *call, const char *file)
{
    struct dialect dialect = { .members = { 0 } };
    int status = JD_EXIT_USAGE;
    jd_ask_options(call, &dialect.options);
    if (read_members(call, &dialect.members)) {
        dialect.options.on_warning = warn_of_dialect;
        status = jd_each_document(call, file, take_dialect, &dialect);
    }
    jl_buffer_clear(&dialect.members);
    return status;
}

/* ---- objects of v0.0.x into what v0.1.1 reads ---- */

#define FIRST_OBJECT "objects[0]."

/* The objects that can be converted, one after the other. */
struct migration {
    struct joulie_ask_options options;
    struct jl_buffer objects;
};

/* A document is asked about alone at first, so that a bad one does not stop the others; places are
 * those in the document. */
static const char *own_place(const char *where)
{
    return jl_starts_with(where, FIRST_OBJECT) ? where + sizeof FIRST_OBJECT - 1 : where;
}

static void warn_of_migration(void *user, const char *where, const char *message)
{
    char place[JD_PLACE_TEXT];
    jd_place(user, own_place(where), place);
    fprintf(stderr, "%s: warning: %s: %s\n", jd_program, place, message);
}

static int ask_migration(const char *objects, size_t len, const struct joulie_ask_options *options,
                         char **answer, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer document = { 0 };
    jl_put_string(&document, "{\"objects\":[");
    jl_put(&document, objects, len);
    jl_put_string(&document, "]}");
    return jd_ask_buffer("convert.lift", &document, options, answer, err);
}

static int check_migration(const char *object, const struct joulie_ask_options *options,
                           struct joulie_error *err)
{
    JL_CLEANUP(jl_freep) char *answer = NULL;
    const int rc = ask_migration(object, strlen(object), options, &answer, err);
    if (rc != JOULIE_OK)
        memmove(err->where, own_place(err->where), strlen(own_place(err->where)) + 1);
    return rc;
}

static int take_migration(struct jd_call *call, const char *text, size_t len, void *user)
{
    struct migration *migration = user;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_freep) char *object = NULL;
    int rc = joulie_format(text, len, JOULIE_FORM_LINE, &object, &err);
    if (rc == JOULIE_OK)
        rc = check_migration(object, &migration->options, &err);
    if (rc == JOULIE_OK) {
        jl_put_string(&migration->objects, migration->objects.len > 0 ? "," : "");
        jl_put_string(&migration->objects, object);
    }
    return rc == JOULIE_OK ? JD_EXIT_OK : jd_put_error(call, &err);
}

static int put_answers(struct jd_call *call, const char *answer, struct joulie_error *err)
{
    JL_CLEANUP(jd_json_freep) struct json_object *root = jd_json_parse(answer, strlen(answer));
    struct json_object *nodes = jd_json_at(root, "nodes");
    struct json_object *cluster = jd_json_at(root, "cluster");
    for (size_t i = 0; i < jd_json_count(nodes); i++)
        jd_put_answer(call, jd_tree_text(jd_item(nodes, i)));
    if (cluster)
        jd_put_answer(call, jd_tree_text(cluster));
    return nodes ? JOULIE_OK : jl_fail_memory(err);
}

static int put_migration(struct jd_call *call, struct migration *migration)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_freep) char *answer = NULL;
    migration->options.on_warning = NULL; /* everything has been reported */
    int rc = migration->objects.is_failed
                 ? jl_fail_memory(&err)
                 : ask_migration(migration->objects.data, migration->objects.len,
                                 &migration->options, &answer, &err);
    if (rc == JOULIE_OK)
        rc = put_answers(call, answer, &err);
    return rc == JOULIE_OK ? JD_EXIT_OK : jd_put_error(call, &err);
}

static int convert_migrate(struct jd_call *call, const char *file)
{
    struct migration migration = { .objects = { 0 } };
    jd_ask_options(call, &migration.options);
    migration.options.on_warning = warn_of_migration;
    migration.options.user = call;
    int status = jd_each_document(call, file, take_migration, &migration);
    if (migration.objects.len > 0)
        status = jd_worse(status, put_migration(call, &migration));
    jl_buffer_clear(&migration.objects);
    return status;
}

/* ---- the command ---- */

#define MIGRATE_VERSION "v0.1.1"

static int run(struct jd_call *call)
{
    const char *file = call->argument_count > 0 ? call->arguments[0] : NULL;
    const char *to = call->values.to;
    const bool is_detect = call->values.detect;
    const bool has_gpu = jd_given(call, JD_OPTION(gpu_tflops)) || call->values.gpu_model;
    if (!to && !is_detect)
        return jd_usage("\"convert\" needs --to or --detect");
    if (to && is_detect)
        return jd_usage("--to and --detect exclude each other");
    if (has_gpu && (is_detect || jl_same(to, MIGRATE_VERSION)))
        return jd_usage("--gpu-tflops and --gpu-model are for --to A, B or C");
    if (jd_given(call, JD_OPTION(gpu_tflops)) && call->values.gpu_model)
        return jd_usage("--gpu-tflops and --gpu-model exclude each other");
    return jl_same(to, MIGRATE_VERSION) ? convert_migrate(call, file) : convert_dialect(call, file);
}

static const char *const to_words[] = { MIGRATE_VERSION, "A", "B", "C", NULL };

static const struct jd_setting options[] = {
    JD_WORD_ROW("TO", to, to_words, "VERSION",
                "v0.1.1: NodePowerProfiles become NodeTwins, TelemetryProfiles settings of agents; "
                "A, B, C: dialect of TensorFusion"),
    JD_BOOLEAN_ROW("DETECT", detect,
                   "only name the TensorFusion dialect: A, B, C, neutral or mixed"),
    JD_DOUBLE_ROW("GPU_TFLOPS", gpu_tflops, "N",
                  "FP16 TFLOPS of one GPU, for amounts that are percents of it"),
    JD_TEXT_ROW(
        "GPU_MODEL", gpu_model, "NAME",
        "the same by a GPU's driver name, model or family; without both it is spec.gpuModel"),
    JD_LENIENT_ROW,
    JD_FORM_ROW,
};

const struct jd_command jd_command_convert = {
    .name = "convert",
    .arguments = "[FILE]",
    .most = 1,
    .files = JD_FILES,
    .summary = "Objects of other releases and dialects",
    .text =
        "--to v0.1.1: one line per node, by name: {\"nodeTwin\", \"agentEnv\"}, each only where "
        "there is something to say; a node without a NodeTwin says its nodeName. What holds for "
        "the whole cluster is the last line, {\"agentEnv\"} alone.\n"
        "--to A, B, C: each WorkloadProfile or TensorFusionWorkload of tensor-fusion.ai/v1 as a "
        "cluster of that dialect reads it. What the dialect cannot say is reported as a warning "
        "and "
        "kept in the annotation joulie.io/tensor-fusion-autoscaling, from which the way back "
        "restores it. An object of the dialect, or one that is valid in all, is unchanged; what "
        "its "
        "cluster would ignore is reported. Members that no dialect has stay, with a warning. "
        "--lenient "
        "takes the last of two members of one name.",
    .question = "convert",
    JD_ROWS(options),
    .run = run,
};
