/* SPDX-License-Identifier: Apache-2.0 */

/* The parts of the comparison of autoscalers: demand, recordings, the world, intervals. */

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include <joulie/sim.h>

#include "sim/autoscale_load.h"
#include "sim/autoscale_play.h"
#include "sim/autoscale_report.h"
#include "sim/autoscale_trace.h"
#include "sim/autoscale_world.h"
#include "sim/mean.h"
#include "support/test.h"

#define GIB 1073741824.0
#define STEP_NS JL_LOAD_STEP_NS

/* ---- demand ---- */

static void equal_seeds_give_equal_demand_and_others_do_not(void **state)
{
    const struct jl_load_scale scale = { 80, 24 * GIB, 2 };
    struct jl_arena arena = { 0 };
    (void)state;
    for (int kind = JL_LOAD_BURSTY; kind <= JL_LOAD_STEP; kind++) {
        struct jl_load a;
        struct jl_load b;
        struct jl_load c;
        assert_int_equal(jl_load_generate((enum jl_load_kind)kind, 7, 3, &scale, &arena, &a), 0);
        assert_int_equal(jl_load_generate((enum jl_load_kind)kind, 7, 3, &scale, &arena, &b), 0);
        assert_int_equal(jl_load_generate((enum jl_load_kind)kind, 8, 3, &scale, &arena, &c), 0);
        assert_int_equal(a.count, 3 * 360);
        assert_memory_equal(a.tflops, b.tflops, a.count * sizeof *a.tflops);
        assert_memory_equal(a.vram_bytes, b.vram_bytes, a.count * sizeof *a.vram_bytes);
        assert_memory_equal(a.shared_bytes, b.shared_bytes, a.count * sizeof *a.shared_bytes);
        assert_memory_not_equal(a.tflops, c.tflops, a.count * sizeof *a.tflops);
        for (size_t i = 0; i < a.count; i++) {
            assert_true(a.tflops[i] >= 0 && a.tflops[i] < 80 * 10);
            assert_true(a.vram_bytes[i] > 0 && a.vram_bytes[i] < 24 * GIB);
        }
    }
    jl_arena_clear(&arena);
}

static void a_ramp_ends_ten_times_above_its_start(void **state)
{
    const struct jl_load_scale scale = { 100, 24 * GIB, 2 };
    struct jl_arena arena = { 0 };
    struct jl_load load;
    double first = 0;
    double last = 0;
    (void)state;
    assert_int_equal(jl_load_generate(JL_LOAD_RAMP, 1, 24, &scale, &arena, &load), 0);
    for (size_t i = 0; i < 100; i++) {
        first += load.tflops[i] / 100;
        last += load.tflops[load.count - 100 + i] / 100;
    }
    assert_true(first > 30 && first < 50);
    assert_true(last > 350 && last < 450);
    jl_arena_clear(&arena);
}

/* ---- recordings ---- */

static int read(const char *text, struct jl_arena *arena, struct jl_load *out,
                struct jl_load_trace *out_trace, struct joulie_error *err)
{
    return jl_load_read(text, strlen(text), arena, out, out_trace, err);
}

static void a_recording_sums_its_workers_and_holds_a_usage_until_the_next(void **state)
{
    struct jl_arena arena = { 0 };
    struct jl_load load;
    struct jl_load_trace trace;
    (void)state;
    assert_int_equal(read("t,worker,tflops,vram,limit\n"
                          "100,a,10,2Gi,20\n"
                          "105,b,5,3Gi,\n"
                          "107,b,7,1Gi,\r\n"
                          "130,a,20,2Gi,20\n",
                          &arena, &load, &trace, NULL),
                     0);
    assert_int_equal(load.count, 4);
    assert_near(load.tflops[0], 17, 1e-12); /* the largest of b's two samples in the step */
    assert_near(load.tflops[1], 17, 1e-12);
    assert_near(load.tflops[2], 17, 1e-12);
    assert_near(load.tflops[3], 27, 1e-12);
    assert_near(load.vram_bytes[0], 3 * GIB, 1);
    assert_near(load.vram_bytes[1], 2 * GIB, 1);
    assert_int_equal(trace.samples, 4);
    assert_int_equal(trace.workers, 2);
    assert_int_equal(trace.censored, 1);
    jl_arena_clear(&arena);
}

static void lines_of_json_say_the_same_as_csv(void **state)
{
    struct jl_arena arena = { 0 };
    struct jl_load csv;
    struct jl_load json;
    struct jl_load_trace trace;
    (void)state;
    assert_int_equal(read("worker,t,vram,tflops,throttled\nw,2026-03-13T11:59:40Z,2Gi,19.2,1\n"
                          "w,2026-03-13T12:00:00Z,2Gi,20,4\n",
                          &arena, &csv, &trace, NULL),
                     0);
    assert_int_equal(trace.censored, 1);
    assert_int_equal(
        read("{\"worker\":\"w\",\"t\":\"2026-03-13T11:59:40Z\",\"tflops\":19.2,\"vram\":\"2Gi\"}\n"
             "\n{\"worker\":\"w\",\"t\":\"2026-03-13T12:00:00Z\",\"tflops\":20,\"vram\":\"2Gi\","
             "\"tflopsLimit\":20,\"throttledCount\":1}",
             &arena, &json, &trace, NULL),
        0);
    assert_int_equal(trace.censored, 1);
    assert_int_equal(csv.count, 3);
    assert_int_equal(json.count, 3);
    assert_memory_equal(csv.tflops, json.tflops, 3 * sizeof *csv.tflops);
    assert_memory_equal(csv.vram_bytes, json.vram_bytes, 3 * sizeof *csv.vram_bytes);
    jl_arena_clear(&arena);
}

/* What it would have used is not in the recording: that counts once for each sample after which it
 * was throttled or killed. */
static void a_kill_for_memory_cuts_a_usage_off(void **state)
{
    static const char *const texts[] = {
        "t,worker,tflops,vram,throttled,oom\n"
        "0,a,10,1Gi,1,0\n10,a,10,1Gi,1,1\n20,a,10,1Gi,2,2\n30,a,10,1Gi,,1\n40,a,10,1Gi,,\n",
        "t,worker,tflops,vram,throttled,oom\n" /* neither goes on from 1 to 1, or from nothing */
        "0,a,10,1Gi,1,\n10,a,10,1Gi,1,3\n20,a,10,1Gi,2,3\n30,a,10,1Gi,2,4\n40,a,10,1Gi,1,4\n",
        "{\"t\":0,\"worker\":\"a\",\"tflops\":10,\"vram\":1,\"oomCount\":0}\n"
        "{\"t\":10,\"worker\":\"a\",\"tflops\":10,\"vram\":1,\"oomCount\":1}\n"
        "{\"t\":20,\"worker\":\"a\",\"tflops\":10,\"vram\":1,\"oomCount\":2.5}\n"
        "{\"t\":30,\"worker\":\"b\",\"tflops\":10,\"vram\":1,\"oomCount\":9}",
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(texts); i++) {
        struct jl_arena arena = { 0 };
        struct jl_load load;
        struct jl_load_trace trace;
        assert_int_equal(read(texts[i], &arena, &load, &trace, NULL), 0);
        assert_int_equal(trace.censored, 2);
        jl_arena_clear(&arena);
    }
}

static void a_worker_without_samples_for_five_minutes_has_gone(void **state)
{
    struct jl_arena arena = { 0 };
    struct jl_load load;
    struct jl_load_trace trace;
    (void)state;
    assert_int_equal(
        read("t,worker,tflops,vram\n0,a,10,1\n600,a,20,1\n", &arena, &load, &trace, NULL), 0);
    assert_int_equal(load.count, 61);
    assert_near(load.tflops[29], 10, 0);
    assert_near(load.tflops[30], 0, 0);
    assert_near(load.tflops[60], 20, 0);
    jl_arena_clear(&arena);
}

static void a_line_of_a_recording_has_a_mebibyte_at_most(void **state)
{
    static const char head[] = "t,worker,tflops,vram\n0,a,1,";
    static char text[sizeof head + (1 << 20)];
    struct jl_arena arena = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_load load;
    struct jl_load_trace trace;
    (void)state;
    memset(text, '1', sizeof text - 1);
    memcpy(text, head, sizeof head - 1);
    assert_int_equal(read(text, &arena, &load, &trace, &err), JOULIE_E_LIMIT);
    assert_string_equal(err.where, "line 2");
    assert_int_equal(err.line, 2);
    jl_arena_clear(&arena);
}

static void a_recording_lasts_768_hours_at_most(void **state)
{
    static const struct {
        const char *text;
        int code;
    } rows[] = {
        { "t,worker,tflops,vram\n0,a,1,1\n2764790,a,1,1\n", JOULIE_OK }, /* 768 h, the last step */
        { "t,worker,tflops,vram\n0,a,1,1\n2764800,a,1,1\n", JOULIE_E_LIMIT },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_arena arena = { 0 };
        struct jl_load load;
        struct jl_load_trace trace;
        assert_int_equal(read(rows[i].text, &arena, &load, &trace, NULL), rows[i].code);
        jl_arena_clear(&arena);
    }
}

static void a_bad_line_is_named_by_its_number(void **state)
{
    static const struct {
        const char *text;
        int code;
        const char *where;
        uint32_t line;
    } cases[] = {
        { "", JOULIE_E_REQUIRED, "", 0 },
        { "t,worker,tflops,vram\n", JOULIE_E_REQUIRED, "", 0 },
        { "t,worker,tflops\n0,a,1\n", JOULIE_E_REQUIRED, "line 1: vram", 1 },
        { "t,worker,tflops,vram,power\n", JOULIE_E_UNKNOWN_MEMBER, "line 1", 1 },
        { "t,worker,tflops,vram,vram\n", JOULIE_E_CONFLICT, "line 1: vram", 1 },
        { "t,worker,tflops,vram\n0,a,x,1\n", JOULIE_E_PARSE, "line 2: tflops", 2 },
        { "t,worker,tflops,vram\n0,a,1,1\n\n1,a,-1,1\n", JOULIE_E_RANGE, "line 4: tflops", 4 },
        { "t,worker,tflops,vram\n0,a,1,1Qi\n", JOULIE_E_PARSE, "line 2: vram", 2 },
        { "t,worker,tflops,vram\n0,a,1,-1\n", JOULIE_E_RANGE, "line 2: vram", 2 },
        { "t,worker,tflops,vram\n0,a,1,100000000000001\n", JOULIE_E_RANGE, "line 2: vram", 2 },
        { "t,worker,tflops,vram\n0,a,100000000000001,1\n", JOULIE_E_RANGE, "line 2: tflops", 2 },
        { "t,worker,tflops,vram\n253000000001,a,1,1\n", JOULIE_E_RANGE, "line 2: t", 2 },
        { "t,worker,tflops,vram\n-1,a,1,1\n", JOULIE_E_RANGE, "line 2: t", 2 },
        { "t,worker,tflops,vram\nyesterday,a,1,1\n", JOULIE_E_PARSE, "line 2: t", 2 },
        { "t,worker,tflops,vram,oom\n0,a,1,1,x\n", JOULIE_E_PARSE, "line 2: oom", 2 },
        { "t,worker,tflops,vram,oom\n0,a,1,1,-1\n", JOULIE_E_RANGE, "line 2: oom", 2 },
        { "t,worker,tflops,vram\n0,,1,1\n", JOULIE_E_REQUIRED, "line 2: worker", 2 },
        { "t,worker,tflops,vram\n0,a,1\n", JOULIE_E_PARSE, "line 2", 2 },
        { "t,worker,tflops,vram\n0,a,1,1,1\n", JOULIE_E_PARSE, "line 2", 2 },
        { "t,worker,tflops,vram\n0,\"a\",1,1\n", JOULIE_E_PARSE, "line 2", 2 },
        { "t,worker,tflops,vram\n0,a,1,1\n9000000,a,1,1\n", JOULIE_E_LIMIT, "", 0 },
        { "{\"worker\":\"a\",\"t\":0,\"tflops\":1}", JOULIE_E_REQUIRED, "line 1: vram", 1 },
        { "{\"worker\":\"a\",\"t\":0,\"tflops\":1e400,\"vram\":1}", JOULIE_E_RANGE,
          "line 1: tflops", 1 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(cases); i++) {
        struct jl_arena arena = { 0 };
        struct jl_load load;
        struct jl_load_trace trace;
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        assert_int_equal(read(cases[i].text, &arena, &load, &trace, &err), cases[i].code);
        assert_string_equal(err.where, cases[i].where);
        assert_int_equal(err.line, cases[i].line);
        jl_arena_clear(&arena);
    }
}

/* Of a long name 64 bytes are shown. */
static void a_column_that_there_is_not_is_named(void **state)
{
    static const char name[] =
        "0123456789012345678901234567890123456789012345678901234567890123456789";
    (void)state;
    for (int len = 63; len <= 66; len++) {
        struct jl_arena arena = { 0 };
        struct jl_load load;
        struct jl_load_trace trace;
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        char text[120];
        char expected[120];
        snprintf(text, sizeof text, "t,worker,%.*s,tflops,vram\n", len, name);
        snprintf(expected, sizeof expected, "there is no column \"%.*s\";", len < 64 ? len : 64,
                 name);
        assert_int_equal(read(text, &arena, &load, &trace, &err), JOULIE_E_UNKNOWN_MEMBER);
        assert_memory_equal(err.message, expected, strlen(expected));
        jl_arena_clear(&arena);
    }
}

/* The largest amounts, and none, at the last second that is an instant. */
static void the_ends_of_what_a_line_may_say_are_taken(void **state)
{
    static const char *const texts[] = {
        "t,worker,tflops,vram\n252999999990,a,1e14,1e14\n253000000000,a,1e14,1e14\n",
        "t,worker,tflops,vram\n0,a,0,0\n10,a,0,0\n",
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(texts); i++) {
        struct jl_arena arena = { 0 };
        struct jl_load load;
        struct jl_load_trace trace;
        assert_int_equal(read(texts[i], &arena, &load, &trace, NULL), JOULIE_OK);
        jl_arena_clear(&arena);
    }
}

/* ---- the world ---- */

static void begin(struct jl_scale_world *world, struct jl_arena *arena, int64_t replicas)
{
    const struct jl_scale_pool pool = { .cards = 2,
                                        .card = { 100, 40 * GIB },
                                        .start_delay_ns = 3 * STEP_NS };
    const struct jl_price_input price = { .qos = JOULIE_TENSOR_FUSION_QOS_MEDIUM,
                                          .gpu_count = 1,
                                          .limits_over_requests = 0.3,
                                          .per_tflops = JL_PRICE_PER_TFLOPS,
                                          .per_gib = JL_PRICE_PER_GIB };
    const struct jl_amounts amounts = { { { 10, 20 }, { 4 * GIB, 4 * GIB } } };
    assert_int_equal(jl_world_init(world, &pool, &price, &amounts, replicas, 0, arena), 0);
}

static void play(struct jl_scale_world *world, int64_t step, double tflops, double vram_gib)
{
    jl_world_play(world, step * STEP_NS, JL_LOAD_STEP_S,
                  &(struct jl_world_demand){ tflops, vram_gib * GIB, 0 });
}

static void a_worker_uses_what_it_is_asked_for_up_to_its_limit(void **state)
{
    struct jl_arena arena = { 0 };
    struct jl_scale_world world;
    (void)state;
    begin(&world, &arena, 2);
    play(&world, 0, 30, 1);
    assert_near(world.now.served, 30, 1e-12);
    play(&world, 1, 50, 1);
    assert_near(world.now.served, 40, 1e-12);
    assert_near(world.totals.throttled_worker_s, 2 * 10, 1e-12);
    assert_near(world.totals.short_s, 10, 1e-12);
    assert_near(world.totals.demand_s - world.totals.served_s, 10 * 10, 1e-9);
    /* the default prices: medium, 10 / 4Gi, 20 / 4Gi costs $0.1519164 per hour; two workers for 20
     * s */
    assert_near(world.totals.usd, 0.1519164 * 2 * 20 / 3600, 1e-12);
    jl_arena_clear(&arena);
}

static void a_worker_above_its_memory_is_killed_and_comes_back_after_the_delay(void **state)
{
    struct jl_arena arena = { 0 };
    struct jl_scale_world world;
    (void)state;
    begin(&world, &arena, 2);
    play(&world, 0, 30, 4.1);
    assert_near(world.totals.oom_events, 2, 0);
    assert_near(world.now.served, 0, 0);
    assert_near(world.workers[0].used[JL_USAGE_VRAM], 4 * GIB, 0);
    play(&world, 1, 30, 1);
    play(&world, 2, 30, 1);
    assert_near(world.now.served, 0, 0);
    play(&world, 3, 30, 1);
    assert_near(world.now.served, 30, 1e-12);
    assert_near(world.totals.oom_events, 2, 0);
    assert_near(world.workers[0].oom_kills, 1, 0);
    assert_near(world.workers[1].oom_kills, 1, 0);
    jl_arena_clear(&arena);
}

/* A limit of 0 is none: of VRAM nobody is killed for it, of TFLOPS the card is the limit. */
static void a_worker_without_limits_uses_its_card(void **state)
{
    struct jl_arena arena = { 0 };
    struct jl_scale_world world;
    (void)state;
    begin(&world, &arena, 2);
    jl_world_resize(&world, &(struct jl_amounts){ { { 10, 0 }, { 4 * GIB, 0 } } });
    play(&world, 0, 150, 30);
    assert_near(world.totals.oom_events, 0, 0);
    assert_near(world.workers[0].used[JL_USAGE_VRAM], 30 * GIB, 0);
    assert_near(world.now.served, 150, 1e-9);
    jl_arena_clear(&arena);
}

static void a_full_card_shares_evenly_and_kills_its_youngest(void **state)
{
    struct jl_arena arena = { 0 };
    struct jl_scale_world world;
    (void)state;
    begin(&world, &arena, 3); /* two on the first card */
    jl_world_resize(&world, &(struct jl_amounts){ { { 10, 90 }, { 4 * GIB, 30 * GIB } } });
    play(&world, 0, 240, 1);
    assert_near(world.now.served, 50 + 50 + 80, 1e-9);
    play(&world, 1, 30, 25);
    assert_near(world.totals.oom_events, 1, 0);
    assert_true(world.workers[2].was_killed);
    assert_near(world.now.served, 30, 1e-9);
    jl_arena_clear(&arena);
}

static void what_does_not_fit_changes_nothing_and_is_counted(void **state)
{
    struct jl_arena arena = { 0 };
    struct jl_scale_world world;
    struct jl_amount_bounds most;
    (void)state;
    begin(&world, &arena, 4);
    jl_world_max_allowed(&world, &most);
    assert_near(most.of[JL_USAGE_TFLOPS], 50, 0); /* two workers share a card */
    assert_near(most.of[JL_USAGE_VRAM], 20 * GIB, 0);
    for (int usage = 0; usage < JL_USAGES; usage++)
        assert_true(jl_is_bounded(&most, (size_t)usage));
    assert_int_equal(jl_world_max_replicas(&world), 20);
    jl_world_resize(&world, &(struct jl_amounts){ { { 51, 60 }, { 4 * GIB, 4 * GIB } } });
    assert_near(world.amounts.of[JL_USAGE_TFLOPS].request, 10, 0);
    assert_near(world.totals.refused, 1, 0);
    jl_world_resize(&world, &(struct jl_amounts){ { { 50, 60 }, { 4 * GIB, 4 * GIB } } });
    assert_near(world.totals.resource_changes, 1, 0);
    jl_world_scale(&world, 5, 0);
    assert_int_equal(world.count, 4);
    assert_near(world.totals.refused, 2, 0);
    jl_world_scale(&world, 1, 0);
    assert_int_equal(world.count, 1);
    assert_near(world.totals.replica_changes, 1, 0);
    jl_arena_clear(&arena);
}

static void a_card_is_filled_to_its_last_tflops(void **state)
{
    struct jl_arena arena = { 0 };
    struct jl_scale_world world;
    (void)state;
    begin(&world, &arena, 2);
    jl_world_resize(&world, &(struct jl_amounts){ { { 50, 60 }, { 4 * GIB, 4 * GIB } } });
    jl_world_scale(&world, 4, 0); /* two of 50 on each card of 100 */
    assert_int_equal(world.count, 4);
    assert_near(world.totals.refused, 0, 0);
    jl_arena_clear(&arena);
}

static void a_new_worker_serves_after_the_start_delay(void **state)
{
    struct jl_arena arena = { 0 };
    struct jl_scale_world world;
    (void)state;
    begin(&world, &arena, 1);
    jl_world_scale(&world, 2, 0);
    play(&world, 2, 40, 1);
    assert_near(world.now.served, 20, 1e-12);
    play(&world, 3, 40, 1);
    assert_near(world.now.served, 40, 1e-12);
    jl_arena_clear(&arena);
}

/* ---- intervals ---- */

/* Student's distribution from any table, and beyond it from the exact quantiles at 60 and 120. */
static void the_points_of_student_are_those_of_the_tables(void **state)
{
    static const double printed[] = {
        /* to three decimals, as textbooks have them, from 1 on */
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
        2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
        2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
    };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(printed); i++)
        assert_near(jl_student_t_975(i + 1), printed[i], 0.0006);
    assert_near(jl_student_t_975(1), 12.7062047362, 1e-9);
    assert_near(jl_student_t_975(9), 2.2621571628, 1e-9);
    assert_near(jl_student_t_975(30), 2.0422724563, 1e-9);
    assert_near(jl_student_t_975(31), 2.0395134201, 1e-10); /* exact: ...4464 */
    assert_near(jl_student_t_975(60), 2.0002978220, 1e-9);
    assert_near(jl_student_t_975(120), 1.9799304051, 1e-10);
}

static void an_interval_is_of_the_paired_differences(void **state)
{
    const double a[] = { 5, 7, 9 };
    const double b[] = { 1, 2, 3 };
    (void)state;
    const struct jl_mean mean = jl_mean_difference(a, b, 3); /* 4 5 6: deviation 1 */
    assert_near(mean.mean, 5, 1e-12);
    assert_true(mean.has_interval);
    assert_near(mean.half_width, 4.302652730 / 1.7320508075688772, 1e-9);
    assert_false(jl_mean_difference(a, NULL, 1).has_interval);
}

/* ---- the whole ---- */

static char *simulate(uint64_t seed)
{
    struct joulie_autoscale_sim_options options = JOULIE_INIT(struct joulie_autoscale_sim_options);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *json = NULL;
    options.has = JOULIE_AUTOSCALE_SIM_HAS_HOURS | JOULIE_AUTOSCALE_SIM_HAS_SEED |
                  JOULIE_AUTOSCALE_SIM_HAS_SEEDS;
    options.hours = 1;
    options.seeds = 2;
    options.seed = seed;
    options.keeps_series = 1;
    const int rc = joulie_simulate_autoscale(&options, &json, &err);
    if (rc < 0)
        fail_msg("%d at '%s': %s", rc, err.where, err.message);
    return json;
}

/* Every list of the answer has its commas, also between seeds. */
static void the_answer_has_a_run_and_a_series_per_seed_and_algorithm(void **state)
{
    (void)state;
    char *json = simulate(1);
    json_object *answer = json_tokener_parse(json);
    assert_non_null(answer);
    assert_int_equal(json_object_array_length(json_object_object_get(answer, "runs")), 6);
    json_object *series = json_object_object_get(answer, "series");
    assert_int_equal(json_object_array_length(series), 6);
    for (size_t i = 0; i < 6; i++) {
        json_object *one = json_object_array_get_idx(series, i);
        assert_int_equal(json_object_get_int(json_object_object_get(one, "seed")), i < 3 ? 1 : 2);
        assert_int_equal(json_object_array_length(json_object_object_get(one, "demandTflops")),
                         360); /* an hour of steps of 10 s */
        json_object *replicas = json_object_object_get(one, "readyReplicas");
        assert_near(json_object_get_double(json_object_array_get_idx(replicas, 0)), 2, 0);
    }
    json_object_put(answer);
    joulie_free(json);
}

static void equal_options_give_equal_bytes(void **state)
{
    char *a = simulate(3);
    char *b = simulate(3);
    char *c = simulate(4);
    (void)state;
    assert_string_equal(a, b);
    assert_string_not_equal(a, c);
    joulie_free(a);
    joulie_free(b);
    joulie_free(c);
}

/* Each number of the options at both ends of its bounds, and just beyond them. */
static void numbers_of_a_comparison_have_bounds(void **state)
{
    static const struct {
        const char *where;
        uint64_t bit;
        size_t offset;
        bool is_whole;
        double low;
        double high;
        double below;
        double above;
    } rows[] = {

#define WHOLE(where, bit, member, high)                      \
    { where,                                                 \
      JOULIE_AUTOSCALE_SIM_HAS_##bit,                        \
      offsetof(struct joulie_autoscale_sim_options, member), \
      true,                                                  \
      1,                                                     \
      high,                                                  \
      0,                                                     \
      high + 1 }
#define NUMBER(where, bit, member, ...)                                               \
    {                                                                                 \
        where, JOULIE_AUTOSCALE_SIM_HAS_##bit,                                        \
            offsetof(struct joulie_autoscale_sim_options, member), false, __VA_ARGS__ \
    }
        WHOLE("seeds", SEEDS, seeds, 1000),
        WHOLE("cards", CARDS, cards, 256),
        NUMBER("cardTflops", CARD_TFLOPS, card_tflops, 80, 1e14, 0, 1.0001e14),
        NUMBER("cardVramBytes", CARD_VRAM, card_vram_bytes, 24 * GIB, 1e14, 0, 1.0001e14),
        NUMBER("startDelayS", START_DELAY, start_delay_s, 10, 86400, 9.999, 86400.01),
        NUMBER("hours", HOURS, hours, 0.003, 1, 0, 768.01),
#undef WHOLE
#undef NUMBER
    };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const double values[] = { rows[i].low, rows[i].high, rows[i].below, rows[i].above };
        for (size_t k = 0; k < JL_COUNT(values); k++) {
            struct joulie_autoscale_sim_options options =
                JOULIE_INIT(struct joulie_autoscale_sim_options);
            struct joulie_error err = JOULIE_INIT(struct joulie_error);
            char *json = NULL;
            options.has =
                JOULIE_AUTOSCALE_SIM_HAS_HOURS | JOULIE_AUTOSCALE_SIM_HAS_SEEDS | rows[i].bit;
            options.hours = 0.003; /* a step */
            options.seeds = 1;
            char *member = (char *)&options + rows[i].offset;
            if (rows[i].is_whole)
                *(int64_t *)(void *)member = (int64_t)values[k];
            else
                *(double *)(void *)member = values[k];
            const int rc = joulie_simulate_autoscale(&options, &json, &err);
            if (rc != (k < 2 ? JOULIE_OK : JOULIE_E_RANGE))
                fail_msg("%s = %g: %d", rows[i].where, values[k], rc);
            assert_string_equal(err.where, k < 2 ? "" : rows[i].where);
            joulie_free(json);
        }
    }
}

/* A comparison begins with amounts that a card has, and with workers of one GPU. */
static void a_profile_has_to_fit_the_simulated_cards(void **state)
{
    static const struct {
        const char *spec; /* beside resources */
        const char *requests;
        const char *limits;
        int code;
        const char *where;
    } rows[] = {
        { "", "\"tflops\":\"60\",\"vram\":\"8Gi\"", "\"tflops\":\"60\",\"vram\":\"8Gi\"", JOULIE_OK,
          "" },
        { "\"gpuCount\":1,", "\"tflops\":\"60\",\"vram\":\"8Gi\"",
          "\"tflops\":\"60\",\"vram\":\"8Gi\"", JOULIE_OK, "" },
        { "\"gpuCount\":2,", "\"tflops\":\"60\",\"vram\":\"8Gi\"",
          "\"tflops\":\"60\",\"vram\":\"8Gi\"", JOULIE_E_UNSUPPORTED, "profile.spec.gpuCount" },
        { "", "\"vram\":\"8Gi\"", "\"tflops\":\"60\",\"vram\":\"8Gi\"", JOULIE_E_REQUIRED,
          "profile.spec.resources.requests.tflops" },
        { "", "\"tflops\":\"60\"", "\"tflops\":\"60\",\"vram\":\"8Gi\"", JOULIE_E_REQUIRED,
          "profile.spec.resources.requests.vram" },
        { "", "\"tflops\":\"60\",\"vram\":\"8Gi\"", "\"tflops\":\"59.9\",\"vram\":\"8Gi\"",
          JOULIE_E_RANGE, "profile.spec.resources.limits.tflops" },
        { "", "\"tflops\":\"60\",\"vram\":\"8Gi\"", "\"tflops\":\"60\",\"vram\":\"7Gi\"",
          JOULIE_E_RANGE, "profile.spec.resources.limits.vram" },
        { "", "\"tflops\":\"60.1\",\"vram\":\"8Gi\"", "\"tflops\":\"61\",\"vram\":\"8Gi\"",
          JOULIE_E_RANGE, "profile.spec.resources.requests.tflops" },
        { "", "\"tflops\":\"60\",\"vram\":\"9Gi\"", "\"tflops\":\"60\",\"vram\":\"9Gi\"",
          JOULIE_E_RANGE, "profile.spec.resources.requests.vram" },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct joulie_autoscale_sim_options options =
            JOULIE_INIT(struct joulie_autoscale_sim_options);
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        char *json = NULL;
        char profile[600];
        snprintf(profile, sizeof profile,
                 "{\"apiVersion\":\"tensor-fusion.ai/v1\",\"kind\":\"WorkloadProfile\","
                 "\"metadata\":{\"name\":\"p\"},\"spec\":{\"autoScalingConfig\":{},%s"
                 "\"resources\":{\"requests\":{%s},\"limits\":{%s}}}}",
                 rows[i].spec, rows[i].requests, rows[i].limits);
        options.has = JOULIE_AUTOSCALE_SIM_HAS_HOURS | JOULIE_AUTOSCALE_SIM_HAS_SEEDS |
                      JOULIE_AUTOSCALE_SIM_HAS_CARD_TFLOPS | JOULIE_AUTOSCALE_SIM_HAS_CARD_VRAM;
        options.hours = 0.003;
        options.seeds = 1;
        options.card_tflops = 60;
        options.card_vram_bytes = 8 * GIB;
        options.profile = profile;
        options.profile_len = strlen(profile);
        const int rc = joulie_simulate_autoscale(&options, &json, &err);
        if (rc != rows[i].code || strcmp(err.where, rows[i].where) != 0)
            fail_msg("%s: %d at %s", profile, rc, err.where);
        joulie_free(json);
    }
}

/* From 98 % of its limit on, a usage might have been larger. */
static void a_usage_at_its_limit_is_cut_off(void **state)
{
    static const struct {
        const char *usage_and_limit;
        uint64_t censored;
    } rows[] = { { "98,1Gi,100", 1 }, { "97.9,1Gi,100", 0 }, { "0,1Gi,0", 0 }, { "98,1Gi,", 0 } };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_arena arena = { 0 };
        struct jl_load load;
        struct jl_load_trace trace;
        char text[80];
        snprintf(text, sizeof text, "t,worker,tflops,vram,limit\n0,a,%s\n",
                 rows[i].usage_and_limit);
        assert_int_equal(read(text, &arena, &load, &trace, NULL), 0);
        assert_int_equal(trace.censored, rows[i].censored);
        jl_arena_clear(&arena);
    }
}

static void a_series_has_360_points_at_most(void **state)
{
    static const size_t rows[][3] = {
        { 0, 1, 0 },     { 1, 1, 1 },     { 360, 1, 360 },
        { 361, 2, 181 }, { 720, 2, 360 }, { 721, 3, 241 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        assert_int_equal(jl_play_steps_per_point(rows[i][0]), rows[i][1]);
        assert_int_equal(jl_play_points(rows[i][0]), rows[i][2]);
    }
}

static void a_recording_is_played_once_whatever_seeds_are_asked_for(void **state)
{
    static const char trace[] = "t,worker,tflops,vram\n0,a,10,1Gi\n600,a,20,1Gi\n";
    struct joulie_autoscale_sim_options options = JOULIE_INIT(struct joulie_autoscale_sim_options);
    char *json = NULL;
    (void)state;
    options.has = JOULIE_AUTOSCALE_SIM_HAS_SEEDS;
    options.seeds = 5;
    options.trace = trace;
    options.trace_len = sizeof trace - 1;
    assert_int_equal(joulie_simulate_autoscale(&options, &json, NULL), 0);
    json_object *answer = json_tokener_parse(json);
    assert_int_equal(json_object_array_length(json_object_object_get(answer, "runs")), 3);
    json_object_put(answer);
    joulie_free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_has_to_fit_the_simulated_cards),
        cmocka_unit_test(equal_seeds_give_equal_demand_and_others_do_not),
        cmocka_unit_test(a_ramp_ends_ten_times_above_its_start),
        cmocka_unit_test(a_recording_sums_its_workers_and_holds_a_usage_until_the_next),
        cmocka_unit_test(lines_of_json_say_the_same_as_csv),
        cmocka_unit_test(a_kill_for_memory_cuts_a_usage_off),
        cmocka_unit_test(a_worker_without_samples_for_five_minutes_has_gone),
        cmocka_unit_test(a_line_of_a_recording_has_a_mebibyte_at_most),
        cmocka_unit_test(a_recording_lasts_768_hours_at_most),
        cmocka_unit_test(a_bad_line_is_named_by_its_number),
        cmocka_unit_test(a_column_that_there_is_not_is_named),
        cmocka_unit_test(a_worker_uses_what_it_is_asked_for_up_to_its_limit),
        cmocka_unit_test(a_worker_above_its_memory_is_killed_and_comes_back_after_the_delay),
        cmocka_unit_test(the_ends_of_what_a_line_may_say_are_taken),
        cmocka_unit_test(a_worker_without_limits_uses_its_card),
        cmocka_unit_test(a_full_card_shares_evenly_and_kills_its_youngest),
        cmocka_unit_test(what_does_not_fit_changes_nothing_and_is_counted),
        cmocka_unit_test(a_card_is_filled_to_its_last_tflops),
        cmocka_unit_test(a_new_worker_serves_after_the_start_delay),
        cmocka_unit_test(the_points_of_student_are_those_of_the_tables),
        cmocka_unit_test(an_interval_is_of_the_paired_differences),
        cmocka_unit_test(the_answer_has_a_run_and_a_series_per_seed_and_algorithm),
        cmocka_unit_test(equal_options_give_equal_bytes),
        cmocka_unit_test(numbers_of_a_comparison_have_bounds),
        cmocka_unit_test(a_usage_at_its_limit_is_cut_off),
        cmocka_unit_test(a_series_has_360_points_at_most),
        cmocka_unit_test(a_recording_is_played_once_whatever_seeds_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
