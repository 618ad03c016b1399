/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates of an API server and of its client that were replaced are read again
 * (docs/rules/clients.md#credentials). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kube/access_parts.h"
#include "kube/client.h"
#include "runtime/peer.h"
#include "runtime/tls_server.h"
#include "support/test.h"

struct scene {
    struct tls_server server;
    char config[128]; /* its certificates are ca-now.crt, client-now.crt and client-now.key */
    struct jd_loop loop;
    struct jd_http *http;
    struct jd_access *access;
    struct jd_kube *kube;
};

struct result {
    bool is_done;
    int code;
    char message[256];
    char body[256]; /* its last line is the name of the client */
};

static void write_file(const struct scene *scene, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", scene->server.directory, name);
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void copy(const struct scene *scene, const char *from, const char *to)
{
    char *const text = tls_server_read(&scene->server, from);
    write_file(scene, to, text);
    free(text);
}

static void trust(const struct scene *scene, const char *name)
{
    copy(scene, name, "ca-now.crt");
}

static int set_up(void **state)
{
    struct scene *const scene = calloc(1, sizeof *scene);
    char text[1024];
    assert_non_null(scene);
    tls_server_open(&scene->server);
    snprintf(scene->config, sizeof scene->config, "%s/config", scene->server.directory);
    snprintf(text, sizeof text,
             "current-context: c\n"
             "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
             "users: [{name: u, user: {client-certificate: client-now.crt, "
             "client-key: client-now.key}}]\n"
             "clusters: [{name: k, cluster: {server: 'https://localhost:%d', "
             "certificate-authority: ca-now.crt}}]\n",
             scene->server.port);
    write_file(scene, "config", text);
    trust(scene, "other-ca.crt");
    copy(scene, "client.crt", "client-now.crt");
    copy(scene, "client.key", "client-now.key");
    const struct jd_access_options options = { .kubeconfig = scene->config };
    assert_int_equal(jd_loop_open(&scene->loop, 0, NULL, 0, NULL), 0);
    assert_int_equal(jd_http_open(&scene->loop, "joulie-test", &scene->http, NULL), 0);
    assert_int_equal(jd_access_open(&options, &scene->access, NULL), 0);
    const struct jd_kube_options kube = { .access = scene->access, .component = "joulie-test" };
    assert_int_equal(jd_kube_open(&scene->loop, scene->http, &kube, &scene->kube, NULL), 0);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *const scene = *state;
    jd_kube_close(scene->kube);
    jd_access_close(scene->access);
    jd_http_close(scene->http);
    jd_loop_close(&scene->loop);
    tls_server_close(&scene->server);
    free(scene);
    return 0;
}

static void on_done(void *user, const struct jd_answer *answer)
{
    struct result *const result = user;
    result->is_done = true;
    result->code = answer->code;
    snprintf(result->message, sizeof result->message, "%s", answer->message);
    snprintf(result->body, sizeof result->body, "%s", answer->body);
}

static struct result ask(struct scene *scene)
{
    struct result result = { 0 };
    const struct jd_kube_call call = { .method = "GET",
                                       .resource = &jd_nodes,
                                       .priority = JD_PRIORITY_READ,
                                       .on_done = on_done,
                                       .user = &result };
    assert_int_equal(jd_kube_start(scene->kube, &call, NULL), 0);
    assert_true(run_until(&scene->loop, &result.is_done));
    return result;
}

static void a_ca_that_was_replaced_is_read_again(void **state)
{
    struct scene *const scene = *state;
    trust(scene, "ca.crt");
    assert_int_equal(ask(scene).code, 200);
    assert_int_equal(jd_kube_requests(scene->kube), 2);
    assert_int_equal(ask(scene).code, 200);
    assert_int_equal(jd_kube_requests(scene->kube), 3);
}

static void a_ca_that_stayed_the_same_is_asked_for_once_a_minute(void **state)
{
    struct scene *const scene = *state;
    const struct result result = ask(scene);
    assert_int_equal(result.code, 0);
    assert_true(result.message[0] != '\0');
    assert_int_equal(jd_kube_requests(scene->kube), 1);
    trust(scene, "ca.crt"); /* within the minute */
    assert_int_equal(ask(scene).code, 0);
    assert_int_equal(jd_kube_requests(scene->kube), 2);
}

static void a_file_that_is_no_ca_changes_nothing(void **state)
{
    struct scene *const scene = *state;
    write_file(scene, "ca-now.crt", "half of a fi");
    assert_int_equal(ask(scene).code, 0);
    assert_int_equal(jd_kube_requests(scene->kube), 1);
}

static void assert_client(struct scene *scene, const char *name)
{
    const struct result result = ask(scene);
    assert_int_equal(result.code, 200);
    assert_string_equal(strrchr(result.body, '\n') + 1, name);
}

static void a_client_certificate_that_was_replaced_is_shown(void **state)
{
    struct scene *const scene = *state;
    trust(scene, "ca.crt");
    assert_client(scene, "client");
    copy(scene, "next-client.crt", "client-now.crt");
    copy(scene, "next-client.key", "client-now.key");
    assert_true(jd_access_read_certificates(scene->access));
    assert_client(scene, "next-client"); /* not over the connection of the one before */
}

static void a_pair_that_does_not_fit_is_read_again(void **state)
{
    struct scene *const scene = *state;
    trust(scene, "ca.crt");
    copy(scene, "next-client.crt", "client-now.crt"); /* its key comes later */
    assert_true(jd_access_read_certificates(scene->access));
    assert_client(scene, "client"); /* the pair before */
    assert_int_equal(jd_kube_requests(scene->kube), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_ca_that_was_replaced_is_read_again),
        TEST(a_ca_that_stayed_the_same_is_asked_for_once_a_minute),
        TEST(a_file_that_is_no_ca_changes_nothing),
        TEST(a_client_certificate_that_was_replaced_is_shown),
        TEST(a_pair_that_does_not_fit_is_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
