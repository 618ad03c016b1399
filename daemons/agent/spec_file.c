/* SPDX-License-Identifier: Apache-2.0 */

/* The file of --spec: polled, read when it changed, handed to the host. Called by each control
 * interval. */

#include "agent/spec_file.h"

#include <json-c/json.h>
#include <string.h>

#include <joulie/object.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "runtime/json.h"

/* ---- what it says ---- */

static void clear_words(struct jd_spec_words *words)
{
    jl_free(words->node_name);
    jl_free(words->profile);
    *words = (struct jd_spec_words){ 0 };
}

static bool copy_member(struct json_object *spec, const char *key, char **out)
{
    struct json_object *member = json_object_object_get(spec, key);
    if (!json_object_is_type(member, json_type_string))
        return true;
    *out = jl_strdup(json_object_get_string(member));
    return *out != NULL;
}

/* From a NodeTwin, or its spec alone, JSON or YAML: 0 or a code of joulie_format(). */
static int read_words(const char *text, size_t len, struct jd_spec_words *out,
                      struct joulie_error *err)
{
    struct jd_spec_words words = { 0 };
    JL_CLEANUP(jl_freep) char *line = NULL;
    int rc = joulie_format(text, len, JOULIE_FORM_LINE, &line, err);
    if (rc < 0)
        return rc;
    struct json_object *root = jd_json_parse(line, strlen(line));
    struct json_object *spec = NULL;
    if (!json_object_is_type(root, json_type_object))
        rc = jl_fail(err, JOULIE_E_TYPE, "", "is no NodeTwin");
    else if (!json_object_object_get_ex(root, "spec", &spec))
        spec = root;
    if (json_object_is_type(spec, json_type_object) &&
        (!copy_member(spec, "nodeName", &words.node_name) ||
         !copy_member(spec, "profile", &words.profile)))
        rc = jl_fail_memory(err);
    json_object_put(root);
    if (rc < 0)
        clear_words(&words);
    else
        *out = words;
    return rc;
}

/* Hands one text over; nothing changes when it cannot be used. */
static int take_text(struct jd_spec *spec, struct joulie_host *host, const struct jl_buffer *text,
                     struct joulie_error *err)
{
    struct jd_spec_words words = { 0 };
    const char *bytes = text->data ? text->data : "";
    int rc = read_words(bytes, text->len, &words, err);
    if (rc == 0 && spec->node_name && words.node_name && !jl_same(words.node_name, spec->node_name))
        rc = jl_fail(err, JOULIE_E_CONFLICT, "spec.nodeName",
                     "is \"%.64s\", this node is \"%.64s\"", words.node_name, spec->node_name);
    if (rc == 0)
        rc = joulie_host_put_twin(host, bytes, text->len, err);
    if (rc < 0) {
        clear_words(&words);
        return rc;
    }
    clear_words(&spec->words);
    spec->words = words;
    return 0;
}

/* Once for each thing that is wrong. */
static void log_bad(struct jd_spec *spec, const struct joulie_error *err)
{
    struct jl_buffer text = { 0 };
    jd_put_place(&text, spec->file.path, err);
    jl_put_string(&text, "; ");
    jl_put_string(&text,
                  spec->text.data ? "the last good one stays in force" : "no spec was read so far");
    const bool is_logged = spec->is_bad && jl_same(text.data, spec->problem.data);
    if (!is_logged && !text.is_failed)
        jd_log_line(spec->log, JOULIE_LOG_LEVEL_WARN, "spec", text.data);
    jl_buffer_clear(&spec->problem);
    spec->problem = text;
}

static void take_bad(struct jd_spec *spec, struct joulie_host *host, const struct joulie_error *err)
{
    log_bad(spec, err);
    spec->is_bad = true;
    if (err->code == JOULIE_E_NOMEM)
        spec->file.is_settled = false; /* it may well be good */
    joulie_host_set_twin_unread(host, 1);
}

static void take_good(struct jd_spec *spec, struct joulie_host *host, struct jl_buffer *text,
                      bool is_new)
{
    if (spec->is_bad || is_new)
        jd_log(spec->log, JOULIE_LOG_LEVEL_INFO, "spec", "%s: %s", spec->file.path,
               is_new ? "read" : "is there again, and as it was");
    if (spec->is_bad)
        joulie_host_set_twin_unread(host, 0);
    spec->is_bad = false;
    if (is_new) {
        jl_buffer_clear(&spec->text);
        spec->text = *text;
        *text = (struct jl_buffer){ 0 };
    }
}

bool jd_spec_poll(struct jd_spec *spec, struct joulie_host *host)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    if (!spec->file.path || !jd_polled_may_differ(&spec->file))
        return false;
    int rc = jd_polled_read(&spec->file, JL_LIMIT_OBJECT_BYTES, &text, &err);
    const bool is_new = rc == 0 && !(spec->text.data && jl_buffer_is_same(&text, &spec->text));
    if (is_new)
        rc = take_text(spec, host, &text, &err);
    if (rc < 0)
        take_bad(spec, host, &err);
    else
        take_good(spec, host, &text, is_new);
    return rc == 0 && is_new;
}

void jd_spec_clear(struct jd_spec *spec)
{
    clear_words(&spec->words);
    jl_buffer_clear(&spec->text);
    jl_buffer_clear(&spec->problem);
}
