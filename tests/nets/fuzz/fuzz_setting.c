/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create */

/* Options of a daemon: lines of its file, then behind a NUL the words of its command line. A value
 * that is accepted is in its range; a refusal says why. */

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "fuzz/fuzz.h"
#include "runtime/options.h"

#define MOST_WORDS 16

struct values {
    const char *text;
    const char *word;
    int64_t interval_ms;
    int64_t count;
    double share;
    double percent;
    bool is_on;
};

static const char *const words[] = { "one", "two", NULL };

#define ROW(row_name, row_default) \
    .name = (row_name), .places = JD_ANYWHERE, .by_default = (row_default), .doc = "a value"

static const struct jd_setting settings[] = {
    { ROW("NODE_NAME", NULL), JD_TEXT_AT(values, text) },
    { ROW("CONTROLLER", "one"), JD_WORD_AT(values, word, words) },
    { ROW("CONTROL_INTERVAL", "1s"), JD_DURATION_AT(values, interval_ms), .least = "1s",
      .most = "1h" },
    { ROW("NODE_COUNT", "1"), JD_INTEGER_AT(values, count), .least = "1" },
    { ROW("BASE_SHARE", "0.5"), JD_DOUBLE_AT(values, share), .least = "0", .most = "1" },
    { ROW("CAP_PCT", "60"), JD_PERCENT_AT(values, percent) },
    { ROW("IS_ON", "false"), JD_BOOLEAN_AT(values, is_on) },
};

static const struct jd_daemon daemon_ = {
    .name = "joulie-fuzz",
    .summary = "is fuzzed",
    .synopsis = "[OPTIONS]",
    .text = "Text.",
    .settings = settings,
    .setting_count = JL_COUNT(settings),
};

static void check_values(const struct values *values)
{
    FUZZ_REQUIRE(values->interval_ms >= 1000 && values->interval_ms <= 3600000);
    FUZZ_REQUIRE(values->count >= 1 && (values->word == words[0] || values->word == words[1]));
    FUZZ_REQUIRE(values->share >= 0 && values->share <= 1);
    FUZZ_REQUIRE(values->percent >= 0 && values->percent <= 100);
}

static void read_all(const char *path, char **given, size_t count)
{
    char *environment[] = { NULL };
    struct jd_options options = { 0 };
    struct values values = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const struct jd_sources sources = {
        .words = given, .word_count = count, .environment = environment, .file = path
    };
    const int rc = jd_options_read(&daemon_, &sources, &options, &values, &err);
    if (rc == 0 && options.asked == JD_ASKED_NOTHING)
        check_values(&values);
    if (rc != 0)
        FUZZ_REQUIRE(rc == err.code && rc != JOULIE_E_INTERNAL && err.message[0]);
    jd_options_clear(&options);
}

/* Cuts at NULs and returns how many words there are. */
static size_t cut(char *text, size_t len, char **out)
{
    size_t count = 0;
    for (size_t at = 0; at < len && count < MOST_WORDS; at += strlen(text + at) + 1) {
        if (strncmp(text + at, "--config", 8) != 0) /* it would name another file */
            out[count++] = text + at;
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    char *given[MOST_WORDS];
    const uint8_t *end = size > 0 ? memchr(data, 0, size) : NULL;
    const size_t file_size = end ? (size_t)(end - data) : size;
    char *rest = calloc(1, size - file_size + 1);
    FUZZ_REQUIRE(rest != NULL);
    if (end)
        memcpy(rest, end + 1, size - file_size - 1);
    const size_t count = end ? cut(rest, size - file_size - 1, given) : 0;
    const int fd = memfd_create("options", MFD_CLOEXEC);
    FUZZ_REQUIRE(fd >= 0 && write(fd, data, file_size) == (ssize_t)file_size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    read_all(path, given, count);
    close(fd);
    free(rest);
    return 0;
}
