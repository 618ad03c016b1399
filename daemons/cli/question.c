/* SPDX-License-Identifier: Apache-2.0 */

/* Documents through the library's questions: one answer or one error per document, in order. */

#define _GNU_SOURCE /* memmem */

#include <stdio.h>
#include <string.h>

#include <joulie/object.h>

#include "base/error.h"
#include "cli.h"
#include "kube/meta.h"
#include "kube/scan.h"
#include "runtime/json.h"
#include "runtime/zoneinfo.h"

static void warn(void *user, const char *where, const char *message)
{
    (void)user;
    fprintf(stderr, "%s: warning: %s: %s\n", jd_program, where, message);
}

void jd_ask_options(const struct jd_call *call, struct joulie_ask_options *out)
{
    int64_t range = call->values.score_range;
    *out = JOULIE_INIT(struct joulie_ask_options);
    out->model = call->values.model;
    out->physics = call->values.physics;
    out->is_lenient = call->values.lenient;
    out->on_warning = warn;
    if (jd_given(call, JD_OPTION(score_range)) && (range < 1 || range > INT32_MAX))
        range = -1; /* the library says what a score range may be */
    out->score_range = (int32_t)range;
}

/* The library prints every answer itself, and a quote inside a string is escaped, so this text is
 * the member. */
static bool is_stale(const char *answer)
{
    return strstr(answer, "\"basis\":\"stale\"") != NULL;
}

/* What one question needs of the command line: where warnings go, and which item of a list they are
 * of; the system's time zones. */
struct listener {
    const struct jd_call *call;
    joulie_ask_warning_fn *on_warning;
    void *user;
    struct jd_zoneinfo zones;
};

static void pass_on(void *user, const char *where, const char *message)
{
    const struct listener *listener = user;
    char place[JD_PLACE_TEXT];
    jd_place(listener->call, where, place);
    listener->on_warning(listener->user, place, message);
}

static int find_zone(void *user, const char *name, const void **out_bytes, size_t *out_len)
{
    struct listener *listener = user;
    return jd_zoneinfo_find(&listener->zones, name, out_bytes, out_len);
}

int jd_ask(const struct jd_call *call, const char *question, struct jl_text text,
           const struct joulie_ask_options *options, char **answer, struct joulie_error *err)
{
    struct joulie_ask_options own = options ? *options : JOULIE_INIT(struct joulie_ask_options);
    struct listener listener = { .call = call, .on_warning = own.on_warning, .user = own.user };
    if (own.on_warning)
        own.on_warning = pass_on;
    own.find_zone = find_zone;
    own.user = &listener;
    const int rc = joulie_ask(question, text.ptr, text.len, &own, answer, err);
    jd_zoneinfo_clear(&listener.zones);
    return rc;
}

int jd_ask_buffer(const char *question, const struct jl_buffer *document,
                  const struct joulie_ask_options *options, char **answer, struct joulie_error *err)
{
    return document->is_failed
               ? jl_fail_memory(err)
               : joulie_ask(question, document->data, document->len, options, answer, err);
}

/* ---- objects that people have ---- */

#define OBJECT_BYTES_MAX ((size_t)1 << 20) /* what is larger is the input itself */

/* Where an object stands in the input of a question that does not take it as it is. */
static const struct {
    const char *question;
    const char *kind;
    const char *member;
} belongings[] = {
    { "classify", "WorkloadProfile", "previous (its status)" },
    { "predict", "NodeHardware", "hardware" },
    { "predict", "NodeTwin", "spec" },
    { "predict", "WorkloadProfile", "profiles[]" },
    { "plan", "Node", "nodes[].node" },
    { "plan", "NodeHardware", "nodes[].hardware" },
    { "plan", "NodeTwin", "nodes[].twin" },
    { "plan", "Pod", "pods[]" },
    { "plan", "WorkloadProfile", "profiles[]" },
    { "score", "Pod", "pod" },
    { "score", "NodeTwin", "nodes[].twin" },
    { "score", "NodeHardware", "nodes[].hardware" },
    { "score", "WorkloadProfile", "profile" },
};

/* A document with apiVersion and kind, in JSON; *json is to be freed. Other documents are no
 * objects, also those that cannot be read, which the question says better. */
static bool read_object(struct jl_text *text, char **json, struct jl_arena *arena,
                        struct jd_meta *meta)
{
    *text = jl_text_trim(*text);
    if (text->len == 0 || text->len > OBJECT_BYTES_MAX)
        return false;
    if (text->ptr[0] != '{') {
        if (!memmem(text->ptr, text->len, "apiVersion", sizeof "apiVersion" - 1) ||
            joulie_format(text->ptr, text->len, JOULIE_FORM_LINE, json, NULL) != JOULIE_OK)
            return false;
        *text = jl_text(*json);
    }
    return jd_meta_read(*text, arena, meta) == 0 && meta->kind.len > 0 && meta->api_version.len > 0;
}

static struct jl_text member_of(struct jl_text object, const char *name)
{
    struct jl_text key;
    struct jl_text value;
    struct jd_scan scan = jd_scan_open(object, '{');
    while (jd_scan_member(&scan, &key, &value)) {
        if (jl_text_is(key, name))
            return value;
    }
    return (struct jl_text){ NULL, 0 };
}

/* The input of classify out of a Pod: its annotations and labels. */
static bool put_pod(struct jl_text pod, struct jl_buffer *out)
{
    static const char *const members[] = { "annotations", "labels" };
    const struct jl_text metadata = member_of(pod, "metadata");
    jl_put_char(out, '{');
    for (size_t i = 0; metadata.ptr && i < JL_COUNT(members); i++) {
        const struct jl_text value = member_of(metadata, members[i]);
        if (!value.ptr)
            continue;
        jd_put_format(out, "%s%s\":", out->len > 1 ? ",\"" : "\"", members[i]);
        jl_put(out, value.ptr, value.len);
    }
    jl_put_char(out, '}');
    return !out->is_failed;
}

/* An object in the place of a question's input: the error says where it belongs. */
static void name_member(const char *question, const struct jd_meta *meta, struct joulie_error *err)
{
    for (size_t i = 0; i < JL_COUNT(belongings); i++) {
        const char *kind = belongings[i].kind;
        if (!jl_same(belongings[i].question, question) || !jl_text_is(meta->kind, kind))
            continue;
        jl_fail(err, err->code, "kind",
                "a %s belongs under %s of the input; joulie ask --describe %s", kind,
                belongings[i].member, question);
    }
}

int jd_ask_document(struct jd_call *call, const char *question, const char *text, size_t len,
                    const struct joulie_ask_options *options)
{
    struct jl_text document = { text, len };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer pod = { 0 };
    struct jd_meta meta;
    JL_CLEANUP(jl_freep) char *answer = NULL;
    JL_CLEANUP(jl_freep) char *json = NULL;
    struct jl_text object = document;
    const bool is_object = read_object(&object, &json, &arena, &meta);
    if (is_object && jl_same(question, "classify") && jl_text_is(meta.kind, "Pod") &&
        put_pod(object, &pod))
        document = (struct jl_text){ pod.data, pod.len };
    const int rc = jd_ask(call, question, document, options, &answer, &err);
    if (rc != JOULIE_OK && is_object)
        name_member(question, &meta, &err);
    if (rc != JOULIE_OK)
        return jd_put_error(call, &err);
    const int status = call->values.require_fresh && is_stale(answer) ? JD_EXIT_STALE : JD_EXIT_OK;
    jd_put_answer(call, answer);
    return status;
}

struct asked {
    const char *question;
    struct joulie_ask_options options;
};

static int ask_one(struct jd_call *call, const char *text, size_t len, void *user)
{
    const struct asked *asked = user;
    return jd_ask_document(call, asked->question, text, len, &asked->options);
}

/* Whether there are such a question and rule set: reported before anything is read, which may wait.
 */
static bool is_known(struct jd_call *call, const struct asked *asked)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_freep) char *answer = NULL;
    const int rc = joulie_ask(asked->question, "", 0, &asked->options, &answer, &err);
    if (rc != JOULIE_E_UNSUPPORTED)
        return true; /* no document is a mistake of another kind */
    jd_put_error(call, &err);
    return false;
}

int jd_run_question(struct jd_call *call)
{
    const bool is_ask = !call->command->question; /* then the question is the first argument */
    const size_t first = is_ask ? 1 : 0;
    const char *file = call->argument_count > first ? call->arguments[first] : NULL;
    struct asked asked;
    asked.question = is_ask ? call->arguments[0] : call->command->question;
    jd_ask_options(call, &asked.options);
    if (!is_known(call, &asked))
        return JD_EXIT_BAD;
    return jd_each_document(call, file, ask_one, &asked);
}
