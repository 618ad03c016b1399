/* SPDX-License-Identifier: Apache-2.0 */
/* gpu.price: what a worker with these resources costs per hour (tensor-fusion.md §9.3). */
#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "kubernetes/quantity.h"
#include "tensor_fusion/price.h"

#define BYTES_PER_GIB 1073741824.0

struct price_input {
    uint64_t has;
    const char *qos;
    int64_t gpu_count;
    struct jl_fusion_resources resources;
    double limits_over_requests;
    const char *price_per_tflops;
    const char *price_per_gib;
    bool is_protected;
    double protection_ratio;
};

enum {
    IN_QOS,
    IN_GPU_COUNT,
    IN_RESOURCES,
    IN_FACTOR,
    IN_PER_TFLOPS,
    IN_PER_GIB,
    IN_PROTECTED,
    IN_PROTECTION_RATIO,
};

struct price_answer {
    uint64_t has;
    double dollars_per_hour;
};

enum { OUT_DOLLARS };

static const struct jl_row input_rows[] = {
    [IN_QOS] = JL_STRING(price_input, qos, "qos",
                         .doc = "QoS class; medium when absent, an unknown one costs nothing."),
    [IN_GPU_COUNT] = JL_INTEGER(price_input, gpu_count, "gpuCount", .flags = JL_HAS_MIN, .min = 0,
                                .doc = "GPUs of the worker; 1 when absent or 0."),
    [IN_RESOURCES] = JL_OBJECT(price_input, resources, "resources", &jl_fusion_resources_table,
                               .flags = JL_REQUIRED, .doc = "As in a profile, per GPU."),
    [IN_FACTOR] =
        JL_NUMBER(price_input, limits_over_requests, "limitsOverRequests", .flags = JL_NOT_NEGATIVE,
                  .doc = "Part of the price that limits above requests cost; 1."),
    [IN_PER_TFLOPS] = JL_STRING(price_input, price_per_tflops, "pricePerTflops",
                                .doc = "$ per TFLOPS and hour, such as $0.01."),
    [IN_PER_GIB] = JL_STRING(price_input, price_per_gib, "pricePerGib",
                             .doc = "$ per GiB and hour, such as $0.02."),
    [IN_PROTECTED] = JL_BOOLEAN(price_input, is_protected, "protected",
                                .doc = "Whether it runs under eviction protection."),
    [IN_PROTECTION_RATIO] =
        JL_NUMBER(price_input, protection_ratio, "protectionRatio", .flags = JL_NOT_NEGATIVE,
                  .doc = "Price factor of eviction protection; 1.2, also in place of one below 1."),
};
static const struct jl_table input_table = JL_TABLE(price_input, input_rows);

static const struct jl_row answer_rows[] = {
    [OUT_DOLLARS] =
        JL_NUMBER(price_answer, dollars_per_hour, "dollarsPerHour", .doc = "$ per hour."),
};
static const struct jl_table answer_table = JL_TABLE(price_answer, answer_rows);

static int read_amount(struct jl_ask *ask, const char *text, const char *side, const char *key,
                       double *out)
{
    const struct jl_path resources = { NULL, jl_text("resources"), 0 };
    const struct jl_path amounts = { &resources, jl_text(side), 0 };
    const struct jl_path at = { &amounts, jl_text(key), 0 };
    struct jl_quantity quantity;
    if (text == NULL)
        return jl_decode_fail(ask->decode, JOULIE_E_REQUIRED, &at, SIZE_MAX, "it is missing");
    const int rc = jl_parse_quantity(text, strlen(text), &quantity);
    if (rc < 0)
        return jl_decode_fail(ask->decode, rc, &at, SIZE_MAX, "\"%.64s\" is not a quantity", text);
    if (quantity.nano < 0)
        return jl_decode_fail(ask->decode, JOULIE_E_RANGE, &at, SIZE_MAX, "it is negative");
    *out = jl_quantity_to_double(&quantity);
    return 0;
}

static int read_amounts(struct jl_ask *ask, const struct jl_fusion_amounts *amounts,
                        const char *side, struct jl_price_amounts *out)
{
    int rc = read_amount(ask, amounts->tflops, side, "tflops", &out->tflops);
    if (rc == 0)
        rc = read_amount(ask, amounts->vram, side, "vram", &out->vram_gib);
    out->vram_gib /= BYTES_PER_GIB;
    return rc;
}

static int read_price(struct jl_ask *ask, const char *text, const char *where, double *out)
{
    if (text == NULL)
        return 0;
    const int rc = jl_parse_price(text, strlen(text), out);
    return rc < 0 ? jl_ask_fail(ask, rc, where, "\"%.64s\" is not a price", text) : 0;
}

/* An empty class reads as medium (tensor-fusion.md §9.1). */
static enum joulie_tensor_fusion_qos qos_of(const char *word)
{
    if (jl_is_empty(word))
        return JOULIE_TENSOR_FUSION_QOS_MEDIUM;
    return (enum joulie_tensor_fusion_qos)jl_word_value(&jl_fusion_qos_words, jl_text(word));
}

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct price_input *input = in;
    struct price_answer *result = out;
    struct jl_price_input price = {
        .qos = qos_of(input->qos),
        .gpu_count = input->gpu_count > 0 ? (double)input->gpu_count : 1,
        .limits_over_requests =
            JL_HAS(input, IN_FACTOR) ? input->limits_over_requests : JL_PRICE_LIMITS_OVER_REQUESTS,
        .per_tflops = JL_PRICE_PER_TFLOPS,
        .per_gib = JL_PRICE_PER_GIB,
        .is_protected = input->is_protected,
        .protection_ratio = JL_HAS(input, IN_PROTECTION_RATIO) ? input->protection_ratio
                                                               : JL_PRICE_PROTECTION_RATIO,
    };
    int rc = read_amounts(ask, &input->resources.requests, "requests", &price.requests);
    if (rc == 0)
        rc = read_amounts(ask, &input->resources.limits, "limits", &price.limits);
    if (rc == 0)
        rc = read_price(ask, input->price_per_tflops, "pricePerTflops", &price.per_tflops);
    if (rc == 0)
        rc = read_price(ask, input->price_per_gib, "pricePerGib", &price.per_gib);
    if (rc < 0)
        return rc;
    JL_PUT(result, OUT_DOLLARS, dollars_per_hour, jl_price(&price));
    return 0;
}

const struct jl_question jl_question_gpu_price = {
    .name = "gpu.price",
    .summary = "Price a worker of a TensorFusion profile",
    .in = &input_table,
    .out = &answer_table,
    .answer = answer,
};
