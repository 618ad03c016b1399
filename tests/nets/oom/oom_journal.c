/* SPDX-License-Identifier: Apache-2.0 */

/* The life of a journal: two boots that write, and a reader. A call that failed changed nothing. */

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <joulie/error.h>

#include "enforce/journal_file.h"
#include "oom/life.h"

#define NOON_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define TEXT_BYTES 4096

static const char *const names[] = {
    "caps-0", "caps-1", "old/caps-0", "old/caps-1", "writer.lock",
};

static int folder_fd;

static void empty_folder(void)
{
    for (size_t i = 0; i < JL_COUNT(names); i++)
        (void)unlinkat(folder_fd, names[i], 0);
}

static void append(struct oom_life *life, struct jl_journal_file *file, const char *key)
{
    const struct jl_journal_record records[] = {
        { .op = JL_JOURNAL_BASELINE, .key = key, .value = 205, .owner = "api", .at_ms = NOON_MS },
        { .op = JL_JOURNAL_WRITE, .key = key, .value = 120, .baseline = 205, .at_ms = NOON_MS },
    };
    const size_t before = jl_journal_now(file)->open_count;
    while (oom_again(life, jl_journal_append(file, records, JL_COUNT(records), true, NULL)))
        life->is_wrong |= jl_journal_now(file)->open_count != before;
    life->is_wrong |= jl_journal_now(file)->open_count != before + 1;
}

static void restore_all(struct oom_life *life, struct jl_journal_file *file)
{
    while (!life->is_wrong && jl_journal_now(file)->open_count > 0) {
        const struct jl_journal_record record = { .op = JL_JOURNAL_RESTORED,
                                                  .key = jl_journal_now(file)->open[0].key,
                                                  .at_ms = NOON_MS };
        while (oom_again(life, jl_journal_append(file, &record, 1, false, NULL)))
            ;
    }
    while (oom_again(life, jl_journal_compact(file, NULL)))
        ;
}

static void live_boot(struct oom_life *life, const char *boot_id)
{
    const struct jl_journal_setup setup = { .os = jl_os_linux(NULL),
                                            .folder_fd = folder_fd,
                                            .boot_id = boot_id,
                                            .is_writer = true,
                                            .uid = jl_os_uid() };
    struct jl_journal_file *file = NULL;
    while (oom_again(life, jl_journal_open(&setup, &file, NULL)))
        ;
    if (life->is_wrong)
        return;
    append(life, file, "rapl/package-0/long_term");
    restore_all(life, file);
    while (oom_again(life, jl_journal_put_others_away(file, NULL)))
        ;
    append(life, file, "rapl/package-0/long_term");
    append(life, file, "gpu/GPU-\"1\"");
    jl_journal_close(file);
}

static void note_file(struct oom_life *life, const char *name)
{
    char text[TEXT_BYTES] = "";
    const int fd = openat(folder_fd, name, O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    life->is_wrong |= got <= 0;
    oom_note(life, text);
    if (fd >= 0)
        close(fd);
}

static void read_again(struct oom_life *life)
{
    const size_t start = life->used;
    struct jl_arena arena = { 0 };
    struct jl_journal journal = { .skipped = 77 };
    struct jl_journal copy = { 0 };
    note_file(life, "caps-1");
    const size_t len = life->used - 1 - start; /* without the end of the answer's line */
    while (oom_again(life, jl_journal_read(&arena, life->answers + start, len, &journal, NULL)))
        life->is_wrong |= journal.skipped != 77;
    while (oom_again(life, jl_journal_copy(&arena, &journal, &copy)))
        life->is_wrong |= copy.open_count != 0;
    life->is_wrong |= copy.open_count != 2 || copy.skipped != 0;
    jl_arena_clear(&arena);
}

static void live_once(struct oom_life *life)
{
    empty_folder();
    live_boot(life, "0");
    live_boot(life, "1");
    if (!life->is_wrong)
        read_again(life);
}

int main(void)
{
    char path[] = "/tmp/joulie-oom-XXXXXX";
    folder_fd = mkdtemp(path) != NULL ? jl_os_open_folder(path) : -1;
    if (folder_fd < 0)
        return 1;
    const int status = oom_lives("a journal's", live_once);
    empty_folder();
    (void)unlinkat(folder_fd, "old", AT_REMOVEDIR);
    (void)rmdir(path);
    close(folder_fd);
    return status;
}
