/* SPDX-License-Identifier: Apache-2.0 */
/* HTTPS: who is trusted, under which name, and what is shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/http_client.h"
#include "runtime/peer.h"
#include "runtime/tls_server.h"
#include "support/test.h"

struct scene {
    struct tls_server server;
    struct jd_loop loop;
    struct jd_http *http;
    char *ca;
    char *other_ca;
    char *certificate;
    char *key;
};

struct result {
    bool is_done;
    enum jd_http_end end;
    int status;
    char body[256];
    char message[256];
};

static int set_up(void **state)
{
    struct scene *const scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    tls_server_open(&scene->server);
    assert_int_equal(jd_loop_open(&scene->loop, 0, NULL, 0, NULL), 0);
    assert_int_equal(jd_http_open(&scene->loop, "joulie-test", &scene->http, NULL), 0);
    scene->ca = tls_server_read(&scene->server, "ca.crt");
    scene->other_ca = tls_server_read(&scene->server, "other-ca.crt");
    scene->certificate = tls_server_read(&scene->server, "client.crt");
    scene->key = tls_server_read(&scene->server, "client.key");
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *const scene = *state;
    jd_http_close(scene->http);
    jd_loop_close(&scene->loop);
    free(scene->ca);
    free(scene->other_ca);
    free(scene->certificate);
    free(scene->key);
    tls_server_close(&scene->server);
    free(scene);
    return 0;
}

static void on_done(void *user, const struct jd_reply *reply)
{
    struct result *const result = user;
    result->is_done = true;
    result->end = reply->end;
    result->status = reply->status;
    snprintf(result->body, sizeof result->body, "%s", reply->body);
    snprintf(result->message, sizeof result->message, "%s", reply->message);
}

static struct result fetch(struct scene *scene, const char *host, const struct jd_tls *tls)
{
    struct result result = { 0 };
    char url[128];
    snprintf(url, sizeof url, "https://%s:%d/", host, scene->server.port);
    const struct jd_http_request request = {
        .url = url, .tls = tls, .on_done = on_done, .user = &result
    };
    assert_int_equal(jd_http_start(scene->http, &request, NULL, NULL), 0);
    assert_true(run_until(&scene->loop, &result.is_done));
    return result;
}

static void assert_body(const struct scene *scene, const struct result *result, const char *host,
                        const char *rest)
{
    char expected[128];
    snprintf(expected, sizeof expected, "%s:%d\n%s", host, scene->server.port, rest);
    assert_int_equal(result->status, 200);
    assert_string_equal(result->body, expected);
}

static void a_server_is_trusted_by_the_ca_that_was_given(void **state)
{
    struct scene *const scene = *state;
    struct jd_tls tls = { .ca = scene->ca };
    struct result result = fetch(scene, "localhost", &tls);
    assert_body(scene, &result, "localhost", "localhost\n-");
    tls.ca = scene->other_ca; /* also while there is a connection that another CA trusted */
    result = fetch(scene, "localhost", &tls);
    assert_int_equal(result.end, JD_HTTP_UNTRUSTED);
    assert_int_equal(result.status, 0);
    tls.ca = NULL; /* the system's */
    result = fetch(scene, "localhost", &tls);
    assert_int_equal(result.end, JD_HTTP_UNTRUSTED);
    result = fetch(scene, "localhost", NULL);
    assert_int_equal(result.end, JD_HTTP_UNTRUSTED);
    tls.ca = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    result = fetch(scene, "localhost", &tls);
    assert_int_equal(result.end, JD_HTTP_UNTRUSTED);
    tls = (struct jd_tls){ .is_unverified = true };
    result = fetch(scene, "localhost", &tls);
    assert_int_equal(result.status, 200);
}

static void a_server_has_to_have_the_name_that_was_asked_for(void **state)
{
    struct scene *const scene = *state;
    struct jd_tls tls = { .ca = scene->ca };
    struct result result = fetch(scene, "127.0.0.1", &tls);
    assert_int_equal(result.end, JD_HTTP_UNTRUSTED);
    tls.server_name = "api.test"; /* the connection and the Host header stay */
    result = fetch(scene, "127.0.0.1", &tls);
    assert_body(scene, &result, "127.0.0.1", "api.test\n-");
    tls.server_name = "else.test";
    result = fetch(scene, "127.0.0.1", &tls);
    assert_int_equal(result.end, JD_HTTP_UNTRUSTED);
}

static void a_client_certificate_is_shown(void **state)
{
    struct scene *const scene = *state;
    struct jd_tls tls = { .ca = scene->ca, .certificate = scene->certificate, .key = scene->key };
    struct result result = fetch(scene, "localhost", &tls);
    assert_body(scene, &result, "localhost", "localhost\nclient");
    tls = (struct jd_tls){ .ca = scene->ca }; /* not over the connection of somebody else */
    result = fetch(scene, "localhost", &tls);
    assert_body(scene, &result, "localhost", "localhost\n-");
    tls.certificate = scene->ca; /* with a key that is none */
    tls.key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    result = fetch(scene, "localhost", &tls);
    assert_int_equal(result.end, JD_HTTP_UNIDENTIFIED);
    assert_true(result.message[0] != '\0');
}

#define TEST(name) cmocka_unit_test(name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_server_is_trusted_by_the_ca_that_was_given),
        TEST(a_server_has_to_have_the_name_that_was_asked_for),
        TEST(a_client_certificate_is_shown),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
