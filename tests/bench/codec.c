/* SPDX-License-Identifier: Apache-2.0 */

/* Decoding and encoding NodeTwins, one by one and as a list of 5,000, against json-c. */

#define _GNU_SOURCE /* asprintf */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/random.h"
#include "bench/bench.h"
#include "kinds/node_twin.h"
#include "schema/decode.h"
#include "schema/encode.h"

#define DOCUMENTS 1000
#define LIST_ITEMS 5000

struct twin_list {
    uint64_t has;
    struct jl_list items;
};

enum { TWIN_LIST_ITEMS };

static const struct jl_row twin_list_rows[] = {
    [TWIN_LIST_ITEMS] = JL_LIST(twin_list, items, "items", &jl_node_twin_table),
};
static const struct jl_table twin_list_table =
    JL_TABLE(twin_list, twin_list_rows, .flags = JL_OPEN);

struct codec {
    char *documents[DOCUMENTS];
    size_t lengths[DOCUMENTS];
    struct jl_arena kept; /* decoded documents for the encoder */
    struct jl_node_twin twins[DOCUMENTS];
    struct json_object *trees[DOCUMENTS];
    struct jl_buffer list;
    struct jl_arena arena;
};

static void fail(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static double tenth(struct jl_random *random, double low, double high)
{
    return (double)jl_random_int(random, (int64_t)(low * 10), (int64_t)(high * 10)) / 10;
}

static char *make_document(struct jl_random *random, int index)
{
    static const char *const classes[] = { "eco", "performance", "draining" };
    const double tdp_w = (double)jl_random_int(random, 300, 7000);
    const double cap_pct = tenth(random, 40, 100);
    char *text = NULL;
    const int len = asprintf(
        &text,
        "{\"apiVersion\":\"joulie.io/"
        "v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":\"node-%d\",\"uid\":"
        "\"7d1f0d8e-0000-4000-8000-%012d\",\"resourceVersion\":\"%d\",\"labels\":{\"joulie.io/"
        "rack\":\"r%d\"}},"
        "\"spec\":{\"nodeName\":\"node-%d\",\"profile\":\"%s\",\"cpu\":{"
        "\"packagePowerCapPctOfMax\":%.1f},\"gpu\":{"
        "\"powerCap\":{\"scope\":\"perGpu\",\"capPctOfMax\":%.1f}},\"policy\":{\"name\":\"queue-"
        "aware-v1\"},"
        "\"scheduling\":{\"draining\":%s}},\"status\":{\"schedulableClass\":\"%s\","
        "\"powerMeasurement\":{\"source\":"
        "\"http\",\"measuredNodePowerW\":%.1f,\"cpuCappedPowerW\":%.1f,\"gpuCappedPowerW\":%.1f,"
        "\"nodeCappedPowerW\":"
        "%.1f,\"nodeTdpW\":%.1f,\"powerTrendWPerMin\":%.1f},\"predictedPowerHeadroomScore\":%.1f,"
        "\"predictedCoolingStressScore\":%.1f,\"predictedPsuStressScore\":%.1f,"
        "\"effectiveCapState\":{\"cpuPct\":%.1f,"
        "\"gpuPct\":%.1f},\"hardwareDensityScore\":%.1f,\"estimatedPUE\":1.%d,\"controlStatus\":{"
        "\"cpu\":{\"backend\":"
        "\"rapl\",\"result\":\"applied\",\"message\":\"RAPL package cap applied\",\"updatedAt\":"
        "\"2026-03-13T12:00:00Z\"}},\"lastUpdated\":\"2026-03-13T12:00:00Z\"}}",
        index, index, 1000 + index, index % 40, index, index % 3 == 1 ? "performance" : "eco",
        cap_pct, cap_pct, index % 3 == 2 ? "true" : "false", classes[index % 3],
        tenth(random, 100, tdp_w), tenth(random, 100, tdp_w), tenth(random, 100, tdp_w),
        tenth(random, 100, tdp_w), tdp_w, tenth(random, -200, 200), tenth(random, -50, 100),
        tenth(random, 0, 100), tenth(random, 0, 100), cap_pct, cap_pct, tenth(random, 0, 100),
        10 + index % 20);
    if (len < 0)
        fail("out of memory");
    return text;
}

static int decode(struct jl_arena *arena, const char *text, size_t len,
                  const struct jl_table *table, void *out)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_decode request = { .arena = arena, .text = text, .len = len, .err = &err };
    return jl_decode_document(&request, table, out);
}

static uint64_t mix_twin(uint64_t sum, const char *name, double cap_pct, double measured_w,
                         double headroom, int draining)
{
    sum = bench_mix(sum, name, strlen(name));
    sum = bench_mix_number(sum, cap_pct);
    sum = bench_mix_number(sum, measured_w);
    sum = bench_mix_number(sum, headroom);
    return bench_mix_number(sum, draining);
}

static uint64_t mix_typed(uint64_t sum, const struct jl_node_twin *twin)
{
    return mix_twin(sum, twin->spec.node_name, twin->spec.cpu.cap_pct,
                    twin->status.power.measured_node_power_w, twin->status.power_headroom_score,
                    twin->spec.scheduling.draining);
}

static struct json_object *get(struct json_object *object, const char *key)
{
    struct json_object *member = NULL;
    if (!json_object_object_get_ex(object, key, &member))
        fail(key);
    return member;
}

static uint64_t mix_tree(uint64_t sum, struct json_object *twin)
{
    struct json_object *spec = get(twin, "spec");
    struct json_object *status = get(twin, "status");
    return mix_twin(
        sum, json_object_get_string(get(spec, "nodeName")),
        json_object_get_double(get(get(spec, "cpu"), "packagePowerCapPctOfMax")),
        json_object_get_double(get(get(status, "powerMeasurement"), "measuredNodePowerW")),
        json_object_get_double(get(status, "predictedPowerHeadroomScore")),
        json_object_get_boolean(get(get(spec, "scheduling"), "draining")));
}

static uint64_t decode_ours(void *state)
{
    struct codec *codec = state;
    uint64_t sum = 0;
    for (size_t i = 0; i < DOCUMENTS; i++) {
        struct jl_node_twin twin;
        jl_arena_reset(&codec->arena);
        if (decode(&codec->arena, codec->documents[i], codec->lengths[i], &jl_node_twin_table,
                   &twin) != 0)
            fail("a document was refused");
        sum = mix_typed(sum, &twin);
    }
    return sum;
}

static uint64_t decode_json_c(void *state)
{
    struct codec *codec = state;
    uint64_t sum = 0;
    for (size_t i = 0; i < DOCUMENTS; i++) {
        struct json_object *tree = json_tokener_parse(codec->documents[i]);
        sum = mix_tree(sum, tree);
        json_object_put(tree);
    }
    return sum;
}

static uint64_t encode_ours(void *state)
{
    struct codec *codec = state;
    struct jl_buffer out = { 0 };
    uint64_t sum = 0;
    for (size_t i = 0; i < DOCUMENTS; i++) {
        jl_buffer_reset(&out);
        jl_encode(&out, &jl_node_twin_table, &codec->twins[i]);
        sum += out.len > 0;
    }
    jl_buffer_clear(&out);
    return sum;
}

static uint64_t encode_json_c(void *state)
{
    struct codec *codec = state;
    uint64_t sum = 0;
    for (size_t i = 0; i < DOCUMENTS; i++)
        sum += json_object_to_json_string_ext(codec->trees[i], JSON_C_TO_STRING_PLAIN)[0] == '{';
    return sum;
}

static uint64_t list_ours(void *state)
{
    struct codec *codec = state;
    struct twin_list list;
    uint64_t sum = 0;
    jl_arena_reset(&codec->arena);
    if (decode(&codec->arena, codec->list.data, codec->list.len, &twin_list_table, &list) != 0)
        fail("the list was refused");
    for (size_t i = 0; i < list.items.count; i++)
        sum = mix_typed(sum, JL_ITEM(list.items, jl_node_twin, i));
    return sum;
}

static uint64_t list_json_c(void *state)
{
    struct codec *codec = state;
    struct json_object *tree = json_tokener_parse(codec->list.data);
    struct json_object *items = get(tree, "items");
    uint64_t sum = 0;
    for (size_t i = 0; i < json_object_array_length(items); i++)
        sum = mix_tree(sum, json_object_array_get_idx(items, i));
    json_object_put(tree);
    return sum;
}

static void prepare(struct codec *codec)
{
    struct jl_random random = { .state = 1 };
    for (int i = 0; i < DOCUMENTS; i++) {
        codec->documents[i] = make_document(&random, i);
        codec->lengths[i] = strlen(codec->documents[i]);
        if (decode(&codec->kept, codec->documents[i], codec->lengths[i], &jl_node_twin_table,
                   &codec->twins[i]) != 0)
            fail("a document was refused");
        codec->trees[i] = json_tokener_parse(codec->documents[i]);
    }
    jl_put_string(&codec->list, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
    for (int i = 0; i < LIST_ITEMS; i++) {
        char *document = make_document(&random, i);
        jl_put_string(&codec->list, i > 0 ? "," : "");
        jl_put_string(&codec->list, document);
        free(document);
    }
    jl_put_string(&codec->list, "]}");
}

static void release(struct codec *codec)
{
    for (int i = 0; i < DOCUMENTS; i++) {
        free(codec->documents[i]);
        json_object_put(codec->trees[i]);
    }
    jl_buffer_clear(&codec->list);
    jl_arena_clear(&codec->kept);
    jl_arena_clear(&codec->arena);
}

int bench_codec(const struct bench_options *options)
{
    static struct codec codec;
    const struct bench_figure figures[] = {
        { "decode.nodetwin",
          "us",
          1e3,
          DOCUMENTS,
          &codec,
          { "ours", decode_ours },
          { "json-c", decode_json_c } },
        { "encode.nodetwin",
          "us",
          1e3,
          DOCUMENTS,
          &codec,
          { "ours", encode_ours },
          { "json-c", encode_json_c } },
        { "decode.list5000",
          "ms",
          1e6,
          1,
          &codec,
          { "ours", list_ours },
          { "json-c", list_json_c } },
    };
    int failed = 0;
    prepare(&codec);
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        failed |= bench_measure(&figures[i], options);
    release(&codec);
    return failed;
}
