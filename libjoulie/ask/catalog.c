/* SPDX-License-Identifier: Apache-2.0 */
/* catalog.lookup: what the catalog knows about a CPU or GPU (joulie-node-agent.md Appendix A). */
#include "catalog/catalog.h"

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"

enum device_kind { DEVICE_UNKNOWN, DEVICE_CPU, DEVICE_GPU };

struct catalog_in {
    uint64_t has;
    enum device_kind kind;
    const char *text;
    double load_pct;
};

enum { IN_KIND, IN_TEXT, IN_LOAD };

struct catalog_out {
    uint64_t has;
    const char *normal;
    const char *key;
    const char *vendor;
    double compute_density;
    double tdp_w;
    double base_ghz;
    double boost_ghz;
    const char *driver_family;
    struct jl_list ctdp_range_w;
    const char *provenance;
    const char *proxy_from;
    double min_board_w;
    double max_board_w;
    double curve_w;
};

enum {
    OUT_NORMAL,
    OUT_KEY,
    OUT_VENDOR,
    OUT_DENSITY,
    OUT_TDP,
    OUT_BASE,
    OUT_BOOST,
    OUT_DRIVER,
    OUT_CTDP,
    OUT_PROVENANCE,
    OUT_PROXY,
    OUT_MIN_BOARD,
    OUT_MAX_BOARD,
    OUT_CURVE,
};

static const struct jl_word kind_items[] = { { DEVICE_CPU, "cpu" }, { DEVICE_GPU, "gpu" } };
static const struct jl_words kind_words = JL_WORDS(kind_items);

static const struct jl_row in_rows[] = {
    [IN_KIND] = JL_ENUM(catalog_in, kind, "kind", &kind_words, .flags = JL_REQUIRED,
                        .doc = "Which part of the catalog to look in."),
    [IN_TEXT] = JL_STRING(catalog_in, text, "text", .flags = JL_REQUIRED,
                          .doc = "Model as the machine names it, or a catalog key."),
    [IN_LOAD] = JL_NUMBER(catalog_in, load_pct, "loadPct",
                          .doc = "Load of a CPU in percent, limited to 0…100, for curveW."),
};
static const struct jl_table in_table = JL_TABLE(catalog_in, in_rows);

static const struct jl_row out_rows[] = {
    [OUT_NORMAL] = JL_STRING(catalog_out, normal, "normal", .doc = "Text in its normal form."),
    [OUT_KEY] = JL_STRING(catalog_out, key, "key", .doc = "Catalog key; absent = not known."),
    [OUT_VENDOR] = JL_STRING(catalog_out, vendor, "vendor", .doc = "amd, intel or nvidia."),
    [OUT_DENSITY] = JL_NUMBER(catalog_out, compute_density, "computeDensity",
                              .doc = "Relative compute capacity."),
    [OUT_TDP] = JL_NUMBER(catalog_out, tdp_w, "tdpW", .doc = "Thermal design power, W per socket."),
    [OUT_BASE] = JL_NUMBER(catalog_out, base_ghz, "baseGHz", .doc = "Base frequency, GHz."),
    [OUT_BOOST] = JL_NUMBER(catalog_out, boost_ghz, "boostGHz", .doc = "Boost frequency, GHz."),
    [OUT_DRIVER] = JL_STRING(catalog_out, driver_family, "driverFamily", .doc = "cpufreq driver."),
    [OUT_CTDP] = JL_NUMBERS(catalog_out, ctdp_range_w, "cTdpRangeW",
                            .doc = "Configurable TDP, lowest and highest W per socket."),
    [OUT_PROVENANCE] =
        JL_STRING(catalog_out, provenance, "provenance", .doc = "Where the numbers come from."),
    [OUT_PROXY] = JL_STRING(catalog_out, proxy_from, "proxyFrom",
                            .doc = "Key of the family whose power curve stands in."),
    [OUT_MIN_BOARD] =
        JL_NUMBER(catalog_out, min_board_w, "minBoardPowerW", .doc = "Lowest power limit, W."),
    [OUT_MAX_BOARD] =
        JL_NUMBER(catalog_out, max_board_w, "maxBoardPowerW", .doc = "Highest power limit, W."),
    [OUT_CURVE] = JL_NUMBER(catalog_out, curve_w, "curveW",
                            .doc = "W of two sockets at loadPct; absent without a curve."),
};
static const struct jl_table out_table = JL_TABLE(catalog_out, out_rows);

static void put_string(struct catalog_out *result, unsigned bit, const char **member,
                       const char *text)
{
    if (text == NULL)
        return;
    *member = text;
    JL_MARK(result, bit);
}

static int put_normal(struct jl_ask *ask, const char *text, struct catalog_out *result)
{
    const size_t size = jl_catalog_normal(text, NULL, 0) + 1;
    char *normal = jl_arena_alloc(ask->arena, size);
    if (normal == NULL)
        return jl_fail_memory(ask->err);
    jl_catalog_normal(text, normal, size);
    JL_PUT(result, OUT_NORMAL, normal, normal);
    return 0;
}

static int put_ctdp(struct jl_ask *ask, const struct jl_cpu_model *model,
                    struct catalog_out *result)
{
    if (!(model->ctdp_max_w > 0))
        return 0;
    double *range = JL_NEW_ARRAY(ask->arena, 2, double);
    if (range == NULL)
        return jl_fail_memory(ask->err);
    range[0] = model->ctdp_min_w;
    range[1] = model->ctdp_max_w;
    JL_PUT(result, OUT_CTDP, ctdp_range_w, ((struct jl_list){ range, 2 }));
    return 0;
}

static int put_cpu(struct jl_ask *ask, const struct jl_cpu_model *model,
                   const struct catalog_in *input, struct catalog_out *result)
{
    put_string(result, OUT_KEY, &result->key, model->key);
    put_string(result, OUT_VENDOR, &result->vendor, model->vendor);
    put_string(result, OUT_DRIVER, &result->driver_family, model->driver_family);
    put_string(result, OUT_PROVENANCE, &result->provenance, model->provenance);
    put_string(result, OUT_PROXY, &result->proxy_from, model->proxy_family);
    JL_PUT(result, OUT_DENSITY, compute_density, model->compute_density);
    JL_PUT(result, OUT_TDP, tdp_w, model->tdp_w);
    JL_PUT(result, OUT_BASE, base_ghz, model->base_ghz);
    JL_PUT(result, OUT_BOOST, boost_ghz, model->boost_ghz);
    if (JL_HAS(input, IN_LOAD) && jl_catalog_curve_w(model, input->load_pct, &result->curve_w))
        JL_MARK(result, OUT_CURVE);
    return put_ctdp(ask, model, result);
}

static void put_gpu(const struct jl_gpu_model *model, struct catalog_out *result)
{
    put_string(result, OUT_KEY, &result->key, model->key);
    put_string(result, OUT_VENDOR, &result->vendor, model->vendor);
    put_string(result, OUT_PROVENANCE, &result->provenance, model->provenance);
    JL_PUT(result, OUT_DENSITY, compute_density, model->compute_density);
    JL_PUT(result, OUT_MIN_BOARD, min_board_w, model->min_board_w);
    JL_PUT(result, OUT_MAX_BOARD, max_board_w, model->max_board_w);
}

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct catalog_in *input = in;
    struct catalog_out *result = out;
    const struct jl_cpu_model *cpu = NULL;
    const struct jl_gpu_model *gpu = NULL;
    if (input->kind == DEVICE_CPU)
        cpu = jl_catalog_cpu(input->text);
    else
        gpu = jl_catalog_gpu(input->text);
    const int rc = put_normal(ask, input->text, result);
    if (rc < 0)
        return rc;
    if (gpu != NULL)
        put_gpu(gpu, result);
    return cpu != NULL ? put_cpu(ask, cpu, input, result) : 0;
}

const struct jl_question jl_question_catalog_lookup = {
    .name = "catalog.lookup",
    .summary = "Find a CPU or GPU in the hardware catalog",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
