/* SPDX-License-Identifier: Apache-2.0 */

/* The table of system calls: each is one call, counted, and says what went wrong. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "host/tree.h"

static int set_up(void **state)
{
    static struct tree tree;
    tree_new(&tree);
    *state = &tree;
    return 0;
}

static int tear_down(void **state)
{
    tree_free(*state);
    return 0;
}

static void every_call_is_counted_once(void **state)
{
    struct tree *tree = *state;
    const struct jl_os *os = &tree->root.os;
    char names[JL_OS_LIST_BYTES];
    char text[8];
    struct jl_os_file file;
    uint64_t calls = tree->counts.calls;
    const int fd = os->open(os->user, tree->root.fd, "f", JL_OS_WRITE | JL_OS_CREATE);
    assert_true(fd >= 0);
    assert_int_equal(tree->counts.calls, ++calls);
    assert_int_equal(os->pwrite(os->user, fd, "abcd", 4, 0), 4);
    assert_int_equal(tree->counts.calls, ++calls);
    assert_int_equal(os->pread(os->user, fd, text, sizeof text, 1), 3);
    assert_int_equal(tree->counts.calls, ++calls);
    assert_int_equal(os->truncate(os->user, fd, 2), 0);
    assert_int_equal(tree->counts.calls, ++calls);
    assert_int_equal(os->sync(os->user, fd), 0);
    assert_int_equal(tree->counts.calls, ++calls);
    assert_int_equal(os->lock(os->user, fd), 0);
    assert_int_equal(tree->counts.calls, ++calls);
    assert_int_equal(os->fstat(os->user, fd, &file), 0);
    assert_int_equal(tree->counts.calls, ++calls);
    assert_int_equal(file.size_bytes, 2);
    assert_int_equal(file.mode, 0600);
    assert_int_equal(os->stat(os->user, tree->root.fd, "f", &file), 0);
    assert_int_equal(tree->counts.calls, ++calls);
    assert_int_equal(os->rename(os->user, tree->root.fd, "f", tree->root.fd, "g"), 0);
    assert_int_equal(tree->counts.calls, ++calls);
    assert_int_equal(os->mkdir(os->user, tree->root.fd, "d"), 0);
    assert_int_equal(tree->counts.calls, ++calls);
    assert_true(os->list(os->user, tree->root.fd, names, sizeof names) > 0);
    assert_int_equal(tree->counts.calls, ++calls);
    assert_int_equal(os->list(os->user, tree->root.fd, names, sizeof names), 0);
    assert_int_equal(tree->counts.calls, ++calls);
    assert_int_equal(os->unlink(os->user, tree->root.fd, "g"), 0);
    assert_int_equal(tree->counts.calls, ++calls);
    assert_int_equal(os->close(os->user, fd), 0);
    assert_int_equal(tree->counts.calls, ++calls);
    assert_int_equal(tree->counts.writes, 1);
    assert_int_equal(tree->counts.syncs, 1);
}

static void appended_bytes_come_after_the_others(void **state)
{
    struct tree *tree = *state;
    const struct jl_os *os = &tree->root.os;
    char text[8];
    tree_put(tree, "log", "one");
    const int fd = os->open(os->user, tree->root.fd, "log", JL_OS_WRITE | JL_OS_APPEND);
    assert_int_equal(os->append(os->user, fd, "two", 3), 3);
    assert_int_equal(os->pread(os->user, fd, text, sizeof text, 0), 6);
    assert_memory_equal(text, "onetwo", 6);
    os->close(os->user, fd);
}

static void a_failure_is_a_negative_errno(void **state)
{
    struct tree *tree = *state;
    const struct jl_os *os = &tree->root.os;
    const int root = tree->root.fd;
    char byte = 0;
    tree_put(tree, "f", "");
    tree_link(tree, "l", "f");
    assert_int_equal(os->open(os->user, root, "gone", JL_OS_READ), -ENOENT);
    assert_int_equal(os->open(os->user, root, "l", JL_OS_READ), -ELOOP);
    assert_int_equal(os->open(os->user, root, "f", JL_OS_FOLDER_FD), -ENOTDIR);
    assert_int_equal(os->open(os->user, root, "f", JL_OS_WRITE | JL_OS_CREATE | JL_OS_EXCLUSIVE),
                     -EEXIST);
    assert_int_equal(os->pread(os->user, -1, &byte, 1, 0), -EBADF);
    assert_int_equal(os->close(os->user, -1), -EBADF);
    assert_int_equal(os->unlink(os->user, root, "gone"), -ENOENT);
    assert_int_equal(os->mkdir(os->user, root, "f"), -EEXIST);
}

static void a_second_lock_is_refused_at_once(void **state)
{
    struct tree *tree = *state;
    const struct jl_os *os = &tree->root.os;
    tree_put(tree, "lock", "");
    const int first = os->open(os->user, tree->root.fd, "lock", JL_OS_WRITE);
    const int second = os->open(os->user, tree->root.fd, "lock", JL_OS_WRITE);
    assert_int_equal(os->lock(os->user, first), 0);
    assert_int_equal(os->lock(os->user, second), -EWOULDBLOCK);
    os->close(os->user, first);
    assert_int_equal(os->lock(os->user, second), 0);
    os->close(os->user, second);
}

static void descriptors_end_with_the_program(void **state)
{
    struct tree *tree = *state;
    assert_true(fcntl(tree->root.fd, F_GETFD) & FD_CLOEXEC);
    const int fd = tree->root.os.open(NULL, tree->root.fd, ".", JL_OS_FOLDER_FD);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    tree->root.os.close(NULL, fd);
}

int main(void)
{
#define IN_TREE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_TREE(every_call_is_counted_once),       IN_TREE(appended_bytes_come_after_the_others),
        IN_TREE(a_failure_is_a_negative_errno),    IN_TREE(a_second_lock_is_refused_at_once),
        IN_TREE(descriptors_end_with_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
