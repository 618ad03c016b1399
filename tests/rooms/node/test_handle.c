/* SPDX-License-Identifier: Apache-2.0 */

/* The handle of a node's step: documents and readings in, ordered writes and a report out. */

#include <math.h>
#include <string.h>

#include <joulie/node.h>

#include "base/text.h"
#include "support/test.h"

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define MINUTE_MS INT64_C(60000)

/* 270 and 225 W at 60 % are 162 and 135 W */
static const char hardware[] =
    "apiVersion: joulie.io/v1alpha1\n"
    "kind: NodeHardware\n"
    "metadata: {name: a}\n"
    "spec: {nodeName: a}\n"
    "status:\n"
    "  madeUp: 1\n"
    "  cpu:\n"
    "    sockets: 2\n"
    "    packages:\n"
    "    - {index: 0, maxWatts: 270, powerUnitWatts: 0.125, controllable: true}\n"
    "    - {index: 1, maxWatts: 225, powerUnitWatts: 0.125}\n"
    "  gpu:\n"
    "    devices:\n"
    "    - {id: GPU-0, minWatts: 200, maxWatts: 350}\n";

#define TWIN(caps)                                                                         \
    "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":" \
    "\"a\"},\"spec\":{\"nodeName\":\"a\",\"profile\":\"eco\"" caps "},\"status\":{"        \
    "\"lastUpdated\":\"2026-03-13T12:00:00Z\"}}"
#define CPU_60 ",\"cpu\":{\"packagePowerCapPctOfMax\":60}"
#define GPU_60 ",\"gpu\":{\"powerCap\":{\"capPctOfMax\":60}}"

static struct joulie_node_options enforcing(void)
{
    struct joulie_node_options options = JOULIE_INIT(struct joulie_node_options);
    options.enforces = 1;
    options.gpu_backend = "host-nvidia";
    return options;
}

static struct joulie_node *make(const struct joulie_node_options *options)
{
    struct joulie_node *node = NULL;
    assert_int_equal(joulie_node_new(options, &node, NULL), JOULIE_OK);
    return node;
}

static void set_hardware(struct joulie_node *node, const char *text)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (joulie_node_put_hardware(node, text, strlen(text), &err) != JOULIE_OK)
        fail_msg("%s: %s", err.where, err.message);
}

static void set_twin(struct joulie_node *node, const char *text)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (joulie_node_put_twin(node, text, text != NULL ? strlen(text) : 0, &err) != JOULIE_OK)
        fail_msg("%s: %s", err.where, err.message);
}

/* An enforcing agent with two packages and one GPU. */
static struct joulie_node *make_usual(const char *twin)
{
    const struct joulie_node_options options = enforcing();
    struct joulie_node *node = make(&options);
    set_hardware(node, hardware);
    set_twin(node, twin);
    return node;
}

static struct joulie_node_reading reading_of(enum joulie_node_kind kind, int64_t index,
                                             double limit_w)
{
    struct joulie_node_reading reading = JOULIE_INIT(struct joulie_node_reading);
    reading.has = JOULIE_NODE_READING_HAS_LIMIT;
    reading.kind = kind;
    reading.index = index;
    reading.id = kind == JOULIE_NODE_KIND_GPU ? "GPU-0" : NULL;
    reading.limit_w = limit_w;
    return reading;
}

static void put(struct joulie_node *node, struct joulie_node_reading reading)
{
    assert_int_equal(joulie_node_put_reading(node, &reading, NULL), JOULIE_OK);
}

static void read_limit(struct joulie_node *node, enum joulie_node_kind kind, int64_t index,
                       double limit_w)
{
    put(node, reading_of(kind, index, limit_w));
}

/* A limit of ours, which was 270 W before. */
static void read_ours(struct joulie_node *node, int64_t index, double limit_w)
{
    struct joulie_node_reading reading = reading_of(JOULIE_NODE_KIND_PACKAGE, index, limit_w);
    reading.has |= JOULIE_NODE_READING_HAS_ORIGINAL;
    reading.original_w = 270;
    put(node, reading);
}

static size_t step(struct joulie_node *node, int64_t now_ms)
{
    size_t count = 99;
    assert_int_equal(joulie_node_step(node, now_ms, &count, NULL), JOULIE_OK);
    return count;
}

static struct joulie_node_write write_at(struct joulie_node *node, size_t index)
{
    struct joulie_node_write write = JOULIE_INIT(struct joulie_node_write);
    assert_int_equal(joulie_node_write_at(node, index, &write, NULL), JOULIE_OK);
    return write;
}

/* What write number index did, as it reads back. */
static void answer(struct joulie_node *node, size_t index, enum joulie_node_outcome outcome,
                   double limit_w)
{
    const struct joulie_node_write write = write_at(node, index);
    struct joulie_node_reading reading = reading_of(write.kind, write.index, limit_w);
    reading.outcome = outcome;
    put(node, reading);
}

static void assert_report(struct joulie_node *node, const char *expected)
{
    char *json = NULL;
    assert_int_equal(joulie_node_report(node, &json, NULL), JOULIE_OK);
    assert_string_equal(json, expected);
    joulie_free(json);
}

static void assert_reports(struct joulie_node *node, const char *part)
{
    char *json = NULL;
    assert_int_equal(joulie_node_report(node, &json, NULL), JOULIE_OK);
    if (strstr(json, part) == NULL)
        fail_msg("%s is not in %s", part, json);
    joulie_free(json);
}

#define NO_GPU_INTENT                                                                      \
    "\"gpu\":{\"backend\":\"none\",\"result\":\"none\",\"message\":\"no GPU cap intent\"," \
    "\"updatedAt\":\"2026-03-13T12:00:00Z\",\"observed\":{\"devices\":[{\"id\":\"GPU-0\"," \
    "\"result\":\"none\"}]}}}"

static void a_percent_becomes_the_watts_of_each_package_and_the_report_says_so(void **state)
{
    (void)state;
    struct joulie_node *node = make_usual(TWIN(CPU_60));
    assert_int_equal(step(node, NOW_MS), 2);
    const struct joulie_node_write first = write_at(node, 0);
    assert_int_equal(first.kind, JOULIE_NODE_KIND_PACKAGE);
    assert_int_equal(first.index, 0);
    assert_string_equal(first.id, "");
    assert_near(first.limit_w, 162, 0);
    assert_int_equal(first.power_limit_uw, 162000000);
    assert_int_equal(first.is_restore, 0);
    assert_int_equal(write_at(node, 1).power_limit_uw, 135000000);

    answer(node, 0, JOULIE_NODE_OUTCOME_WRITTEN, 162);
    answer(node, 1, JOULIE_NODE_OUTCOME_WRITTEN, 135);
    assert_report(node, "{\"cpu\":{\"backend\":\"rapl\",\"result\":\"applied\",\"message\":"
                        "\"CPU power cap applied\",\"updatedAt\":\"2026-03-13T12:00:00Z\","
                        "\"observed\":{\"packages\":[{\"index\":0,\"capWatts\":162,"
                        "\"limitWatts\":162,\"result\":\"applied\"},{\"index\":1,\"capWatts\":135,"
                        "\"limitWatts\":135,\"result\":\"applied\"}]}}," NO_GPU_INTENT);

    assert_int_equal(step(node, NOW_MS), 0); /* they read as they should */
    assert_reports(node, "\"cpu\":{\"backend\":\"rapl\",\"result\":\"applied\"");
    joulie_node_free(node);
}

static void a_limit_is_lowered_before_another_is_raised(void **state)
{
    (void)state;
    struct joulie_node *node = make_usual(TWIN(CPU_60 GPU_60));
    read_limit(node, JOULIE_NODE_KIND_PACKAGE, 0, 100); /* to be raised to 162 */
    read_limit(node, JOULIE_NODE_KIND_PACKAGE, 1, 225); /* to be lowered to 135 */
    read_limit(node, JOULIE_NODE_KIND_GPU, 0, 350);     /* to be lowered to 210 */
    assert_int_equal(step(node, NOW_MS), 3);
    assert_int_equal(write_at(node, 0).index, 1);
    const struct joulie_node_write gpu = write_at(node, 1);
    assert_int_equal(gpu.kind, JOULIE_NODE_KIND_GPU);
    assert_string_equal(gpu.id, "GPU-0");
    assert_int_equal(gpu.power_limit_uw, 210000000);
    assert_int_equal(write_at(node, 2).index, 0);
    joulie_node_free(node);
}

static void a_spec_that_is_gone_gives_back_what_is_ours_and_nothing_else(void **state)
{
    (void)state;
    struct joulie_node *node = make_usual(NULL);
    read_ours(node, 0, 162);
    read_limit(node, JOULIE_NODE_KIND_PACKAGE, 1, 135);
    assert_int_equal(step(node, NOW_MS), 1);
    const struct joulie_node_write write = write_at(node, 0);
    assert_int_equal(write.is_restore, 1);
    assert_int_equal(write.index, 0);
    assert_int_equal(write.power_limit_uw, 270000000);
    answer(node, 0, JOULIE_NODE_OUTCOME_WRITTEN, 270);
    assert_reports(node, "{\"backend\":\"none\",\"result\":\"none\",\"message\":\"no NodeTwin "
                         "selected\"");
    joulie_node_free(node);
}

static void a_stale_spec_is_believed_for_a_while_and_then_gives_back(void **state)
{
    (void)state;
    struct joulie_node *node = make_usual(TWIN(CPU_60));
    read_ours(node, 0, 162);
    read_limit(node, JOULIE_NODE_KIND_PACKAGE, 1, 135);
    assert_int_equal(step(node, NOW_MS + 5 * MINUTE_MS), 0);
    assert_int_equal(step(node, NOW_MS + 6 * MINUTE_MS), 0); /* stale since now */
    assert_int_equal(step(node, NOW_MS + 11 * MINUTE_MS), 0);
    assert_int_equal(step(node, NOW_MS + 12 * MINUTE_MS), 1);
    assert_int_equal(write_at(node, 0).is_restore, 1);
    answer(node, 0, JOULIE_NODE_OUTCOME_WRITTEN, 270);
    assert_reports(node, "\"message\":\"NodeTwin is stale\"");

    joulie_node_heartbeat(node, NOW_MS + 12 * MINUTE_MS); /* the operator stands behind it */
    assert_int_equal(step(node, NOW_MS + 12 * MINUTE_MS), 1);
    assert_int_equal(write_at(node, 0).power_limit_uw, 162000000);
    joulie_node_heartbeat(node, INT64_MAX); /* not taken */
    assert_int_equal(step(node, NOW_MS + 12 * MINUTE_MS), 1);
    joulie_node_free(node);
}

/* The wall is set, the operator's is not: what it says counts from when it is heard. */
static void a_wall_that_is_set_neither_keeps_nor_drops_a_cap(void **state)
{
    static const int64_t set_ms[] = { -60 * MINUTE_MS, 14400 * MINUTE_MS };
    (void)state;
    for (size_t i = 0; i < sizeof set_ms / sizeof set_ms[0]; i++) {
        struct joulie_node *node = make_usual(TWIN(CPU_60));
        int64_t now_ms = NOW_MS;
        read_ours(node, 0, 162);
        read_limit(node, JOULIE_NODE_KIND_PACKAGE, 1, 135);
        joulie_node_set_wall(node, now_ms, now_ms);
        joulie_node_heartbeat(node, now_ms);
        assert_int_equal(step(node, now_ms), 0);
        for (int minute = 0; minute < 30; minute++) { /* the operator beats */
            now_ms += MINUTE_MS;
            joulie_node_set_wall(node, now_ms, now_ms + set_ms[i]);
            joulie_node_heartbeat(node, now_ms);
            assert_int_equal(step(node, now_ms), 0);
        }
        joulie_node_set_wall(node, now_ms + 6 * MINUTE_MS, now_ms + 6 * MINUTE_MS + set_ms[i]);
        assert_int_equal(step(node, now_ms + 6 * MINUTE_MS), 0); /* stale since now */
        assert_int_equal(step(node, now_ms + 11 * MINUTE_MS), 0);
        assert_int_equal(step(node, now_ms + 11 * MINUTE_MS + 1), 1);
        assert_int_equal(write_at(node, 0).is_restore, 1);
        answer(node, 0, JOULIE_NODE_OUTCOME_WRITTEN, 270);
        assert_reports(node, i == 0 ? "\"updatedAt\":\"2026-03-13T11:41:00Z\""
                                    : "\"updatedAt\":\"2026-03-23T12:41:00Z\"");
        joulie_node_free(node);
    }
}

static void what_is_blocked_or_failed_is_reported_as_it_is(void **unused)
{
    (void)unused;

    static const struct {
        enum joulie_node_outcome outcome;
        uint64_t has;
        double limit_w;
        const char *message;
        const char *reported;
    } rows[] = {
        { JOULIE_NODE_OUTCOME_WRITTEN, JOULIE_NODE_READING_HAS_LIMIT, 270, NULL,
          "\"result\":\"blocked\",\"message\":\"limit does not stay as written\"" },
        { JOULIE_NODE_OUTCOME_REFUSED, 0, 0, "locked by the \"BIOS\"",
          "\"result\":\"blocked\",\"message\":\"locked by the \\\"BIOS\\\"\"" },
        { JOULIE_NODE_OUTCOME_FAILED, 0, 0, NULL,
          "\"result\":\"error\",\"message\":\"write failed\"" },
        { JOULIE_NODE_OUTCOME_NONE, 0, 0, NULL, "\"result\":\"error\"" },
        { JOULIE_NODE_OUTCOME_WRITTEN, 0, 0, NULL, "\"result\":\"pending\"" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct joulie_node *node = make_usual(TWIN(CPU_60));
        assert_int_equal(step(node, NOW_MS), 2);
        struct joulie_node_reading reading =
            reading_of(JOULIE_NODE_KIND_PACKAGE, 0, rows[i].limit_w);
        reading.has = rows[i].has;
        reading.outcome = rows[i].outcome;
        reading.message = rows[i].message;
        put(node, reading);
        answer(node, 1, JOULIE_NODE_OUTCOME_WRITTEN, 135);
        assert_reports(node, rows[i].reported);
        joulie_node_free(node);
    }
}

static void a_gpu_without_a_maximum_is_blocked_and_the_packages_are_not(void **state)
{
    (void)state;
    const struct joulie_node_options options = enforcing();
    struct joulie_node *node = make(&options);
    struct joulie_node_part part = JOULIE_INIT(struct joulie_node_part);
    part.kind = JOULIE_NODE_KIND_GPU;
    part.id = "GPU-0";
    part.is_controllable = 1;
    assert_int_equal(joulie_node_put_part(node, &part, NULL), JOULIE_OK);
    part = JOULIE_INIT(struct joulie_node_part);
    part.kind = JOULIE_NODE_KIND_PACKAGE;
    part.is_controllable = 1;
    part.has = JOULIE_NODE_PART_HAS_MAX;
    part.max_w = 270;
    assert_int_equal(joulie_node_put_part(node, &part, NULL), JOULIE_OK);
    set_twin(node, TWIN(CPU_60 GPU_60));
    assert_int_equal(step(node, NOW_MS), 1);
    answer(node, 0, JOULIE_NODE_OUTCOME_WRITTEN, 162);
    assert_reports(node, "\"cpu\":{\"backend\":\"rapl\",\"result\":\"applied\"");
    assert_reports(node, "\"gpu\":{\"backend\":\"host-nvidia\",\"result\":\"blocked\","
                         "\"message\":\"no max\"");

    part.is_controllable = 0; /* the same package */
    assert_int_equal(joulie_node_put_part(node, &part, NULL), JOULIE_OK);
    assert_int_equal(step(node, NOW_MS), 0);
    assert_reports(node, "\"message\":\"CPU power cannot be limited here\"");
    joulie_node_free(node);
}

static void new_hardware_keeps_what_was_read_of_parts_that_stay(void **state)
{
    (void)state;
    struct joulie_node *node = make_usual(TWIN(CPU_60));
    read_limit(node, JOULIE_NODE_KIND_PACKAGE, 0, 162);
    read_limit(node, JOULIE_NODE_KIND_PACKAGE, 1, 135);
    set_hardware(node, "apiVersion: joulie.io/v1alpha1\nkind: NodeHardware\nmetadata: {name: a}\n"
                       "spec: {nodeName: a}\nstatus: {cpu: {packages: [{index: 1, maxWatts: 225},"
                       "{index: 2, maxWatts: 200, locked: true}]}}\n");
    assert_int_equal(step(node, NOW_MS), 0);
    assert_reports(node, "{\"packages\":[{\"index\":1,\"capWatts\":135,\"limitWatts\":135,"
                         "\"result\":\"applied\"},{\"index\":2,\"result\":\"blocked\"}]}");
    const struct joulie_node_reading gone = reading_of(JOULIE_NODE_KIND_PACKAGE, 0, 162);
    assert_int_equal(joulie_node_put_reading(node, &gone, NULL), JOULIE_E_NOT_FOUND);
    joulie_node_free(node);
}

static void a_remote_backend_takes_the_watts_of_all_packages(void **state)
{
    (void)state;
    struct joulie_node_options options = enforcing();
    options.is_remote_cpu = 1;
    struct joulie_node *node = make(&options);
    set_hardware(node, "apiVersion: joulie.io/v1alpha1\nkind: NodeHardware\nmetadata: {name: a}\n"
                       "spec: {nodeName: a}\nstatus: {cpu: {sockets: 2,"
                       " capRange: {maxWattsPerSocket: 360}}}\n");
    set_twin(node, TWIN(CPU_60));
    assert_int_equal(step(node, NOW_MS), 1);
    assert_string_equal(write_at(node, 0).id, "remote");
    assert_near(write_at(node, 0).limit_w, 432, 0); /* 216 W × 2 */
    joulie_node_free(node);
}

static struct joulie_node_part part_at(const struct joulie_node *node, size_t index)
{
    struct joulie_node_part part = JOULIE_INIT(struct joulie_node_part);
    assert_int_equal(joulie_node_part_at(node, index, &part, NULL), JOULIE_OK);
    return part;
}

/* In the order of the document, with the watts of the part: of all packages where they are one. */
static void parts_read_back_as_they_are_known(void **state)
{
    (void)state;
    struct joulie_node *node = make_usual(NULL);
    struct joulie_node_part part = part_at(node, 1);
    assert_int_equal(part.kind, JOULIE_NODE_KIND_PACKAGE);
    assert_int_equal(part.index, 1);
    assert_int_equal(part.has, JOULIE_NODE_PART_HAS_MAX | JOULIE_NODE_PART_HAS_POWER_UNIT);
    assert_near(part.max_w, 225, 0);
    assert_near(part.power_unit_w, 0.125, 0);
    part = part_at(node, 2);
    assert_int_equal(part.kind, JOULIE_NODE_KIND_GPU);
    assert_string_equal(part.id, "GPU-0");
    assert_int_equal(part.has, JOULIE_NODE_PART_HAS_MIN | JOULIE_NODE_PART_HAS_MAX);
    assert_near(part.min_w, 200, 0);
    assert_near(part.max_w, 350, 0);
    assert_int_equal(joulie_node_part_at(node, 3, &part, NULL), JOULIE_E_RANGE);
    joulie_node_free(node);

    struct joulie_node_options options = enforcing();
    options.is_remote_cpu = 1;
    node = make(&options);
    set_hardware(node, "apiVersion: joulie.io/v1alpha1\nkind: NodeHardware\nmetadata: {name: a}\n"
                       "spec: {nodeName: a}\nstatus: {cpu: {sockets: 2,"
                       " capRange: {maxWattsPerSocket: 360}}}\n");
    part = part_at(node, 0);
    assert_string_equal(part.id, "remote");
    assert_int_equal(part.has, JOULIE_NODE_PART_HAS_MAX);
    assert_near(part.max_w, 720, 0);
    joulie_node_free(node);
}

/* One value for every GPU, and no part where there is no GPU. */
static void a_remote_backend_takes_the_watts_of_one_gpu(void **state)
{
    (void)state;
    struct joulie_node_options options = enforcing();
    options.is_remote_cpu = 1;
    options.is_remote_gpu = 1;
    struct joulie_node *node = make(&options);
    set_hardware(node, "apiVersion: joulie.io/v1alpha1\nkind: NodeHardware\nmetadata: {name: a}\n"
                       "spec: {nodeName: a}\nstatus: {gpu: {count: 4,"
                       " capRangePerGpu: {minWatts: 200, maxWatts: 400}}}\n");
    set_twin(node, TWIN(GPU_60));
    assert_int_equal(step(node, NOW_MS), 1);
    assert_string_equal(write_at(node, 0).id, "remote");
    assert_near(write_at(node, 0).limit_w, 240, 0);
    set_hardware(node, "apiVersion: joulie.io/v1alpha1\nkind: NodeHardware\nmetadata: {name: a}\n"
                       "spec: {nodeName: a}\nstatus: {gpu: {count: 0}}\n");
    assert_int_equal(step(node, NOW_MS), 0);
    assert_reports(node, "no GPU devices discovered");
    joulie_node_free(node);
    options.reserved = 1;
    assert_int_equal(joulie_node_new(&options, &node, NULL), JOULIE_E_ABI);
}

static void nothing_is_written_by_default(void **state)
{
    (void)state;
    struct joulie_node *node = make(NULL);
    set_hardware(node, hardware);
    set_twin(node, TWIN(CPU_60));
    assert_int_equal(step(node, NOW_MS), 0);
    assert_reports(node, "\"message\":\"simulate-only mode\"");
    joulie_node_free(node);
}

static void a_report_needs_a_step_of_what_is_known_now(void **state)
{
    (void)state;
    struct joulie_node *node = make_usual(TWIN(CPU_60));
    struct joulie_node_write write = JOULIE_INIT(struct joulie_node_write);
    char *json = NULL;
    assert_int_equal(joulie_node_report(node, &json, NULL), JOULIE_E_CONFLICT);
    assert_int_equal(step(node, NOW_MS), 2);
    set_twin(node, NULL);
    assert_int_equal(joulie_node_report(node, &json, NULL), JOULIE_E_CONFLICT);
    assert_null(json);
    assert_int_equal(joulie_node_write_at(node, 0, &write, NULL), JOULIE_E_RANGE);
    size_t count = 7;
    assert_int_equal(joulie_node_step(node, INT64_MIN, &count, NULL), JOULIE_E_RANGE);
    assert_int_equal(count, 7);
    joulie_node_free(node);
}

static void bad_documents_change_nothing_and_name_their_place(void **unused)
{
    (void)unused;

    static const char head[] = "apiVersion: joulie.io/v1alpha1\nmetadata: {name: a}\n"
                               "spec: {nodeName: a, profile: eco}\nkind: ";

    static const struct {
        const char *twin;
        const char *hardware;
        int code;
        const char *where;
    } rows[] = {
        { TWIN(",\"cpu\":{\"packagePowerCapPctOfMax\":130}"), NULL, JOULIE_E_RANGE,
          "spec.cpu.packagePowerCapPctOfMax" },
        { TWIN(",\"cpu\":7"), NULL, JOULIE_E_TYPE, "spec.cpu" },
        { "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":"
          "\"a\"}}",
          NULL, JOULIE_E_REQUIRED, "spec" },
        { "{", NULL, JOULIE_E_PARSE, "line 1" },
        { NULL, "NodeTwin\n", JOULIE_E_ENUM, "kind" },
        { NULL, "NodeHardware\nstatus: {gpu: {devices: [{id: a}, {id: a}]}}\n", JOULIE_E_CONFLICT,
          "status.gpu.devices[1]" },
        { NULL, "NodeHardware\nstatus: {cpu: {packages: [{maxWatts: 1}]}}\n", JOULIE_E_REQUIRED,
          "status.cpu.packages[0].index" },
    };
    struct joulie_node *node = make_usual(TWIN(CPU_60));
    assert_int_equal(step(node, NOW_MS), 2);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        char text[512] = "";
        if (rows[i].hardware != NULL) {
            strncat(text, head, sizeof text - 1);
            strncat(text, rows[i].hardware, sizeof text - strlen(text) - 1);
        }
        const int code = rows[i].twin != NULL
                             ? joulie_node_put_twin(node, rows[i].twin, strlen(rows[i].twin), &err)
                             : joulie_node_put_hardware(node, text, strlen(text), &err);
        assert_int_equal(code, rows[i].code);
        assert_string_equal(err.where, rows[i].where);
        assert_int_equal(write_at(node, 0).power_limit_uw, 162000000); /* the step still stands */
    }
    assert_int_equal(step(node, NOW_MS), 2);
    joulie_node_free(node);
}

static void a_node_has_at_most_1024_parts(void **state)
{
    (void)state;
    struct joulie_node *node = make(NULL);
    struct joulie_node_part part = JOULIE_INIT(struct joulie_node_part);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    part.kind = JOULIE_NODE_KIND_PACKAGE;
    for (; part.index < 1024; part.index++)
        assert_int_equal(joulie_node_put_part(node, &part, NULL), JOULIE_OK);
    assert_int_equal(joulie_node_put_part(node, &part, &err), JOULIE_E_LIMIT);
    assert_int_equal(err.code, JOULIE_E_LIMIT);
    assert_string_equal(err.message, "a node has at most 1024 parts");
    part.index = 0;
    assert_int_equal(joulie_node_put_part(node, &part, NULL), JOULIE_OK);
    joulie_node_free(node);
}

static void messages_of_one_step_take_at_most_a_mebibyte(void **state)
{
    (void)state;
    static char longest[1 << 20]; /* with its NUL */
    struct joulie_node *node = make_usual(TWIN(CPU_60));
    struct joulie_node_reading reading = reading_of(JOULIE_NODE_KIND_PACKAGE, 0, 162);
    memset(longest, 'x', sizeof longest - 1);
    reading.message = longest;
    assert_int_equal(joulie_node_put_reading(node, &reading, NULL), JOULIE_OK);
    reading.message = "x";
    assert_int_equal(joulie_node_put_reading(node, &reading, NULL), JOULIE_E_LIMIT);
    assert_int_equal(step(node, NOW_MS), 1);
    assert_int_equal(joulie_node_put_reading(node, &reading, NULL), JOULIE_OK);
    joulie_node_free(node);
}

/* 60 % is raised to a floor of 80 %: 216 W of 270 W. */
static void a_cap_is_raised_to_the_floor_of_the_options(void **state)
{
    (void)state;
    struct joulie_node_write write = JOULIE_INIT(struct joulie_node_write);
    struct joulie_node_options options = enforcing();
    options.has = JOULIE_NODE_HAS_FLOOR;
    options.floor_pct = 80;
    struct joulie_node *node = make(&options);
    set_hardware(node, hardware);
    set_twin(node, TWIN(CPU_60));
    assert_int_equal(step(node, NOW_MS), 2);
    assert_int_equal(joulie_node_write_at(node, 0, &write, NULL), JOULIE_OK);
    assert_near(write.limit_w, 0.8 * 270, 0);
    joulie_node_free(node);
}

static void a_floor_is_a_percentage_with_both_ends(void **state)
{
    static const double floors_pct[] = { 0, 100, -0.001, 100.001 };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(floors_pct); i++) {
        struct joulie_node *node = NULL;
        struct joulie_node_options options = enforcing();
        options.has = JOULIE_NODE_HAS_FLOOR;
        options.floor_pct = floors_pct[i];
        assert_int_equal(joulie_node_new(&options, &node, NULL),
                         i < 2 ? JOULIE_OK : JOULIE_E_RANGE);
        joulie_node_free(node);
    }
}

static void fields_that_cannot_be_are_refused_with_their_name(void **state)
{
    (void)state;
    struct joulie_node *node = make_usual(TWIN(CPU_60));
    struct joulie_node *other = NULL;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_node_options options = enforcing();
    options.has = JOULIE_NODE_HAS_FLOOR;
    options.floor_pct = 101;
    assert_int_equal(joulie_node_new(&options, &other, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "floor_pct");
    options = enforcing();
    options.has = JOULIE_NODE_HAS_MAX_AGE;
    options.max_age_ms = -1;
    assert_int_equal(joulie_node_new(&options, &other, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "max_age_ms");
    options = enforcing();
    options.cpu_backend = "\xFF";
    assert_int_equal(joulie_node_new(&options, &other, &err), JOULIE_E_PARSE);
    assert_null(other);

    struct joulie_node_part part = JOULIE_INIT(struct joulie_node_part);
    assert_int_equal(joulie_node_put_part(node, &part, &err), JOULIE_E_ENUM);
    part.kind = JOULIE_NODE_KIND_GPU;
    assert_int_equal(joulie_node_put_part(node, &part, &err), JOULIE_E_REQUIRED);
    part.id = "GPU-9";
    part.has = JOULIE_NODE_PART_HAS_MAX;
    assert_int_equal(joulie_node_put_part(node, &part, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "max_w");
    part.has = JOULIE_NODE_PART_HAS_MIN; /* 0 W bounds nothing */
    assert_int_equal(joulie_node_put_part(node, &part, &err), JOULIE_OK);
    part.min_w = -1;
    assert_int_equal(joulie_node_put_part(node, &part, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "min_w");

    struct joulie_node_reading reading = reading_of(JOULIE_NODE_KIND_PACKAGE, 0, (double)NAN);
    assert_int_equal(joulie_node_put_reading(node, &reading, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "limit_w");
    reading.limit_w = 0;
    reading.message = "\xC3";
    assert_int_equal(joulie_node_put_reading(node, &reading, &err), JOULIE_E_PARSE);
    reading.message = NULL;
    reading.outcome = (enum joulie_node_outcome)9;
    assert_int_equal(joulie_node_put_reading(node, &reading, &err), JOULIE_E_ENUM);
    assert_string_equal(err.where, "outcome");
    joulie_node_free(node);
}

static void structs_of_impossible_sizes_are_refused(void **state)
{
    (void)state;
    struct joulie_node *node = make_usual(TWIN(CPU_60));
    struct joulie_node *other = NULL;
    struct joulie_node_options options = enforcing();
    struct joulie_node_part part = JOULIE_INIT(struct joulie_node_part);
    struct joulie_node_reading reading = reading_of(JOULIE_NODE_KIND_PACKAGE, 0, 162);
    struct joulie_node_write write = JOULIE_INIT(struct joulie_node_write);
    assert_int_equal(step(node, NOW_MS), 2);
    options.struct_size = 8;
    assert_int_equal(joulie_node_new(&options, &other, NULL), JOULIE_E_ABI);
    part.has = UINT64_C(1) << 40;
    assert_int_equal(joulie_node_put_part(node, &part, NULL), JOULIE_E_ABI);
    reading.reserved = 1;
    assert_int_equal(joulie_node_put_reading(node, &reading, NULL), JOULIE_E_ABI);
    write.struct_size = 0;
    assert_int_equal(joulie_node_write_at(node, 0, &write, NULL), JOULIE_E_ABI);
    joulie_node_free(node);
    joulie_node_free(NULL);
}

static void a_longer_write_of_a_later_release_gets_a_zero_tail(void **state)
{
    (void)state;

    struct {
        struct joulie_node_write write;
        uint64_t later;
    } longer = { .write = { .struct_size = sizeof longer }, .later = 7 };

    struct joulie_node *node = make_usual(TWIN(CPU_60));
    assert_int_equal(step(node, NOW_MS), 2);
    assert_int_equal(joulie_node_write_at(node, 1, &longer.write, NULL), JOULIE_OK);
    assert_int_equal(longer.write.struct_size, sizeof longer);
    assert_int_equal(longer.write.power_limit_uw, 135000000);
    assert_int_equal(longer.later, 0);
    joulie_node_free(node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_percent_becomes_the_watts_of_each_package_and_the_report_says_so),
        cmocka_unit_test(a_limit_is_lowered_before_another_is_raised),
        cmocka_unit_test(a_spec_that_is_gone_gives_back_what_is_ours_and_nothing_else),
        cmocka_unit_test(a_stale_spec_is_believed_for_a_while_and_then_gives_back),
        cmocka_unit_test(a_wall_that_is_set_neither_keeps_nor_drops_a_cap),
        cmocka_unit_test(what_is_blocked_or_failed_is_reported_as_it_is),
        cmocka_unit_test(a_gpu_without_a_maximum_is_blocked_and_the_packages_are_not),
        cmocka_unit_test(new_hardware_keeps_what_was_read_of_parts_that_stay),
        cmocka_unit_test(a_remote_backend_takes_the_watts_of_all_packages),
        cmocka_unit_test(parts_read_back_as_they_are_known),
        cmocka_unit_test(a_remote_backend_takes_the_watts_of_one_gpu),
        cmocka_unit_test(nothing_is_written_by_default),
        cmocka_unit_test(a_report_needs_a_step_of_what_is_known_now),
        cmocka_unit_test(bad_documents_change_nothing_and_name_their_place),
        cmocka_unit_test(a_node_has_at_most_1024_parts),
        cmocka_unit_test(messages_of_one_step_take_at_most_a_mebibyte),
        cmocka_unit_test(a_cap_is_raised_to_the_floor_of_the_options),
        cmocka_unit_test(fields_that_cannot_be_are_refused_with_their_name),
        cmocka_unit_test(a_floor_is_a_percentage_with_both_ends),
        cmocka_unit_test(structs_of_impossible_sizes_are_refused),
        cmocka_unit_test(a_longer_write_of_a_later_release_gets_a_zero_tail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
