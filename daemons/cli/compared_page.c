/* SPDX-License-Identifier: Apache-2.0 */

/* A comparison of autoscalers as one page. The seeds are switched by radio buttons and the style
 * alone. */

#include <json-c/json.h>

#include "base/number.h"
#include "compared.h"
#include "page.h"
#include "runtime/json.h"

static const char style[] =
    "fieldset{border:0;margin:14px 0 0;padding:0}"
    "legend{float:left;padding:3px 10px 0 0;color:var(--soft);font-size:14px}"
    "input[type=radio]{position:absolute;opacity:0}"
    "label{display:inline-block;min-width:30px;padding:2px 9px;margin:0 4px 6px 0;"
    "text-align:center;border:1px solid var(--line);border-radius:6px;font-size:14px;"
    "cursor:pointer;background:var(--card)}"
    "input:checked+label{background:var(--ink);border-color:var(--ink);color:var(--page)}"
    "input:focus-visible+label{outline:3px solid var(--a2);outline-offset:1px}"
    ".seed{display:none;clear:both}"
    ".three{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(310px,100%),1fr));gap:14px}"
    ".served{fill:var(--served)}.lost{fill:var(--lost)}"
    ".limit,.request{fill:none;vector-effect:non-scaling-stroke;stroke:var(--a)}"
    ".limit{stroke-width:1.8}.request{stroke-width:1.4;stroke-dasharray:4 3}"
    ".key .a-0,.key .a-1,.key .a-2,.key .any{--a:var(--ink)}"
    "@media print{.seed{break-inside:avoid}}";

static void put_cell(struct jl_buffer *out, const struct jd_estimate *estimate, int decimals)
{
    jl_put_string(out, "<td>");
    jd_put_estimate(out, estimate, decimals, false);
    jl_put_string(out, "</td>");
}

/* Everything listed is better when it is less; where the interval holds 0 nothing is said. */
static void put_difference(struct jl_buffer *out, const struct jd_estimate *estimate, int decimals,
                           bool is_judged)
{
    const bool has_class = is_judged && estimate->has_interval;
    const bool is_better = has_class && estimate->mean + estimate->half_width < 0;
    const bool is_worse = has_class && estimate->mean - estimate->half_width > 0;
    jl_put_string(out, is_better  ? "<td class=\"better\">"
                       : is_worse ? "<td class=\"worse\">"
                                  : "<td>");
    jd_put_estimate(out, estimate, decimals, true);
    jl_put_string(out, "</td>");
}

/* ---- tables ---- */

static void put_overview(struct jl_buffer *out, const struct jd_compared *all, size_t count)
{
    static const enum jd_metric metrics[] = { JD_METRIC_UNSERVED, JD_METRIC_KILLS, JD_METRIC_COST,
                                              JD_METRIC_COST_PER_SERVED };

    jl_put_string(out, "<div class=\"scroll\"><table id=\"overview\"><caption>Means over the seeds "
                       "with 95 % intervals</caption><thead><tr><th scope=\"col\">demand</th>"
                       "<th scope=\"col\" class=\"word\">sized by</th>");
    for (size_t m = 0; m < JL_COUNT(metrics); m++)
        jd_put_format(out, "<th scope=\"col\">%s</th>", jd_metric_rows[metrics[m]].label);
    jl_put_string(out, "</tr></thead><tbody>");
    for (size_t i = 0; i < count; i++) {
        for (size_t a = 0; a < JD_ALGORITHMS; a++) {
            jd_put_format(out, "<tr><th scope=\"row\">%s</th><td class=\"word\">%s</td>",
                          a == 0 ? all[i].workload : "", jd_algorithm_names[a]);
            for (size_t m = 0; m < JL_COUNT(metrics); m++)
                put_cell(out, &all[i].means[a][metrics[m]], jd_metric_rows[metrics[m]].decimals);
            jl_put_string(out, "</tr>");
        }
    }
    jl_put_string(out, "</tbody></table></div>");
}

static void put_numbers(struct jl_buffer *out, const struct jd_compared *compared)
{
    jd_put_format(out,
                  "<div class=\"scroll\"><table class=\"numbers\" id=\"numbers-%s\"><caption>All "
                  "numbers%s</caption><thead><tr><th scope=\"col\"></th>",
                  compared->workload,
                  compared->seeds > 1
                      ? ": means over the seeds, and differences on the same demand, with 95 "
                        "% intervals. Green and orange differences do not contain 0."
                      : " of the one run");
    for (size_t a = 0; a < JD_ALGORITHMS; a++)
        jd_put_format(out, "<th scope=\"col\">%s</th>", jd_algorithm_names[a]);
    jl_put_string(out, "<th scope=\"col\">joulie − static</th><th scope=\"col\">joulie − "
                       "2.17.1</th></tr></thead><tbody>");
    for (size_t m = 0; m < JD_METRICS; m++) {
        const int decimals = jd_metric_rows[m].decimals;
        const bool is_judged = m <= JD_METRIC_COST_PER_SERVED;
        jd_put_format(out, "<tr><th scope=\"row\">%s</th>", jd_metric_rows[m].label);
        for (size_t a = 0; a < JD_ALGORITHMS; a++)
            put_cell(out, &compared->means[a][m], decimals);
        put_difference(out, &compared->differences[JD_OURS_STATIC][m], decimals, is_judged);
        put_difference(out, &compared->differences[JD_OURS_SOURCE][m], decimals, is_judged);
        jl_put_string(out, "</tr>");
    }
    jl_put_string(out, "</tbody></table></div>");
}

/* ---- figures ---- */

static void put_run_number(struct jl_buffer *out, struct json_object *run, enum jd_metric metric,
                           const char *before, const char *behind)
{
    jl_put_string(out, before);
    jd_put_fixed(out, jd_compared_number(run, jd_metric_rows[metric].key),
                 metric == JD_METRIC_KILLS ? 0 : jd_metric_rows[metric].decimals);
    jl_put_string(out, behind);
}

static void put_panels(struct jl_buffer *out, const struct jd_compared *compared, size_t seed)
{
    jd_put_format(out, "<div class=\"seed s%zu\"><div class=\"three\">", seed);
    for (size_t a = 0; a < JD_ALGORITHMS; a++) {
        struct json_object *run = jd_compared_item(compared, "runs", seed * JD_ALGORITHMS + a);
        jd_put_format(out, "<figure><h4>%s</h4>", jd_algorithm_names[a]);
        jd_put_course(out, compared, seed, (enum jd_algorithm)a, false);
        jd_put_course(out, compared, seed, (enum jd_algorithm)a, true);
        jl_put_string(out, "<figcaption>This run: ");
        put_run_number(out, run, JD_METRIC_UNSERVED, "", " % not served, ");
        put_run_number(out, run, JD_METRIC_KILLS, "", " killed for memory, ");
        put_run_number(out, run, JD_METRIC_REPLICAS, "", " replicas in the mean, ");
        put_run_number(out, run, JD_METRIC_COST, "$", "</figcaption></figure>");
    }
    jl_put_string(out, "</div></div>");
}

static void put_seeds(struct jl_buffer *out, const struct jd_compared *compared)
{
    jd_put_format(out, "<h3>Over time</h3><fieldset><legend>%s</legend>",
                  compared->seeds > 1 ? "Demand of seed" : "The recording");
    for (size_t seed = 0; seed < compared->seeds; seed++) {
        struct json_object *run = jd_compared_item(compared, "runs", seed * JD_ALGORITHMS);
        const char *name = json_object_get_string(json_object_object_get(run, "seed"));
        jd_put_format(out,
                      "<input type=\"radio\" class=\"k%zu\" name=\"seed-%s\" id=\"%s-%zu\"%s>"
                      "<label for=\"%s-%zu\">%s</label>",
                      seed, compared->workload, compared->workload, seed,
                      seed == 0 ? " checked" : "", compared->workload, seed, name ? name : "1");
    }
    for (size_t seed = 0; seed < compared->seeds; seed++)
        put_panels(out, compared, seed);
    jl_put_string(out, "</fieldset>");
}

static void put_figures(struct jl_buffer *out, const struct jd_compared *compared)
{
    static const enum jd_metric metrics[] = { JD_METRIC_UNSERVED,     JD_METRIC_KILLS,
                                              JD_METRIC_COST,         JD_METRIC_REQUEST_TFLOPS,
                                              JD_METRIC_LIMIT_TFLOPS, JD_METRIC_LIMIT_GIB };

    jl_put_string(out, "<h3>Over the seeds</h3><div class=\"three\">");
    for (size_t m = 0; m < JL_COUNT(metrics); m++) {
        jd_put_format(out, "<figure><h4>%s</h4>", jd_metric_rows[metrics[m]].label);
        jd_put_bars(out, compared, metrics[m]);
        jl_put_string(out, "</figure>");
    }
    jl_put_string(out, "</div>");
}

/* ---- the page ---- */

static const char *describe(const char *workload)
{
    static const struct {
        const char *word;
        const char *text;
    } texts[] = {
        { "bursty", "A quiet base, and bursts of minutes at three to nine times its level." },
        { "diurnal", "Demand that follows the hours of the day, lowest at four in the morning." },
        { "ramp", "Demand that grows steadily to ten times its start." },
        { "step", "Demand that jumps to another level every few hours." },
        { "trace", "Recorded usage; what was asked for above a limit then is not in it." },
    };

    for (size_t i = 0; i < JL_COUNT(texts); i++) {
        if (jl_same(texts[i].word, workload))
            return texts[i].text;
    }
    return "";
}

static void put_key(struct jl_buffer *out)
{
    jl_put_string(
        out,
        "<ul class=\"key\"><li><svg viewBox=\"0 0 26 12\" aria-hidden=\"true\"><rect "
        "class=\"served\" width=\"26\" height=\"12\"/></svg>served, or memory in use</li>"
        "<li><svg viewBox=\"0 0 26 12\" aria-hidden=\"true\"><rect class=\"lost\" width=\"26\" "
        "height=\"12\"/></svg>asked for and not served</li><li><svg viewBox=\"0 0 26 12\" "
        "aria-hidden=\"true\"><path class=\"limit any\" d=\"M0 6h26\"/></svg>limit</li><li><svg "
        "viewBox=\"0 0 26 12\" aria-hidden=\"true\"><path class=\"request any\" d=\"M0 "
        "6h26\"/></svg>request</li></ul>");
}

static void put_head(struct jl_buffer *out, const struct jd_compared *all, size_t count)
{
    size_t seeds = 0;
    for (size_t i = 0; i < count; i++)
        seeds = all[i].seeds > seeds ? all[i].seeds : seeds;
    jd_put_page_head(out, "Autoscaling compared", style);
    for (size_t seed = 0; seed < seeds; seed++) {
        jd_put_format(out, ".k%zu:checked~.s%zu{display:block}", seed, seed);
    }
    jl_put_string(out, "</style></head>");
}

static void put_conditions_of(struct jl_buffer *out, const struct jd_compared *compared)
{
    static const struct {
        const char *before;
        const char *key;
    } parts[] = {
        { "<p><strong>", "reason" },
        { "</strong> (", "algorithm" },
        { ") <code>", "where" },
        { "</code>: ", "message" },
    };

    struct json_object *item;
    for (size_t i = 0; (item = jd_compared_item(compared, "conditions", i)); i++) {
        for (size_t k = 0; k < JL_COUNT(parts); k++) {
            jl_put_string(out, parts[k].before);
            jd_put_escaped(out, json_object_get_string(json_object_object_get(item, parts[k].key)));
        }
        jl_put_string(out, "</p>");
    }
}

static void put_intro(struct jl_buffer *out, const struct jd_compared *first, const char *command)
{
    static const struct {
        const char *before;
        const char *path;
    } numbers[] = {
        { "It begins with ", "world.replicas" },
        { " workers that request ", "world.requests.tflops" },
        { " TFLOPS and ", "world.requests.vramGib" },
        { " GiB each, with limits of ", "world.limits.tflops" },
        { " TFLOPS and ", "world.limits.vramGib" },
        { " GiB, on ", "world.cards" },
        { " GPUs of ", "world.cardTflops" },
        { " TFLOPS and ", "world.cardVramGib" },
        { " GiB. A new worker serves after ", "world.startDelaySeconds" },
    };

    jl_put_string(
        out, "<body><main><h1>Autoscaling compared</h1><p>The same demand, played against three "
             "ways to size a service on shared GPUs: amounts and replicas that stay as the "
             "profile says (static), the algorithm of TensorFusion 2.17.1, and joulie's. What one "
             "autoscaler sees follows from its own decisions.</p><p class=\"soft\">");
    for (size_t i = 0; i < JL_COUNT(numbers); i++) {
        jl_put_string(out, numbers[i].before);
        jl_put_double(out, jd_compared_number(first->tree, numbers[i].path));
    }
    jl_put_string(out, " s. Made by <code>");
    jd_put_escaped(out, command);
    jl_put_string(out, "</code></p>");
    put_conditions_of(out, first);
}

void jd_put_compared_page(struct jl_buffer *out, const struct jd_compared *all, size_t count,
                          const char *command)
{
    put_head(out, all, count);
    put_intro(out, &all[0], command);
    put_overview(out, all, count);
    for (size_t i = 0; i < count; i++) {
        jd_put_format(out, "<section id=\"%s\"><h2>%s</h2><p class=\"soft\">%s</p>",
                      all[i].workload, all[i].workload, describe(all[i].workload));
        put_key(out);
        put_seeds(out, &all[i]);
        put_figures(out, &all[i]);
        put_numbers(out, &all[i]);
        jl_put_string(out, "</section>");
    }
    jl_put_string(out, "<p class=\"soft\">A point of a curve is the ten-second step with the "
                       "largest demand (of VRAM: the largest need) of its time. Demand above what "
                       "is served is lost, it does not queue.</p></main></body></html>\n");
}
