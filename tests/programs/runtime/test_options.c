/* SPDX-License-Identifier: Apache-2.0 */
/* Options of daemons: docs/rules/programs.md#options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/options.h"
#include "support/test.h"

struct values {
    const char *folder;
    const char *mode;
    int64_t interval_ms;
    int64_t count;
    double margin_w;
    double floor_pct;
    bool restores;
    bool once;
};

static const char *const modes[] = { "proportional", "legacy", NULL };

static const struct jd_setting settings[] = {
    { .name = "STATE_DIR",
      JD_TEXT_AT(values, folder),
      .places = JD_ANYWHERE,
      .value = "DIR",
      .doc = "a folder" },
    { .name = "CONTROLLER",
      JD_WORD_AT(values, mode, modes),
      .places = JD_ANYWHERE,
      .by_default = "proportional",
      .doc = "a word" },
    { .name = "CONTROL_INTERVAL",
      JD_DURATION_AT(values, interval_ms),
      .places = JD_ANYWHERE,
      .by_default = "1s",
      .least = "1s",
      .most = "1h",
      .doc = "a duration" },
    { .name = "TRIP_COUNT",
      JD_INTEGER_AT(values, count),
      .places = JD_ANYWHERE,
      .by_default = "2",
      .least = "1",
      .doc = "a whole number" },
    { .name = "MARGIN_W",
      JD_DOUBLE_AT(values, margin_w),
      .places = JD_ANYWHERE,
      .by_default = "10",
      .doc = "watts" },
    { .name = "FLOOR_PCT",
      JD_PERCENT_AT(values, floor_pct),
      .places = JD_ANYWHERE,
      .by_default = "30",
      .doc = "a percentage" },
    { .name = "RESTORE_ON_EXIT",
      JD_BOOLEAN_AT(values, restores),
      .places = JD_ANYWHERE,
      .by_default = "true",
      .doc = "a truth" },
    { .name = "ONCE", JD_BOOLEAN_AT(values, once), .places = JD_FLAG_ONLY, .doc = "only a flag" },
    { .name = "KUBE_CLIENT_QPS", .type = JD_LATER, .places = JD_ANYWHERE },
    { .name = "TLS_FILE", .type = JD_REFUSED, .places = JD_ANYWHERE, .doc = "TLS is not served" },
};

static const struct jd_daemon daemon_ = {
    .name = "joulie-test",
    .summary = "is tested",
    .synopsis = "[OPTIONS]",
    .text = "First line.\n.second line",
    .settings = settings,
    .setting_count = JL_COUNT(settings),
};

struct run {
    struct jd_options options;
    struct values values;
    struct joulie_error err;
    int rc;
};

#define NONE   \
    (char *[]) \
    {          \
        NULL   \
    }
#define LIST(...)         \
    (char *[])            \
    {                     \
        __VA_ARGS__, NULL \
    }

static void read_from(struct run *run, char **words, char **environment, const char *file)
{
    struct jd_sources sources = { .words = words, .environment = environment, .file = file };
    while (words[sources.word_count])
        sources.word_count++;
    *run = (struct run){ .err = JOULIE_INIT(struct joulie_error) };
    run->rc = jd_options_read(&daemon_, &sources, &run->options, &run->values, &run->err);
}

static void assert_refused(char **words, char **environment, const char *file, const char *message)
{
    struct run run;
    read_from(&run, words, environment, file);
    assert_true(run.rc < 0);
    assert_string_equal(run.err.message, message);
    jd_options_clear(&run.options);
}

/* A file that is removed again. */
static char path[] = "/tmp/joulie-options-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    const int fd = mkstemp(path);
    return fd >= 0 ? close(fd) : -1;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static const char *file_with(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    return path;
}

static void without_a_word_the_defaults_are_in_force(void **state)
{
    struct run run;
    (void)state;
    read_from(&run, NONE, NONE, NULL);
    assert_int_equal(run.rc, 0);
    assert_null(run.values.folder);
    assert_string_equal(run.values.mode, "proportional");
    assert_int_equal(run.values.interval_ms, 1000);
    assert_int_equal(run.values.count, 2);
    assert_near(run.values.margin_w, 10, 0);
    assert_near(run.values.floor_pct, 30, 0);
    assert_true(run.values.restores);
    assert_false(run.values.once);
    jd_options_clear(&run.options);
}

static void every_type_is_read_from_the_command_line(void **state)
{
    struct run run;
    (void)state;
    read_from(&run,
              LIST("--state-dir", "/a b", "--controller=LEGACY", "--control-interval", "1m30s",
                   "--trip-count=7", "--margin-w", "0.5", "--floor-pct=12.5",
                   "--restore-on-exit=no", "--once"),
              NONE, NULL);
    assert_int_equal(run.rc, 0);
    assert_string_equal(run.values.folder, "/a b");
    assert_string_equal(run.values.mode, "legacy");
    assert_int_equal(run.values.interval_ms, 90000);
    assert_int_equal(run.values.count, 7);
    assert_near(run.values.margin_w, 0.5, 0);
    assert_near(run.values.floor_pct, 12.5, 0);
    assert_false(run.values.restores);
    assert_true(run.values.once);
    jd_options_clear(&run.options);
}

static void the_command_line_wins_over_the_environment_and_that_over_the_file(void **state)
{
    struct run run;
    (void)state;
    const char *file = file_with("TRIP_COUNT=3\nMARGIN_W=3\nFLOOR_PCT=3\n");
    read_from(&run, LIST("--floor-pct", "5"), LIST("MARGIN_W=4", "FLOOR_PCT=4"), file);
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.values.count, 3);
    assert_near(run.values.margin_w, 4, 0);
    assert_near(run.values.floor_pct, 5, 0);
    assert_int_equal(jd_source_of(&run.options, "CONTROL_INTERVAL"), JD_BY_DEFAULT);
    assert_int_equal(jd_source_of(&run.options, "TRIP_COUNT"), JD_FILE);
    assert_int_equal(jd_source_of(&run.options, "MARGIN_W"), JD_ENVIRONMENT);
    assert_int_equal(jd_source_of(&run.options, "FLOOR_PCT"), JD_COMMAND_LINE);
    jd_options_clear(&run.options);
}

static void the_last_of_two_equal_flags_counts(void **state)
{
    struct run run;
    (void)state;
    read_from(&run, LIST("--trip-count=3", "--trip-count", "4"), NONE, NULL);
    assert_int_equal(run.values.count, 4);
    jd_options_clear(&run.options);
}

static void a_bad_value_is_reported_with_its_place(void **state)
{
    (void)state;
    assert_refused(NONE, LIST("CONTROL_INTERVAL=1x"), NULL,
                   "CONTROL_INTERVAL: \"1x\" is not a duration such as 20s or 1m30s");
    assert_refused(LIST("--control-interval", "1"), NONE, NULL,
                   "--control-interval: \"1\" is not a duration such as 20s or 1m30s");
    assert_refused(LIST("--control-interval=1.0001s"), NONE, NULL,
                   "--control-interval: \"1.0001s\" is finer than a millisecond");
    assert_refused(NONE, LIST("CONTROL_INTERVAL=999ms"), NULL,
                   "CONTROL_INTERVAL: 999ms is below 1s");
    assert_refused(NONE, LIST("CONTROL_INTERVAL=61m"), NULL, "CONTROL_INTERVAL: 61m is above 1h");
    assert_refused(NONE, LIST("TRIP_COUNT=2.5"), NULL, "TRIP_COUNT: \"2.5\" is not a whole number");
    assert_refused(NONE, LIST("TRIP_COUNT=0"), NULL, "TRIP_COUNT: 0 is below 1");
    assert_refused(NONE, LIST("MARGIN_W=ten"), NULL, "MARGIN_W: \"ten\" is not a number");
    assert_refused(NONE, LIST("MARGIN_W=nan"), NULL, "MARGIN_W: \"nan\" is not a number");
    assert_refused(NONE, LIST("MARGIN_W=0,5"), NULL, "MARGIN_W: \"0,5\" is not a number");
    assert_refused(NONE, LIST("FLOOR_PCT=100.5"), NULL, "FLOOR_PCT: 100.5 is above 100");
    assert_refused(NONE, LIST("FLOOR_PCT=-1"), NULL, "FLOOR_PCT: -1 is below 0");
    assert_refused(NONE, LIST("RESTORE_ON_EXIT=maybe"), NULL,
                   "RESTORE_ON_EXIT: \"maybe\" is neither true nor false");
    assert_refused(NONE, LIST("CONTROLLER=pid"), NULL,
                   "CONTROLLER: \"pid\" is none of proportional, legacy");
    assert_refused(NONE, LIST("CONTROLLER=\x1b[2J"), NULL,
                   "CONTROLLER: \"\\u001b[2J\" is none of proportional, legacy");
    assert_refused(NONE, LIST("STATE_DIR=\xff"), NULL, "STATE_DIR: not UTF-8");
}

static void a_bad_value_is_refused_also_where_a_better_source_wins(void **state)
{
    (void)state;
    assert_refused(LIST("--trip-count=3"), LIST("TRIP_COUNT=x"), NULL,
                   "TRIP_COUNT: \"x\" is not a whole number");
}

static void a_flag_that_is_not_there_is_reported_with_a_hint(void **state)
{
    (void)state;
    assert_refused(LIST("--trip-cuont=3"), NONE, NULL,
                   "--trip-cuont: there is no such option; did you mean --trip-count?");
    assert_refused(LIST("--nothing"), NONE, NULL, "--nothing: there is no such option");
    assert_refused(LIST("--"), NONE, NULL, "--: there is no such option");
    assert_refused(LIST("file"), NONE, NULL, "file: there is no such argument");
    assert_refused(LIST("-x"), NONE, NULL, "-x: there is no such argument");
    assert_refused(LIST("--TRIP_COUNT=3"), NONE, NULL, "--TRIP_COUNT: there is no such option");
    assert_refused(LIST("--state-dir"), NONE, NULL, "--state-dir: needs a value: DIR");
    assert_refused(LIST("--state-dir="), NONE, NULL, "--state-dir: needs a value: DIR");
    assert_refused(LIST("--kube-client-qps=3"), NONE, NULL,
                   "--kube-client-qps: there is no such option");
}

static void names_of_others_in_the_environment_are_left_alone(void **state)
{
    struct run run;
    (void)state;
    read_from(&run, NONE, LIST("TRIP_COUNTS=x", "CONTROL_=1", "ONCE=maybe", "TRIP_COUNT=  "), NULL);
    assert_int_equal(run.rc, 0);
    assert_false(run.values.once);
    assert_int_equal(run.values.count, 2);
    jd_options_clear(&run.options);
}

static void a_file_has_comments_blanks_and_quotes(void **state)
{
    struct run run;
    (void)state;
    read_from(&run, NONE, NONE,
              file_with("# a comment\n; another\n\n  TRIP_COUNT = 5 \r\nSTATE_DIR=\"/a = b\"\n"
                        "CONTROLLER='legacy'\nMARGIN_W="));
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.values.count, 5);
    assert_string_equal(run.values.folder, "/a = b");
    assert_string_equal(run.values.mode, "legacy");
    assert_near(run.values.margin_w, 10, 0);
    jd_options_clear(&run.options);
}

static void assert_file_refused(const char *text, const char *message)
{
    char expected[256];
    snprintf(expected, sizeof expected, "%s:%s", path, message);
    assert_refused(NONE, NONE, file_with(text), expected);
}

static void a_bad_line_of_a_file_is_reported_with_its_number(void **state)
{
    (void)state;
    assert_file_refused("\nTRIP_COUNT=x\n", "2: TRIP_COUNT: \"x\" is not a whole number");
    assert_file_refused("TRIP_CUONT=3", "1: TRIP_CUONT: there is no such option");
    assert_file_refused("TRIP_COUNT 3", "1: TRIP_COUNT 3: is not NAME=value");
    assert_file_refused("ONCE=true", "1: ONCE: only on the command line");
}

/* What systemd would read as another value, or as the begin of a longer one. */
static void a_value_that_two_readers_could_read_differently_is_refused(void **state)
{
    static const char *const texts[] = { "STATE_DIR=\"/a",       "STATE_DIR='/a",
                                         "STATE_DIR=\"/a\" x",   "STATE_DIR=\"",
                                         "STATE_DIR=/a\\\nb=c",  "STATE_DIR=\"/a\\n\"",
                                         "STATE_DIR=\"/a\"\"b\"" };
    struct run run;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_file_refused(texts[i], "1: STATE_DIR: a quote or backslash that is not plain");
    read_from(&run, NONE, NONE, file_with("STATE_DIR='/a\\b'"));
    assert_int_equal(run.rc, 0);
    assert_string_equal(run.values.folder, "/a\\b");
    jd_options_clear(&run.options);
}

static void only_a_file_that_somebody_named_has_to_be_there(void **state)
{
    struct run run;
    (void)state;
    read_from(&run, NONE, NONE, "/nowhere/joulie-test.conf");
    assert_int_equal(run.rc, 0);
    jd_options_clear(&run.options);
    read_from(&run, LIST("--config", "/nowhere/x"), NONE, NULL);
    assert_int_equal(run.rc, JOULIE_E_IO);
    jd_options_clear(&run.options);
    read_from(&run, LIST("--config=/dev/null"), NONE, NULL);
    assert_string_equal(run.err.message, "/dev/null: is not a regular file");
    jd_options_clear(&run.options);
    file_with("TRIP_COUNT=9");
    read_from(&run, LIST("--config", path), NONE, "/nowhere/joulie-test.conf");
    assert_int_equal(run.values.count, 9);
    jd_options_clear(&run.options);
}

static void put_name(void *user, const struct jd_setting *setting)
{
    jl_put_string(user, setting->name);
    jl_put_char(user, ';');
}

static void what_has_no_effect_yet_is_reported_when_it_is_set(void **state)
{
    struct run run;
    struct jl_buffer names = { 0 };
    (void)state;
    read_from(&run, NONE, LIST("KUBE_CLIENT_QPS=50"), NULL);
    jd_options_each_later(&run.options, put_name, &names);
    assert_string_equal(names.data, "KUBE_CLIENT_QPS;");
    jl_buffer_clear(&names);
    jd_options_clear(&run.options);
}

static void what_is_in_force_is_reported_with_where_it_came_from(void **state)
{
    struct run run;
    struct jl_buffer text = { 0 };
    (void)state;
    read_from(&run, LIST("--state-dir", "/a b"), LIST("TRIP_COUNT=3", "KUBE_CLIENT_QPS=50"),
              file_with("MARGIN_W=3"));
    jd_options_put(&run.options, &text);
    assert_string_equal(text.data, "STATE_DIR=\"/a b\" (command line), CONTROLLER=proportional, "
                                   "CONTROL_INTERVAL=1s, TRIP_COUNT=3 (environment), "
                                   "MARGIN_W=3 (file), FLOOR_PCT=30, RESTORE_ON_EXIT=true");
    jl_buffer_clear(&text);
    jd_options_clear(&run.options);
}

static void what_is_refused_stops_the_start_and_is_not_offered(void **state)
{
    struct jl_buffer help = { 0 };
    (void)state;
    assert_refused(LIST("--tls-file", "x"), NONE, NULL, "--tls-file: TLS is not served");
    assert_refused(NONE, LIST("TLS_FILE=x"), NULL, "TLS_FILE: TLS is not served");
    jd_put_help(&help, &daemon_);
    assert_null(strstr(help.data, "tls-file"));
    jl_buffer_clear(&help);
}

static const struct jd_setting model_settings[] = {
    { .name = "POLICY",
      JD_MODEL_SETTING(JD_WORD, "policy.mode"),
      .words = modes,
      .places = JD_ANYWHERE },
    { .name = "STALE",
      JD_DURATION_AT(values, interval_ms),
      .path = "twinStalenessS",
      .places = JD_ANYWHERE,
      .by_default = "1m30s" },
    { .name = "KEYS", JD_MODEL_SETTING(JD_LIST, "policy.keys"), .places = JD_ANYWHERE },
    { .name = "CAPS", JD_MODEL_SETTING(JD_JSON, "policy.caps"), .places = JD_ANYWHERE },
    { .name = "FRAC", JD_MODEL_SETTING(JD_DOUBLE, "policy.frac"), .places = JD_ANYWHERE },
    { .name = "WRITE", JD_MODEL_SETTING(JD_BOOLEAN, "write"), .places = JD_ANYWHERE },
    { .name = "OFF",
      JD_MODEL_SETTING(JD_BOOLEAN, "powerOff.enabled"),
      .places = JD_ANYWHERE,
      .by_default = "false" },
    { .name = "SPARE", JD_MODEL_SETTING(JD_DOUBLE, "racks.spare"), .places = JD_ANYWHERE },
};

/* As the operator has them. */
static const struct jd_setting default_settings[] = {
    { .name = "STALE",
      JD_DURATION_AT(values, interval_ms),
      .path = "twinStalenessS",
      .doc = "a row" },
    { .name = "TYPE",
      JD_MODEL_SETTING(JD_WORD, "policy.type"),
      .vocabulary = JOULIE_VOCABULARY_POLICY,
      .doc = "a row" },
    { .name = "DWELL", JD_MODEL_SETTING(JD_DURATION, "policy.minProfileDwellS"), .doc = "a row" },
    { .name = "MAX_AGE", JD_MODEL_SETTING(JD_DURATION, "twinMaxAgeS"), .doc = "a row" },
    { .name = "FRAC", JD_MODEL_SETTING(JD_DOUBLE, "policy.staticHpFrac"), .doc = "a row" },
    { .name = "WRITE",
      JD_MODEL_SETTING(JD_BOOLEAN, "policy.cpuWriteAbsoluteCaps"),
      .doc = "a row" },
    { .name = "CAPS", JD_MODEL_SETTING(JD_JSON, "policy.gpuModelCaps"), .doc = "a row" },
    { .name = "IDLE", JD_MODEL_SETTING(JD_DURATION, "powerOff.idleS"), .doc = "a row" },
    { .name = "KEYS", JD_MODEL_SETTING(JD_LIST, "policy.gpuProductLabelKeys"), .doc = "a row" },
    { .name = "SUPPLY", JD_MODEL_SETTING(JD_DOUBLE, "clusterCapacityW"), .doc = "a row" },
    { .name = "OWN",
      JD_MODEL_SETTING(JD_DOUBLE, "statusDeadbandPct"),
      .by_default = "3",
      .doc = "a row" },
};

static const struct jd_daemon default_daemon = {
    .name = "joulie-test",
    .summary = "tests",
    .synopsis = "",
    .text = "",
    .settings = default_settings,
    .setting_count = JL_COUNT(default_settings),
};

static void a_row_with_a_path_has_the_default_of_the_model(void **state)
{
    struct jd_options options = { 0 };
    struct values values = { 0 };
    struct jl_buffer text = { 0 };
    struct jl_buffer help = { 0 };
    const struct jd_sources sources = { .words = NULL };
    (void)state;
    assert_int_equal(jd_options_read(&default_daemon, &sources, &options, &values, NULL), 0);
    assert_int_equal(values.interval_ms, 300000);
    jd_options_put(&options, &text);
    assert_string_equal(text.data, "STALE=5m, TYPE=static_partition, DWELL=2m, MAX_AGE=1h, "
                                   "FRAC=0.5, WRITE=false, CAPS={}, IDLE=30m, "
                                   "OWN=3");
    jd_put_help(&help, &default_daemon);
    assert_non_null(strstr(help.data, "default 5m"));
    assert_non_null(strstr(help.data, "default 0.5"));
    jl_buffer_clear(&help);
    jl_buffer_clear(&text);
    jd_options_clear(&options);
}

static const struct jd_daemon model_daemon = {
    .name = "joulie-test",
    .settings = model_settings,
    .setting_count = JL_COUNT(model_settings),
};

static void rows_with_a_path_are_the_settings_of_a_model(void **state)
{
    struct jd_options options = { 0 };
    struct values values = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_buffer text = { 0 };
    char *environment[] = { "POLICY=LEGACY", "KEYS=a, b,,", "CAPS={\"x\":1}", "WRITE=yes", NULL };
    const struct jd_sources sources = { .environment = environment };
    (void)state;
    assert_int_equal(jd_options_read(&model_daemon, &sources, &options, &values, &err), 0);
    assert_int_equal(values.interval_ms, 90000);
    jd_options_put_settings(&options, &text);
    assert_string_equal(text.data, "{\"policy\":{\"mode\":\"legacy\",\"keys\":[\"a\",\"b\"],"
                                   "\"caps\":{\"x\":1}},\"powerOff\":{\"enabled\":false},"
                                   "\"twinStalenessS\":90,\"write\":true}");
    jl_buffer_reset(&text);
    jd_options_force(&options, "OFF", "true"); /* the program itself says so */
    jd_options_force(&options, "NOTHING", "true");
    jd_options_put_settings(&options, &text);
    assert_non_null(strstr(text.data, "\"powerOff\":{\"enabled\":true}"));
    assert_int_equal(jd_source_of(&options, "OFF"), JD_COMMAND_LINE);
    jl_buffer_clear(&text);

    snprintf(err.where, sizeof err.where, "policy.caps.x.minCapWatts");
    snprintf(err.message, sizeof err.message, "is no number");
    jd_options_blame_path(&options, JOULIE_E_TYPE, &err);
    assert_string_equal(err.where, "CAPS");
    assert_string_equal(err.message, "x.minCapWatts: is no number");
    jd_options_clear(&options);
}

static void asking_for_help_needs_no_other_good_option(void **state)
{
    struct run run;
    (void)state;
    read_from(&run, LIST("--help", "--nothing"), LIST("TRIP_COUNT=x"), NULL);
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.options.asked, JD_ASKED_HELP);
    jd_options_clear(&run.options);
    read_from(&run, LIST("--version"), NONE, NULL);
    assert_int_equal(run.options.asked, JD_ASKED_VERSION);
    jd_options_clear(&run.options);
}

static void help_and_manual_page_name_every_row(void **state)
{
    struct jl_buffer help = { 0 };
    struct jl_buffer man = { 0 };
    (void)state;
    jd_put_help(&help, &daemon_);
    jd_put_man(&man, &daemon_);
    assert_non_null(strstr(
        help.data,
        "  --control-interval DURATION\n                              a duration (default 1s; from "
        "1s to 1h)\n"));
    assert_non_null(strstr(help.data, "  --once                      "
                                      "only a flag (only on the "
                                      "command line)\n"));
    assert_null(strstr(help.data, "kube"));
    assert_non_null(strstr(man.data, "\\fB\\-\\-trip\\-count\\fR \\fINUMBER\\fR\na whole number "
                                     "(default 2; at least 1).\n"));
    assert_non_null(strstr(man.data, "First line.\n\\&.second line\n"));
    assert_non_null(strstr(man.data, "\\fBKUBE_CLIENT_QPS\\fR.\n"));
    jl_buffer_clear(&help);
    jl_buffer_clear(&man);
}

static void words_and_flags_are_offered_to_the_shell(void **state)
{
    struct jl_buffer text = { 0 };
    (void)state;
    jd_put_candidates(&text, &daemon_, LIST("--controller", ""), 2);
    assert_string_equal(text.data, "proportional\t\nlegacy\t\n:4\n");
    jl_buffer_reset(&text);
    jd_put_candidates(&text, &daemon_, LIST("--state-dir", ""), 2);
    assert_string_equal(text.data, ":0\n");
    jl_buffer_reset(&text);
    jd_put_candidates(&text, &daemon_, LIST("--once", "--"), 2);
    assert_non_null(strstr(text.data, "--trip-count\ta whole number\n"));
    jl_buffer_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_word_the_defaults_are_in_force),
        cmocka_unit_test(every_type_is_read_from_the_command_line),
        cmocka_unit_test(the_command_line_wins_over_the_environment_and_that_over_the_file),
        cmocka_unit_test(the_last_of_two_equal_flags_counts),
        cmocka_unit_test(a_bad_value_is_reported_with_its_place),
        cmocka_unit_test(a_bad_value_is_refused_also_where_a_better_source_wins),
        cmocka_unit_test(a_flag_that_is_not_there_is_reported_with_a_hint),
        cmocka_unit_test(names_of_others_in_the_environment_are_left_alone),
        cmocka_unit_test(a_file_has_comments_blanks_and_quotes),
        cmocka_unit_test(a_bad_line_of_a_file_is_reported_with_its_number),
        cmocka_unit_test(a_value_that_two_readers_could_read_differently_is_refused),
        cmocka_unit_test(only_a_file_that_somebody_named_has_to_be_there),
        cmocka_unit_test(what_has_no_effect_yet_is_reported_when_it_is_set),
        cmocka_unit_test(what_is_in_force_is_reported_with_where_it_came_from),
        cmocka_unit_test(what_is_refused_stops_the_start_and_is_not_offered),
        cmocka_unit_test(rows_with_a_path_are_the_settings_of_a_model),
        cmocka_unit_test(a_row_with_a_path_has_the_default_of_the_model),
        cmocka_unit_test(asking_for_help_needs_no_other_good_option),
        cmocka_unit_test(help_and_manual_page_name_every_row),
        cmocka_unit_test(words_and_flags_are_offered_to_the_shell),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
