/* SPDX-License-Identifier: Apache-2.0 */

/* One row of a table of options: what it is called, its value's text into the member of the
 * program's struct, or why not. options.c and manual.c call it. */

#include <json-c/json.h>
#include <string.h>

#include <joulie/cluster.h>

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "base/time.h"
#include "runtime/json.h"
#include "runtime/options.h"

#define NS_PER_MS 1000000
#define NS_PER_S 1e9
#define MS_PER_S 1000.0
#define LONGEST_SHOWN 80 /* bytes of a bad value in a message */

/* ---- what a row is called ---- */

const char *jd_flag_of(const struct jd_setting *setting, char out[JD_FLAG_BYTES])
{
    size_t len = 0;
    for (; setting->name[len] && len + 1 < JD_FLAG_BYTES; len++)
        out[len] = setting->name[len] == '_' ? '-' : jl_lower(setting->name[len]);
    out[len] = '\0';
    return out;
}

const char *jd_setting_word(const struct jd_setting *setting, size_t i)
{
    return setting->words ? setting->words[i]
                          : joulie_word(setting->vocabulary, (int)i + 1); /* they begin with 1 */
}

size_t jd_index_of_flag(const struct jd_daemon *daemon, struct jl_text flag)
{
    char text[JD_FLAG_BYTES];
    size_t i = 0;
    while (i < daemon->setting_count && (daemon->settings[i].type == JD_LATER ||
                                         !jl_text_is(flag, jd_flag_of(&daemon->settings[i], text))))
        i++;
    return i;
}

size_t jd_index_of_letter(const struct jd_daemon *daemon, char letter)
{
    size_t i = 0;
    while (i < daemon->setting_count && daemon->settings[i].letter != letter)
        i++;
    return i;
}

const struct jd_setting *jd_setting_of_word(const struct jd_daemon *daemon, const char *word)
{
    size_t i = daemon->setting_count;
    if (jl_starts_with(word, "--"))
        i = jd_index_of_flag(daemon, jl_text(word + 2));
    else if (word[0] == '-' && word[1] && !word[2])
        i = jd_index_of_letter(daemon, word[1]);
    return i < daemon->setting_count ? &daemon->settings[i] : NULL;
}

const char *jd_value_name(const struct jd_setting *setting)
{
    if (setting->value)
        return setting->value;
    switch (setting->type) {
    case JD_TEXT:
    case JD_LIST:
    case JD_JSON:
        return "TEXT";
    case JD_WORD:
        return "WORD";
    case JD_DURATION:
        return "DURATION";
    case JD_PERCENT:
        return "PERCENT";
    case JD_INTEGER:
    case JD_DOUBLE:
        return "NUMBER";
    case JD_REFUSED:
        return "FILE";
    case JD_BOOLEAN:
    case JD_LATER:
        break;
    }
    return NULL;
}

/* ---- its value ---- */

/* `"value" is not a duration`, with what a terminal would obey made visible. */
static int refuse(struct joulie_error *err, int code, const char *text, const char *what)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer shown = { 0 };
    jl_put_json_string(&shown, text, jl_utf8_cut(text, strlen(text), LONGEST_SHOWN));
    jl_fail(err, code, "", "%s %s", shown.is_failed ? "the value" : shown.data, what);
    return code;
}

static int read_duration(const char *text, int64_t *out_ms, struct joulie_error *err)
{
    int64_t ns = 0;
    if (jl_parse_duration(text, strlen(text), &ns) != 0)
        return refuse(err, JOULIE_E_PARSE, text, "is not a duration such as 20s or 1m30s");
    if (ns % NS_PER_MS != 0)
        return refuse(err, JOULIE_E_RANGE, text, "is finer than a millisecond");
    *out_ms = ns / NS_PER_MS;
    return 0;
}

static int read_integer(const char *text, int64_t *out, struct joulie_error *err)
{
    return jl_parse_i64(text, strlen(text), out) == 0
               ? 0
               : refuse(err, JOULIE_E_PARSE, text, "is not a whole number");
}

static int read_double(const char *text, double *out, struct joulie_error *err)
{
    return jl_parse_double(text, strlen(text), out) == 0
               ? 0
               : refuse(err, JOULIE_E_PARSE, text, "is not a number");
}

static int read_boolean(const char *text, bool *out, struct joulie_error *err)
{
    static const struct {
        const char *word;
        bool value;
    } words[] = { { "true", true },   { "yes", true }, { "1", true },
                  { "false", false }, { "no", false }, { "0", false } };

    for (size_t i = 0; i < JL_COUNT(words); i++) {
        if (jl_same_nocase(jl_text(text), words[i].word)) {
            *out = words[i].value;
            return 0;
        }
    }
    return refuse(err, JOULIE_E_ENUM, text, "is neither true nor false");
}

static int read_word(const struct jd_setting *setting, const char *text, const char **out,
                     struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer list = { 0 };
    const char *word = NULL;
    jl_put_string(&list, "is none of");
    for (size_t i = 0; (word = jd_setting_word(setting, i)); i++) {
        if (jl_same_nocase(jl_text(text), word)) {
            *out = word;
            return 0;
        }
        jl_put_string(&list, i > 0 ? ", " : " ");
        jl_put_string(&list, word);
    }
    return refuse(err, JOULIE_E_ENUM, text, list.is_failed ? "is none of its words" : list.data);
}

/* A number of any type as it is compared with its bounds: durations in ms. */
static int read_number(enum jd_type type, const char *text, double *out, struct joulie_error *err)
{
    int64_t whole = 0;
    int rc = 0;
    if (type == JD_DURATION)
        rc = read_duration(text, &whole, err);
    else if (type == JD_INTEGER)
        rc = read_integer(text, &whole, err);
    else
        return read_double(text, out, err);
    *out = (double)whole;
    return rc;
}

static int check_bound(const struct jd_setting *setting, const char *text, double value,
                       const char *bound, int sign, struct joulie_error *err)
{
    double limit = 0;
    if (!bound || read_number(setting->type, bound, &limit, err) != 0 ||
        (value - limit) * sign <= 0)
        return 0;
    return jl_fail(err, JOULIE_E_RANGE, "", "%s is %s %s", text, sign > 0 ? "above" : "below",
                   bound);
}

static int check_bounds(const struct jd_setting *setting, const char *text,
                        struct joulie_error *err)
{
    const bool is_percent = setting->type == JD_PERCENT;
    const char *least = !setting->least && is_percent ? "0" : setting->least;
    const char *most = !setting->most && is_percent ? "100" : setting->most;
    double value = 0;
    int rc = read_number(setting->type, text, &value, err);
    if (rc == 0)
        rc = check_bound(setting, text, value, least, -1, err);
    return rc == 0 ? check_bound(setting, text, value, most, +1, err) : rc;
}

static int read_json(const char *text, const char **out, struct joulie_error *err)
{
    JL_CLEANUP(jd_json_freep) struct json_object *tree = NULL;
    const int rc = jd_json_read(text, strlen(text), &tree, err);
    if (rc == JOULIE_E_NOMEM)
        return rc;
    if (rc < 0)
        return refuse(err, rc, text, "is not JSON");
    *out = text;
    return 0;
}

int jd_setting_read(const struct jd_setting *setting, const char *text, void *values,
                    struct joulie_error *err)
{
    union {
        const char *text;
        int64_t whole;
        double number;
        bool is_true;
    } unbound;

    void *member = setting->is_unbound ? (void *)&unbound : (char *)values + setting->offset;
    int rc = 0;
    switch (setting->type) {
    case JD_TEXT:
    case JD_LIST:
        *(const char **)member = text;
        return 0;
    case JD_JSON:
        return read_json(text, member, err);
    case JD_WORD:
        return read_word(setting, text, member, err);
    case JD_BOOLEAN:
        return read_boolean(text, member, err);
    case JD_DURATION:
        rc = check_bounds(setting, text, err);
        return rc == 0 ? read_duration(text, member, err) : rc;
    case JD_INTEGER:
        rc = check_bounds(setting, text, err);
        return rc == 0 ? read_integer(text, member, err) : rc;
    case JD_DOUBLE:
    case JD_PERCENT:
        rc = check_bounds(setting, text, err);
        return rc == 0 ? read_double(text, member, err) : rc;
    case JD_LATER:
        return 0;
    case JD_REFUSED:
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "", "%s", setting->doc);
    }
    return JOULIE_E_INTERNAL;
}

/* ---- as a member of the model's settings ---- */

static void put_list(struct jl_buffer *out, const char *list)
{
    struct jl_text rest = jl_text(list);
    jl_put_char(out, '[');
    while (rest.len > 0) {
        const struct jl_text part = jl_text_trim(jl_text_cut(&rest, ','));
        if (part.len == 0)
            continue;
        jd_json_next(out);
        jl_put_json_string(out, part.ptr, part.len);
    }
    jl_put_char(out, ']');
}

void jd_setting_put_json(const struct jd_setting *setting, const char *text, struct jl_buffer *out)
{
    const char *word = text;
    double number = 0;
    bool is_true = false;
    switch (setting->type) {
    case JD_WORD:
        read_word(setting, text, &word, NULL);
        jl_put_json_string(out, word, strlen(word));
        break;
    case JD_TEXT:
        jl_put_json_string(out, text, strlen(text));
        break;
    case JD_LIST:
        put_list(out, text);
        break;
    case JD_JSON:
        jl_put_string(out, text);
        break;
    case JD_BOOLEAN:
        read_boolean(text, &is_true, NULL);
        jl_put_string(out, is_true ? "true" : "false");
        break;
    case JD_DURATION:
    case JD_INTEGER:
    case JD_DOUBLE:
    case JD_PERCENT:
        read_number(setting->type, text, &number, NULL);
        jl_put_double(out, setting->type == JD_DURATION ? number / MS_PER_S : number);
        break;
    case JD_LATER:
    case JD_REFUSED:
        jl_put_string(out, "null");
        break;
    }
}

/* ---- defaults: a setting of the model has that of the model ---- */

/* A group that is absent by default has the defaults of its members all the same. */
#define GROUPS "{\"powerOff\":{}}"

struct json_object *jd_default_settings(const struct jd_daemon *daemon)
{
    struct joulie_cluster *model = NULL;
    struct json_object *tree = NULL;
    JL_CLEANUP(jl_freep) char *json = NULL;
    size_t i = 0;
    while (i < daemon->setting_count && !daemon->settings[i].path)
        i++;
    if (i < daemon->setting_count &&
        joulie_cluster_new(GROUPS, strlen(GROUPS), &model, NULL) == 0 &&
        joulie_cluster_settings(model, &json, NULL) == 0)
        tree = jd_json_parse(json, strlen(json));
    joulie_cluster_free(model);
    return tree;
}

/* 5m for 300, 1h30m for 5400: without parts that are 0. */
static void put_duration(struct jl_buffer *out, double seconds)
{
    char text[JL_TIME_TEXT];
    size_t len = jl_format_duration((int64_t)(seconds * NS_PER_S), text);
    if (len > 3 && memcmp(text + len - 3, "m0s", 3) == 0)
        len -= 2;
    if (len > 3 && memcmp(text + len - 3, "h0m", 3) == 0)
        len -= 2;
    jl_put(out, text, len);
}

bool jd_put_default(struct jl_buffer *out, const struct jd_setting *setting,
                    struct json_object *model)
{
    const size_t start = out->len;
    struct json_object *value = setting->path ? jd_json_at(model, setting->path) : NULL;
    if (setting->by_default)
        jl_put_string(out, setting->by_default);
    else if (value && setting->type == JD_DURATION)
        put_duration(out, json_object_get_double(value));
    else if (value && setting->type == JD_JSON)
        jd_json_put_tree(out, value);
    else if (value && setting->type != JD_LIST) /* a list is empty by default */
        jl_put_string(out, json_object_get_string(value));
    return out->len > start || setting->by_default;
}
