/* SPDX-License-Identifier: Apache-2.0 */

/* What is capped, by whom, since when: for programs as JSON, for a person as a table. */

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "cli.h"
#include "host.h"
#include "table.h"
#include "tree.h"

#define UW_PER_W 1e6

static const char *const heads[] = { "KEY", "NOW", "BASELINE", "OWNER", "SINCE" };

/* 120 W for 120000000 uW, 123.5 W for 123456789. */
static void add_value(struct jd_table *table, struct json_object *control, const char *member)
{
    static const struct {
        const char *unit;
        double per;
        const char *shown;
    } units[] = { { "uW", 1e6, "W" }, { "mW", 1e3, "W" }, { "kHz", 1e3, "MHz" } };

    struct json_object *found = jd_json_at(control, member);
    for (size_t i = 0; found && i < JL_COUNT(units); i++) {
        char number[JL_DOUBLE_TEXT];
        if (!jl_same(jd_json_text(control, "unit"), units[i].unit))
            continue;
        const double tenths = json_object_get_double(found) / units[i].per * 10;
        jl_format_double(jl_round_half_away(tenths) / 10, number);
        jd_table_addf(table, "%s %s", number, units[i].shown);
        return;
    }
    jd_table_add(table, NULL);
}

static void put_rows(struct jl_buffer *out, struct json_object *controls)
{
    struct jd_table table;
    jd_table_init(&table, heads, JL_COUNT(heads));
    for (size_t i = 0; i < jd_json_count(controls); i++) {
        struct json_object *control = jd_item(controls, i);
        jd_table_add(&table, jd_json_text(control, "key"));
        add_value(&table, control, "now");
        add_value(&table, control, "baseline");
        jd_table_add(&table, jd_json_text(control, "owner"));
        jd_table_add(&table, jd_json_text(control, "since"));
    }
    jd_table_end(&table, true, out);
}

/* "maximum" is there where less was found. */
static void put_low(struct jl_buffer *out, struct json_object *controls)
{
    for (size_t i = 0; i < jd_json_count(controls); i++) {
        struct json_object *control = jd_item(controls, i);
        if (jd_json_at(control, "maximum"))
            jd_put_format(out,
                          "%s: the baseline is below its maximum of %.0f W: it may be a cap whose "
                          "journal was lost\n",
                          jd_json_text(control, "key"),
                          json_object_get_double(jd_json_at(control, "maximum")) / UW_PER_W);
    }
}

static int put_table(struct jd_call *call, const char *json, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer out = { 0 };
    JL_CLEANUP(jd_json_freep) struct json_object *caps = jd_json_parse(json, strlen(json));
    struct json_object *controls = jd_json_at(caps, "controls");
    if (jd_json_count(controls) > 0)
        put_rows(&out, controls);
    else
        jl_put_string(&out, "nothing is capped\n");
    put_low(&out, controls);
    if (json_object_get_boolean(jd_json_at(caps, "disabled")))
        jl_put_string(&out, "caps are switched off; joulie cap allow switches them on\n");
    if (!caps || out.is_failed)
        return jl_fail_memory(err);
    jd_put_text(call, out.data, out.len);
    return 0;
}

static int show(struct jd_call *call, struct joulie_host *host, struct joulie_error *err)
{
    JL_CLEANUP(jl_freep) char *json = NULL;
    int rc = joulie_host_caps(host, &json, err);
    if (rc == 0 && jl_same(call->values.output, "table"))
        rc = put_table(call, json, err);
    else if (rc == 0)
        jd_put_answer(call, json);
    return rc < 0 ? jd_put_error(call, err) : JD_EXIT_OK;
}

static int run(struct jd_call *call)
{
    return jd_on_host(call, jd_host_options(call), show);
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
    JD_ROWS(options),
    .run = run,
};
