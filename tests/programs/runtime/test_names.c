/* SPDX-License-Identifier: Apache-2.0 */
/* Host names to addresses without a thread, against a name server of the test's own. */
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "runtime/clock.h"
#include "runtime/http_client_parts.h"
#include "runtime/names.h"
#include "runtime/peer.h"
#include "support/test.h"

#define HEADER_BYTES 12
#define TYPE_A 1
#define TYPE_AAAA 28

static int threads_started;

/* In front of the one of libc, also for libcurl and c-ares. */
__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                          const pthread_attr_t *attributes,
                                                          void *(*start)(void *), void *argument)
{
    (void)thread;
    (void)attributes;
    (void)start;
    (void)argument;
    threads_started++;
    return EAGAIN;
}

struct scene {
    struct jd_loop loop;
    struct jd_names *names;
    struct jd_watch wire;
    char server[32];
    int questions;
    int ttl_s;
};

struct answer {
    struct jd_lookup lookup;
    bool is_done;
    char addresses[256];
    char problem[128];
};

/* "peer.test" from its labels; the end of the question. */
static size_t read_name(const unsigned char *packet, size_t len, char out[256])
{
    size_t at = HEADER_BYTES;
    size_t put = 0;
    while (at < len && packet[at] != 0) {
        const size_t label = packet[at];
        assert_true(label < 64 && at + 1 + label < len && put + label + 1 < 256);
        if (put > 0)
            out[put++] = '.';
        memcpy(out + put, packet + at + 1, label);
        put += label;
        at += 1 + label;
    }
    out[put] = '\0';
    return at + 5; /* the root, type, class */
}

/* An answer with one address, with none, or that there is no such name; "mute.test" has none. */
static void on_question(void *user)
{
    struct scene *const scene = user;
    unsigned char packet[512];
    struct sockaddr_in from;
    socklen_t from_len = sizeof from;
    char name[256];
    const ssize_t got = recvfrom(scene->wire.fd, packet, sizeof packet - 64, 0,
                                 (struct sockaddr *)&from, &from_len);
    assert_true(got > HEADER_BYTES);
    size_t len = read_name(packet, (size_t)got, name);
    const int type = packet[len - 4] << 8 | packet[len - 3];
    scene->questions++;
    if (jl_starts_with(name, "mute.test"))
        return;
    const bool is_known = jl_same(name, "peer.test") || jl_same(name, "empty.test");
    const bool has_address = jl_same(name, "peer.test") && type == TYPE_A;
    memset(packet + 6, 0, 6); /* counts of what follows the question */
    packet[2] = 0x84;         /* an answer, with authority */
    packet[3] = is_known ? 0 : 3;
    if (has_address) {
        const unsigned char record[] = {
            0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, (unsigned char)scene->ttl_s, 0,
            4,    127,          0, 0,      1
        };
        packet[7] = 1;
        memcpy(packet + len, record, sizeof record);
        len += sizeof record;
    }
    sendto(scene->wire.fd, packet, len, 0, (const struct sockaddr *)&from, from_len);
}

static int set_up(void **state)
{
    struct scene *const scene = calloc(1, sizeof *scene);
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t len = sizeof address;
    assert_non_null(scene);
    scene->ttl_s = 60;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    snprintf(scene->server, sizeof scene->server, "127.0.0.1:%d", ntohs(address.sin_port));
    scene->wire = (struct jd_watch){ .fd = fd, .ready = on_question, .user = scene };
    assert_int_equal(jd_loop_open(&scene->loop, 0, NULL, 0, NULL), 0);
    assert_int_equal(jd_loop_add(&scene->loop, &scene->wire, NULL), 0);
    assert_int_equal(jd_names_open(&scene->loop, &scene->names, NULL), 0);
    jd_names_set_servers(scene->names, scene->server);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *const scene = *state;
    jd_names_close(scene->names);
    jd_loop_remove(&scene->loop, &scene->wire);
    close(scene->wire.fd);
    jd_loop_close(&scene->loop);
    free(scene);
    assert_int_equal(threads_started, 0);
    return 0;
}

static void on_answer(void *user, const char *addresses, const char *problem)
{
    struct answer *const answer = user;
    assert_false(answer->is_done);
    answer->is_done = true;
    snprintf(answer->addresses, sizeof answer->addresses, "%s", addresses ? addresses : "");
    snprintf(answer->problem, sizeof answer->problem, "%s", problem ? problem : "");
    assert_true(!addresses != !problem);
}

static void ask(struct scene *scene, const char *name, struct answer *answer)
{
    *answer = (struct answer){ .lookup = { .done = on_answer, .user = answer } };
    jd_names_ask(scene->names, name, &answer->lookup);
}

static void await(struct scene *scene, const char *name, struct answer *answer)
{
    ask(scene, name, answer);
    assert_true(run_until(&scene->loop, &answer->is_done));
}

static void a_name_has_the_address_that_the_server_says(void **state)
{
    struct answer answer;
    await(*state, "peer.test", &answer);
    assert_string_equal(answer.addresses, "127.0.0.1");
    await(*state, "empty.test", &answer);
    assert_string_equal(answer.addresses, "");
    await(*state, "gone.test", &answer);
    assert_string_equal(answer.addresses, "");
    assert_true(answer.problem[0] != '\0');
}

static void an_answer_is_kept_and_a_failure_is_not(void **state)
{
    struct scene *const scene = *state;
    struct answer answer;
    await(scene, "peer.test", &answer);
    int questions = scene->questions;
    await(scene, "PEER.test", &answer);
    assert_string_equal(answer.addresses, "127.0.0.1");
    assert_int_equal(scene->questions, questions);
    await(scene, "gone.test", &answer);
    questions = scene->questions;
    await(scene, "gone.test", &answer);
    assert_true(scene->questions > questions);
}

static void equal_questions_at_one_time_are_asked_once(void **state)
{
    struct scene *const scene = *state;
    struct answer answers[3];
    struct answer forgotten;
    for (size_t i = 0; i < JL_COUNT(answers); i++)
        ask(scene, "peer.test", &answers[i]);
    ask(scene, "peer.test", &forgotten);
    jd_names_forget(scene->names, &forgotten.lookup);
    for (size_t i = 0; i < JL_COUNT(answers); i++)
        assert_true(run_until(&scene->loop, &answers[i].is_done));
    assert_int_equal(scene->questions, 2); /* A and AAAA */
    assert_false(forgotten.is_done);
}

struct asker { /* asks for the same name again while it is answered */
    struct scene *scene;
    struct jd_lookup lookup;
    struct answer again;
};

static void ask_again(void *user, const char *addresses, const char *problem)
{
    struct asker *const asker = user;
    assert_null(addresses);
    assert_non_null(problem);
    ask(asker->scene, "unknown.test", &asker->again);
}

static void who_is_answered_may_ask_again(void **state)
{
    struct asker asker = { .scene = *state };
    asker.lookup = (struct jd_lookup){ .done = ask_again, .user = &asker };
    jd_names_ask(asker.scene->names, "unknown.test", &asker.lookup);
    assert_true(run_until(&asker.scene->loop, &asker.again.is_done));
    assert_true(asker.again.problem[0] != '\0');
}

static void closing_gives_no_answers(void **state)
{
    struct scene *const scene = *state;
    struct answer answer;
    ask(scene, "mute.test", &answer);
    jd_names_close(scene->names);
    assert_false(answer.is_done);
    assert_int_equal(jd_names_open(&scene->loop, &scene->names, NULL), 0);
}

/* ---- the same as the HTTP client uses it ---- */

struct result {
    bool is_done;
    enum jd_http_end end;
    int status;
    char message[256];
};

static void on_request(void *user, struct talk *talk, const char *request)
{
    (void)user;
    assert_non_null(strstr(request, "\r\nHost: "));
    talk_reply(talk, "200 OK", "", "here");
}

static void on_done(void *user, const struct jd_reply *reply)
{
    struct result *const result = user;
    result->is_done = true;
    result->end = reply->end;
    result->status = reply->status;
    snprintf(result->message, sizeof result->message, "%s", reply->message);
}

static struct result fetch(struct scene *scene, struct jd_http *http, const char *url)
{
    struct result result = { 0 };
    const struct jd_http_request request = {
        .url = url, .connect_ms = 300, .on_done = on_done, .user = &result
    };
    assert_int_equal(jd_http_start(http, &request, NULL, NULL), 0);
    assert_true(run_until(&scene->loop, &result.is_done));
    return result;
}

static void requests_find_their_host_without_a_thread(void **state)
{
    struct scene *const scene = *state;
    struct jd_http *http = NULL;
    struct peer peer;
    static const char *const good[] = { "localhost", "peer.test", "peer.test.", "PEER.TEST",
                                        "127.0.0.1", "127.1",     "a.localhost" };
    char url[128];
    peer_open(&peer, &scene->loop, on_request, NULL);
    assert_int_equal(jd_http_open(&scene->loop, "joulie-test", &http, NULL), 0);
    jd_names_set_servers(http->names, scene->server);
    for (size_t i = 0; i < JL_COUNT(good); i++) {
        snprintf(url, sizeof url, "http://%s:%d/", good[i], peer.port);
        const struct result result = fetch(scene, http, url);
        if (result.status != 200)
            fail_msg("%s: %s", url, result.message);
    }
    struct result result = fetch(scene, http, "http://gone.test/");
    assert_int_equal(result.end, JD_HTTP_UNREACHABLE);
    assert_non_null(strstr(result.message, "gone.test"));
    result = fetch(scene, http, "http://mute.test/");
    assert_int_equal(result.end, JD_HTTP_UNREACHABLE);
    assert_string_equal(result.message, "no address of the host in time");
    jd_http_close(http);
    peer_close(&peer);
}

static void a_thread_would_have_been_noticed(void **state)
{
    (void)state;
    CURL *const easy = curl_easy_init();
    assert_non_null(easy);
    curl_easy_setopt(easy, CURLOPT_URL, "http://gone.test/");
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    assert_int_equal(curl_easy_perform(easy), CURLE_COULDNT_RESOLVE_HOST);
    curl_easy_cleanup(easy);
    assert_true(threads_started > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_name_has_the_address_that_the_server_says),
        TEST(an_answer_is_kept_and_a_failure_is_not),
        TEST(equal_questions_at_one_time_are_asked_once),
        TEST(who_is_answered_may_ask_again),
        TEST(closing_gives_no_answers),
        TEST(requests_find_their_host_without_a_thread),
        cmocka_unit_test(a_thread_would_have_been_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
