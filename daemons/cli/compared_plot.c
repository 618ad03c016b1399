/* SPDX-License-Identifier: Apache-2.0 */

/* Pictures of a comparison of autoscalers, as SVG whose colours the page's style sets. */

#include <json-c/json.h>
#include <math.h>

#include "base/number.h"
#include "compared.h"
#include "page.h"
#include "runtime/json.h"

/* A course: the axes around a field that is scaled to one unit per point and 1000 to the top. */
#define HEIGHT 190
#define LEFT 44
#define TOP 8
#define FIELD_WIDTH 336
#define FIELD_HEIGHT 150
#define FIELD_UNITS 1000
#define TFLOPS_ROOM 1.05 /* above the largest value */
#define GIB_ROOM 1.15

/* ---- a course ---- */

struct field {
    double top;   /* value at the upper edge, above 0 */
    size_t count; /* points */
};

static int64_t height_of(const struct field *field, double value)
{
    return (int64_t)jl_round_half_away(FIELD_UNITS * (1 - jl_clamp(value / field->top, 0, 1.02)));
}

/* Steps from point to point; equal ones are one move. */
static void put_steps(struct jl_buffer *out, struct json_object *list, const struct field *field)
{
    int64_t at = 0;
    int64_t waiting = 0;
    for (size_t i = 0; i < field->count; i++) {
        const int64_t y =
            height_of(field, json_object_get_double(json_object_array_get_idx(list, i)));
        if (i == 0) {
            jd_put_format(out, "M0 %lld", (long long)y);
        } else if (y != at) {
            jd_put_format(out, "h%lldv%lld", (long long)waiting, (long long)(y - at));
            waiting = 0;
        }
        at = y;
        waiting++;
    }
    jd_put_format(out, "h%lld", (long long)waiting);
}

static void put_path(struct jl_buffer *out, struct json_object *list, const struct field *field,
                     const char *class_, bool is_area)
{
    jd_put_format(out, "<path class=\"%s\" d=\"", class_);
    put_steps(out, list, field);
    if (is_area)
        jd_put_format(out, "V%dH0z", FIELD_UNITS);
    jl_put_string(out, "\"/>");
}

static void put_axes(struct jl_buffer *out, const struct field *field, double hours,
                     const char *unit)
{
    const double step = jd_nice_step(field->top, 4);
    const double hour_step = hours <= 4 ? jd_nice_step(hours, 4) : ceil(hours / 24) * 6;
    for (double value = 0; value <= field->top; value += step) {
        const double y = TOP + FIELD_HEIGHT * (1 - value / field->top);
        jl_put_string(out, "<path class=\"grid\" d=\"M44 ");
        jd_put_fixed(out, y, 1);
        jl_put_string(out, "h336\"/>");
        jd_put_svg_text(out, LEFT - 5, y + 3.5, "end");
        jd_put_fixed(out, value, step < 1 ? 1 : 0);
        jl_put_string(out, "</text>");
    }
    for (double hour = 0; hour <= hours * 1.0001; hour += hour_step) {
        jd_put_svg_text(out, LEFT + FIELD_WIDTH * hour / hours, TOP + FIELD_HEIGHT + 14, "mid");
        jd_put_fixed(out, hour, hour_step < 1 ? 1 : 0);
        jl_put_string(out, " h</text>");
    }
    jd_put_svg_text(out, LEFT, HEIGHT - 4, "unit");
    jd_put_format(out, "%s</text>", unit);
}

static void put_title(struct jl_buffer *out, const struct jd_compared *compared, size_t seed,
                      enum jd_algorithm algorithm, bool is_memory)
{
    jd_put_format(out, "<title>%s, %s", jd_algorithm_names[algorithm], compared->workload);
    if (compared->seeds > 1)
        jd_put_format(out, " demand of seed %s",
                      json_object_get_string(json_object_object_get(
                          jd_compared_item(compared, "runs", seed * JD_ALGORITHMS), "seed")));
    jl_put_string(out, is_memory ? ": VRAM that each worker needs, its request and its limit, GiB, "
                                   "over time</title>"
                                 : ": demand, what was served, request and limit of all workers, "
                                   "TFLOPS, over time</title>");
}

void jd_put_course(struct jl_buffer *out, const struct jd_compared *compared, size_t seed,
                   enum jd_algorithm algorithm, bool is_memory)
{
    struct json_object *course =
        jd_compared_item(compared, "series", seed * JD_ALGORITHMS + (size_t)algorithm);
    struct json_object *demand =
        json_object_object_get(course, is_memory ? "vramDemandGib" : "demandTflops");
    const double top =
        is_memory ? compared->top_gib * GIB_ROOM : compared->top_tflops * TFLOPS_ROOM;
    const struct field field = { top, jd_json_count(demand) };
    jd_put_format(out, "<svg class=\"course a-%d\" viewBox=\"0 0 400 190\" role=\"img\">",
                  (int)algorithm);
    put_title(out, compared, seed, algorithm, is_memory);
    put_axes(out, &field, compared->hours,
             is_memory ? "GiB of VRAM, each worker" : "TFLOPS, all workers");
    jl_put_string(out, "<g transform=\"translate(44 8) scale(");
    jl_put_double(out, (double)FIELD_WIDTH / (double)(field.count > 0 ? field.count : 1));
    jl_put_char(out, ' ');
    jl_put_double(out, (double)FIELD_HEIGHT / FIELD_UNITS);
    jl_put_string(out, ")\">");
    if (is_memory) {
        put_path(out, demand, &field, "served", true);
    } else {
        put_path(out, demand, &field, "lost", true);
        put_path(out, json_object_object_get(course, "servedTflops"), &field, "served", true);
    }
    put_path(out, json_object_object_get(course, is_memory ? "vramRequestGib" : "requestTflops"),
             &field, "request", false);
    put_path(out, json_object_object_get(course, is_memory ? "vramLimitGib" : "limitTflops"),
             &field, "limit", false);
    jl_put_string(out, "</g></svg>");
}

/* ---- bars ---- */

#define BAR_WIDTH 400
#define BAR_ROW 30
#define BAR_LEFT 132
#define BAR_FIELD 168 /* of the longest bar; a number stands behind it */

static void put_bar(struct jl_buffer *out, const struct jd_estimate *estimate, double most,
                    enum jd_algorithm algorithm, int decimals)
{
    const double y = 6 + BAR_ROW * (double)algorithm;
    const double scale = most > 0 ? BAR_FIELD / most : 0;
    const double end = BAR_LEFT + estimate->mean * scale;
    const double low = BAR_LEFT + jl_max(0, estimate->mean - estimate->half_width) * scale;
    const double high = BAR_LEFT + (estimate->mean + estimate->half_width) * scale;
    jd_put_svg_text(out, BAR_LEFT - 8, y + 13, "end name");
    jd_put_format(out, "%s</text><rect class=\"bar a-%d\"", jd_algorithm_names[algorithm],
                  (int)algorithm);
    jd_put_attribute(out, "x", BAR_LEFT);
    jd_put_attribute(out, "y", y);
    jd_put_attribute(out, "width", jl_max(end - BAR_LEFT, 1));
    jd_put_attribute(out, "height", 18);
    jl_put_string(out, " rx=\"2\"/>");
    if (estimate->has_interval && high - low > 0.05) {
        jl_put_string(out, "<path class=\"whisker\" d=\"M");
        jd_put_fixed(out, low, 1);
        jl_put_char(out, ' ');
        jd_put_fixed(out, y + 5, 1);
        jl_put_string(out, "v8m0-4H");
        jd_put_fixed(out, high, 1);
        jl_put_string(out, "m0-4v8\"/>");
    }
    jd_put_svg_text(out, jl_max(high, end) + 7, y + 13, "value");
    jd_put_estimate(out, estimate, decimals, false);
    jl_put_string(out, "</text>");
}

void jd_put_bars(struct jl_buffer *out, const struct jd_compared *compared, enum jd_metric metric)
{
    const struct jd_metric_row *row = &jd_metric_rows[metric];
    double most = 0;
    for (size_t i = 0; i < JD_ALGORITHMS; i++) {
        const struct jd_estimate *estimate = &compared->means[i][metric];
        most = jl_max(most, estimate->mean + estimate->half_width);
    }
    jd_put_format(out,
                  "<svg class=\"bars\" viewBox=\"0 0 %d 96\" role=\"img\"><title>%s: %s, mean "
                  "and 95 %% interval</title>",
                  BAR_WIDTH, compared->workload, row->label);
    for (size_t i = 0; i < JD_ALGORITHMS; i++)
        put_bar(out, &compared->means[i][metric], most, (enum jd_algorithm)i, row->decimals);
    jl_put_string(out, "</svg>");
}
