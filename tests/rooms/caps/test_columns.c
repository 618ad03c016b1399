/* SPDX-License-Identifier: Apache-2.0 */
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include <joulie/caps.h>

#include "base/random.h"
#include "base/text.h"
#include "caps/caps.h"
#include "caps/ramp.h"
#include "support/test.h"

/* joulie_caps_resolve(): the rules of docs/rules/caps.md#resolution through columns, and its edges.
 */

#define MOST 16

static struct {
    int32_t code[MOST];
    int32_t block[MOST];
    int32_t clamp[MOST];
    int32_t culprit[MOST];
    double requested_w[MOST];
    double cap_w[MOST];
    double limit_uw[MOST];
    double limit_milliwatts[MOST];
    double bound_w[MOST];
} got;

static struct joulie_caps_out outputs(void)
{
    struct joulie_caps_out out = JOULIE_INIT(struct joulie_caps_out);
    out.code = (struct joulie_column_int_out){ got.code, 4 };
    out.block = (struct joulie_column_int_out){ got.block, 4 };
    out.clamp = (struct joulie_column_int_out){ got.clamp, 4 };
    out.culprit = (struct joulie_column_int_out){ got.culprit, 4 };
    out.requested_w = (struct joulie_column_out){ got.requested_w, 8 };
    out.cap_w = (struct joulie_column_out){ got.cap_w, 8 };
    out.limit_uw = (struct joulie_column_out){ got.limit_uw, 8 };
    out.limit_milliwatts = (struct joulie_column_out){ got.limit_milliwatts, 8 };
    out.bound_w = (struct joulie_column_out){ got.bound_w, 8 };
    memset(&got, 0x5A, sizeof got);
    return out;
}

struct devices {
    double min_w[MOST];
    double max_w[MOST];
    double unit_w[MOST];
};

static struct joulie_caps_limits limits_of(const struct devices *devices)
{
    struct joulie_caps_limits limits = JOULIE_INIT(struct joulie_caps_limits);
    limits.min_w = (struct joulie_column){ devices->min_w, 8 };
    limits.max_w = (struct joulie_column){ devices->max_w, 8 };
    limits.unit_w = (struct joulie_column){ devices->unit_w, 8 };
    return limits;
}

static struct joulie_caps_intent percent(double pct)
{
    struct joulie_caps_intent intent = JOULIE_INIT(struct joulie_caps_intent);
    intent.has = JOULIE_CAPS_HAS_CAP_PCT;
    intent.cap_pct = pct;
    intent.device = JOULIE_CAP_DEVICE_PACKAGE;
    return intent;
}

/* ---- vectors ---- */

static struct json_object *member(struct json_object *object, const char *key)
{
    struct json_object *found = NULL;
    if (object)
        json_object_object_get_ex(object, key, &found);
    return found;
}

static bool read_number(struct json_object *object, const char *key, double *out)
{
    if (!member(object, key))
        return false;
    *out = json_object_get_double(member(object, key));
    return true;
}

static void read_device(struct json_object *device, size_t i, struct devices *out)
{
    out->min_w[i] = 0;
    out->max_w[i] = 0;
    out->unit_w[i] = 0;
    (void)read_number(device, "minW", &out->min_w[i]);
    (void)read_number(device, "maxW", &out->max_w[i]);
    (void)read_number(device, "powerUnitW", &out->unit_w[i]);
}

static const char *message_of(size_t i)
{
    static const char *const texts[] = {
        NULL,
        "no intent",
        "no max",
        "pct must be > 0",
        "rapl cap range unavailable",
        "cannot resolve capPctOfMax without device max power limits",
        "missing capWattsPerGpu or capPctOfMax",
    };
    return got.block[i] >= 0 && (size_t)got.block[i] < JL_COUNT(texts) ? texts[got.block[i]] : NULL;
}

static void assert_device(struct json_object *expected, size_t i)
{
    static const char *const clamps[] = { NULL, "min", "max", "floor" };
    struct json_object *clamp = NULL;
    double number = 0;
    const char *result = json_object_get_string(member(expected, "result"));
    const char *message = json_object_get_string(member(expected, "message"));
    assert_int_equal(got.code[i], JOULIE_OK);
    if (result)
        assert_int_equal(got.block[i] == JOULIE_CAP_BLOCK_NONE, strcmp(result, "applied") == 0);
    if (message && message_of(i))
        assert_string_equal(message_of(i), message);
    if (read_number(expected, "requestedW", &number))
        assert_near(got.requested_w[i], number, 1e-9);
    if (read_number(expected, "capW", &number))
        assert_near(got.cap_w[i], number, 1e-9);
    if (read_number(expected, "powerLimitUw", &number))
        assert_near(got.limit_uw[i], number, 0);
    if (json_object_object_get_ex(expected, "clamp", &clamp)) {
        const char *word = json_object_get_string(clamp);
        if (word)
            assert_string_equal(clamps[got.clamp[i]], word);
        else
            assert_int_equal(got.clamp[i], JOULIE_CAP_CLAMP_NONE);
    }
}

static size_t run_devices(struct json_object *test, const char *kind, struct json_object *wish,
                          const char *watts_key, const char *pct_key)
{
    struct json_object *in = member(test, "in");
    struct json_object *devices = member(member(in, "host"), kind);
    struct json_object *expected = member(member(test, "out"), kind);
    struct joulie_caps_intent intent = JOULIE_INIT(struct joulie_caps_intent);
    struct devices machine;
    const size_t count = devices ? json_object_array_length(devices) : 0;
    const bool is_source =
        member(member(in, "options"), "model") &&
        strcmp(json_object_get_string(member(member(in, "options"), "model")), "v0.1.1") == 0;
    if (!expected || count == 0)
        return 0;
    intent.device = strcmp(kind, "gpus") == 0 ? JOULIE_CAP_DEVICE_GPU : JOULIE_CAP_DEVICE_PACKAGE;
    intent.rules = is_source ? JOULIE_CAPS_RULES_V0_1_1 : JOULIE_CAPS_RULES_CURRENT;
    intent.has |= read_number(wish, watts_key, &intent.cap_w) ? JOULIE_CAPS_HAS_CAP_W : 0;
    intent.has |= read_number(wish, pct_key, &intent.cap_pct) ? JOULIE_CAPS_HAS_CAP_PCT : 0;
    intent.has |= read_number(in, "floorPct", &intent.floor_pct) ? JOULIE_CAPS_HAS_FLOOR : 0;
    assert_true(count <= MOST);
    for (size_t i = 0; i < count; i++)
        read_device(json_object_array_get_idx(devices, i), i, &machine);
    const struct joulie_caps_limits limits = limits_of(&machine);
    const struct joulie_caps_out out = outputs();
    assert_int_equal(joulie_caps_resolve(&intent, &limits, count, &out, NULL, NULL), 0);
    for (size_t i = 0; i < count; i++)
        assert_device(json_object_array_get_idx(expected, i), i);
    return 1;
}

static size_t run_file(const char *path)
{
    struct json_object *document = json_object_from_file(path);
    struct json_object *cases = member(document, "cases");
    size_t ran = 0;
    assert_non_null(cases);
    for (size_t i = 0; i < json_object_array_length(cases); i++) {
        struct json_object *test = json_object_array_get_idx(cases, i);
        struct json_object *spec = member(member(test, "in"), "spec");
        spec = member(spec, "spec") ? member(spec, "spec") : spec;
        if (member(test, "error"))
            continue;
        ran += run_devices(test, "packages", member(spec, "cpu"), "packagePowerCapWatts",
                           "packagePowerCapPctOfMax");
        ran += run_devices(test, "gpus", member(member(spec, "gpu"), "powerCap"), "capWattsPerGpu",
                           "capPctOfMax");
    }
    json_object_put(document);
    return ran;
}

static void every_vector_of_the_caps_passes(void **state)
{
    (void)state;
    const size_t packages = run_file("tests/vectors/joulie-node-agent-6.2-cap-cpu.json");
    const size_t gpus = run_file("tests/vectors/joulie-node-agent-8.3-cap-gpu.json");
    print_message("%zu of packages, %zu of gpus\n", packages, gpus);
    assert_true(packages >= 20 && gpus >= 12);
}

/* ---- columns ---- */

static void columns_and_arrays_give_the_same_caps(void **state)
{
    (void)state;
    struct jl_random random = { .state = 21 };
    for (int round = 0; round < 2000; round++) {
        struct jl_cap_limits arrays[MOST];
        struct jl_cap caps[MOST];
        struct joulie_caps_intent intent = percent(0);
        struct joulie_caps_limits limits = JOULIE_INIT(struct joulie_caps_limits);
        const size_t count = (size_t)jl_random_int(&random, 0, MOST);
        intent.has = (uint64_t)jl_random_int(&random, 0, 3);
        intent.cap_w = floor(jl_random_range(&random, -50, 500));
        intent.cap_pct = floor(jl_random_range(&random, -10, 130));
        intent.rules = round % 2 == 1 ? JOULIE_CAPS_RULES_V0_1_1 : JOULIE_CAPS_RULES_UNKNOWN;
        intent.device = round % 4 < 2 ? JOULIE_CAP_DEVICE_GPU : JOULIE_CAP_DEVICE_PACKAGE;
        for (size_t i = 0; i < MOST; i++)
            arrays[i] = (struct jl_cap_limits){
                (double)jl_random_int(&random, 0, 2) * 50,
                (double)jl_random_int(&random, 0, 3) * 110,
                (double)jl_random_int(&random, 0, 1) * 0.125,
            };
        jl_caps_resolve(&intent, arrays, count, caps);
        limits.min_w = (struct joulie_column){ &arrays[0].min_w, sizeof arrays[0] };
        limits.max_w = (struct joulie_column){ &arrays[0].max_w, sizeof arrays[0] };
        limits.unit_w = (struct joulie_column){ &arrays[0].power_unit_w, sizeof arrays[0] };
        const struct joulie_caps_out out = outputs();
        size_t failed = 7;
        assert_int_equal(joulie_caps_resolve(&intent, &limits, count, &out, &failed, NULL), 0);
        assert_int_equal(failed, 0);
        for (size_t i = 0; i < count; i++) {
            const bool is_resolved = caps[i].block == JOULIE_CAP_BLOCK_NONE;
            assert_int_equal(got.block[i], caps[i].block);
            assert_int_equal(got.clamp[i], caps[i].clamp);
            assert_near(got.requested_w[i], caps[i].has_requested ? caps[i].requested_w : 0, 0);
            assert_near(got.cap_w[i], is_resolved ? caps[i].cap_w : 0, 0);
            assert_near(got.limit_uw[i], is_resolved ? (double)caps[i].power_limit_uw : 0, 0);
            assert_near(got.bound_w[i], caps[i].bound_w, 0);
            assert_int_equal(got.culprit[i], caps[i].culprit);
        }
    }
}

static void a_bad_limit_is_the_matter_of_its_device(void **state)
{
    (void)state;

    static const double bad[] = { NAN, INFINITY, -INFINITY, -1 };
    const struct joulie_caps_intent intent = percent(60);
    for (size_t i = 0; i < 4; i++) {
        struct devices machine = { { 0, 0, 0 }, { 270, 225, 200 }, { 0, 0, 0 } };
        size_t failed = 0;
        machine.min_w[1] = bad[i];
        const struct joulie_caps_limits limits = limits_of(&machine);
        const struct joulie_caps_out out = outputs();
        assert_int_equal(joulie_caps_resolve(&intent, &limits, 3, &out, &failed, NULL), 0);
        assert_int_equal(failed, 1);
        assert_int_equal(got.code[1], JOULIE_E_RANGE);
        assert_near(got.cap_w[1], 0, 0);
        assert_near(got.limit_uw[1], 0, 0);
        assert_near(got.cap_w[0], 162, 1e-9);
        assert_near(got.cap_w[2], 120, 1e-9);
        assert_int_equal(got.code[0] + got.code[2], 0);
    }
}

static void one_value_counts_for_all_and_none_is_unknown(void **state)
{
    (void)state;
    const struct joulie_caps_intent intent = percent(60);
    const double max_w = 300;
    struct joulie_caps_limits limits = JOULIE_INIT(struct joulie_caps_limits);
    const struct joulie_caps_out out = outputs();
    assert_int_equal(joulie_caps_resolve(&intent, &limits, 2, &out, NULL, NULL), 0);
    assert_int_equal(got.block[0], JOULIE_CAP_BLOCK_NO_MAX);
    assert_int_equal(got.block[1], JOULIE_CAP_BLOCK_NO_MAX);
    limits.max_w = (struct joulie_column){ &max_w, 0 };
    assert_int_equal(joulie_caps_resolve(&intent, &limits, 2, &out, NULL, NULL), 0);
    assert_near(got.cap_w[0] + got.cap_w[1], 360, 1e-9);
    assert_near(got.limit_milliwatts[1], 180000, 0);
}

static void the_order_of_devices_does_not_change_their_caps(void **state)
{
    (void)state;
    const struct joulie_caps_intent intent = percent(37);
    struct devices machine = { { 10, 20, 30, 0 }, { 270, 225, 0, 100 }, { 0.125, 0, 0, 1 } };
    struct devices turned;
    double caps[4];
    const struct joulie_caps_out out = outputs();
    struct joulie_caps_limits limits = limits_of(&machine);
    assert_int_equal(joulie_caps_resolve(&intent, &limits, 4, &out, NULL, NULL), 0);
    memcpy(caps, got.limit_uw, sizeof caps);
    for (size_t i = 0; i < 4; i++) {
        turned.min_w[i] = machine.min_w[3 - i];
        turned.max_w[i] = machine.max_w[3 - i];
        turned.unit_w[i] = machine.unit_w[3 - i];
    }
    limits = limits_of(&turned);
    assert_int_equal(joulie_caps_resolve(&intent, &limits, 4, &out, NULL, NULL), 0);
    for (size_t i = 0; i < 4; i++)
        assert_near(got.limit_uw[i], caps[3 - i], 0);
}

/* ---- misuse ---- */

struct request {
    struct joulie_caps_intent intent;
    struct joulie_caps_limits limits;
    struct joulie_caps_out out;
};

static const struct devices machine_a = { .max_w = { 270, 225 } };

static void assert_fails(const struct request *request, int expected, const char *where)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    size_t failed = 77;
    int32_t untouched;
    memset(&untouched, 0x5A, sizeof untouched);
    assert_int_equal(
        joulie_caps_resolve(&request->intent, &request->limits, 2, &request->out, &failed, &err),
        expected);
    assert_int_equal(err.code, expected);
    assert_string_equal(err.where, where);
    assert_int_equal(got.code[0], untouched);
    assert_int_equal(failed, 77);
}

#define FAILS(member, value, expected, where)                                     \
    do {                                                                          \
        struct request wrong = { percent(60), limits_of(&machine_a), outputs() }; \
        wrong.member = value;                                                     \
        assert_fails(&wrong, expected, where);                                    \
    } while (0)

static void misuse_has_its_code_and_its_place(void **state)
{
    (void)state;
    FAILS(intent.struct_size, 8, JOULIE_E_ABI, "intent");
    FAILS(intent.has, 8, JOULIE_E_ABI, "intent");
    FAILS(limits.struct_size, 8, JOULIE_E_ABI, "limits");
    FAILS(out.struct_size, 5000, JOULIE_E_ABI, "out");
    FAILS(intent.rules, (enum joulie_caps_rules)3, JOULIE_E_ENUM, "intent.rules");
    FAILS(intent.device, JOULIE_CAP_DEVICE_UNKNOWN, JOULIE_E_ENUM, "intent.device");
    FAILS(intent.cap_pct, NAN, JOULIE_E_RANGE, "intent.cap_pct");
    FAILS(out.cap_w.stride, 0, JOULIE_E_RANGE, "out.cap_w");
    FAILS(out.culprit.stride, 0, JOULIE_E_RANGE, "out.culprit");
    struct request wrong = { percent(60), limits_of(&machine_a), outputs() };
    wrong.intent.has |= JOULIE_CAPS_HAS_FLOOR;
    wrong.intent.floor_pct = 101;
    assert_fails(&wrong, JOULIE_E_RANGE, "intent.floor_pct");
    wrong.intent.has = JOULIE_CAPS_HAS_CAP_W;
    wrong.intent.cap_w = INFINITY;
    assert_fails(&wrong, JOULIE_E_RANGE, "intent.cap_w");
}

/* By 20 % of the reference at most, up at once. */
static void a_limit_falls_in_steps_and_rises_at_once(void **state)
{
    (void)state;
    assert_near(joulie_caps_next_w(200, 200, 100), 160, 0);
    assert_near(joulie_caps_next_w(200, 160, 100), 120, 0);
    assert_near(joulie_caps_next_w(200, 120, 100), 100, 0);
    assert_near(joulie_caps_next_w(200, 100, 200), 200, 0);
    assert_near(joulie_caps_next_w(0, 200, 100), 100, 0);
    assert_near(joulie_caps_next_w(200, NAN, 100), 100, 0);
    assert_near(joulie_caps_next_w(200, 150, NAN), 150, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_vector_of_the_caps_passes),
        cmocka_unit_test(columns_and_arrays_give_the_same_caps),
        cmocka_unit_test(a_bad_limit_is_the_matter_of_its_device),
        cmocka_unit_test(one_value_counts_for_all_and_none_is_unknown),
        cmocka_unit_test(the_order_of_devices_does_not_change_their_caps),
        cmocka_unit_test(misuse_has_its_code_and_its_place),
        cmocka_unit_test(a_limit_falls_in_steps_and_rises_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
