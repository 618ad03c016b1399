/* SPDX-License-Identifier: Apache-2.0 */

/* catalog.lookup: what the catalog knows about a CPU or GPU (docs/rules/catalog.md#matching). */
#include "catalog/catalog.h"

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"

enum device_kind { DEVICE_UNKNOWN, DEVICE_CPU, DEVICE_GPU };

static const struct jl_words kind_words =
    JL_WORDS({ { DEVICE_CPU, "cpu" }, { DEVICE_GPU, "gpu" } });

#define RECORD catalog_lookup_in
#define MEMBERS                                                                                    \
    ENUM(kind, "kind", device_kind, kind_words, "Which part of the catalog to look in.", REQUIRED) \
    STRING(text, "text", "Model as the machine names it, or a catalog key.", REQUIRED)             \
    NUMBER(load_pct, "loadPct", "Load of a CPU in percent, limited to 0…100, for curveW.")
#include "schema/record.h"

#define RECORD figure_origin
#define MEMBERS                                                                      \
    ENUM(figure, "figure", jl_figure, jl_figure_words, "Which figure of the entry.") \
    ENUM(mark, "mark", jl_mark, jl_mark_words, "How far it can be trusted.")         \
    STRING(source, "source", "Where it comes from.")
#include "schema/record.h"

#define RECORD catalog_lookup_out
#define MEMBERS                                                                               \
    STRING(normal, "normal", "Text in its normal form.")                                      \
    STRING(key, "key", "Catalog key; absent = not known.")                                    \
    STRING(vendor, "vendor", "amd, intel or nvidia.")                                         \
    NUMBER(compute_density, "computeDensity", "Relative compute capacity.")                   \
    NUMBER(tdp_w, "tdpW", "Thermal design power, W per socket.")                              \
    NUMBER(base_ghz, "baseGHz", "Base frequency, GHz.")                                       \
    NUMBER(boost_ghz, "boostGHz", "Boost frequency, GHz.")                                    \
    STRING(driver_family, "driverFamily", "cpufreq driver.")                                  \
    NUMBERS(ctdp_range_w, "cTdpRangeW", "Configurable TDP, lowest and highest W per socket.") \
    STRING(provenance, "provenance", "Where the numbers come from.")                          \
    STRING(proxy_from, "proxyFrom", "Key of the family whose power curve stands in.")         \
    NUMBER(relative_speed, "relativeSpeed",                                                   \
           "Speed of a core, AMD_EPYC_9654 = 1, or of a GPU, NVIDIA_H100_SXM = 1.")           \
    NUMBER(idle_w, "idleW", "Power of an idle GPU, W.")                                       \
    NUMBER(min_board_w, "minBoardPowerW", "Lowest power limit, W.")                           \
    NUMBER(max_board_w, "maxBoardPowerW", "Highest power limit, W.")                          \
    NUMBER(curve_w, "curveW", "W of two sockets at loadPct; absent without a curve.")         \
    LIST(origins, "origins", figure_origin, "Figures that are not simply the maker's.")
#include "schema/record.h"

static int put_normal(struct jl_ask *ask, const char *text, struct catalog_lookup_out *result)
{
    const size_t size = jl_catalog_normal(text, NULL, 0) + 1;
    char *normal = jl_arena_alloc(ask->arena, size);
    if (normal == NULL)
        return jl_fail_memory(ask->err);
    jl_catalog_normal(text, normal, size);
    JL_SET(result, normal, normal);
    return 0;
}

static int put_ctdp(struct jl_ask *ask, const struct jl_cpu_model *model,
                    struct catalog_lookup_out *result)
{
    if (!(model->ctdp_max_w > 0))
        return 0;
    double *range = JL_NEW_LIST(ask, result, ctdp_range_w, 2, double);
    if (range == NULL)
        return jl_fail_memory(ask->err);
    range[0] = model->ctdp_min_w;
    range[1] = model->ctdp_max_w;
    return 0;
}

/* What the source's catalog does not have. */
static int put_figures(struct jl_ask *ask, double relative_speed, const struct jl_origin *origins,
                       struct catalog_lookup_out *result)
{
    size_t count = 0;
    if (!jl_is_current(ask))
        return 0;
    JL_SET_IF(result, relative_speed, relative_speed > 0, relative_speed);
    for (size_t i = 0; i < JL_FIGURE_COUNT; i++)
        count += origins[i].mark != JL_MARK_UNKNOWN;
    struct figure_origin *next = JL_NEW_LIST(ask, result, origins, count, struct figure_origin);
    if (next == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < JL_FIGURE_COUNT; i++) {
        if (origins[i].mark == JL_MARK_UNKNOWN)
            continue;
        JL_SET(next, figure, (enum jl_figure)i);
        JL_SET(next, mark, origins[i].mark);
        JL_SET(next, source, origins[i].source);
        next++;
    }
    return 0;
}

static int put_cpu(struct jl_ask *ask, const struct jl_cpu_model *model,
                   const struct catalog_lookup_in *input, struct catalog_lookup_out *result)
{
    JL_SET_IF(result, key, model->key != NULL, model->key);
    JL_SET_IF(result, vendor, model->vendor != NULL, model->vendor);
    JL_SET_IF(result, driver_family, model->driver_family != NULL, model->driver_family);
    JL_SET_IF(result, provenance, model->provenance != NULL, model->provenance);
    JL_SET_IF(result, proxy_from, model->proxy_family != NULL, model->proxy_family);
    JL_SET(result, compute_density, model->compute_density);
    JL_SET(result, tdp_w, model->tdp_w);
    JL_SET(result, base_ghz, model->base_ghz);
    JL_SET(result, boost_ghz, model->boost_ghz);
    if (input->given.load_pct && jl_catalog_curve_w(model, input->load_pct, &result->curve_w))
        result->given.curve_w = true;
    const int rc = put_ctdp(ask, model, result);
    return rc < 0 ? rc : put_figures(ask, model->relative_speed, model->origins, result);
}

static int put_gpu(struct jl_ask *ask, const struct jl_gpu_model *model,
                   struct catalog_lookup_out *result)
{
    JL_SET_IF(result, key, model->key != NULL, model->key);
    JL_SET_IF(result, vendor, model->vendor != NULL, model->vendor);
    JL_SET_IF(result, provenance, model->provenance != NULL, model->provenance);
    JL_SET(result, compute_density, model->compute_density);
    JL_SET(result, min_board_w, model->min_board_w);
    JL_SET(result, max_board_w, model->max_board_w);
    JL_SET(result, idle_w, model->idle_w);
    return put_figures(ask, model->relative_speed, model->origins, result);
}

static int answer_catalog_lookup(struct jl_ask *ask, const struct catalog_lookup_in *input,
                                 struct catalog_lookup_out *result)
{
    const struct jl_cpu_model *cpu = NULL;
    const struct jl_gpu_model *gpu = NULL;
    if (input->kind == DEVICE_CPU)
        cpu = jl_catalog_cpu(input->text);
    else
        gpu = jl_catalog_gpu(input->text);
    if (!jl_is_current(ask)) {
        cpu = jl_catalog_cpu_of_source(cpu);
        gpu = jl_catalog_gpu_of_source(gpu);
    }
    const int rc = put_normal(ask, input->text, result);
    if (rc < 0)
        return rc;
    if (gpu != NULL)
        return put_gpu(ask, gpu, result);
    return cpu != NULL ? put_cpu(ask, cpu, input, result) : 0;
}

JL_QUESTION(catalog_lookup, "catalog.lookup", "Find a CPU or GPU in the hardware catalog",
            JL_MODELS("current", "v0.1.1"));
