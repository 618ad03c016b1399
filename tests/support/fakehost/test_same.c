/* SPDX-License-Identifier: Apache-2.0 */

#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */

/* Ordinary files of the fake kernel answer as those of the real one: random calls on both. */

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "fakehost/hosts.h"

enum { SLOTS = 6, CALLS = 4000, RUNS = 8 };

struct side {
    struct jl_os os;
    int root;
    int fds[SLOTS]; /* -1 = closed */
};

struct pair {
    struct side real;
    struct side fake;
    struct jl_random random;
    char last[64]; /* call, for messages */
};

/* No slash at the end: each call has its own opinion of that, and nobody asks. */
static const char *const names[] = {
    "a",      "b",       "d",   "d/a",    "d/e", "d/e/f", "link",
    "link/a", "nowhere", "a/x", "d/../b", ".",   "",      "far/away",
};

static const char *pick(struct pair *pair)
{
    const size_t count = sizeof names / sizeof names[0];
    return names[(size_t)jl_random_int(&pair->random, 0, (int64_t)count - 1)];
}

static void agree(const struct pair *pair, int64_t real, int64_t fake)
{
    if (real != fake)
        fail_msg("%s: Linux answers %lld, the fake kernel %lld", pair->last, (long long)real,
                 (long long)fake);
}

static void open_both(struct pair *pair, size_t slot)
{
    static const unsigned choices[] = {
        JL_OS_READ,
        JL_OS_WRITE,
        JL_OS_WRITE_ONLY,
        JL_OS_FOLDER_FD,
        JL_OS_WRITE | JL_OS_CREATE,
        JL_OS_WRITE | JL_OS_CREATE | JL_OS_APPEND,
        JL_OS_WRITE | JL_OS_CREATE | JL_OS_EXCLUSIVE,
        JL_OS_WRITE_ONLY | JL_OS_APPEND,
    };
    const char *name = pick(pair);
    const unsigned flags = choices[(size_t)jl_random_int(&pair->random, 0, 7)];
    struct side *sides[] = { &pair->real, &pair->fake };
    int fds[2];
    snprintf(pair->last, sizeof pair->last, "open(%s, %u)", name, flags);
    for (size_t i = 0; i < 2; i++) {
        struct side *side = sides[i];
        if (side->fds[slot] >= 0)
            side->os.close(side->os.user, side->fds[slot]);
        fds[i] = side->os.open(side->os.user, side->root, name, flags);
        side->fds[slot] = fds[i];
    }
    agree(pair, fds[0] < 0 ? fds[0] : 0, fds[1] < 0 ? fds[1] : 0);
}

static void read_both(struct pair *pair, size_t slot)
{
    char texts[2][32] = { { 0 } };
    const uint64_t offset = (uint64_t)jl_random_int(&pair->random, 0, 12);
    const struct side *sides[] = { &pair->real, &pair->fake };
    int64_t got[2];
    snprintf(pair->last, sizeof pair->last, "pread(%zu)", slot);
    for (size_t i = 0; i < 2; i++)
        got[i] = sides[i]->os.pread(sides[i]->os.user, sides[i]->fds[slot], texts[i],
                                    sizeof texts[i], offset);
    agree(pair, got[0], got[1]);
    assert_memory_equal(texts[0], texts[1], sizeof texts[0]);
}

static int64_t call_fd(const struct side *side, size_t slot, int64_t what, uint64_t number)
{
    const int fd = side->fds[slot];
    struct jl_os_file file;
    void *user = side->os.user;
    switch (what) {
    case 0:
        return side->os.pwrite(user, fd, "pwrite", 6, number);
    case 1:
        return side->os.append(user, fd, "append", 6);
    case 2:
        return side->os.truncate(user, fd, number);
    case 3:
        return side->os.sync(user, fd);
    case 4:
        return side->os.lock(user, fd);
    default:
        if (side->os.fstat(user, fd, &file) < 0)
            return -1;
        return file.kind == JL_OS_FILE ? (int64_t)file.size_bytes : 1000 + (int64_t)file.kind;
    }
}

static int64_t call_name(const struct side *side, int64_t what, const char *a, const char *b)
{
    struct jl_os_file file;
    void *user = side->os.user;
    int rc;
    switch (what) {
    case 0:
        return side->os.rename(user, side->root, a, side->root, b);
    case 1:
        return side->os.unlink(user, side->root, a);
    case 2:
        return side->os.mkdir(user, side->root, a);
    default:
        rc = side->os.stat(user, side->root, a, &file);
        if (rc < 0)
            return rc;
        return file.kind == JL_OS_FILE ? (int64_t)(file.size_bytes << 12 | file.mode)
                                       : -1000 - (int64_t)file.kind;
    }
}

/* "." and ".." as last names are the kernel's own affair (EBUSY, EINVAL or ENOTEMPTY by call). */
static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0;
}

static void step(struct pair *pair)
{
    const size_t slot = (size_t)jl_random_int(&pair->random, 0, SLOTS - 1);
    const int64_t what = jl_random_int(&pair->random, 0, 5);
    const uint64_t number = (uint64_t)jl_random_int(&pair->random, 0, 20);
    const int64_t kind = jl_random_int(&pair->random, 0, 3);
    if (kind == 0) {
        open_both(pair, slot);
    } else if (kind == 1) {
        read_both(pair, slot);
    } else if (kind == 2) {
        snprintf(pair->last, sizeof pair->last, "call %d on %zu", (int)what, slot);
        agree(pair, call_fd(&pair->real, slot, what, number),
              call_fd(&pair->fake, slot, what, number));
    } else {
        const char *a = pick(pair);
        const char *b = pick(pair);
        if (what < 3 && (is_dots(a) || (what == 0 && is_dots(b))))
            return;
        snprintf(pair->last, sizeof pair->last, "call %d with %s, %s", (int)what, a, b);
        agree(pair, call_name(&pair->real, what, a, b), call_name(&pair->fake, what, a, b));
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of a folder, sorted, in one text. */
static void list(const struct side *side, const char *folder, char *out, size_t size)
{
    static char names_read[JL_OS_LIST_BYTES];
    char *found[64];
    size_t count = 0;
    const int fd = side->os.open(side->os.user, side->root, folder, JL_OS_FOLDER_FD);
    const int64_t got =
        fd < 0 ? 0 : side->os.list(side->os.user, fd, names_read, sizeof names_read);
    for (char *name = names_read; name < names_read + got; name += strlen(name) + 1)
        found[count++] = name;
    qsort(found, count, sizeof found[0], by_text);
    out[0] = '\0';
    for (size_t i = 0; i < count; i++)
        snprintf(out + strlen(out), size - strlen(out), "%s ", found[i]);
    if (fd >= 0)
        side->os.close(side->os.user, fd);
}

static void same_names(const struct pair *pair)
{
    static const char *const folders[] = { ".", "d", "d/e" };
    char real[1024];
    char fake[1024];
    for (size_t i = 0; i < 3; i++) {
        list(&pair->real, folders[i], real, sizeof real);
        list(&pair->fake, folders[i], fake, sizeof fake);
        assert_string_equal(real, fake);
    }
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

/* The same start on both: a link to a folder and a link to nowhere. */
static void open_pair(struct pair *pair, const char *folder, struct fk **fk)
{
    char path[512];
    const struct jl_os os = jl_os_linux(NULL);
    snprintf(path, sizeof path, "%s/tree", folder);
    const int parent = jl_os_open_folder(folder);
    assert_int_equal(os.mkdir(NULL, parent, "tree"), 0);
    assert_int_equal(os.close(NULL, parent), 0);
    for (int i = 0; i < 2; i++) { /* the fake kernel reads the same tree before anything happens */
        snprintf(path, sizeof path, "%s/tree%s", folder, i == 0 ? "/sys" : "/w");
        const int fd = jl_os_open_folder(folder);
        assert_int_equal(os.mkdir(NULL, fd, path + strlen(folder) + 1), 0);
        assert_int_equal(os.close(NULL, fd), 0);
    }
    snprintf(path, sizeof path, "%s/tree/w/link", folder);
    assert_int_equal(symlink("d", path), 0);
    snprintf(path, sizeof path, "%s/tree/w/nowhere", folder);
    assert_int_equal(symlink("not/there", path), 0);
    char why[256];
    snprintf(path, sizeof path, "%s/tree", folder);
    *fk = fk_load(path, why, sizeof why);
    assert_non_null(*fk);
    snprintf(path, sizeof path, "%s/tree/w", folder);
    pair->real = (struct side){ .os = os, .root = jl_os_open_folder(path) };
    pair->fake = (struct side){ .os = fk_os(*fk), .root = fk_open_folder(*fk, "w") };
    memset(pair->real.fds, 0xff, sizeof pair->real.fds);
    memset(pair->fake.fds, 0xff, sizeof pair->fake.fds);
}

static void random_calls_answer_as_linux_does(void **state)
{
    (void)state;
    for (uint64_t run = 0; run < RUNS; run++) {
        char folder[] = "/tmp/joulie-fakehost-XXXXXX";
        struct fk *fk;
        struct pair pair = { .random = { run } };
        assert_non_null(mkdtemp(folder));
        open_pair(&pair, folder, &fk);
        for (int i = 0; i < CALLS; i++)
            step(&pair);
        same_names(&pair);
        for (size_t i = 0; i < SLOTS; i++) {
            if (pair.real.fds[i] >= 0)
                pair.real.os.close(NULL, pair.real.fds[i]);
        }
        pair.real.os.close(NULL, pair.real.root);
        fk_free(fk);
        assert_int_equal(nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_calls_answer_as_linux_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
