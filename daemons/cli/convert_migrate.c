/* SPDX-License-Identifier: Apache-2.0 */

/* Objects of v0.0.x into what v0.1.1 reads (docs/rules/commands.md#conversion). */

#include <stdio.h>
#include <string.h>

#include <joulie/object.h>

#include "base/error.h"
#include "convert.h"
#include "tree.h"

#define QUESTION "convert.lift"
#define FIRST_OBJECT "objects[0]."

/* The objects that can be converted, one after the other. */
struct conversion {
    struct joulie_ask_options options;
    struct jl_buffer objects;
};

/* A document is asked about alone at first, so that a bad one does not stop the others; places are
 * those in the document. */
static const char *own_place(const char *where)
{
    return jl_starts_with(where, FIRST_OBJECT) ? where + sizeof FIRST_OBJECT - 1 : where;
}

static void warn(void *user, const char *where, const char *message)
{
    char place[JD_PLACE_TEXT];
    jd_place(user, own_place(where), place);
    fprintf(stderr, "%s: warning: %s: %s\n", jd_program, place, message);
}

static int ask(const char *objects, size_t len, const struct joulie_ask_options *options,
               char **answer, struct joulie_error *err)
{
    struct jl_buffer document = { 0 };
    jl_put_string(&document, "{\"objects\":[");
    jl_put(&document, objects, len);
    jl_put_string(&document, "]}");
    const int rc = document.is_failed
                       ? jl_fail_memory(err)
                       : joulie_ask(QUESTION, document.data, document.len, options, answer, err);
    jl_buffer_clear(&document);
    return rc;
}

static int check(const char *object, const struct joulie_ask_options *options,
                 struct joulie_error *err)
{
    char *answer = NULL;
    const int rc = ask(object, strlen(object), options, &answer, err);
    joulie_free(answer);
    if (rc != JOULIE_OK)
        memmove(err->where, own_place(err->where), strlen(own_place(err->where)) + 1);
    return rc;
}

static int take(struct jd_call *call, const char *text, size_t len, void *user)
{
    struct conversion *conversion = user;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *object = NULL;
    int rc = joulie_format(text, len, JOULIE_FORM_LINE, &object, &err);
    if (rc == JOULIE_OK)
        rc = check(object, &conversion->options, &err);
    if (rc == JOULIE_OK) {
        jl_put_string(&conversion->objects, conversion->objects.len > 0 ? "," : "");
        jl_put_string(&conversion->objects, object);
    }
    joulie_free(object);
    return rc == JOULIE_OK ? JD_EXIT_OK : jd_put_error(call, &err);
}

static int put_answers(struct jd_call *call, const char *answer, struct joulie_error *err)
{
    struct json_object *root = jd_json_parse(answer, strlen(answer));
    struct json_object *nodes = jd_json_at(root, "nodes");
    struct json_object *cluster = jd_json_at(root, "cluster");
    for (size_t i = 0; i < jd_json_count(nodes); i++)
        jd_put_answer(call, jd_tree_text(jd_item(nodes, i)));
    if (cluster)
        jd_put_answer(call, jd_tree_text(cluster));
    json_object_put(root);
    return nodes ? JOULIE_OK : jl_fail_memory(err);
}

static int convert(struct jd_call *call, struct conversion *conversion)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;
    conversion->options.on_warning = NULL; /* everything has been reported */
    int rc = conversion->objects.is_failed ? jl_fail_memory(&err)
                                           : ask(conversion->objects.data, conversion->objects.len,
                                                 &conversion->options, &answer, &err);
    if (rc == JOULIE_OK)
        rc = put_answers(call, answer, &err);
    joulie_free(answer);
    return rc == JOULIE_OK ? JD_EXIT_OK : jd_put_error(call, &err);
}

int jd_convert_migrate(struct jd_call *call, const char *file)
{
    struct conversion conversion = { .objects = { 0 } };
    jd_ask_options(call, &conversion.options);
    conversion.options.on_warning = warn;
    conversion.options.user = call;
    int status = jd_each_document(call, file, take, &conversion);
    if (conversion.objects.len > 0)
        status = jd_worse(status, convert(call, &conversion));
    jl_buffer_clear(&conversion.objects);
    return status;
}
