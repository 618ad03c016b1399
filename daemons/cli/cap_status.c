/* SPDX-License-Identifier: Apache-2.0 */

/* What is capped, by whom, since when: for programs as JSON, for a person as a table. */

#include <json-c/json.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "cli.h"
#include "host.h"
#include "runtime/json.h"
#include "table.h"

static const char *const heads[] = { "KEY", "NOW", "BASELINE", "OWNER", "SINCE" };

static const char *text_of(struct json_object *control, const char *member)
{
    struct json_object *found = NULL;
    return json_object_object_get_ex(control, member, &found) ? json_object_get_string(found) : "-";
}

/* 120 W for 120000000 uW, 123.5 W for 123456789. */
static void add_value(struct jd_table *table, struct json_object *control, const char *member)
{
    static const struct {
        const char *unit;
        double per;
        const char *shown;
    } units[] = { { "uW", 1e6, "W" }, { "mW", 1e3, "W" }, { "kHz", 1e3, "MHz" } };

    struct json_object *found = NULL;
    const char *unit = text_of(control, "unit");
    const bool is_there = json_object_object_get_ex(control, member, &found);
    for (size_t i = 0; is_there && i < JL_COUNT(units); i++) {
        char number[JL_DOUBLE_TEXT];
        if (!jl_same(unit, units[i].unit))
            continue;
        const double tenths = json_object_get_double(found) / units[i].per * 10;
        jl_format_double(jl_round_half_away(tenths) / 10, number);
        jd_table_addf(table, "%s %s", number, units[i].shown);
        return;
    }
    jd_table_add(table, NULL);
}

static int put_rows(struct jl_buffer *out, struct json_object *controls)
{
    struct jd_table table;
    jd_table_init(&table, heads, JL_COUNT(heads));
    for (size_t i = 0; i < json_object_array_length(controls); i++) {
        struct json_object *control = json_object_array_get_idx(controls, i);
        jd_table_add(&table, text_of(control, "key"));
        add_value(&table, control, "now");
        add_value(&table, control, "baseline");
        jd_table_add(&table, text_of(control, "owner"));
        jd_table_add(&table, text_of(control, "since"));
    }
    const int rc = jd_table_put(&table, true, out);
    jd_table_clear(&table);
    return rc;
}

static int put_table(struct jd_call *call, const char *json, struct joulie_error *err)
{
    struct jl_buffer out = { 0 };
    struct json_object *caps = jd_json_parse(json, strlen(json));
    struct json_object *found = NULL;
    int rc = 0;
    if (json_object_object_get_ex(caps, "controls", &found) && json_object_array_length(found) > 0)
        rc = put_rows(&out, found);
    else
        jl_put_string(&out, "nothing is capped\n");
    if (json_object_object_get_ex(caps, "disabled", &found) && json_object_get_boolean(found))
        jl_put_string(&out, "caps are switched off; joulie cap allow switches them on\n");
    if (rc < 0 || !caps || jl_buffer_code(&out))
        rc = jl_fail_memory(err);
    if (rc == 0)
        jd_put_text(call, out.data, out.len);
    json_object_put(caps);
    jl_buffer_clear(&out);
    return rc;
}

static int run(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const struct joulie_host_options host_options = jd_host_options(call);
    struct joulie_host *host = NULL;
    char *json = NULL;
    int rc = joulie_host_open(&host_options, &host, &err);
    if (rc == 0)
        rc = joulie_host_caps(host, &json, &err);
    if (rc == 0 && jl_same(call->values.output, "table"))
        rc = put_table(call, json, &err);
    else if (rc == 0)
        jd_put_answer(call, json);
    joulie_free(json);
    joulie_host_free(host);
    return rc < 0 ? jd_fail_answer(call, &err) : JD_EXIT_OK;
}

static const struct jd_setting options[] = {
    JD_ROOT_ROW,
    JD_STATE_DIR_ROW,
    JD_OUTPUT_ROW_OF(jd_table_output_words,
                     "form of the answer: json (one line, the default), pretty, yaml or table"),
    JD_VERBOSE_ROW,
};

const struct jd_command jd_command_cap_status = {
    .name = "cap status",
    .summary = "What is capped on a machine, by whom, since when",
    .text = "Reads the journal, also while an agent writes it.",
    .options = options,
    .option_count = JL_COUNT(options),
    .run = run,
};
