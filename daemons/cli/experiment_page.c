/* SPDX-License-Identifier: Apache-2.0 */

/* An experiment as one page: for each cell what its figures rest on, the figures, and pictures. */

#include "experiment_page.h"

#include <json-c/json.h>

#include "base/text.h"
#include "page.h"
#include "runtime/json.h"

static const char style[] =
    ".two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(430px,100%),1fr));gap:14px;"
    "align-items:start;margin:14px 0 10px}"
    ".box{fill:var(--a);fill-opacity:.35;stroke:var(--a);stroke-width:1.2}"
    ".zero{stroke:var(--ink);stroke-width:1;fill:none}"
    ".line{stroke:var(--a);stroke-width:1.8;fill:none}.base{--a:var(--ink);stroke-dasharray:4 3}"
    ".p-0{fill:var(--a2)}.p-1{fill:var(--a0)}.p-2{fill:var(--a4)}.p-3{fill:var(--a5)}"
    "td.notes{white-space:normal;min-width:150px;text-align:left}"
    "tr.best{font-style:italic}";

/* ---- tables ---- */

static void put_row(struct jl_buffer *out, struct json_object *row)
{
    double share;
    jl_put_string(out, jd_cell_is_best(row) ? "<tr class=\"best\"><th scope=\"row\">"
                                            : "<tr><th scope=\"row\">");
    jd_put_escaped(out, jd_json_word(row, "policy"));
    jl_put_string(out, "</th><td class=\"word\">");
    jd_put_escaped(out, jd_json_word(row, "placement"));
    jl_put_string(out, "</td>");
    for (size_t i = 0; i < JD_FIGURES; i++) {
        jl_put_string(out, "<td>");
        jd_put_figure(out, row, &jd_figures[i]);
        jl_put_string(out, "</td>");
        if (i != JD_FIGURE_SAVED)
            continue;
        jl_put_string(out, "<td>");
        if (jd_json_number(row, "sharePct", &share))
            jd_put_fixed(out, share, 0);
        jl_put_string(out, "</td>");
    }
    jl_put_string(out, "<td class=\"notes\">");
    jl_put_string(out, jd_cell_is_best(row) ? "the best baseline" : "");
    jd_put_notes(out, row);
    jl_put_string(out, "</td></tr>");
}

static void put_table(struct jl_buffer *out, const struct jd_cell *cell, size_t number)
{
    jd_put_format(
        out,
        "<div class=\"scroll\"><table id=\"cell-%zu\"><caption>Against the best baseline, "
        "at equal work; ± is the 95 %% interval over the seeds</caption><thead><tr>"
        "<th scope=\"col\">policy</th><th scope=\"col\" class=\"word\">placement</th>",
        number);
    for (size_t i = 0; i < JD_FIGURES; i++)
        jd_put_format(out, "<th scope=\"col\">%s</th>%s", jd_figures[i].head,
                      i == JD_FIGURE_SAVED ? "<th scope=\"col\">SHARE/%</th>" : "");
    jl_put_string(out, "<th scope=\"col\" class=\"word\">notes</th></tr></thead><tbody>");
    for (size_t i = 0; i < cell->count; i++)
        put_row(out, jd_cell_row(cell, i));
    jl_put_string(out, "</tbody></table></div>");
}

/* ---- figures ---- */

static void put_figures(struct jl_buffer *out, const struct jd_cell *cell)
{
    static const struct {
        const char *head;
        void (*put)(struct jl_buffer *out, const struct jd_cell *cell);
        const char *caption;
    } figures[] = {
        { "Saved, % of each pair", jd_put_boxes,
          "Line: median; box: quartiles; whiskers: all pairs." },
        { "IT power, kW, mean over the seeds", jd_put_power,
          "Broken line: the best baseline. After its last job a run goes on idle." },
        { "Energy, kWh", jd_put_parts,
          "Above idle, idle of machines with jobs, idle of empty machines, machines that are "
          "off." },
        { "Waits, s", jd_put_waits, "Bar: P99, mean over the seeds." },
    };

    jl_put_string(out, "<div class=\"two\">");
    for (size_t i = 0; i < JL_COUNT(figures); i++) {
        jd_put_format(out, "<figure><h4>%s</h4>", figures[i].head);
        figures[i].put(out, cell);
        jd_put_format(out, "<figcaption>%s</figcaption></figure>", figures[i].caption);
    }
    jl_put_string(out, "</div>");
}

static void put_traces(struct jl_buffer *out, const struct jd_cell *cell)
{
    struct json_object *traces = jd_json_at(jd_cell_row(cell, 0), "traces");
    jl_put_string(out, "<p class=\"soft\">Traces: <code>");
    for (size_t i = 0; i < jd_json_count(traces); i++) {
        jl_put_string(out, i > 0 ? " " : "");
        jd_put_escaped(out, json_object_get_string(json_object_array_get_idx(traces, i)));
    }
    jl_put_string(out, "</code></p>");
}

/* ---- the page ---- */

static void put_intro(struct jl_buffer *out, struct json_object *answer)
{
    const char *name = jd_json_text(answer, "name");
    jl_put_string(out, "</style></head><body><main><h1>");
    jd_put_escaped(out, name ? name : "Experiment");
    jd_put_format(out,
                  "</h1><p>The same traces on the same simulated machines under several policies "
                  "and under kube-scheduler alone. What a policy saves is said against the "
                  "<em>best</em> of the baselines, at equal work, with how much longer all of it "
                  "and its jobs took, and with what any schedule could save at most.</p><p "
                  "class=\"soft\">Simulated by joulie %s, physics %s. Speeds: catalog, those of "
                  "each model, some of which are assumed; equal, all cores and all GPUs alike."
                  "</p>",
                  jd_json_word(answer, "version"), jd_json_word(answer, "physics"));
}

void jd_put_experiment_page(struct jl_buffer *out, struct json_object *answer)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer name = { 0 };
    struct jd_cell cell;
    size_t number = 0;
    jd_put_page_head(out, "Experiment", style);
    put_intro(out, answer);
    for (size_t first = 0; jd_cell_at(answer, first, &cell); first += cell.count) {
        jl_buffer_reset(&name);
        jd_put_cell_name(&name, &cell);
        jl_put_string(out, "<section><h2>");
        jd_put_escaped(out, name.data);
        jl_put_string(out, "</h2><p class=\"soft bound\">");
        jd_put_bound(out, &cell);
        jl_put_string(out, "</p>");
        put_table(out, &cell, number++);
        put_figures(out, &cell);
        put_traces(out, &cell);
        jl_put_string(out, "</section>");
    }
    out->is_failed |= name.is_failed;
    jl_put_string(out, "</main></body></html>\n");
}
