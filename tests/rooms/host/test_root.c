/* SPDX-License-Identifier: Apache-2.0 */

/* Files below a root: nothing outside of it is reached, and nothing but a file is read. */

#include <errno.h>
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

static void assert_opens(const struct tree *tree, const char *path, int expected)
{
    const int fd = jl_root_file(&tree->root, path, JL_OS_READ);
    if (fd >= 0)
        tree->root.os.close(tree->root.os.user, fd);
    if ((fd < 0 ? fd : 0) != expected)
        fail_msg("%s: %d, expected %d", path, fd, expected);
}

static void assert_number(const struct tree *tree, const char *path, uint64_t expected)
{
    const struct jl_fact fact = jl_root_number(&tree->root, path);
    assert_int_equal(fact.code, 0);
    assert_int_equal(fact.value, expected);
}

static void assert_no_number(const struct tree *tree, const char *path, int code, int sys_errno)
{
    const struct jl_fact fact = jl_root_number(&tree->root, path);
    assert_int_equal(fact.code, code);
    assert_int_equal(fact.sys_errno, sys_errno);
}

static void a_file_is_found_on_any_depth(void **state)
{
    struct tree *tree = *state;
    tree_put(tree, "a", "1\n");
    tree_put(tree, "b/c/d/e", "2\n");
    assert_opens(tree, "a", 0);
    assert_opens(tree, "/b//c/d/e", 0);
    assert_opens(tree, "b/c/x/e", -ENOENT);
    assert_opens(tree, "a/e", -ENOTDIR);
    assert_opens(tree, "b", -EISDIR);
    assert_opens(tree, "", -EISDIR);
}

static void no_path_leads_out_of_the_root(void **state)
{
    struct tree *tree = *state;
    tree_put(tree, "in/file", "1\n");
    tree_link(tree, "link", "in/file");
    tree_link(tree, "door", "in");
    tree_link(tree, "out", "/etc");
    tree_link(tree, "nowhere", "gone");
    assert_opens(tree, "in/../in/file", -EINVAL);
    assert_opens(tree, "..", -EINVAL);
    assert_opens(tree, "./in/file", -EINVAL);
    assert_opens(tree, "link", -ELOOP);
    assert_opens(tree, "door/file", -ELOOP);
    assert_opens(tree, "out/hostname", -ELOOP);
    assert_opens(tree, "nowhere", -ELOOP);
    assert_int_equal(jl_root_folder(&tree->root, "door"), -ELOOP);
    assert_int_equal(jl_root_make_folder(&tree->root, "out/made"), -ELOOP);
    assert_int_equal(jl_root_file(&tree->root, "nowhere", JL_OS_WRITE | JL_OS_CREATE), -ELOOP);
}

static void what_is_no_file_is_not_opened(void **state)
{
    struct tree *tree = *state;
    tree_fifo(tree, "fifo");
    tree_socket(tree, "socket");
    assert_opens(tree, "fifo", -ENXIO);
    assert_opens(tree, "socket", -ENXIO);
    assert_int_equal(jl_root_file(&tree->root, "fifo", JL_OS_WRITE_ONLY), -ENXIO);
    assert_int_equal(jl_root_folder(&tree->root, "fifo"), -ENOTDIR);
}

static void a_name_of_256_bytes_is_refused(void **state)
{
    char name[300];
    memset(name, 'n', sizeof name);
    name[256] = '\0';
    assert_opens(*state, name, -ENAMETOOLONG);
    name[255] = '\0';
    assert_opens(*state, name, -ENOENT);
}

static void numbers_are_read_whole_or_not_at_all(void **state)
{
    static const struct {
        const char *text;
        int code;
        uint64_t value;
    } rows[] = {
        /* what a number file may hold */
        { "205000000\n", 0, 205000000 },
        { "0", 0, 0 },
        { "007", 0, 7 },
        { "18446744073709551615\n", 0, UINT64_MAX },
        { "18446744073709551616", JOULIE_E_RANGE, 0 },
        { "-5", JOULIE_E_PARSE, 0 },
        { "1e6", JOULIE_E_PARSE, 0 },
        { "1.5", JOULIE_E_PARSE, 0 },
        { "0x10", JOULIE_E_PARSE, 0 },
        { "5 ", JOULIE_E_PARSE, 0 },
        { "5\n\n", JOULIE_E_PARSE, 0 },
        { "\n", JOULIE_E_PARSE, 0 },
        { "<unsupported>\n", JOULIE_E_PARSE, 0 },
        { "11111111111111111111111111111111111111111111111111111111111111111", JOULIE_E_LIMIT, 0 }
    };
    struct tree *tree = *state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        tree_put(tree, "number", rows[i].text);
        const struct jl_fact fact = jl_root_number(&tree->root, "number");
        if (fact.code != rows[i].code || (fact.code == 0 && fact.value != rows[i].value))
            fail_msg("%s: code %d", rows[i].text, fact.code);
    }
}

static void unsupported_no_data_and_zero_are_three_answers(void **state)
{
    struct tree *tree = *state;
    tree_put(tree, "zero", "0\n");
    tree_put(tree, "empty", "");
    assert_number(tree, "zero", 0);
    assert_no_number(tree, "gone", JOULIE_E_UNSUPPORTED, 0);
    assert_no_number(tree, "empty", JOULIE_E_IO, ENODATA);
}

static void a_file_that_may_not_be_read_says_so(void **state)
{
    struct tree *tree = *state;
    tree_put(tree, "energy_uj", "1\n");
    assert_number(tree, "energy_uj", 1);
    tree_refuse(tree, "energy_uj", EACCES);
    assert_no_number(tree, "energy_uj", JOULIE_E_IO, EACCES);
}

static void a_written_number_reads_back_also_when_it_is_shorter(void **state)
{
    struct tree *tree = *state;
    static const uint64_t values[] = { 205000000, 90000000, 5, 4095875000, 0, UINT64_MAX, 1 };
    tree_put(tree, "limit", "164000000\n");
    const int fd = jl_root_file(&tree->root, "limit", JL_OS_WRITE);
    assert_true(fd >= 0);
    for (size_t i = 0; i < JL_COUNT(values); i++) {
        assert_int_equal(jl_fd_write_number(&tree->root.os, fd, values[i]), 0);
        const struct jl_fact fact = jl_fd_number(&tree->root.os, fd);
        assert_int_equal(fact.code, 0);
        assert_int_equal(fact.value, values[i]);
    }
    tree->root.os.close(tree->root.os.user, fd);
}

static void a_write_that_is_refused_gives_its_errno(void **state)
{
    struct tree *tree = *state;
    tree_put(tree, "limit", "1\n");
    const int fd = jl_root_file(&tree->root, "limit", JL_OS_READ);
    assert_int_equal(jl_fd_write_number(&tree->root.os, fd, 2), -EBADF);
    tree->root.os.close(tree->root.os.user, fd);
    assert_number(tree, "limit", 1);
}

static int text_code(const struct tree *tree, const char *path, size_t limit, struct jl_text *out)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    int sys_errno = 0;
    return jl_root_text(&tree->root, path, limit, &arena, out, &sys_errno);
}

static void a_text_is_read_up_to_its_limit(void **state)
{
    struct tree *tree = *state;
    struct jl_text text;
    char long_text[10001];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    tree_put(tree, "long", long_text);
    assert_int_equal(text_code(tree, "long", 10000, &text), 0);
    assert_int_equal(text.len, 10000);
    assert_int_equal(text_code(tree, "long", 9999, &text), JOULIE_E_LIMIT);
    tree_size(tree, "huge", UINT64_C(1) << 30);
    assert_int_equal(text_code(tree, "huge", JL_TEXT_FILE_MAX, &text), JOULIE_E_LIMIT);
    assert_no_number(tree, "huge", JOULIE_E_LIMIT, 0);
}

static void bytes_that_are_no_text_are_refused(void **state)
{
    struct tree *tree = *state;
    struct jl_text text;
    tree_put_bytes(tree, "nul", "a\0b", 3);
    tree_put_bytes(tree, "junk", "\xff\xfe\x80", 3);
    tree_put(tree, "good", "gr\xc3\xbc\xc3\x9f\x65");
    assert_int_equal(text_code(tree, "nul", 100, &text), JOULIE_E_PARSE);
    assert_int_equal(text_code(tree, "junk", 100, &text), JOULIE_E_PARSE);
    assert_int_equal(text_code(tree, "good", 100, &text), 0);
    assert_int_equal(text_code(tree, "gone", 100, &text), JOULIE_E_UNSUPPORTED);
}

static void a_folder_is_listed_in_byte_order(void **state)
{
    struct tree *tree = *state;
    static const char *const expected[] = { "10", "2", "Z", "a", "b\n" };
    const char **names = NULL;
    size_t count = 0;
    for (size_t i = JL_COUNT(expected); i-- > 0;)
        tree_putf(tree, "", "f/%s", expected[i]);
    assert_int_equal(jl_root_list(&tree->root, "f", &tree->arena, &names, &count), 0);
    assert_int_equal(count, JL_COUNT(expected));
    for (size_t i = 0; i < count; i++)
        assert_string_equal(names[i], expected[i]);
    assert_int_equal(jl_root_list(&tree->root, "gone", &tree->arena, &names, &count), -ENOENT);
    assert_int_equal(jl_root_list(&tree->root, "f/2", &tree->arena, &names, &count), -ENOTDIR);
}

static void a_folder_of_many_names_is_listed_whole(void **state)
{
    struct tree *tree = *state;
    const char **names = NULL;
    size_t count = 0;
    for (unsigned i = 0; i < 2000; i++)
        tree_putf(tree, "", "f/a-rather-long-name-of-a-file-%04u", i);
    assert_int_equal(jl_root_list(&tree->root, "f", &tree->arena, &names, &count), 0);
    assert_int_equal(count, 2000);
    assert_string_equal(names[1999], "a-rather-long-name-of-a-file-1999");
}

static void missing_folders_are_made(void **state)
{
    struct tree *tree = *state;
    struct jl_os_file found;
    const int fd = jl_root_make_folder(&tree->root, "var/lib/joulie");
    assert_true(fd >= 0);
    assert_int_equal(tree->root.os.fstat(NULL, fd, &found), 0);
    assert_int_equal(found.kind, JL_OS_FOLDER);
    assert_int_equal(found.mode, 0700);
    tree->root.os.close(NULL, fd);
    const int again = jl_root_make_folder(&tree->root, "var/lib/joulie");
    assert_true(again >= 0);
    tree->root.os.close(NULL, again);
}

static void a_path_can_be_looked_at_without_opening_it(void **state)
{
    struct tree *tree = *state;
    struct jl_os_file found;
    tree_put(tree, "f/file", "12345");
    tree_link(tree, "f/link", "file");
    assert_int_equal(jl_root_stat(&tree->root, "f/file", &found), 0);
    assert_int_equal(found.kind, JL_OS_FILE);
    assert_int_equal(found.size_bytes, 5);
    assert_int_equal(jl_root_stat(&tree->root, "f/link", &found), 0);
    assert_int_equal(found.kind, JL_OS_LINK);
    assert_int_equal(jl_root_stat(&tree->root, "", &found), 0);
    assert_int_equal(found.kind, JL_OS_FOLDER);
    assert_int_equal(jl_root_stat(&tree->root, "f/gone", &found), -ENOENT);
}

static void a_root_that_is_not_there_is_named(void **state)
{
    (void)state;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_root root;
    assert_int_equal(jl_root_open(jl_os_linux(NULL), "/nonexistent/root", &root, &err),
                     JOULIE_E_IO);
    assert_string_equal(err.where, "/nonexistent/root");
    assert_int_equal(err.sys_errno, ENOENT);
    assert_string_equal(err.message, "No such file or directory");
}

static void control_characters_are_never_printed(void **state)
{
    struct tree *tree = *state;
    assert_string_equal(jl_root_printable(&tree->arena, "a\nb\x1b[0m\x7f"), "a\\x0ab\\x1b[0m\\x7f");
    assert_string_equal(jl_root_printable(&tree->arena, "gr\xc3\xbc\xc3\x9f\x65"),
                        "gr\xc3\xbc\xc3\x9f\x65");
    assert_string_equal(jl_root_printable(&tree->arena, "\xc2\x9b"
                                                        "31m\xff"),
                        "\\xc2\\x9b31m\\xff");
    assert_false(jl_root_is_printable("a\nb"));
    assert_true(jl_root_is_printable(""));
}

int main(void)
{
#define IN_TREE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_TREE(a_file_is_found_on_any_depth),
        IN_TREE(no_path_leads_out_of_the_root),
        IN_TREE(what_is_no_file_is_not_opened),
        IN_TREE(a_name_of_256_bytes_is_refused),
        IN_TREE(numbers_are_read_whole_or_not_at_all),
        IN_TREE(unsupported_no_data_and_zero_are_three_answers),
        IN_TREE(a_file_that_may_not_be_read_says_so),
        IN_TREE(a_written_number_reads_back_also_when_it_is_shorter),
        IN_TREE(a_write_that_is_refused_gives_its_errno),
        IN_TREE(a_text_is_read_up_to_its_limit),
        IN_TREE(bytes_that_are_no_text_are_refused),
        IN_TREE(a_folder_is_listed_in_byte_order),
        IN_TREE(a_folder_of_many_names_is_listed_whole),
        IN_TREE(missing_folders_are_made),
        IN_TREE(a_path_can_be_looked_at_without_opening_it),
        cmocka_unit_test(a_root_that_is_not_there_is_named),
        IN_TREE(control_characters_are_never_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
