/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The journal of versions 0.1 and 0.2 as text (docs/rules/enforcement.md#version-1). What must come
 * out of damaged texts is stated by a model of the rules that compares whole lines and parses
 * nothing.
 */

#include <stdio.h>
#include <string.h>

#include <joulie/ask.h>
#include <joulie/error.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/crc32.h"
#include "base/limits.h"
#include "base/random.h"
#include "caps/journal_v1.h"
#include "support/test.h"

#define NOON_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */

/* In restore order. */
enum { GPU_1, GPU_2, ODD, PACKAGE_0, PACKAGE_1, POLICY_0, KEYS };

static const char *const keys[KEYS] = {
    "gpu/0000:03:00.0",
    "gpu/GPU-1",
    "rapl/a\"b\\c\nd\t\x01/\u00b5",
    "rapl/package-0/long_term",
    "rapl/package-1/long_term",
    "cpufreq/policy0/max",
};

/* ---- the model ---- */

struct step { /* one line */
    enum jl_journal_op op;
    size_t key;
    uint64_t value;
    uint64_t baseline;
};

static const struct step story[] = {
    { JL_JOURNAL_BASELINE, PACKAGE_0, 205000000, 0 },
    { JL_JOURNAL_BASELINE, PACKAGE_0, 205000000, 0 },
    { JL_JOURNAL_WRITE, PACKAGE_0, 120000000, 205000000 },
    { JL_JOURNAL_BASELINE, POLICY_0, 3500000, 0 },
    { JL_JOURNAL_BASELINE, POLICY_0, 3500000, 0 },
    { JL_JOURNAL_BASELINE, GPU_2, 700000, 0 },
    { JL_JOURNAL_BASELINE, GPU_2, 700000, 0 },
    { JL_JOURNAL_WRITE, GPU_2, 400000, 700000 },
    { JL_JOURNAL_WRITE, PACKAGE_0, 90000000, 205000000 },
    { JL_JOURNAL_RESTORED, PACKAGE_0, 0, 0 },
    { JL_JOURNAL_BASELINE, ODD, UINT64_MAX, 0 },
    { JL_JOURNAL_BASELINE, ODD, UINT64_MAX, 0 },
    { JL_JOURNAL_WRITE, ODD, 1, UINT64_MAX },
    { JL_JOURNAL_BASELINE, PACKAGE_1, 0, 0 },
    { JL_JOURNAL_BASELINE, PACKAGE_1, 0, 0 },
    { JL_JOURNAL_BASELINE, PACKAGE_0, 200000000, 0 },
    { JL_JOURNAL_BASELINE, PACKAGE_0, 200000000, 0 },
    { JL_JOURNAL_WRITE, PACKAGE_0, 150000000, 200000000 },
    { JL_JOURNAL_RESTORED, PACKAGE_1, 0, 0 },
    { JL_JOURNAL_WRITE, POLICY_0, 2000000, 3500000 },
    { JL_JOURNAL_WRITE, POLICY_0, 2000000, 3500000 },
    { JL_JOURNAL_WRITE, POLICY_0, 2100000, 3500000 },
};

#define STORY_LINES (sizeof story / sizeof story[0])

struct round {
    bool is_open;
    uint64_t value;
    bool has_written;
    uint64_t written;
    bool has_earlier;
    uint64_t earlier;
};

struct model {
    struct round rounds[KEYS];
    size_t skipped;
};

static void take_step(struct model *model, const struct step *step)
{
    struct round *round = &model->rounds[step->key];
    if (step->op == JL_JOURNAL_RESTORED) {
        *round = (struct round){ 0 };
        return;
    }
    const bool is_write = step->op == JL_JOURNAL_WRITE;
    if (!round->is_open)
        *round =
            (struct round){ .is_open = true, .value = is_write ? step->baseline : step->value };
    if (is_write) {
        if (round->has_written && round->written != step->value) {
            round->has_earlier = true;
            round->earlier = round->written;
        }
        round->has_written = true;
        round->written = step->value;
    }
}

struct story_lines { /* the records of story as text */
    struct jl_buffer text;
    size_t starts[STORY_LINES + 1];
};

static void write_story(struct story_lines *lines)
{
    *lines = (struct story_lines){ 0 };
    for (size_t i = 0; i < STORY_LINES; i++) {
        const struct jl_journal_record record = {
            .op = story[i].op,
            .key = keys[story[i].key],
            .value = story[i].value,
            .baseline = story[i].baseline,
            .unit = JL_UNIT_UW,
            .owner = "local:a \"b\"",
            .at_ms = NOON_MS + (int64_t)i * 1000,
        };
        lines->starts[i] = lines->text.len;
        jl_journal_v1_put(&lines->text, &record);
    }
    lines->starts[STORY_LINES] = lines->text.len;
    assert_int_equal(jl_buffer_code(&lines->text), 0);
}

/* The line of the story that these bytes are, LF included, or STORY_LINES. */
static size_t line_at(const struct story_lines *lines, const char *text, size_t len)
{
    for (size_t i = 0; i < STORY_LINES; i++) {
        const size_t line_len = lines->starts[i + 1] - lines->starts[i];
        if (line_len == len && memcmp(lines->text.data + lines->starts[i], text, len) == 0)
            return i;
    }
    return STORY_LINES;
}

static struct model expect(const struct story_lines *lines, const char *text, size_t len)
{
    struct model model = { 0 };
    for (size_t start = 0; start < len;) {
        const char *end = memchr(text + start, '\n', len - start);
        const size_t line_len = end != NULL ? (size_t)(end - text) + 1 - start : len - start;
        const size_t line = line_at(lines, text + start, line_len);
        if (line < STORY_LINES)
            take_step(&model, &story[line]);
        else
            model.skipped++;
        start += line_len;
    }
    return model;
}

static void assert_as_model(const struct jl_journal *journal, const struct model *model)
{
    size_t at = 0;
    for (size_t key = 0; key < KEYS; key++) {
        const struct round *round = &model->rounds[key];
        if (!round->is_open)
            continue;
        assert_true(at < journal->open_count);
        const struct jl_journal_entry *entry = &journal->open[at++];
        assert_string_equal(entry->key, keys[key]);
        assert_true(entry->value == round->value);
        assert_int_equal(entry->has_written, round->has_written);
        assert_true(!round->has_written || entry->written == round->written);
        assert_int_equal(entry->has_earlier, round->has_earlier);
        assert_true(!round->has_earlier || entry->earlier == round->earlier);
    }
    assert_int_equal(journal->open_count, at);
    assert_int_equal(journal->skipped, model->skipped);
}

static void check(struct jl_arena *arena, const struct story_lines *lines, const char *text,
                  size_t len)
{
    struct jl_journal journal;
    const struct model model = expect(lines, text, len);
    jl_arena_reset(arena);
    assert_int_equal(jl_journal_v1_read(arena, text, len, &journal), 0);
    assert_as_model(&journal, &model);
}

/* ---- damage ---- */

static void every_cut_of_a_journal_gives_what_its_whole_lines_say(void **state)
{
    (void)state;
    struct story_lines lines;
    struct jl_arena arena = { 0 };
    write_story(&lines);
    for (size_t len = 0; len <= lines.text.len; len++)
        check(&arena, &lines, lines.text.data, len);
    for (size_t start = 1; start < lines.text.len; start++)
        check(&arena, &lines, lines.text.data + start, lines.text.len - start);
    jl_arena_clear(&arena);
    jl_buffer_clear(&lines.text);
}

static void every_flipped_bit_costs_its_line_and_nothing_else(void **state)
{
    (void)state;
    struct story_lines lines;
    struct jl_arena arena = { 0 };
    char *text = NULL;
    write_story(&lines);
    text = test_malloc(lines.text.len);
    memcpy(text, lines.text.data, lines.text.len);
    for (size_t bit = 0; bit < lines.text.len * 8; bit++) {
        const char flip = (char)(1u << bit % 8);
        text[bit / 8] = (char)(text[bit / 8] ^ flip);
        check(&arena, &lines, text, lines.text.len);
        text[bit / 8] = (char)(text[bit / 8] ^ flip);
    }
    test_free(text);
    jl_arena_clear(&arena);
    jl_buffer_clear(&lines.text);
}

static void a_tail_that_comes_twice_reopens_rounds_with_their_baselines(void **state)
{
    (void)state;
    struct story_lines lines;
    struct jl_arena arena = { 0 };
    write_story(&lines);
    for (size_t line = 0; line < STORY_LINES; line++) {
        struct jl_buffer text = { 0 };
        jl_put(&text, lines.text.data, lines.text.len);
        jl_put(&text, lines.text.data + lines.starts[line], lines.text.len - lines.starts[line]);
        check(&arena, &lines, text.data, text.len);
        jl_buffer_clear(&text);
    }
    jl_arena_clear(&arena);
    jl_buffer_clear(&lines.text);
}

static void junk_before_between_and_behind_lines_is_counted(void **state)
{
    (void)state;
    struct story_lines lines;
    struct jl_arena arena = { 0 };
    struct jl_random random = { 7 };
    struct jl_buffer text = { 0 };
    write_story(&lines);
    for (size_t line = 0; line < STORY_LINES; line++) {
        for (size_t i = 0; i < ((size_t)1 << 20) / STORY_LINES; i++)
            jl_put_char(&text, (char)jl_random_next(&random));
        jl_put_char(&text, '\n');
        jl_put(&text, lines.text.data + lines.starts[line],
               lines.starts[line + 1] - lines.starts[line]);
    }
    assert_true(text.len > (size_t)1 << 20);
    check(&arena, &lines, text.data, text.len);
    jl_buffer_clear(&text);
    jl_arena_clear(&arena);
    jl_buffer_clear(&lines.text);
}

static void lines_lost_at_random_leave_what_the_others_say(void **state)
{
    (void)state;
    struct story_lines lines;
    struct jl_arena arena = { 0 };
    struct jl_random random = { 11 };
    write_story(&lines);
    for (int round = 0; round < 2000; round++) {
        struct jl_buffer text = { 0 };
        for (size_t line = 0; line < STORY_LINES; line++) {
            if (jl_random_next(&random) % 3 == 0)
                continue;
            jl_put(&text, lines.text.data + lines.starts[line],
                   lines.starts[line + 1] - lines.starts[line]);
        }
        check(&arena, &lines, text.data, text.len);
        jl_buffer_clear(&text);
    }
    jl_arena_clear(&arena);
    jl_buffer_clear(&lines.text);
}

/* ---- single lines ---- */

/* A line with a good checksum around the JSON. */
static void put_line(struct jl_buffer *out, const char *json)
{
    char crc[9];
    snprintf(crc, sizeof crc, "%08x", (unsigned)jl_crc32(json, strlen(json)));
    jl_put_string(out, crc);
    jl_put_char(out, ' ');
    jl_put_string(out, json);
    jl_put_char(out, '\n');
}

static struct jl_journal read_line(struct jl_arena *arena, const char *json)
{
    struct jl_buffer text = { 0 };
    struct jl_journal journal;
    put_line(&text, json);
    assert_int_equal(jl_journal_v1_read(arena, text.data, text.len, &journal), 0);
    assert_int_equal(journal.open_count + journal.skipped, 1);
    jl_buffer_clear(&text);
    return journal;
}

#define AT "\"at\":\"2026-03-13T12:00:00Z\""

static void a_record_that_is_no_record_is_skipped(void **state)
{
    static const char *const bad[] = {
        "", /* nothing but a checksum */
        "null",
        "[]",
        "{}",
        "{",
        "\"op\"",
        "7",
        "{\"op\":\"baseline\",\"key\":\"k\",\"value\":1," AT "} x",
        "{\"op\":\"baseline\",\"key\":\"k\",\"value\":1," AT "}{}",
        "{\"op\":\"baseline\",\"key\":\"k\",\"value\":1," AT ",}",
        "{\"key\":\"k\",\"value\":1," AT "}",
        "{\"op\":\"baseline\",\"value\":1," AT "}",
        "{\"op\":\"baseline\",\"key\":\"\",\"value\":1," AT "}",
        "{\"op\":\"baseline\",\"key\":\"a\\u0000b\",\"value\":1," AT "}",
        "{\"op\":\"baseline\",\"key\":\"a\\ud800b\",\"value\":1," AT "}",
        "{\"op\":\"baseline\",\"key\":\"a\xff\",\"value\":1," AT "}",
        "{\"op\":\"baseline\",\"key\":7,\"value\":1," AT "}",
        "{\"op\":\"baseline\",\"key\":\"k\"," AT "}",
        "{\"op\":\"baseline\",\"key\":\"k\",\"value\":1}",
        "{\"op\":\"baseline\",\"key\":\"k\",\"value\":1,\"at\":\"noon\"}",
        "{\"op\":\"baseline\",\"key\":\"k\",\"value\":1,\"at\":0}",
        "{\"op\":\"write\",\"key\":\"k\",\"value\":1," AT "}",
        "{\"op\":\"write\",\"key\":\"k\",\"baseline\":1," AT "}",
        "{\"op\":\"forget\",\"key\":\"k\",\"value\":1,\"baseline\":1," AT "}",
        "{\"op\":\"Baseline\",\"key\":\"k\",\"value\":1," AT "}",
        /* no version wrote blanks or other members */
        "{ \"op\":\"baseline\",\"key\":\"k\",\"value\":1," AT "}",
        "{\"op\": \"baseline\",\"key\":\"k\",\"value\":1," AT "}",
        "{\"op\":\"baseline\",\"key\":\"k\",\"value\":1 ," AT "}",
        "{\"op\":\"baseline\",\"key\":\"k\",\"value\":1," AT ",\"x\":true}",
        /* which of the two was meant? */
        "{\"op\":\"baseline\",\"key\":\"k\",\"value\":1,\"value\":2," AT "}",
        "{\"op\":\"baseline\",\"key\":\"k\",\"key\":\"l\",\"value\":1," AT "}",
        /* integers from 0 to 2^64 - 1 only */
        "{\"op\":\"baseline\",\"key\":\"k\",\"value\":18446744073709551616," AT "}",
        "{\"op\":\"baseline\",\"key\":\"k\",\"value\":-1," AT "}",
        "{\"op\":\"baseline\",\"key\":\"k\",\"value\":1.0," AT "}",
        "{\"op\":\"baseline\",\"key\":\"k\",\"value\":1e3," AT "}",
        "{\"op\":\"baseline\",\"key\":\"k\",\"value\":01," AT "}",
        "{\"op\":\"baseline\",\"key\":\"k\",\"value\":\"1\"," AT "}",
        "{\"op\":\"baseline\",\"key\":\"k\",\"value\":null," AT "}",
        "{\"op\":\"baseline\",\"key\":\"k\",\"value\":NaN," AT "}",
        /* a unit that is not known makes the number worthless */
        "{\"op\":\"baseline\",\"key\":\"rapl/a/b\",\"value\":1,\"unit\":\"W\"," AT "}",
        "{\"op\":\"baseline\",\"key\":\"rapl/a/b\",\"value\":1,\"unit\":3," AT "}",
        "{\"op\":\"baseline\",\"key\":\"k\",\"value\":1,\"enabled\":1," AT "}",
        "{\"op\":\"baseline\",\"key\":\"k\",\"value\":1,\"owner\":null," AT "}",
    };
    (void)state;
    struct jl_arena arena = { 0 };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const struct jl_journal journal = read_line(&arena, bad[i]);
        if (journal.skipped != 1)
            fail_msg("taken: %s", bad[i]);
    }
    jl_arena_clear(&arena);
}

static void nesting_without_end_is_a_bad_line(void **state)
{
    (void)state;
    struct jl_arena arena = { 0 };
    struct jl_buffer json = { 0 };
    jl_put_string(&json, "{\"x\":");
    for (int i = 0; i < 1000; i++)
        jl_put_char(&json, '[');
    assert_int_equal(read_line(&arena, json.data).skipped, 1);
    jl_buffer_clear(&json);
    jl_arena_clear(&arena);
}

static void a_checksum_is_eight_lower_case_digits_and_a_blank(void **state)
{
    static const char *const bad[] = {
        "9F3A27DD", "9f3a27dd\t", "09f3a27dd", "9f3a27d", "0x9f3a27dd", " 9f3a27dd", "9f3a27dd  ",
    };
    static const char json[] =
        "{\"op\":\"baseline\",\"key\":\"rapl/package-0/long_term\",\"value\":205000000,"
        "\"unit\":\"uW\",\"enabled\":true,\"owner\":\"api\"," AT "}\n";
    (void)state;
    struct jl_arena arena = { 0 };
    struct jl_buffer text = { 0 };
    struct jl_journal journal;
    jl_put_string(&text, "9f3a27dd ");
    jl_put_string(&text, json);
    assert_int_equal(jl_journal_v1_read(&arena, text.data, text.len, &journal), 0);
    assert_int_equal(journal.open_count, 1);
    assert_true(journal.open[0].has_enabled && journal.open[0].enabled);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        jl_buffer_reset(&text);
        jl_put_string(&text, bad[i]);
        jl_put_string(&text, bad[i][strlen(bad[i]) - 1] == 'd' ? " " : "");
        jl_put_string(&text, json);
        assert_int_equal(jl_journal_v1_read(&arena, text.data, text.len, &journal), 0);
        assert_int_equal(journal.open_count, 0);
        assert_int_equal(journal.skipped, 1);
    }
    jl_buffer_clear(&text);
    jl_arena_clear(&arena);
}

/* ---- rounds ---- */

static void units_follow_the_key_where_no_baseline_has_them(void **state)
{
    static const struct {
        const char *key;
        enum jl_journal_unit unit;
    } cases[] = {
        { "rapl/package-0/long_term", JL_UNIT_UW },
        { "cpufreq/policy0/max", JL_UNIT_KHZ },
        { "gpu/GPU-1", JL_UNIT_MW },
        { "gpus/GPU-1", JL_UNIT_UNKNOWN },
    };

    (void)state;
    struct jl_arena arena = { 0 };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct jl_buffer text = { 0 };
        struct jl_journal journal;
        const struct jl_journal_record record = {
            .op = JL_JOURNAL_WRITE, .key = cases[i].key, .value = 5, .baseline = 9
        };
        jl_journal_v1_put(&text, &record);
        assert_int_equal(jl_journal_v1_read(&arena, text.data, text.len, &journal), 0);
        assert_int_equal(journal.open_count, 1);
        assert_int_equal(journal.open[0].unit, cases[i].unit);
        assert_null(journal.open[0].owner);
        assert_false(journal.open[0].has_enabled);
        assert_true(journal.open[0].has_written && journal.open[0].written == 5);
        jl_buffer_clear(&text);
    }
    jl_arena_clear(&arena);
}

static void keys_come_in_restore_order_whatever_the_order_of_the_lines(void **state)
{
    static const char *const ordered[] = {
        "gpu/0000:03:00.0",
        "gpu/GPU-0",
        "gpu/GPU-1",
        "rapl/package-0/a",
        "rapl/package-0/b",
        "rapl/package-1/a",
        "cpufreq/policy0/max",
        "cpufreq/policy0/min",
        "cpufreq/policy1/max",
        "an/unknown/kind",
        "zone",
    };
    const size_t count = sizeof ordered / sizeof ordered[0];
    (void)state;
    struct jl_arena arena = { 0 };
    for (size_t stride = 1; stride < count; stride++) { /* 11 is a prime */
        struct jl_buffer text = { 0 };
        struct jl_journal journal;
        for (size_t i = 0; i < count; i++) {
            const struct jl_journal_record record = { .op = JL_JOURNAL_BASELINE,
                                                      .key = ordered[i * stride % count],
                                                      .value = i * stride % count };
            jl_journal_v1_put(&text, &record);
        }
        assert_int_equal(jl_journal_v1_read(&arena, text.data, text.len, &journal), 0);
        assert_int_equal(journal.open_count, count);
        for (size_t i = 0; i < count; i++) {
            assert_string_equal(journal.open[i].key, ordered[i]);
            assert_ptr_equal(jl_journal_entry_of(&journal, ordered[i]), &journal.open[i]);
            assert_true(journal.open[i].value == i);
        }
        assert_null(jl_journal_entry_of(&journal, "gpu/GPU-2"));
        assert_null(jl_journal_entry_of(&journal, "zz"));
        jl_buffer_clear(&text);
    }
    jl_arena_clear(&arena);
}

static void more_keys_than_any_host_has_are_refused(void **state)
{
    (void)state;
    struct jl_arena arena = { 0 };
    struct jl_buffer text = { 0 };
    struct jl_journal journal = { .skipped = 77 };
    size_t last = 0;
    for (size_t i = 0; i <= JL_LIMIT_JOURNAL_KEYS; i++) {
        char key[64];
        snprintf(key, sizeof key, "cpufreq/policy%zu/max", JL_LIMIT_JOURNAL_KEYS - i);
        last = text.len;
        jl_journal_v1_put(&text,
                          &(struct jl_journal_record){ .op = JL_JOURNAL_BASELINE, .key = key });
    }
    assert_int_equal(jl_journal_v1_read(&arena, text.data, text.len, &journal), JOULIE_E_LIMIT);
    assert_int_equal(journal.skipped, 77); /* untouched */
    assert_int_equal(jl_journal_v1_read(&arena, text.data, last, &journal), 0);
    assert_int_equal(journal.open_count, JL_LIMIT_JOURNAL_KEYS);
    jl_buffer_clear(&text);
    jl_arena_clear(&arena);
}

static void a_small_arena_is_a_limit_and_not_a_wrong_answer(void **state)
{
    (void)state;
    struct story_lines lines;
    struct jl_journal journal = { .skipped = 77 };
    write_story(&lines);
    int rc = JOULIE_E_LIMIT;
    size_t failures = 0;
    for (size_t limit = 16; rc < 0; limit += 16, failures += rc < 0) {
        struct jl_arena arena = { .limit = limit };
        rc = jl_journal_v1_read(&arena, lines.text.data, lines.text.len, &journal);
        assert_true(rc == 0 || (rc == JOULIE_E_LIMIT && journal.skipped == 77));
        if (rc == 0) {
            const struct model model = expect(&lines, lines.text.data, lines.text.len);
            assert_as_model(&journal, &model);
        }
        jl_arena_clear(&arena);
    }
    assert_true(failures > 10);
    jl_buffer_clear(&lines.text);
}

/* ---- the question ---- */

static char *ask_journal(const char *document, struct joulie_error *err)
{
    char *answer = NULL;
    *err = (struct joulie_error){ .struct_size = sizeof *err };
    (void)joulie_ask("journal", document, strlen(document), NULL, &answer, err);
    return answer;
}

static void numbers_beyond_a_double_go_through_the_question_unchanged(void **state)
{
    (void)state;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *line = ask_journal("{\"record\":{\"op\":\"write\",\"key\":\"k\","
                             "\"value\":18446744073709551615,\"baseline\":9007199254740993,"
                             "\"at\":\"2026-03-13T12:00:00Z\"}}",
                             &err);
    assert_non_null(line);
    assert_non_null(strstr(line, "18446744073709551615"));
    assert_non_null(strstr(line, "9007199254740993"));
    memcpy(line + 2, "text", 4); /* the answer {"line":…} becomes the input {"text":…} */
    char *open = ask_journal(line, &err);
    assert_string_equal(open,
                        "{\"open\":[{\"key\":\"k\",\"value\":9007199254740993}],\"skipped\":0}");
    joulie_free(open);
    joulie_free(line);
}

static void a_record_is_refused_at_the_member_that_is_wrong(void **state)
{
    static const struct {
        const char *members;
        const char *code;
        const char *where;
    } cases[] = {
        { "\"op\":\"baseline\"", "required", "record.value" },
        { "\"op\":\"write\",\"value\":1", "required", "record.baseline" },
        { "\"op\":\"write\",\"baseline\":1", "required", "record.value" },
        { "\"op\":\"baseline\",\"value\":null", "required", "record.value" },
        { "\"op\":\"baseline\",\"value\":-1", "range", "record.value" },
        { "\"op\":\"baseline\",\"value\":18446744073709551616", "range", "record.value" },
        { "\"op\":\"baseline\",\"value\":1e20", "range", "record.value" },
        { "\"op\":\"baseline\",\"value\":1.5", "type", "record.value" },
        { "\"op\":\"baseline\",\"value\":\"1\"", "type", "record.value" },
        { "\"op\":\"baseline\",\"value\":[1]", "type", "record.value" },
        { "\"op\":\"forget\"", "enum", "record.op" },
        { "\"op\":\"baseline\",\"value\":1,\"unit\":\"W\"", "enum", "record.unit" },
    };

    (void)state;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char document[256];
        snprintf(document, sizeof document,
                 "{\"record\":{\"key\":\"k\",\"at\":\"2026-03-13T12:00:00Z\",%s}}",
                 cases[i].members);
        assert_null(ask_journal(document, &err));
        assert_string_equal(joulie_code_word(err.code), cases[i].code);
        assert_string_equal(err.where, cases[i].where);
    }
    assert_null(ask_journal("{}", &err));
    assert_int_equal(err.code, JOULIE_E_REQUIRED);
}

static void whole_numbers_may_be_written_with_a_fraction_or_an_exponent(void **state)
{
    static const char *const values[] = { "205000000", "205000000.0", "205e6", "2.05E+8" };
    (void)state;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char document[256];
        snprintf(document, sizeof document,
                 "{\"record\":{\"op\":\"baseline\",\"key\":\"k\",\"value\":%s,"
                 "\"at\":\"2026-03-13T12:00:00Z\"}}",
                 values[i]);
        char *answer = ask_journal(document, &err);
        assert_non_null(answer);
        assert_non_null(strstr(answer, "\\\"value\\\":205000000,"));
        joulie_free(answer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cut_of_a_journal_gives_what_its_whole_lines_say),
        cmocka_unit_test(every_flipped_bit_costs_its_line_and_nothing_else),
        cmocka_unit_test(a_tail_that_comes_twice_reopens_rounds_with_their_baselines),
        cmocka_unit_test(junk_before_between_and_behind_lines_is_counted),
        cmocka_unit_test(lines_lost_at_random_leave_what_the_others_say),
        cmocka_unit_test(a_record_that_is_no_record_is_skipped),
        cmocka_unit_test(nesting_without_end_is_a_bad_line),
        cmocka_unit_test(a_checksum_is_eight_lower_case_digits_and_a_blank),
        cmocka_unit_test(units_follow_the_key_where_no_baseline_has_them),
        cmocka_unit_test(keys_come_in_restore_order_whatever_the_order_of_the_lines),
        cmocka_unit_test(more_keys_than_any_host_has_are_refused),
        cmocka_unit_test(a_small_arena_is_a_limit_and_not_a_wrong_answer),
        cmocka_unit_test(numbers_beyond_a_double_go_through_the_question_unchanged),
        cmocka_unit_test(a_record_is_refused_at_the_member_that_is_wrong),
        cmocka_unit_test(whole_numbers_may_be_written_with_a_fraction_or_an_exponent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
