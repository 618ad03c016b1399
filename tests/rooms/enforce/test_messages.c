/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/error.h>

#include "base/random.h"
#include "enforce/keeper.h"
#include "fakehost/hosts.h"
#include "fakehost/model.h"
#include "host/boot_id.h"
#include "support/test.h"

/* Random messages at what answers the packets of joulie-capd: whatever comes, every reply can be
 * believed, no limit leaves its bounds, and everything can be given back. JOULIE_MESSAGES = how
 * many, JOULIE_SEED = which. */

#define MESSAGES 1000000
#define RAPL "sys/devices/virtual/powercap/intel-rapl/intel-rapl:"
#define FLOOR_UW 61500000
#define MOST_UW 205000000

static const char *const keys[] = {
    "rapl/package-0/long_term",
    "rapl/package-1/long_term",
    "rapl/package-0/short_term",
    "rapl/package-9/long_term",
    "cpufreq/policy0/max",
    "cpufreq/policy1/min",
    "package-0",
    "package-1/dram",
    "../../etc/passwd",
    "rapl//long_term",
    "cpufreq/policy/max",
    "x",
};

static struct jl_wire_request request;
static struct jl_wire_reply reply;

static uint64_t number_of(const char *name, uint64_t fallback)
{
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : fallback;
}

static void put_key(struct jl_random *dice, char out[JL_WIRE_KEY_BYTES])
{
    const uint64_t roll = jl_random_next(dice) % 16;
    (void)jl_wire_put(out, JL_WIRE_KEY_BYTES, keys[roll % (sizeof keys / sizeof keys[0])]);
    if (roll == 15)
        out[jl_random_next(dice) % JL_WIRE_KEY_BYTES] = (char)jl_random_next(dice);
}

static void put_items(struct jl_random *dice, uint32_t count)
{
    for (uint32_t i = 0; i < count && i < JL_WIRE_ITEMS_MAX; i++) {
        if (request.head.kind == JL_WIRE_HELLO) {
            (void)jl_wire_put(request.owner.name, sizeof request.owner.name, "api");
        } else if (request.head.kind == JL_WIRE_APPLY) {
            put_key(dice, request.values[i].key);
            request.values[i].value =
                jl_random_next(dice) >> (jl_random_next(dice) % 64); /* of any size */
        } else {
            put_key(dice, request.keys[i].key);
        }
    }
}

/* Mostly what a client could say, then a byte or its length is changed; its length. */
static size_t draw(struct jl_random *dice)
{
    const enum jl_wire_kind kind = (enum jl_wire_kind)(1 + jl_random_next(dice) % 7);
    const uint32_t flags = kind == JL_WIRE_APPLY ? (uint32_t)(jl_random_next(dice) % 8) : 0;
    uint32_t count = kind == JL_WIRE_APPLY || kind == JL_WIRE_RESTORE
                         ? (uint32_t)(1 + jl_random_next(dice) % 3)
                         : kind == JL_WIRE_HELLO || kind == JL_WIRE_ENERGY;
    request.head = (struct jl_wire_head){
        .version = JL_WIRE_VERSION, .kind = kind, .flags = flags, .count = count
    };
    put_items(dice, count);
    size_t len = jl_wire_request_bytes(kind, count);
    const uint64_t roll = jl_random_next(dice) % 8;
    if (roll == 0)
        ((char *)&request)[jl_random_next(dice) % len] ^= (char)(1 << jl_random_next(dice) % 8);
    else if (roll == 1)
        len = jl_random_next(dice) % (sizeof request + 64);
    return len;
}

static void check_limits(struct fk *fk)
{
    for (int package = 0; package < 2; package++) {
        char path[128];
        snprintf(path, sizeof path, RAPL "%d/constraint_0_power_limit_uw", package);
        const uint64_t now = (uint64_t)fk_number(fk, path);
        assert_true(now >= FLOOR_UW && now <= MOST_UW);
    }
}

static void check_answer(const struct jl_keeper_answer *answer)
{
    assert_true(answer->bytes <= sizeof reply);
    if (answer->bytes == 0) {
        assert_int_equal(request.head.kind, JL_WIRE_BEAT);
        return;
    }
    if (answer->ends)
        assert_true(reply.code < 0 && reply.message[0] != '\0');
    else
        assert_int_equal(
            jl_wire_check_reply(&reply, answer->bytes, (enum jl_wire_kind)request.head.kind, NULL),
            0);
}

/* As joulie-rescue does before joulie-capd starts. */
static void prepare(const struct jl_keeper *keeper)
{
    const struct jl_journal_setup setup = { .os = keeper->root.os,
                                            .folder_fd = keeper->state_fd,
                                            .boot_id = keeper->boot_id,
                                            .is_writer = true,
                                            .uid = jl_os_uid() };
    struct jl_journal_file *file = NULL;
    assert_int_equal(jl_journal_open(&setup, &file, NULL), 0);
    assert_int_equal(jl_journal_make(file, NULL), 0);
    jl_journal_close(file);
}

static struct jl_keeper keeper_of(struct fk *fk, struct jl_arena *texts)
{
    struct jl_keeper keeper = jl_keeper_new();
    const struct jl_os os = fk_os(fk);
    keeper.root = (struct jl_root){ os, os.open(os.user, -1, "/", JL_OS_FOLDER_FD) };
    keeper.boot_id = jl_root_boot_id(&keeper.root, texts);
    keeper.state_name = JL_STATE_FOLDER;
    keeper.state_fd = jl_journal_make_folder(&keeper.root, NULL);
    prepare(&keeper);
    keeper.bounds = (struct jl_bounds){ .floor_pct = 30, .ramps = true };
    keeper.may_enable = true;
    return keeper;
}

static void no_message_breaks_it(void **state)
{
    (void)state;
    const uint64_t count = number_of("JOULIE_MESSAGES", MESSAGES);
    struct jl_random dice = { number_of("JOULIE_SEED", 1) };
    struct fk *fk = fk_load_host("intel-2s");
    struct jl_arena texts = { 0 };
    struct jl_keeper keeper = keeper_of(fk, &texts);
    uint64_t ended = 0;
    for (uint64_t i = 0; i < count; i++) {
        const size_t len = draw(&dice);
        const struct jl_keeper_time now = { 1700000000000 + (int64_t)i, (int64_t)(i * 100) };
        const struct jl_keeper_answer answer =
            jl_keeper_answer(&keeper, &request, len, now, &reply);
        check_answer(&answer);
        if (answer.fd >= 0)
            keeper.root.os.close(keeper.root.os.user, answer.fd);
        if (i % 64 == 0)
            check_limits(fk);
        ended += answer.ends;
        if (answer.ends)
            keeper.has_client = false;
    }
    assert_true(ended > 0 && ended < count);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    assert_int_equal(jl_keeper_claim(&keeper, &err), 0);
    assert_int_equal(jl_keeper_give_back(&keeper, false, 1700000000000, &err), 0);
    assert_int_equal(jl_journal_now(keeper.journal)->open_count, 0);
    assert_int_equal(fk_number(fk, RAPL "0/constraint_0_power_limit_uw"), MOST_UW);
    assert_int_equal(fk_number(fk, RAPL "1/constraint_0_power_limit_uw"), MOST_UW);
    jl_keeper_close(&keeper);
    jl_arena_clear(&texts);
    fk_free(fk);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_message_breaks_it) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
