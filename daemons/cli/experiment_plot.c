/* SPDX-License-Identifier: Apache-2.0 */

/* Pictures of a cell of an experiment, as SVG whose colours the page's style sets. */

#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "experiment_page.h"
#include "page.h"
#include "runtime/json.h"

#define WIDTH 560
#define LEFT 136
#define FIELD 240 /* of the axis; numbers stand behind it */
#define TOP 6
#define ROW 26
#define BAR 16
#define AXIS 22   /* below the rows */
#define POWER 210 /* height of the course */
#define POWER_LEFT 40
#define POWER_FIELD 500
#define COLOURS 6
#define W_PER_KW 1000.0

static void put_start(struct jl_buffer *out, const char *class_, double height, const char *title)
{
    jd_put_format(out, "<svg class=\"%s\" viewBox=\"0 0 %d ", class_, WIDTH);
    jd_put_fixed(out, height, 0);
    jd_put_format(out, "\" role=\"img\"><title>%s</title>", title);
}

static void put_name(struct jl_buffer *out, struct json_object *row, double y)
{
    jd_put_svg_text(out, LEFT - 8, y + 12, "end name");
    jd_put_escaped(out, jd_json_word(row, "policy"));
    jl_put_string(out, "</text>");
}

struct axis { /* from left to right */
    double low;
    double high; /* above low */
};

static double x_of(const struct axis *axis, double value)
{
    return LEFT + FIELD * (value - axis->low) / (axis->high - axis->low);
}

static void put_axis(struct jl_buffer *out, const struct axis *axis, double height)
{
    const double step = jd_nice_step(axis->high - axis->low, 5);
    for (double value = step * ceil(axis->low / step); value <= axis->high; value += step) {
        const double x = x_of(axis, value);
        jl_put_string(out, "<path class=\"grid\" d=\"M");
        jd_put_fixed(out, x, 1);
        jd_put_format(out, " %dV", TOP);
        jd_put_fixed(out, height - AXIS + 4, 1);
        jl_put_string(out, "\"/>");
        jd_put_svg_text(out, x, height - 4, "mid");
        jd_put_fixed(out, value, step < 0.1 ? 2 : step < 1 ? 1 : 0);
        jl_put_string(out, "</text>");
    }
}

static void put_rect(struct jl_buffer *out, const char *class_, double from, double to, double y)
{
    jd_put_format(out, "<rect class=\"%s\"", class_);
    jd_put_attribute(out, "x", from);
    jd_put_attribute(out, "y", y);
    jd_put_attribute(out, "width", jl_max(to - from, 0));
    jd_put_attribute(out, "height", BAR);
    jl_put_string(out, "/>");
}

static double number_of(struct json_object *row, const char *path)
{
    double value = 0;
    jd_json_number(row, path, &value);
    return value;
}

/* ---- box plots ---- */

static int compare_numbers(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

struct sample {
    double *values; /* sorted */
    size_t count;
};

/* The pairs that have a saving. */
static void read_sample(struct json_object *row, struct sample *out)
{
    struct json_object *list = jd_json_at(row, "savedPcts");
    const size_t count = jd_json_count(list);
    out->count = 0;
    out->values = jl_calloc(count + 1, sizeof *out->values);
    for (size_t i = 0; out->values && i < count; i++) {
        struct json_object *item = json_object_array_get_idx(list, i);
        if (item)
            out->values[out->count++] = json_object_get_double(item);
    }
    if (out->values)
        qsort(out->values, out->count, sizeof *out->values, compare_numbers);
}

/* Between the two values at either side of share * (count - 1). */
static double quantile(const struct sample *sample, double share)
{
    const double at = share * (double)(sample->count - 1);
    const size_t low = (size_t)at;
    const size_t high = low + 1 < sample->count ? low + 1 : low;
    return sample->values[low] + (at - (double)low) * (sample->values[high] - sample->values[low]);
}

static void put_box(struct jl_buffer *out, const struct axis *axis, const struct sample *sample,
                    double y, size_t colour)
{
    static const double shares[] = { 0, 0.25, 0.5, 0.75, 1 };

    double x[JL_COUNT(shares)];
    for (size_t i = 0; i < JL_COUNT(shares); i++)
        x[i] = x_of(axis, quantile(sample, shares[i]));
    jd_put_format(out, "<g class=\"a-%zu\"><title>", colour);
    for (size_t i = 0; i < JL_COUNT(shares); i++) {
        jl_put_string(out, i > 0 ? " " : "");
        jd_put_fixed(out, quantile(sample, shares[i]), 3);
    }
    jl_put_string(out, "</title><path class=\"whisker\" d=\"M");
    jd_put_fixed(out, x[0], 1);
    jl_put_char(out, ' ');
    jd_put_fixed(out, y + BAR / 2.0, 1);
    jl_put_char(out, 'H');
    jd_put_fixed(out, x[4], 1);
    jl_put_string(out, "\"/>");
    put_rect(out, "box", x[1], x[3], y);
    jl_put_string(out, "<path class=\"whisker\" d=\"M");
    jd_put_fixed(out, x[2], 1);
    jl_put_char(out, ' ');
    jd_put_fixed(out, y, 1);
    jd_put_format(out, "v%d\"/></g>", BAR);
}

static void widen(struct axis *axis, const struct sample *sample)
{
    if (sample->count == 0)
        return;
    axis->low = jl_min(axis->low, sample->values[0]);
    axis->high = jl_max(axis->high, sample->values[sample->count - 1]);
}

void jd_put_boxes(struct jl_buffer *out, const struct jd_cell *cell)
{
    const double height = TOP + (double)(cell->count - 1) * ROW + AXIS;
    struct axis axis = { -1, 1 };
    size_t line = 0;
    put_start(out, "boxes", height, "Saved by each pair, by policy, %");
    for (size_t i = 0; i < cell->count; i++) {
        struct sample sample;
        read_sample(jd_cell_row(cell, i), &sample);
        widen(&axis, &sample);
        jl_free(sample.values);
    }
    put_axis(out, &axis, height);
    jl_put_string(out, "<path class=\"zero\" d=\"M");
    jd_put_fixed(out, x_of(&axis, 0), 1);
    jd_put_format(out, " %dV", TOP);
    jd_put_fixed(out, height - AXIS + 4, 1);
    jl_put_string(out, "\"/>");
    for (size_t i = 0; i < cell->count; i++) {
        struct json_object *row = jd_cell_row(cell, i);
        const double y = TOP + ROW * (double)line;
        struct sample sample;
        if (jd_cell_is_best(row))
            continue;
        put_name(out, row, y);
        read_sample(row, &sample);
        if (sample.count > 0)
            put_box(out, &axis, &sample, y, i % COLOURS);
        out->is_failed |= !sample.values;
        jl_free(sample.values);
        jd_put_svg_text(out, LEFT + FIELD + 10, y + 12, "value");
        jd_put_figure(out, row, &jd_figures[JD_FIGURE_SAVED]);
        jl_put_string(out, "</text>");
        line++;
    }
    jl_put_string(out, "</svg>");
}

/* ---- power over time ---- */

static bool has_course(struct json_object *row)
{
    struct json_object *is_baseline = jd_json_at(row, "isBaseline");
    return jd_cell_is_best(row) || !json_object_get_boolean(is_baseline);
}

static void put_course(struct jl_buffer *out, struct json_object *row, size_t colour, double hours,
                       double top_w)
{
    struct json_object *list = jd_json_at(row, "hourlyW");
    const size_t count = jd_json_count(list);
    jd_put_format(out, "<path class=\"line a-%zu%s\" d=\"", colour,
                  jd_cell_is_best(row) ? " base" : "");
    for (size_t i = 0; i < count; i++) {
        const double watts = json_object_get_double(json_object_array_get_idx(list, i));
        if (i == 0)
            jd_put_format(out, "M%d ", POWER_LEFT);
        else
            jl_put_char(out, 'V');
        jd_put_fixed(out, TOP + (POWER - AXIS - TOP) * (1 - watts / top_w), 1);
        jl_put_char(out, 'H');
        jd_put_fixed(out, POWER_LEFT + POWER_FIELD * (double)(i + 1) / hours, 1);
    }
    jl_put_string(out, "\"><title>");
    jd_put_escaped(out, jd_json_word(row, "policy"));
    jl_put_string(out, "</title></path>");
}

static void put_power_axes(struct jl_buffer *out, double hours, double top_kw)
{
    const double step = jd_nice_step(top_kw, 4);
    const double hour_step = jl_max(1, jd_nice_step(hours, 6));
    for (double value = 0; value <= top_kw; value += step) {
        const double y = TOP + (POWER - AXIS - TOP) * (1 - value / top_kw);
        jd_put_format(out, "<path class=\"grid\" d=\"M%d ", POWER_LEFT);
        jd_put_fixed(out, y, 1);
        jd_put_format(out, "h%d\"/>", POWER_FIELD);
        jd_put_svg_text(out, POWER_LEFT - 5, y + 3.5, "end");
        jd_put_fixed(out, value, step < 0.1 ? 2 : step < 1 ? 1 : 0);
        jl_put_string(out, "</text>");
    }
    for (double hour = 0; hour <= hours; hour += hour_step) {
        jd_put_svg_text(out, POWER_LEFT + POWER_FIELD * hour / hours, POWER - 6, "mid");
        jd_put_fixed(out, hour, 0);
        jl_put_string(out, " h</text>");
    }
}

static void put_key(struct jl_buffer *out, const struct jd_cell *cell)
{
    jl_put_string(out, "<ul class=\"key\">");
    for (size_t i = 0; i < cell->count; i++) {
        struct json_object *row = jd_cell_row(cell, i);
        if (!has_course(row))
            continue;
        jd_put_format(out,
                      "<li><svg viewBox=\"0 0 26 12\" aria-hidden=\"true\"><path class=\"line "
                      "a-%zu%s\" d=\"M0 6h26\"/></svg>",
                      i % COLOURS, jd_cell_is_best(row) ? " base" : "");
        jd_put_escaped(out, jd_json_word(row, "policy"));
        jl_put_string(out, "</li>");
    }
    jl_put_string(out, "</ul>");
}

void jd_put_power(struct jl_buffer *out, const struct jd_cell *cell)
{
    double hours = 1;
    double top_w = 1;
    put_start(out, "power", POWER, "IT power in each hour, by policy, kW");
    for (size_t i = 0; i < cell->count; i++) {
        struct json_object *list = jd_json_at(jd_cell_row(cell, i), "hourlyW");
        hours = jl_max(hours, (double)jd_json_count(list));
        for (size_t hour = 0; hour < jd_json_count(list); hour++)
            top_w = jl_max(top_w, json_object_get_double(json_object_array_get_idx(list, hour)));
    }
    put_power_axes(out, hours, top_w / W_PER_KW);
    for (size_t i = 0; i < cell->count; i++) {
        if (has_course(jd_cell_row(cell, i)))
            put_course(out, jd_cell_row(cell, i), i % COLOURS, hours, top_w);
    }
    jl_put_string(out, "</svg>");
    put_key(out, cell);
}

/* ---- energy ---- */

static const struct {
    const char *path;
    const char *name;
} parts[] = {
    { "energyParts.dynamicKwh", "above idle" },
    { "energyParts.idleBusyKwh", "idle, machines with jobs" },
    { "energyParts.idleEmptyKwh", "idle, empty machines" },
    { "energyParts.offKwh", "machines that are off" },
};

static double sum_of_parts(struct json_object *row)
{
    double sum = 0;
    for (size_t i = 0; i < JL_COUNT(parts); i++)
        sum += number_of(row, parts[i].path);
    return sum;
}

void jd_put_parts(struct jl_buffer *out, const struct jd_cell *cell)
{
    const double height = TOP + (double)cell->count * ROW + AXIS;
    struct axis axis = { 0, 1e-9 };
    put_start(out, "parts", height, "Energy in parts, by policy, kWh");
    for (size_t i = 0; i < cell->count; i++)
        axis.high = jl_max(axis.high, sum_of_parts(jd_cell_row(cell, i)));
    put_axis(out, &axis, height);
    for (size_t i = 0; i < cell->count; i++) {
        struct json_object *row = jd_cell_row(cell, i);
        const double y = TOP + ROW * (double)i;
        double sum = 0;
        put_name(out, row, y);
        for (size_t part = 0; part < JL_COUNT(parts); part++) {
            char class_[] = "p-0";
            const double from = sum;
            class_[2] = (char)('0' + part);
            sum += number_of(row, parts[part].path);
            put_rect(out, class_, x_of(&axis, from), x_of(&axis, sum), y);
        }
        jd_put_svg_text(out, LEFT + FIELD + 10, y + 12, "value");
        for (size_t part = 0; part < JL_COUNT(parts); part++) {
            jl_put_string(out, part > 0 ? " + " : "");
            jd_put_fixed(out, number_of(row, parts[part].path), 1);
        }
        jl_put_string(out, "</text>");
    }
    jl_put_string(out, "</svg><ul class=\"key\">");
    for (size_t part = 0; part < JL_COUNT(parts); part++)
        jd_put_format(out,
                      "<li><svg viewBox=\"0 0 26 12\" aria-hidden=\"true\"><rect class=\"p-%zu\" "
                      "width=\"26\" height=\"12\"/></svg>%s</li>",
                      part, parts[part].name);
    jl_put_string(out, "</ul>");
}

/* ---- waits ---- */

void jd_put_waits(struct jl_buffer *out, const struct jd_cell *cell)
{
    const double height = TOP + (double)cell->count * ROW + AXIS;
    struct axis axis = { 0, 1 };
    put_start(out, "waits", height, "Waits, by policy, s");
    for (size_t i = 0; i < cell->count; i++)
        axis.high = jl_max(axis.high, number_of(jd_cell_row(cell, i), "waitS.p99"));
    put_axis(out, &axis, height);
    for (size_t i = 0; i < cell->count; i++) {
        struct json_object *row = jd_cell_row(cell, i);
        const double y = TOP + ROW * (double)i;
        put_name(out, row, y);
        jd_put_format(out, "<g class=\"a-%zu\">", i % COLOURS);
        put_rect(out, "bar", LEFT, x_of(&axis, number_of(row, "waitS.p99")), y);
        jl_put_string(out, "</g>");
        jd_put_svg_text(out, LEFT + FIELD + 10, y + 12, "value");
        jd_put_fixed(out, number_of(row, "waitS.p99"), 0);
        jl_put_string(out, " (mean ");
        jd_put_fixed(out, number_of(row, "waitS.mean"), 1);
        jl_put_string(out, ")</text>");
    }
    jl_put_string(out, "</svg>");
}
