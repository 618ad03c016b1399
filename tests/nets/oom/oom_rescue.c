/* SPDX-License-Identifier: Apache-2.0 */

/* What joulie-rescue calls: a control is found by its key, a journal of version 1 and one of
 * version 2 are given back. A call that failed changed no limit and no journal. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <joulie/error.h>

#include "caps/journal_v1.h"
#include "enforce/give_back.h"
#include "oom/life.h"

#define KEY "rapl/package-0/long_term"
#define ZONE "sys/devices/virtual/powercap/intel-rapl/intel-rapl:0"
#define LIMIT ZONE "/constraint_0_power_limit_uw"
#define STATE "state"
#define FOUND 205000000
#define CAP "120000000\n"

static struct jl_root root;

/* ---- the machine ---- */

static void make_folders(const char *path)
{
    char part[256];
    for (size_t i = 0; path[i] != '\0'; i++) {
        part[i] = '\0';
        if (path[i] == '/')
            (void)mkdirat(root.fd, part, 0700);
        part[i] = path[i];
        part[i + 1] = '\0';
    }
    (void)mkdirat(root.fd, part, 0700);
}

static void put_file(const char *path, const char *text)
{
    const int fd = openat(root.fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
        abort();
    close(fd);
}

static void make_machine(void)
{
    make_folders(ZONE);
    make_folders(STATE);
    put_file(ZONE "/name", "package-0\n");
    put_file(ZONE "/enabled", "1\n");
    put_file(ZONE "/constraint_0_name", "long_term\n");
    put_file(ZONE "/constraint_0_max_power_uw", "205000000\n");
    put_file(LIMIT, CAP);
    (void)unlinkat(root.fd, STATE "/caps-0", 0);
    (void)unlinkat(root.fd, STATE "/writer.lock", 0);
}

static void remove_machine(void)
{
    static const char *const files[] = {
        ZONE "/name", ZONE "/enabled", ZONE "/constraint_0_name", ZONE "/constraint_0_max_power_uw",
        LIMIT,        STATE "/caps-0", STATE "/writer.lock",
    };
    char path[] = ZONE;
    for (size_t i = 0; i < JL_COUNT(files); i++)
        (void)unlinkat(root.fd, files[i], 0);
    for (char *end = path + strlen(path); end != NULL; end = strrchr(path, '/')) {
        *end = '\0';
        (void)unlinkat(root.fd, path, AT_REMOVEDIR);
    }
    (void)unlinkat(root.fd, STATE, AT_REMOVEDIR);
}

/* ---- giving back ---- */

struct giving {
    struct jl_arena control;
    struct jl_control_file file;
    int code; /* of the last search */
    size_t back;
};

static struct jl_control_file *find(void *user, const char *key)
{
    struct giving *giving = user;
    jl_control_file_close(&root, &giving->file);
    jl_arena_reset(&giving->control);
    giving->code = jl_control_file_find(&root, key, &giving->control, &giving->file);
    if (giving->code < 0)
        return NULL;
    (void)jl_control_file_read(&root, &giving->file, true);
    return &giving->file;
}

static void tell(void *user, const struct jl_gift *gift)
{
    struct giving *giving = user;
    giving->back += gift->is_back;
}

/* Until everything is back; each attempt that fails does so for want of memory. */
static void give(struct oom_life *life, struct jl_journal_file *journal,
                 const struct jl_journal *open)
{
    struct giving giving = { .file = jl_control_file_new(JL_CONTROL_LONG) };
    struct jl_arena memory = { 0 };
    const struct jl_give_back how = {
        .root = &root,
        .journal = journal,
        .memory = &memory,
        .user = &giving,
        .find = find,
        .tell = tell,
    };
    size_t left = 0;
    do {
        jl_arena_reset(&memory);
        left = jl_give_back(&how, journal != NULL ? jl_journal_now(journal) : open, 0, NULL);
    } while (oom_again(life, left > 0 ? JOULIE_E_NOMEM : 0));
    life->is_wrong |= giving.back == 0 || giving.code != 0;
    jl_control_file_close(&root, &giving.file);
    jl_arena_clear(&giving.control);
    jl_arena_clear(&memory);
}

static void note_limit(struct oom_life *life)
{
    char text[32] = "";
    const int fd = openat(root.fd, LIMIT, O_RDONLY | O_CLOEXEC);
    life->is_wrong |= fd < 0 || read(fd, text, sizeof text - 1) <= 0;
    oom_note(life, text);
    if (fd >= 0)
        close(fd);
}

static const struct jl_journal_record records[] = {
    { .op = JL_JOURNAL_BASELINE, .key = KEY, .value = FOUND, .owner = "local:\"a\"" },
    { .op = JL_JOURNAL_WRITE, .key = KEY, .value = 120000000, .baseline = FOUND },
};

static void give_back_v1(struct oom_life *life)
{
    struct jl_arena arena = { 0 };
    struct jl_buffer text = { 0 };
    struct jl_journal journal = { 0 };
    do {
        jl_buffer_clear(&text);
        jl_journal_v1_put(&text, &records[0]);
        jl_journal_v1_put(&text, &records[1]);
    } while (oom_again(life, jl_buffer_code(&text)));
    while (oom_again(life, jl_journal_v1_read(&arena, text.data, text.len, &journal)))
        life->is_wrong |= journal.open_count != 0;
    if (!life->is_wrong)
        give(life, NULL, &journal);
    note_limit(life);
    jl_buffer_clear(&text);
    jl_arena_clear(&arena);
}

static void give_back_v2(struct oom_life *life)
{
    int folder = -1;
    struct jl_journal_file *file = NULL;
    while ((folder = jl_root_folder(&root, STATE)) == -1)
        ;
    const struct jl_journal_setup setup = {
        .os = root.os, .folder_fd = folder, .boot_id = "0", .is_writer = true, .uid = jl_os_uid()
    };
    while (oom_again(life, jl_journal_open(&setup, &file, NULL)))
        ;
    while (!life->is_wrong && oom_again(life, jl_journal_append(file, records, 2, true, NULL)))
        ;
    if (!life->is_wrong)
        give(life, file, NULL);
    life->is_wrong |= file == NULL || jl_journal_now(file)->open_count != 0;
    note_limit(life);
    jl_journal_close(file);
    close(folder);
}

static void live_once(struct oom_life *life)
{
    make_machine();
    give_back_v1(life);
    put_file(LIMIT, CAP);
    give_back_v2(life);
}

int main(void)
{
    char path[] = "/tmp/joulie-oom-XXXXXX";
    if (mkdtemp(path) == NULL || jl_root_open(jl_os_linux(NULL), path, &root, NULL) < 0)
        return 1;
    const int status = oom_lives("a rescue's", live_once);
    remove_machine();
    jl_root_close(&root);
    (void)rmdir(path);
    return status;
}
