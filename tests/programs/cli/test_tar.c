/* SPDX-License-Identifier: Apache-2.0 */

/* Archives of joulie snapshot: what ustar and pax say of their bytes (POSIX.1-2017, pax). The tests
 * of the command line unpack them with another program. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tar.h"
#include "support/test.h"

enum { BLOCK = 512, NAME = 0, SIZE = 124, SUM = 148, TYPE = 156, LINK = 157, PREFIX = 345 };

static struct joulie_host_entry file_entry(const char *path, const char *bytes)
{
    struct joulie_host_entry entry = JOULIE_INIT(struct joulie_host_entry);
    entry.path = path;
    entry.bytes = bytes;
    entry.len = strlen(bytes);
    entry.mode = 0640;
    return entry;
}

/* The checksum that a reader expects: every byte, those of the sum itself as blanks. */
static unsigned sum_of(const char *header)
{
    unsigned sum = 8 * ' ';
    for (size_t i = 0; i < BLOCK; i++)
        sum += i >= SUM && i < SUM + 8 ? 0 : (unsigned char)header[i];
    return sum;
}

static void check_header(const char *header, char type)
{
    assert_int_equal(strtoul(header + SUM, NULL, 8), sum_of(header));
    assert_int_equal(header[TYPE], type);
    assert_memory_equal(header + 257,
                        "ustar\0"
                        "00",
                        8);
}

/* Fields that are full have no NUL. */
static void put_path(const char *header, char *out, size_t size)
{
    snprintf(out, size, "%.155s%s%.100s", header + PREFIX, header[PREFIX] ? "/" : "",
             header + NAME);
}

static void make_path(char *out, size_t len, size_t step)
{
    for (size_t i = 0; i < len; i++)
        out[i] = i % step == step - 1 && i + 1 < len ? '/' : (char)('a' + i % 26);
    out[len] = '\0';
}

static void a_path_of_any_length_is_found_again(void **state)
{
    static const size_t steps[] = { 7, 60, 98, 101, 1000 };
    (void)state;
    for (size_t len = 1; len < 300; len++) {
        for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
            char path[512];
            char found[512];
            struct jl_buffer tar = { 0 };
            make_path(path, len, steps[s]);
            const struct joulie_host_entry entry = file_entry(path, "x");
            assert_int_equal(jd_tar_put(&tar, &entry), 0);
            if (tar.data[TYPE] == 'x') { /* LENGTH path=PATH */
                check_header(tar.data, 'x');
                const size_t record_len = strtoul(tar.data + BLOCK, NULL, 10);
                assert_int_equal(record_len, strtoul(tar.data + SIZE, NULL, 8));
                const char *value = strchr(tar.data + BLOCK, '=') + 1;
                assert_memory_equal(value, path, len);
                assert_ptr_equal(value + len + 1, tar.data + BLOCK + record_len);
                check_header(tar.data + 2 * (size_t)BLOCK, '0');
            } else {
                check_header(tar.data, '0');
                put_path(tar.data, found, sizeof found);
                assert_string_equal(found, path);
            }
            jl_buffer_clear(&tar);
        }
    }
}

static void a_path_that_fits_has_no_record(void **state)
{
    char path[512];
    struct jl_buffer tar = { 0 };
    (void)state;
    make_path(path, 256, 156); /* 155 bytes, a slash, 100 bytes */
    const struct joulie_host_entry entry = file_entry(path, "x");
    assert_int_equal(jd_tar_put(&tar, &entry), 0);
    assert_int_equal(tar.len, 2 * BLOCK);
    jl_buffer_clear(&tar);
}

static void a_long_target_of_a_link_gets_a_record(void **state)
{
    char target[256];
    (void)state;
    for (size_t len = 99; len < 103; len++) {
        struct jl_buffer tar = { 0 };
        struct joulie_host_entry entry = file_entry("link", target);
        make_path(target, len, 9);
        entry.len = len;
        entry.is_link = 1;
        assert_int_equal(jd_tar_put(&tar, &entry), 0);
        check_header(tar.data, len <= 100 ? '2' : 'x');
        if (len > 100)
            assert_non_null(strstr(tar.data + BLOCK, "linkpath="));
        else
            assert_memory_equal(tar.data + LINK, target, len);
        jl_buffer_clear(&tar);
    }
}

static void a_folder_ends_in_a_slash_and_the_archive_in_two_empty_blocks(void **state)
{
    static const char zeros[2 * BLOCK];
    struct jl_buffer tar = { 0 };
    struct joulie_host_entry entry = file_entry("sys", "");
    (void)state;
    entry.is_folder = 1;
    assert_int_equal(jd_tar_put(&tar, &entry), 0);
    jd_tar_end(&tar);
    check_header(tar.data, '5');
    assert_string_equal(tar.data, "sys/");
    assert_int_equal(tar.len, 3 * BLOCK);
    assert_memory_equal(tar.data + BLOCK, zeros, sizeof zeros);
    jl_buffer_clear(&tar);
}

static void a_file_that_tar_cannot_hold_is_refused(void **state)
{
    struct jl_buffer tar = { 0 };
    struct joulie_host_entry entry = file_entry("large", "");
    (void)state;
    entry.len = UINT64_C(1) << 33; /* 8 GiB, 12 octal digits */
    assert_int_equal(jd_tar_put(&tar, &entry), JOULIE_E_LIMIT);
    assert_int_equal(tar.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_of_any_length_is_found_again),
        cmocka_unit_test(a_path_that_fits_has_no_record),
        cmocka_unit_test(a_long_target_of_a_link_gets_a_record),
        cmocka_unit_test(a_folder_ends_in_a_slash_and_the_archive_in_two_empty_blocks),
        cmocka_unit_test(a_file_that_tar_cannot_hold_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
