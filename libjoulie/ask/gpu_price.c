/* SPDX-License-Identifier: Apache-2.0 */

/* gpu.price: what a worker with these resources costs per hour (docs/rules/gpu-prices.md#price). */
#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "kubernetes/quantity.h"
#include "tensor_fusion/price.h"

#define BYTES_PER_GIB 1073741824.0

#define RECORD price_input
#define MEMBERS                                                                                \
    STRING(qos, "qos", "QoS class; medium when absent, an unknown one costs nothing.")         \
    INTEGER(gpu_count, "gpuCount", "GPUs of the worker; 1 when absent or 0.", AT_LEAST(0))     \
    OBJECT(resources, "resources", jl_fusion_resources, "As in a profile, per GPU.", REQUIRED) \
    NUMBER(limits_over_requests, "limitsOverRequests",                                         \
           "Part of the price that limits above requests cost; 1.", NOT_NEGATIVE)              \
    STRING(price_per_tflops, "pricePerTflops", "$ per TFLOPS and hour, such as $0.01.")        \
    STRING(price_per_gib, "pricePerGib", "$ per GiB and hour, such as $0.02.")                 \
    BOOLEAN(is_protected, "protected", "Whether it runs under eviction protection.")           \
    NUMBER(protection_ratio, "protectionRatio",                                                \
           "Price factor of eviction protection; 1.2, also in place of one below 1.",          \
           NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD price_answer
#define MEMBERS NUMBER(dollars_per_hour, "dollarsPerHour", "$ per hour.")
#include "schema/record.h"

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

/* An empty class reads as medium (docs/rules/tensor-fusion.md#qos-classes). */
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
        .limits_over_requests = input->given.limits_over_requests ? input->limits_over_requests
                                                                  : JL_PRICE_LIMITS_OVER_REQUESTS,
        .per_tflops = JL_PRICE_PER_TFLOPS,
        .per_gib = JL_PRICE_PER_GIB,
        .is_protected = input->is_protected,
        .protection_ratio =
            input->given.protection_ratio ? input->protection_ratio : JL_PRICE_PROTECTION_RATIO,
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
    JL_SET(result, dollars_per_hour, jl_price(&price));
    return 0;
}

const struct jl_question jl_question_gpu_price = {
    .name = "gpu.price",
    .summary = "Price a worker of a TensorFusion profile",
    .in = &price_input_table,
    .out = &price_answer_table,
    .answer = answer,
};
