/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The cap journal as text (docs/rules/enforcement.md#journal). What must come out of damaged texts
 * is stated by a model of the rules that compares whole lines and parses nothing. Version 1 is in
 * test_journal_v1.c.
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
#include "caps/journal.h"
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

/* A write says in a line of its own what it goes back to. */
static void take_line(struct model *model, enum jl_journal_op op, size_t key, uint64_t value)
{
    struct round *round = &model->rounds[key];
    if (op == JL_JOURNAL_RESTORED) {
        *round = (struct round){ 0 };
        return;
    }
    if (op == JL_JOURNAL_WRITE && !round->is_open) {
        model->skipped++;
        return;
    }
    if (!round->is_open)
        *round = (struct round){ .is_open = true, .value = value };
    if (op == JL_JOURNAL_BASELINE)
        return;
    if (round->has_written && round->written != value) {
        round->has_earlier = true;
        round->earlier = round->written;
    }
    round->has_written = true;
    round->written = value;
}

#define LINES_MAX (2 * STORY_LINES)

struct story_line {
    size_t start;
    size_t end; /* its LF included */
    enum jl_journal_op op;
    size_t key;
    uint64_t value;
};

struct story_lines { /* the records of story as text, behind the head */
    struct jl_buffer text;
    struct story_line lines[LINES_MAX];
    size_t count;
};

static void note_line(struct story_lines *lines, size_t *start, enum jl_journal_op op,
                      const struct step *step)
{
    const char *end = strchr(lines->text.data + *start, '\n');
    const bool repeats = op == JL_JOURNAL_BASELINE && step->op == JL_JOURNAL_WRITE;
    struct story_line *line = &lines->lines[lines->count++];
    assert_non_null(end);
    *line = (struct story_line){ .start = *start,
                                 .end = (size_t)(end - lines->text.data) + 1,
                                 .op = op,
                                 .key = step->key,
                                 .value = repeats ? step->baseline : step->value };
    *start = line->end;
}

static void write_story(struct story_lines *lines)
{
    *lines = (struct story_lines){ 0 };
    jl_journal_put_head(&lines->text);
    size_t start = lines->text.len;
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
        jl_journal_put(&lines->text, &record);
        if (story[i].op == JL_JOURNAL_WRITE)
            note_line(lines, &start, JL_JOURNAL_BASELINE, &story[i]);
        note_line(lines, &start, story[i].op, &story[i]);
        assert_int_equal(start, lines->text.len);
    }
    assert_int_equal(jl_buffer_code(&lines->text), 0);
}

/* The line of the story that these bytes are, LF included, or NULL. */
static const struct story_line *line_at(const struct story_lines *lines, const char *text,
                                        size_t len)
{
    for (size_t i = 0; i < lines->count; i++) {
        const struct story_line *line = &lines->lines[i];
        if (line->end - line->start == len &&
            memcmp(lines->text.data + line->start, text, len) == 0)
            return line;
    }
    return NULL;
}

static bool is_head(const char *text, size_t len)
{
    return len == strlen("joulie-journal 2\n") && memcmp(text, "joulie-journal 2\n", len) == 0;
}

static struct model expect(const struct story_lines *lines, const char *text, size_t len)
{
    struct model model = { 0 };
    for (size_t start = 0; start < len;) {
        const char *end = memchr(text + start, '\n', len - start);
        const size_t line_len = end != NULL ? (size_t)(end - text) + 1 - start : len - start;
        const struct story_line *line = line_at(lines, text + start, line_len);
        if (line != NULL)
            take_line(&model, line->op, line->key, line->value);
        else if (start > 0 || !is_head(text, line_len))
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
    assert_int_equal(jl_journal_read(arena, text, len, &journal, NULL), 0);
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

static void every_flipped_bit_costs_its_line_or_names_another_version(void **state)
{
    (void)state;
    struct story_lines lines;
    struct jl_arena arena = { 0 };
    struct jl_journal refused;
    char *text = NULL;
    write_story(&lines);
    text = test_malloc(lines.text.len);
    memcpy(text, lines.text.data, lines.text.len);
    for (size_t bit = 0; bit < lines.text.len * 8; bit++) {
        const char flip = (char)(1u << bit % 8);
        text[bit / 8] = (char)(text[bit / 8] ^ flip);
        if (bit / 8 == strlen("joulie-journal ") && text[bit / 8] >= '0' && text[bit / 8] <= '9')
            assert_int_equal(jl_journal_read(&arena, text, lines.text.len, &refused, NULL),
                             JOULIE_E_UNSUPPORTED);
        else
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
    for (size_t line = 0; line < lines.count; line++) {
        const size_t start = lines.lines[line].start;
        struct jl_buffer text = { 0 };
        jl_put(&text, lines.text.data, lines.text.len);
        jl_put(&text, lines.text.data + start, lines.text.len - start);
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
    for (size_t line = 0; line < lines.count; line++) {
        const struct story_line *at = &lines.lines[line];
        for (size_t i = 0; i < ((size_t)1 << 20) / STORY_LINES; i++)
            jl_put_char(&text, (char)jl_random_next(&random));
        jl_put_char(&text, '\n');
        jl_put(&text, lines.text.data + at->start, at->end - at->start);
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
        for (size_t line = 0; line < lines.count; line++) {
            const struct story_line *at = &lines.lines[line];
            if (jl_random_next(&random) % 3 != 0)
                jl_put(&text, lines.text.data + at->start, at->end - at->start);
        }
        check(&arena, &lines, text.data, text.len);
        jl_buffer_clear(&text);
    }
    jl_arena_clear(&arena);
    jl_buffer_clear(&lines.text);
}

/* ---- single lines ---- */

/* A journal of one line with a good checksum around the words. */
static void put_sealed(struct jl_buffer *out, const char *words)
{
    char crc[9];
    snprintf(crc, sizeof crc, "%08x", (unsigned)jl_crc32(words, strlen(words)));
    jl_put_string(out, crc);
    jl_put_char(out, ' ');
    jl_put_string(out, words);
    jl_put_char(out, '\n');
}

static int read_words(struct jl_arena *arena, const char *words, struct jl_journal *out,
                      struct joulie_error *err)
{
    struct jl_buffer text = { 0 };
    jl_put_string(&text, "joulie-journal 2\n");
    put_sealed(&text, words);
    const int rc = jl_journal_read(arena, text.data, text.len, out, err);
    jl_buffer_clear(&text);
    return rc;
}

#define AT "1773403200"

static void a_record_with_a_good_checksum_that_is_not_understood_is_of_a_newer_version(void **state)
{
    static const struct {
        const char *words;
        const char *what;
    } bad[] = {
        { "forget k 1 uW 1 api " AT, "op" },
        { "Baseline k 1 uW 1 api " AT, "op" },
        { "- k 1 uW 1 api " AT, "op" },
        { "baseline - 1 uW 1 api " AT, "key" },
        { "baseline a%00b 1 uW 1 api " AT, "key" },
        { "baseline a%2 1 uW 1 api " AT, "key" },
        { "baseline a%2g 1 uW 1 api " AT, "key" },
        { "baseline a% 1 uW 1 api " AT, "key" },
        { "baseline a%FF 1 uW 1 api " AT, "key" },
        { "baseline k - uW 1 api " AT, "value" },
        { "write k - - - - " AT, "value" },
        { "baseline k 18446744073709551616 uW 1 api " AT, "value" },
        { "baseline k -1 uW 1 api " AT, "value" },
        { "baseline k 1.0 uW 1 api " AT, "value" },
        { "baseline k 1e3 uW 1 api " AT, "value" },
        { "restored k x - - - " AT, "value" },
        /* a unit that is not known makes the number worthless */
        { "baseline k 1 W 1 api " AT, "unit" },
        { "baseline k 1 uw 1 api " AT, "unit" },
        { "baseline k 1 uW true api " AT, "enabled" },
        { "baseline k 1 uW 2 api " AT, "enabled" },
        { "baseline k 1 uW 1 %zz " AT, "owner" },
        { "baseline k 1 uW 1 api noon", "time" },
        { "baseline k 1 uW 1 api -", "time" },
        { "baseline k 1 uW 1 api 2026-03-13T12:00:00Z", "time" },
        { "baseline k 1 uW 1 api -1", "time" },
        { "baseline k 1 uW 1 api 253402300800", "time" }, /* the year 10000 */
        { "baseline k 1 uW 1 api", "form" },
        { "baseline k 1 uW 1 api " AT " more", "form" },
        { "baseline k 1 uW 1 api " AT " ", "form" },
        { "baseline  k 1 uW 1 api " AT, "form" },
        { " baseline k 1 uW 1 api " AT, "form" },
        { "{\"op\":\"baseline\"}", "form" },
        { "baseline", "form" },
    };

    (void)state;
    struct jl_arena arena = { 0 };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct jl_journal journal = { .skipped = 77 };
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        char message[64];
        snprintf(message, sizeof message, "line 2: this version does not know its %s", bad[i].what);
        if (read_words(&arena, bad[i].words, &journal, &err) != JOULIE_E_UNSUPPORTED)
            fail_msg("taken: %s", bad[i].words);
        assert_string_equal(err.message, message);
        assert_int_equal(err.line, 2);
        assert_int_equal(journal.skipped, 77); /* untouched */
    }
    jl_arena_clear(&arena);
}

static void a_journal_of_another_version_is_refused_whatever_it_holds(void **state)
{
    static const struct {
        const char *text;
        int rc;
    } cases[] = {
        { "joulie-journal 3\n", JOULIE_E_UNSUPPORTED },
        { "joulie-journal 1\n", JOULIE_E_UNSUPPORTED },
        { "joulie-journal 22\n", JOULIE_E_UNSUPPORTED },
        { "joulie-journal 2\n", 0 },
        { "joulie-journal 3", 0 }, /* torn: nothing was promised yet */
        { "joulie-journal 2", 0 },
        { "joulie-journal 2 \n", 0 }, /* a damaged line */
        { "joulie-journal \n", 0 },
        { "\njoulie-journal 3\n", 0 }, /* only in the first line */
        { "", 0 },
    };

    (void)state;
    struct jl_arena arena = { 0 };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct jl_journal journal;
        const int rc =
            jl_journal_read(&arena, cases[i].text, strlen(cases[i].text), &journal, NULL);
        if (rc != cases[i].rc)
            fail_msg("%s: %d", cases[i].text, rc);
        if (rc == 0)
            assert_int_equal(journal.has_head, strcmp(cases[i].text, "joulie-journal 2\n") == 0);
    }
    jl_arena_clear(&arena);
}

static void a_checksum_is_eight_lower_case_digits_and_a_blank(void **state)
{
    static const char *const bad[] = {
        "42A20866", "42a20866\t", "042a20866", "42a2086", "0x42a20866", " 42a20866", "42a20866  ",
    };
    /* zlib.crc32(words) in Python */
    static const char words[] = "baseline rapl/package-0/long_term 205000000 uW 1 api " AT "\n";
    (void)state;
    struct jl_arena arena = { 0 };
    struct jl_buffer text = { 0 };
    struct jl_journal journal;
    jl_put_string(&text, "joulie-journal 2\n42a20866 ");
    jl_put_string(&text, words);
    assert_int_equal(jl_journal_read(&arena, text.data, text.len, &journal, NULL), 0);
    assert_int_equal(journal.open_count, 1);
    assert_true(journal.open[0].has_enabled && journal.open[0].enabled);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        jl_buffer_reset(&text);
        jl_put_string(&text, "joulie-journal 2\n");
        jl_put_string(&text, bad[i]);
        jl_put_char(&text, ' ');
        jl_put_string(&text, words);
        assert_int_equal(jl_journal_read(&arena, text.data, text.len, &journal, NULL), 0);
        if (journal.open_count != 0 || journal.skipped != 1)
            fail_msg("taken: %s", bad[i]);
    }
    jl_buffer_clear(&text);
    jl_arena_clear(&arena);
}

static void words_that_are_not_plain_come_back_as_they_were(void **state)
{
    static const char *const texts[] = { "-",  "%",      "a b", "a\nb", "\x01\x7f",
                                         "--", "\u00b5", "%41", "a-b",  "local:\u65e5\u672c" };
    (void)state;
    struct jl_arena arena = { 0 };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct jl_buffer text = { 0 };
        struct jl_journal journal;
        const struct jl_journal_record record = {
            .op = JL_JOURNAL_BASELINE, .key = texts[i], .owner = texts[i], .value = 7
        };
        jl_journal_put_head(&text);
        jl_journal_put(&text, &record);
        for (size_t k = 0; k < text.len; k++)
            assert_true(text.data[k] == '\n' || (text.data[k] >= ' ' && text.data[k] < 0x7f));
        assert_int_equal(jl_journal_read(&arena, text.data, text.len, &journal, NULL), 0);
        assert_string_equal(journal.open[0].key, texts[i]);
        assert_string_equal(journal.open[0].owner, texts[i]);
        jl_buffer_clear(&text);
    }
    jl_arena_clear(&arena);
}

static void a_write_whose_baselines_are_lost_opens_nothing_and_is_counted(void **state)
{
    (void)state;
    struct jl_arena arena = { 0 };
    struct jl_journal journal;
    assert_int_equal(read_words(&arena, "write k 5 - - - " AT, &journal, NULL), 0);
    assert_int_equal(journal.open_count, 0);
    assert_int_equal(journal.skipped, 1);
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
        jl_journal_put(&text, &record);
        assert_int_equal(jl_journal_read(&arena, text.data, text.len, &journal, NULL), 0);
        assert_true(journal.open[0].value == 9);
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
            jl_journal_put(&text, &record);
        }
        assert_int_equal(jl_journal_read(&arena, text.data, text.len, &journal, NULL), 0);
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

static void a_journal_of_what_is_open_says_the_same(void **state)
{
    (void)state;
    struct story_lines lines;
    struct jl_arena arena = { 0 };
    struct jl_journal journal;
    struct jl_journal again;
    struct jl_buffer text = { 0 };
    write_story(&lines);
    assert_int_equal(jl_journal_read(&arena, lines.text.data, lines.text.len, &journal, NULL), 0);
    jl_journal_put_open(&text, &journal);
    assert_true(text.len < lines.text.len);
    assert_int_equal(jl_journal_read(&arena, text.data, text.len, &again, NULL), 0);
    const struct model model = expect(&lines, lines.text.data, lines.text.len);
    assert_as_model(&again, &model);
    for (size_t i = 0; i < journal.open_count; i++) {
        assert_string_equal(again.open[i].owner, "local:a \"b\"");
        assert_true(again.open[i].since_ms == journal.open[i].since_ms);
        assert_int_equal(again.open[i].unit, journal.open[i].unit);
    }
    jl_buffer_clear(&text);
    jl_arena_clear(&arena);
    jl_buffer_clear(&lines.text);
}

static void a_write_alone_says_all_that_its_baseline_said(void **state)
{
    (void)state;
    struct jl_arena arena = { 0 };
    struct jl_journal journal;
    struct jl_buffer text = { 0 };
    const struct jl_journal_record record = { .op = JL_JOURNAL_WRITE,
                                              .key = "other",
                                              .value = 7,
                                              .baseline = 9,
                                              .unit = JL_UNIT_MW,
                                              .has_enabled = true,
                                              .owner = "api",
                                              .at_ms = NOON_MS };
    jl_journal_put(&text, &record);
    assert_int_equal(jl_journal_read(&arena, text.data, text.len, &journal, NULL), 0);
    assert_int_equal(journal.skipped, 0);
    assert_int_equal(journal.open_count, 1);
    assert_true(journal.open[0].value == 9 && journal.open[0].written == 7);
    assert_true(journal.open[0].has_enabled && !journal.open[0].enabled);
    assert_int_equal(journal.open[0].unit, JL_UNIT_MW);
    assert_string_equal(journal.open[0].owner, "api");
    jl_buffer_clear(&text);
    jl_arena_clear(&arena);
}

static void a_text_read_in_two_pieces_is_the_text_read_at_once(void **state)
{
    (void)state;
    struct story_lines lines;
    struct jl_arena arena = { 0 };
    struct jl_arena other = { 0 };
    write_story(&lines);
    for (size_t line = 0; line < lines.count; line++) {
        const size_t cut = lines.lines[line].start;
        const struct model model = expect(&lines, lines.text.data, lines.text.len);
        struct jl_journal first;
        struct jl_journal copy;
        assert_int_equal(jl_journal_read(&arena, lines.text.data, cut, &first, NULL), 0);
        assert_int_equal(jl_journal_copy(&other, &first, &copy), 0);
        jl_arena_reset(&arena); /* the copy stands alone */
        assert_int_equal(
            jl_journal_read_on(&other, lines.text.data + cut, lines.text.len - cut, &copy, NULL),
            0);
        assert_as_model(&copy, &model);
        jl_arena_reset(&other);
    }
    jl_arena_clear(&other);
    jl_arena_clear(&arena);
    jl_buffer_clear(&lines.text);
}

static void of_two_journals_the_newer_entry_of_a_key_comes_first(void **state)
{
    (void)state;
    struct jl_arena arena = { 0 };
    struct jl_journal newer;
    struct jl_journal older;
    struct jl_journal gpu;
    assert_int_equal(read_words(&arena, "baseline rapl/a/b 20 - - - " AT, &newer, NULL), 0);
    assert_int_equal(read_words(&arena, "baseline rapl/a/b 10 - - - " AT, &older, NULL), 0);
    assert_int_equal(read_words(&arena, "baseline gpu/a 30 - - - " AT, &gpu, NULL), 0);
    assert_int_equal(jl_journal_join(&arena, &older, &newer), 0);
    assert_int_equal(jl_journal_join(&arena, &gpu, &newer), 0);
    assert_int_equal(newer.open_count, 3);
    assert_string_equal(newer.open[0].key, "gpu/a");
    assert_true(newer.open[1].value == 20 && newer.open[2].value == 10);
    assert_true(jl_journal_entry_of(&newer, "rapl/a/b")->value == 20);
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
        jl_journal_put(&text, &(struct jl_journal_record){ .op = JL_JOURNAL_BASELINE, .key = key });
    }
    assert_int_equal(jl_journal_read(&arena, text.data, text.len, &journal, NULL), JOULIE_E_LIMIT);
    assert_int_equal(journal.skipped, 77); /* untouched */
    assert_int_equal(jl_journal_read(&arena, text.data, last, &journal, NULL), 0);
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
        rc = jl_journal_read(&arena, lines.text.data, lines.text.len, &journal, NULL);
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
                             "\"at\":\"2026-03-13T12:00:00Z\"},\"version\":2}",
                             &err);
    assert_non_null(line);
    assert_non_null(strstr(line, "18446744073709551615"));
    assert_non_null(strstr(line, "9007199254740993"));
    memcpy(line + 2, "text", 4); /* the answer {"line":…} becomes the input {"text":…} */
    line[strlen(line) - 1] = '\0';
    char document[1024];
    snprintf(document, sizeof document, "%s,\"version\":2}", line);
    char *open = ask_journal(document, &err);
    assert_string_equal(open,
                        "{\"open\":[{\"key\":\"k\",\"value\":9007199254740993}],\"skipped\":0}");
    joulie_free(open);
    joulie_free(line);
}

static void a_text_is_read_by_its_first_line(void **state)
{
    (void)state;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    assert_null(ask_journal("{\"text\":\"joulie-journal 3\\n\"}", &err));
    assert_int_equal(err.code, JOULIE_E_UNSUPPORTED);
    assert_string_equal(err.where, "text");
    char *as_v1 = ask_journal("{\"text\":\"joulie-journal 3\\n\",\"version\":1}", &err);
    assert_string_equal(as_v1, "{\"open\":[],\"skipped\":1}");
    joulie_free(as_v1);
    assert_null(ask_journal("{\"text\":\"\",\"version\":3}", &err));
    assert_int_equal(err.code, JOULIE_E_RANGE);
}

/* ---- the checksum ---- */

static void the_checksum_is_that_of_zlib(void **state)
{
    (void)state;
    unsigned char bytes[256];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    assert_true(jl_crc32("", 0) == 0);
    assert_true(jl_crc32("123456789", 9) == 0xcbf43926); /* its "check" value */
    assert_true(jl_crc32("a", 1) == 0xe8b7be43);
    assert_true(jl_crc32(bytes, sizeof bytes) == 0x29058c73); /* zlib.crc32(bytes(range(256))) */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cut_of_a_journal_gives_what_its_whole_lines_say),
        cmocka_unit_test(every_flipped_bit_costs_its_line_or_names_another_version),
        cmocka_unit_test(a_tail_that_comes_twice_reopens_rounds_with_their_baselines),
        cmocka_unit_test(junk_before_between_and_behind_lines_is_counted),
        cmocka_unit_test(lines_lost_at_random_leave_what_the_others_say),
        cmocka_unit_test(
            a_record_with_a_good_checksum_that_is_not_understood_is_of_a_newer_version),
        cmocka_unit_test(a_journal_of_another_version_is_refused_whatever_it_holds),
        cmocka_unit_test(a_checksum_is_eight_lower_case_digits_and_a_blank),
        cmocka_unit_test(words_that_are_not_plain_come_back_as_they_were),
        cmocka_unit_test(a_write_whose_baselines_are_lost_opens_nothing_and_is_counted),
        cmocka_unit_test(units_follow_the_key_where_no_baseline_has_them),
        cmocka_unit_test(keys_come_in_restore_order_whatever_the_order_of_the_lines),
        cmocka_unit_test(a_journal_of_what_is_open_says_the_same),
        cmocka_unit_test(a_write_alone_says_all_that_its_baseline_said),
        cmocka_unit_test(a_text_read_in_two_pieces_is_the_text_read_at_once),
        cmocka_unit_test(of_two_journals_the_newer_entry_of_a_key_comes_first),
        cmocka_unit_test(more_keys_than_any_host_has_are_refused),
        cmocka_unit_test(a_small_arena_is_a_limit_and_not_a_wrong_answer),
        cmocka_unit_test(numbers_beyond_a_double_go_through_the_question_unchanged),
        cmocka_unit_test(a_text_is_read_by_its_first_line),
        cmocka_unit_test(the_checksum_is_that_of_zlib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
