/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include <joulie/error.h>

#include "enforce/wire.h"
#include "node/cap_life.h"
#include "support/test.h"

/* Packets between a client and joulie-capd (docs/rules/enforcement.md#packets). */

static struct jl_wire_request request; /* too large for the stack of a test */
static struct jl_wire_reply reply;

static struct jl_wire_request *request_of(enum jl_wire_kind kind, uint32_t count)
{
    memset(&request, 0, sizeof request);
    request.head =
        (struct jl_wire_head){ .version = JL_WIRE_VERSION, .kind = kind, .count = count };
    for (uint32_t i = 0; i < count; i++) {
        char key[JL_WIRE_KEY_BYTES];
        snprintf(key, sizeof key, "cpufreq/policy%u/max", i);
        if (kind == JL_WIRE_HELLO)
            assert_true(jl_wire_put(request.owner.name, sizeof request.owner.name, "api"));
        else if (kind == JL_WIRE_APPLY)
            assert_true(jl_wire_put(request.values[i].key, JL_WIRE_KEY_BYTES, key));
        else
            assert_true(jl_wire_put(request.keys[i].key, JL_WIRE_KEY_BYTES, key));
    }
    return &request;
}

static struct jl_wire_reply *reply_of(enum jl_wire_kind kind, uint32_t count)
{
    memset(&reply, 0, sizeof reply);
    reply.head = (struct jl_wire_head){ .version = JL_WIRE_VERSION, .kind = kind, .count = count };
    for (uint32_t i = 0; i < count && kind == JL_WIRE_LIST; i++)
        assert_true(jl_wire_put(reply.entries[i].key, JL_WIRE_KEY_BYTES, "rapl/package-0/x"));
    return &reply;
}

static uint32_t most_of(enum jl_wire_kind kind)
{
    return kind == JL_WIRE_HELLO || kind == JL_WIRE_ENERGY    ? 1
           : kind == JL_WIRE_APPLY || kind == JL_WIRE_RESTORE ? JL_WIRE_ITEMS_MAX
                                                              : 0;
}

static int check(enum jl_wire_kind kind, uint32_t count)
{
    return jl_wire_check_request(&request, jl_wire_request_bytes(kind, count), NULL);
}

static void each_request_is_taken_up_to_its_most_items(void **state)
{
    (void)state;
    for (enum jl_wire_kind kind = JL_WIRE_HELLO; kind <= JL_WIRE_LEAVE; kind++) {
        const uint32_t most = most_of(kind);
        request_of(kind, most);
        assert_int_equal(check(kind, most), 0);
        request.head.count = most + 1;
        assert_int_equal(jl_wire_check_request(&request, sizeof request, NULL), JOULIE_E_PARSE);
    }
}

static void a_request_of_another_version_is_named_even_when_it_is_short(void **state)
{
    (void)state;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    request_of(JL_WIRE_LIST, 0)->head.version = 2;
    assert_int_equal(jl_wire_check_request(&request, 4, &err), JOULIE_E_UNSUPPORTED);
    assert_non_null(strstr(err.message, "version 1"));
    request.head.version = JL_WIRE_VERSION;
    assert_int_equal(jl_wire_check_request(&request, 3, NULL), JOULIE_E_UNSUPPORTED);
    assert_int_equal(jl_wire_check_request(&request, 4, NULL), JOULIE_E_PARSE);
}

static void what_is_not_known_is_refused(void **state)
{
    (void)state;
    request_of(JL_WIRE_LIST, 0)->head.kind = 0;
    assert_int_equal(check(JL_WIRE_LIST, 0), JOULIE_E_UNSUPPORTED);
    request.head.kind = JL_WIRE_LEAVE + 1;
    assert_int_equal(check(JL_WIRE_LIST, 0), JOULIE_E_UNSUPPORTED);
    request_of(JL_WIRE_LIST, 0)->head.flags = JL_WIRE_GROUP;
    assert_int_equal(check(JL_WIRE_LIST, 0), JOULIE_E_UNSUPPORTED);
    request_of(JL_WIRE_APPLY, 1)->head.flags =
        JL_WIRE_GROUP | JL_WIRE_MAY_ENABLE | JL_WIRE_GIVE_BACK_MAXIMUM;
    assert_int_equal(check(JL_WIRE_APPLY, 1), 0);
    request.head.flags = 8;
    assert_int_equal(check(JL_WIRE_APPLY, 1), JOULIE_E_UNSUPPORTED);
    request_of(JL_WIRE_LIST, 0)->head.reserved = 1;
    assert_int_equal(check(JL_WIRE_LIST, 0), JOULIE_E_PARSE);
    request_of(JL_WIRE_BEAT, 0)->head.first = 1;
    assert_int_equal(check(JL_WIRE_BEAT, 0), JOULIE_E_PARSE);
    request_of(JL_WIRE_LIST, 0)->head.first = 128;
    assert_int_equal(check(JL_WIRE_LIST, 0), 0);
}

static void the_length_is_that_of_the_items(void **state)
{
    (void)state;
    request_of(JL_WIRE_APPLY, 2);
    const size_t bytes = jl_wire_request_bytes(JL_WIRE_APPLY, 2);
    for (size_t len = sizeof request.head; len < bytes + 80; len++)
        assert_int_equal(jl_wire_check_request(&request, len, NULL),
                         len == bytes ? 0 : JOULIE_E_PARSE);
    request_of(JL_WIRE_RESTORE, 0);
    assert_int_equal(check(JL_WIRE_RESTORE, 0), JOULIE_E_PARSE);
}

static void a_text_without_an_end_or_with_something_behind_it_is_refused(void **state)
{
    (void)state;
    request_of(JL_WIRE_RESTORE, 1);
    memset(request.keys[0].key, 'x', JL_WIRE_KEY_BYTES);
    assert_int_equal(check(JL_WIRE_RESTORE, 1), JOULIE_E_PARSE);
    request.keys[0].key[JL_WIRE_KEY_BYTES - 1] = '\0';
    assert_int_equal(check(JL_WIRE_RESTORE, 1), 0);
    request.keys[0].key[3] = '\0';
    assert_int_equal(check(JL_WIRE_RESTORE, 1), JOULIE_E_PARSE);
    request_of(JL_WIRE_RESTORE, 1)->keys[0].key[0] = '\0';
    assert_int_equal(check(JL_WIRE_RESTORE, 1), JOULIE_E_PARSE);
    request_of(JL_WIRE_RESTORE, 1)->keys[0].key[2] = ' ';
    assert_int_equal(check(JL_WIRE_RESTORE, 1), JOULIE_E_PARSE);
    request_of(JL_WIRE_RESTORE, 1)->keys[0].key[2] = (char)0xc3;
    assert_int_equal(check(JL_WIRE_RESTORE, 1), JOULIE_E_PARSE);
    request_of(JL_WIRE_HELLO, 1)->owner.name[0] = '\n';
    assert_int_equal(check(JL_WIRE_HELLO, 1), JOULIE_E_PARSE);
}

static void a_text_that_has_no_room_is_not_cut(void **state)
{
    (void)state;
    char key[JL_WIRE_KEY_BYTES];
    char text[JL_WIRE_KEY_BYTES + 1];
    memset(text, 'k', sizeof text);
    text[JL_WIRE_KEY_BYTES] = '\0';
    assert_false(jl_wire_put(key, sizeof key, text));
    assert_string_equal(key, "");
    text[JL_WIRE_KEY_BYTES - 1] = '\0';
    assert_true(jl_wire_put(key, sizeof key, text));
    assert_string_equal(key, text);
    assert_false(jl_wire_put(key, sizeof key, ""));
    assert_false(jl_wire_put(key, sizeof key, NULL));
    assert_false(jl_wire_put(key, sizeof key, "two words"));
    assert_string_equal(key, "");
}

static int check_reply(enum jl_wire_kind kind, uint32_t count)
{
    return jl_wire_check_reply(&reply, jl_wire_reply_bytes(kind, count), kind, NULL);
}

static void a_reply_has_its_items_or_a_code(void **state)
{
    (void)state;
    reply_of(JL_WIRE_APPLY, 2);
    assert_int_equal(check_reply(JL_WIRE_APPLY, 2), 0);
    reply.code = JOULIE_E_IO;
    assert_int_equal(check_reply(JL_WIRE_APPLY, 2), JOULIE_E_PARSE);
    reply.head.count = 0;
    assert_int_equal(check_reply(JL_WIRE_APPLY, 0), 0);
    reply.code = 0;
    assert_int_equal(check_reply(JL_WIRE_APPLY, 0), JOULIE_E_PARSE);
    reply.code = 1;
    assert_int_equal(check_reply(JL_WIRE_APPLY, 0), JOULIE_E_PARSE);
    reply_of(JL_WIRE_LIST, JL_WIRE_ENTRIES_MAX);
    assert_int_equal(check_reply(JL_WIRE_LIST, JL_WIRE_ENTRIES_MAX), 0);
    assert_int_equal(
        jl_wire_check_reply(&reply, jl_wire_reply_bytes(JL_WIRE_LIST, 128), JL_WIRE_APPLY, NULL),
        JOULIE_E_PARSE);
}

static void a_reply_with_words_that_nobody_knows_is_refused(void **state)
{
    (void)state;
    reply_of(JL_WIRE_APPLY, 1)->made[0].wrote = JL_WROTE_UNBOUNDED + 1;
    assert_int_equal(check_reply(JL_WIRE_APPLY, 1), JOULIE_E_PARSE);
    reply_of(JL_WIRE_APPLY, 1)->made[0].back_wrote = JL_WROTE_UNBOUNDED + 1;
    assert_int_equal(check_reply(JL_WIRE_APPLY, 1), JOULIE_E_PARSE);
    reply_of(JL_WIRE_RESTORE, 1)->given[0].wrote = JL_WROTE_UNBOUNDED + 1;
    assert_int_equal(check_reply(JL_WIRE_RESTORE, 1), JOULIE_E_PARSE);
    memset(reply_of(JL_WIRE_BEAT, 0)->message, 'm', sizeof reply.message);
    assert_int_equal(check_reply(JL_WIRE_BEAT, 0), JOULIE_E_PARSE);
    reply_of(JL_WIRE_LIST, 1)->entries[0].key[0] = '\0';
    assert_int_equal(check_reply(JL_WIRE_LIST, 1), JOULIE_E_PARSE);
    memset(reply_of(JL_WIRE_LIST, 1)->entries[0].owner, 'o', JL_WIRE_OWNER_BYTES);
    assert_int_equal(check_reply(JL_WIRE_LIST, 1), JOULIE_E_PARSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_request_is_taken_up_to_its_most_items),
        cmocka_unit_test(a_request_of_another_version_is_named_even_when_it_is_short),
        cmocka_unit_test(what_is_not_known_is_refused),
        cmocka_unit_test(the_length_is_that_of_the_items),
        cmocka_unit_test(a_text_without_an_end_or_with_something_behind_it_is_refused),
        cmocka_unit_test(a_text_that_has_no_room_is_not_cut),
        cmocka_unit_test(a_reply_has_its_items_or_a_code),
        cmocka_unit_test(a_reply_with_words_that_nobody_knows_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
