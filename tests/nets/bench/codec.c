/* SPDX-License-Identifier: Apache-2.0 */

/* Decoding and encoding NodeTwins, one by one, with all digits that a double has, and as a list of
 * 5,000, against json-c; what nobody reads of a document; doubles as text and back. */

#define _GNU_SOURCE /* asprintf */
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/number.h"
#include "base/random.h"
#include "bench/bench.h"
#include "kinds/node_twin.h"
#include "schema/decode.h"
#include "schema/encode.h"

#define DOCUMENTS 1000
#define LIST_ITEMS 5000
#define LARGE_DOCUMENTS 50
#define DOUBLES 100000

#define RECORD twin_list
#define MEMBERS LIST(items, "items", jl_node_twin, "The objects.")
#define ABOUT .flags = JL_OPEN
#include "schema/record.h"

/* All that is wanted of a large object. */

#define RECORD named
#define MEMBERS STRING(name, "name", "A text.")
#define ABOUT .flags = JL_OPEN
#include "schema/record.h"

struct documents {
    char *texts[DOCUMENTS];
    size_t lengths[DOCUMENTS];
    struct jl_arena arena; /* of the decoder */
};

struct codec {
    struct documents documents;
    struct documents digits; /* the same with numbers of 16 or 17 digits */
    struct jl_arena kept;    /* decoded documents for the encoder */
    struct jl_node_twin twins[DOCUMENTS];
    struct json_object *trees[DOCUMENTS];
    struct jl_buffer list;
    struct jl_arena arena;
    struct jl_buffer large[LARGE_DOCUMENTS];
    size_t large_bytes; /* of all of them */
    double doubles[DOUBLES];
    char printed[DOUBLES][JL_DOUBLE_TEXT];
};

#define PLAIN (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)

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
    struct documents *documents = state;
    uint64_t sum = 0;
    for (size_t i = 0; i < DOCUMENTS; i++) {
        struct jl_node_twin twin;
        jl_arena_reset(&documents->arena);
        if (decode(&documents->arena, documents->texts[i], documents->lengths[i],
                   &jl_node_twin_table, &twin) != 0)
            fail("a document was refused");
        sum = mix_typed(sum, &twin);
    }
    return sum;
}

static uint64_t decode_json_c(void *state)
{
    const struct documents *documents = state;
    uint64_t sum = 0;
    for (size_t i = 0; i < DOCUMENTS; i++) {
        struct json_object *tree = json_tokener_parse(documents->texts[i]);
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
        sum = sum * 31 + out.len + (unsigned char)out.data[out.len / 2];
    }
    jl_buffer_clear(&out);
    return sum;
}

static uint64_t encode_json_c(void *state)
{
    struct codec *codec = state;
    uint64_t sum = 0;
    for (size_t i = 0; i < DOCUMENTS; i++) {
        size_t len = 0;
        const char *text = json_object_to_json_string_length(codec->trees[i], PLAIN, &len);
        sum = sum * 31 + len + (unsigned char)text[len / 2];
    }
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

static uint64_t skip_ours(void *state)
{
    struct codec *codec = state;
    uint64_t sum = 0;
    for (size_t i = 0; i < LARGE_DOCUMENTS; i++) {
        struct named named;
        jl_arena_reset(&codec->arena);
        if (decode(&codec->arena, codec->large[i].data, codec->large[i].len, &named_table,
                   &named) != 0)
            fail("a large document was refused");
        sum = bench_mix(sum, named.name, strlen(named.name));
    }
    return sum;
}

static uint64_t skip_json_c(void *state)
{
    struct codec *codec = state;
    uint64_t sum = 0;
    for (size_t i = 0; i < LARGE_DOCUMENTS; i++) {
        struct json_object *tree = json_tokener_parse(codec->large[i].data);
        const char *name = json_object_get_string(get(tree, "name"));
        sum = bench_mix(sum, name, strlen(name));
        json_object_put(tree);
    }
    return sum;
}

/* The first digit that is not 0 shows whether it was the number. */
static uint64_t mix_digits(uint64_t sum, const char *text)
{
    return sum * 31 + (unsigned char)text[strspn(text, "-0.")];
}

static uint64_t format_ours(void *state)
{
    struct codec *codec = state;
    uint64_t sum = 0;
    for (size_t i = 0; i < DOUBLES; i++) {
        char text[JL_DOUBLE_TEXT];
        jl_format_double(codec->doubles[i], text);
        sum = mix_digits(sum, text);
    }
    return sum;
}

/* As many digits as it takes to read back equal. */
static uint64_t format_libc(void *state)
{
    struct codec *codec = state;
    uint64_t sum = 0;
    for (size_t i = 0; i < DOUBLES; i++) {
        char text[JL_DOUBLE_TEXT];
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, codec->doubles[i]);
            if (strtod(text, NULL) == codec->doubles[i])
                break;
        }
        sum = mix_digits(sum, text);
    }
    return sum;
}

static uint64_t parse_ours(void *state)
{
    struct codec *codec = state;
    uint64_t sum = 0;
    for (size_t i = 0; i < DOUBLES; i++) {
        double value = 0;
        jl_parse_double(codec->printed[i], strlen(codec->printed[i]), &value);
        sum = bench_mix_number(sum, value);
    }
    return sum;
}

static uint64_t parse_libc(void *state)
{
    struct codec *codec = state;
    uint64_t sum = 0;
    for (size_t i = 0; i < DOUBLES; i++)
        sum = bench_mix_number(sum, strtod(codec->printed[i], NULL));
    return sum;
}

static void put_printed(struct jl_buffer *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put_printed(struct jl_buffer *out, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    jl_put_string(out, text);
}

/* What an API server adds to an object: who owns which field. */
static void put_managed_fields(struct jl_buffer *out, struct jl_random *random)
{
    static const char *const fields[] = {
        "f:metadata",      "f:labels",          "f:app.kubernetes.io/name",
        "f:containers",    "f:image",           "f:terminationMessagePath",
        "f:restartPolicy", "f:ownerReferences", "f:resources",
        "f:schedulerName", "f:requests",        "f:terminationGracePeriodSeconds",
    };
    put_printed(out, "{\"manager\":\"controller-%d\",\"operation\":\"Update\",\"fieldsV1\":{",
                (int)jl_random_int(random, 0, 99));
    for (int i = 0; i < 20; i++) {
        put_printed(out, i > 0 ? ",\"f:part-%d\":{\".\":{}" : "\"f:part-%d\":{\".\":{}", i);
        for (int64_t left = jl_random_int(random, 1, 6); left > 0; left--) {
            jl_put_string(out, ",\"");
            jl_put_string(out, fields[jl_random_int(random, 0, 11)]);
            jl_put_string(out, "\":{}");
        }
        jl_put_string(out, "}");
    }
    jl_put_string(out, "}}");
}

static void put_condition(struct jl_buffer *out, struct jl_random *random)
{
    put_printed(out, "{\"type\":\"Ready\",\"status\":\"True\",\"observedGeneration\":%d,",
                (int)jl_random_int(random, 1, 5000));
    put_printed(out, "\"lastTransitionTime\":\"2026-03-13T12:%02d:00Z\",",
                (int)jl_random_int(random, 0, 59));
    put_printed(out, "\"message\":\"kubelet says \\\"ready\\\": %d containers run, none waits\",",
                (int)jl_random_int(random, 1, 40));
    put_printed(out, "\"usage\":[%d.25,0.5,", (int)jl_random_int(random, 0, 9999));
    put_printed(out, "%d],\"held\":true,\"node\":null}", (int)jl_random_int(random, 0, 1 << 30));
}

static void make_large_document(struct jl_buffer *out, struct jl_random *random, int index)
{
    jl_put_string(out, "{\"metadata\":{\"managedFields\":[");
    for (int i = 0; i < 5; i++) {
        jl_put_string(out, i > 0 ? "," : "");
        put_managed_fields(out, random);
    }
    jl_put_string(out, "]},\"status\":{\"conditions\":[");
    for (int i = 0; i < 50; i++) {
        jl_put_string(out, i > 0 ? "," : "");
        put_condition(out, random);
    }
    put_printed(out, "]},\"name\":\"pod-%d\"}", index);
}

/* The trees of json-c come from our own text, so that both print the same bytes. */
static struct json_object *tree_of(const struct jl_node_twin *twin)
{
    struct jl_buffer text = { 0 };
    jl_encode(&text, &jl_node_twin_table, twin);
    struct json_object *tree = json_tokener_parse(text.data);
    if (strcmp(json_object_to_json_string_ext(tree, PLAIN), text.data) != 0)
        fail("the two encoders differ");
    jl_buffer_clear(&text);
    return tree;
}

/* Numbers as measurements and formulas leave them. */
static void add_digits(struct jl_node_twin *twin, struct jl_random *random)
{
    struct jl_power_measurement *power = &twin->status.power;
    double *const numbers[] = {
        &twin->spec.cpu.cap_pct,
        &twin->spec.gpu.power_cap.cap_pct,
        &power->measured_node_power_w,
        &power->cpu_capped_power_w,
        &power->gpu_capped_power_w,
        &power->node_capped_power_w,
        &power->node_tdp_w,
        &power->power_trend_w_per_min,
        &twin->status.power_headroom_score,
        &twin->status.cooling_stress_score,
        &twin->status.psu_stress_score,
        &twin->status.effective_caps.cpu_pct,
        &twin->status.effective_caps.gpu_pct,
        &twin->status.hardware_density_score,
        &twin->status.estimated_pue,
    };
    for (size_t i = 0; i < JL_COUNT(numbers); i++)
        *numbers[i] *= jl_random_range(random, 0.99, 1);
}

static void prepare_documents(struct codec *codec, struct jl_random *random)
{
    struct documents *documents = &codec->documents;
    for (int i = 0; i < DOCUMENTS; i++) {
        documents->texts[i] = make_document(random, i);
        documents->lengths[i] = strlen(documents->texts[i]);
        if (decode(&codec->kept, documents->texts[i], documents->lengths[i], &jl_node_twin_table,
                   &codec->twins[i]) != 0)
            fail("a document was refused");
        codec->trees[i] = tree_of(&codec->twins[i]);
    }
}

static void prepare_digits(struct codec *codec)
{
    struct jl_random random = { .state = 2 };
    for (int i = 0; i < DOCUMENTS; i++) {
        struct jl_node_twin twin = codec->twins[i];
        struct jl_buffer text = { 0 };
        add_digits(&twin, &random);
        jl_encode(&text, &jl_node_twin_table, &twin);
        codec->digits.lengths[i] = text.len;
        codec->digits.texts[i] = strdup(text.data);
        if (!codec->digits.texts[i])
            fail("out of memory");
        jl_buffer_clear(&text);
    }
}

static void prepare(struct codec *codec)
{
    struct jl_random random = { .state = 1 };
    prepare_documents(codec, &random);
    prepare_digits(codec);
    jl_put_string(&codec->list, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
    for (int i = 0; i < LIST_ITEMS; i++) {
        char *document = make_document(&random, i);
        jl_put_string(&codec->list, i > 0 ? "," : "");
        jl_put_string(&codec->list, document);
        free(document);
    }
    jl_put_string(&codec->list, "]}");
    for (int i = 0; i < LARGE_DOCUMENTS; i++) {
        make_large_document(&codec->large[i], &random, i);
        codec->large_bytes += codec->large[i].len;
    }
    for (int i = 0; i < DOUBLES; i++) {
        codec->doubles[i] = jl_random_range(&random, -1000, 1000);
        jl_format_double(codec->doubles[i], codec->printed[i]);
    }
}

static void release(struct codec *codec)
{
    for (int i = 0; i < DOCUMENTS; i++) {
        free(codec->documents.texts[i]);
        free(codec->digits.texts[i]);
        json_object_put(codec->trees[i]);
    }
    for (int i = 0; i < LARGE_DOCUMENTS; i++)
        jl_buffer_clear(&codec->large[i]);
    jl_buffer_clear(&codec->list);
    jl_arena_clear(&codec->documents.arena);
    jl_arena_clear(&codec->digits.arena);
    jl_arena_clear(&codec->kept);
    jl_arena_clear(&codec->arena);
}

int bench_codec(const struct bench_options *options)
{
    static struct codec codec;
    prepare(&codec);
    const struct bench_figure figures[] = {
        { "decode.nodetwin",
          "us",
          1e3,
          DOCUMENTS,
          &codec.documents,
          { "ours", decode_ours },
          { "json-c", decode_json_c } },
        { "decode.digits",
          "us",
          1e3,
          DOCUMENTS,
          &codec.digits,
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
        /* 1,000 ns per kB are 1 GB/s */
        { "skip.subtree",
          "ns per kB",
          1,
          codec.large_bytes / 1000,
          &codec,
          { "ours", skip_ours },
          { "json-c", skip_json_c } },
        { "format.double",
          "ns",
          1,
          DOUBLES,
          &codec,
          { "ours", format_ours },
          { "%.15g to %.17g and strtod", format_libc } },
        { "parse.double",
          "ns",
          1,
          DOUBLES,
          &codec,
          { "ours", parse_ours },
          { "strtod", parse_libc } },
    };
    int failed = 0;
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        failed |= bench_measure(&figures[i], options);
    release(&codec);
    return failed;
}
