/* SPDX-License-Identifier: Apache-2.0 */
/* Exec plugins of a kubeconfig: what is run, what its answer means, when it is run again
 * (docs/rules/clients.md#exec-plugins). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "kube/access_parts.h"
#include "runtime/clock.h"
#include "runtime/loop.h"
#include "support/test.h"

#define SOON_MS 6000 /* the next run may be */
#define V1 "apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never"
#define PLUGIN "exec: {" V1 ", command: ./plugin, installHint: 'apt install it'}"
#define ANSWER(status)                                                                 \
    "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\"," \
    "\"status\":{" status "}}"
#define SECRET "s3cr3t-t0k3n"
#define CERTIFICATE "-----BEGIN CERT-----\\nAAAA\\n-----END CERT-----\\n"
#define KEY "-----BEGIN KEY-----\\nAAAA\\n-----END KEY-----\\n"

struct scene {
    char directory[64];
    char kubeconfig[128];
    char path[128]; /* PATH=… */
    char *environment[4];
    struct jd_loop loop;
    struct jd_access_options options;
    struct jd_access *access;
    struct joulie_error err;
    char text[4096];
};

static int set_up(void **state)
{
    struct scene *const scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    snprintf(scene->directory, sizeof scene->directory, "/tmp/test_plugin_XXXXXX");
    assert_non_null(mkdtemp(scene->directory));
    snprintf(scene->kubeconfig, sizeof scene->kubeconfig, "%s/config", scene->directory);
    snprintf(scene->path, sizeof scene->path, "PATH=relative:%s:/usr/bin:/bin", scene->directory);
    scene->environment[0] = scene->path;
    scene->environment[1] = "KEPT=yes";
    scene->environment[2] = "CHANGED=no";
    assert_int_equal(jd_loop_open(&scene->loop, 0, NULL, 0, NULL), 0);
    scene->options = (struct jd_access_options){ .kubeconfig = scene->kubeconfig,
                                                 .environment = scene->environment,
                                                 .loop = &scene->loop };
    scene->err.struct_size = sizeof scene->err;
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *const scene = *state;
    static const char *const names[] = { "config", "plugin", "seen", "answer" };
    jd_access_close(scene->access);
    jd_loop_close(&scene->loop);
    for (size_t i = 0; i < JL_COUNT(names); i++) {
        char path[192];
        snprintf(path, sizeof path, "%s/%s", scene->directory, names[i]);
        remove(path);
    }
    assert_int_equal(rmdir(scene->directory), 0);
    free(scene);
    return 0;
}

static void put(const struct scene *scene, const char *name, mode_t mode, const char *text)
{
    char path[192];
    snprintf(path, sizeof path, "%s/%s", scene->directory, name);
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void put_config(const struct scene *scene, const char *cluster, const char *user)
{
    char text[4096];
    snprintf(text, sizeof text,
             "current-context: here\n"
             "contexts:\n- name: here\n  context: {cluster: c, user: u}\n"
             "clusters:\n- name: c\n  cluster: {server: 'https://s:1'%s}\n"
             "users:\n- name: other\n  user: {}\n- name: u\n  user: {%s}\n",
             cluster, user);
    put(scene, "config", 0600, text);
}

/* A shell script in the directory of the kubeconfig, to which $here points. */
static void put_plugin(const struct scene *scene, const char *script)
{
    char text[4096];
    snprintf(text, sizeof text, "#!/bin/sh\nhere=%s\n%s\n", scene->directory, script);
    put(scene, "plugin", 0700, text);
}

/* One that says what the file "answer" has. */
static void answer(const struct scene *scene, const char *text)
{
    put(scene, "answer", 0600, text);
    put_plugin(scene, "cat $here/answer");
}

static const char *seen(struct scene *scene)
{
    char path[192];
    snprintf(path, sizeof path, "%s/seen", scene->directory);
    FILE *const file = fopen(path, "r");
    assert_non_null(file);
    scene->text[fread(scene->text, 1, sizeof scene->text - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    return scene->text;
}

static int open_access(struct scene *scene)
{
    jd_access_close(scene->access);
    scene->access = NULL;
    return jd_access_open(&scene->options, &scene->access, &scene->err);
}

static void open_well(struct scene *scene)
{
    const int rc = open_access(scene);
    if (rc != 0)
        fail_msg("%d: %s", rc, scene->err.message);
}

static void open_badly(struct scene *scene, int code, const char *part_of_message)
{
    assert_int_equal(open_access(scene), code);
    if (!strstr(scene->err.message, part_of_message))
        fail_msg("\"%s\" is not in: %s", part_of_message, scene->err.message);
}

/* Opens it and waits for its first answer. */
static void get(struct scene *scene)
{
    open_well(scene);
    if (jd_access_await(scene->access, &scene->err) != 0)
        fail_msg("%s", scene->err.message);
}

static void get_nothing(struct scene *scene, const char *part_of_message)
{
    open_well(scene);
    assert_int_equal(jd_access_await(scene->access, &scene->err), JOULIE_E_REQUIRED);
    if (!strstr(scene->err.message, part_of_message))
        fail_msg("\"%s\" is not in: %s", part_of_message, scene->err.message);
    assert_non_null(strstr(scene->err.message, "/config: users[1].user.exec.command: "));
    assert_null(strstr(scene->err.message, SECRET));
}

static enum jd_identity identity(struct scene *scene, int64_t later_ms)
{
    const char *why = NULL;
    return jd_access_identity(scene->access, jd_clock_ms() + later_ms, &why);
}

static void assert_token(struct scene *scene, const char *token)
{
    char line[128];
    const char *const *headers = jd_access_headers(scene->access, jd_clock_ms(), NULL);
    if (token) {
        snprintf(line, sizeof line, "Authorization: Bearer %s", token);
        assert_string_equal(headers[0], line);
    } else {
        assert_null(headers[0]);
    }
}

static void stop(void *user)
{
    jd_loop_stop(user);
}

static void run_to_its_end(struct scene *scene)
{
    jd_access_hear(scene->access, stop, &scene->loop);
    scene->loop.is_stopped = false;
    assert_int_equal(jd_loop_run(&scene->loop, NULL), 0);
}

/* ---- what is run ---- */

static void its_token_is_used(void **state)
{
    struct scene *const scene = *state;
    put_config(scene, "", PLUGIN);
    answer(scene, ANSWER("\"token\":\"" SECRET "\""));
    open_well(scene);
    assert_int_equal(identity(scene, 0), JD_IDENTITY_COMING);
    get(scene);
    assert_token(scene, SECRET);
    assert_int_equal(identity(scene, SOON_MS), JD_IDENTITY_THERE); /* for ever */
}

static void its_certificate_is_shown(void **state)
{
    struct scene *const scene = *state;
    put_config(scene, "", PLUGIN);
    answer(scene,
           ANSWER("\"clientCertificateData\":\"" CERTIFICATE "\",\"clientKeyData\":\"" KEY "\""));
    get(scene);
    assert_token(scene, NULL);
    const struct jd_tls *const tls = jd_access_tls(scene->access);
    assert_non_null(strstr(tls->certificate, "BEGIN CERT"));
    assert_non_null(strstr(tls->key, "BEGIN KEY"));
}

static void it_gets_arguments_and_environment_and_no_descriptor(void **state)
{
    struct scene *const scene = *state;
    put_config(scene, "",
               "exec: {" V1 ", command: plugin, args: [get, 'a b', ''], env: [{name: CHANGED, "
               "value: 'yes'}, {name: ADDED, value: ''}]}"); /* it is found in PATH */
    put_plugin(scene, "{ printf '%s|' \"$@\"; echo; env | grep -E '^(KEPT|CHANGED|ADDED)=' | sort;"
                      "ls /proc/self/fd; cat; } >$here/seen\n"
                      "echo '" ANSWER("\"token\":\"t\"") "'");
    const int kept = open("/dev/null", O_RDONLY);
    get(scene);
    close(kept);
    /* 3 is the folder that ls reads, and standard input is empty */
    assert_string_equal(seen(scene), "get|a b||\nADDED=\nCHANGED=yes\nKEPT=yes\n0\n1\n2\n3\n");
}

static void it_is_told_what_is_asked_for(void **state)
{
    struct scene *const scene = *state;
    put_plugin(scene, "printf %s \"$KUBERNETES_EXEC_INFO\" >$here/seen\n"
                      "echo '" ANSWER("\"token\":\"t\"") "'");
    put_config(scene, "", PLUGIN);
    get(scene);
    assert_string_equal(
        seen(scene), "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/"
                     "v1\",\"spec\":{\"interactive\":false}}");
    put_config(scene,
               ", tls-server-name: n, certificate-authority-data: "
               "LS0tLS1CRUdJTiBDQS0tLS0tCkFBQUEKLS0tLS1FTkQgQ0EtLS0tLQo=, extensions: [{name: "
               "client.authentication.k8s.io/exec, extension: {audience: x}}]",
               "exec: {" V1 ", command: ./plugin, provideClusterInfo: true}");
    get(scene);
    assert_non_null(strstr(seen(scene),
                           "\"cluster\":{\"server\":\"https://s:1\",\"tls-server-name\":\"n\","
                           "\"config\":{\"audience\":\"x\"},\"certificate-authority-data\":"
                           "\"LS0tLS1CRUdJTiBDQS0tLS0tCkFBQUEKLS0tLS1FTkQgQ0EtLS0tLQo=\"}"));
}

static void v1beta1_is_spoken_too(void **state)
{
    struct scene *const scene = *state;
    put_config(scene, "",
               "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: ./plugin}");
    answer(scene, "{\"apiVersion\":\"client.authentication.k8s.io/v1beta1\",\"kind\":"
                  "\"ExecCredential\",\"status\":{\"token\":\"t\"}}");
    get(scene);
    assert_token(scene, "t");
    answer(scene, ANSWER("\"token\":\"" SECRET "\""));
    get_nothing(scene, "its answer is not of client.authentication.k8s.io/v1beta1");
}

/* ---- when it is run again ---- */

static void answer_until(const struct scene *scene, const char *token, int64_t more_s)
{
    char text[512];
    char until[JL_TIME_TEXT];
    jl_format_time(jd_clock_wall_ms() + more_s * 1000, until);
    snprintf(text, sizeof text, ANSWER("\"token\":\"%s\",\"expirationTimestamp\":\"%s\""), token,
             until);
    answer(scene, text);
}

static void what_ends_soon_is_used_while_the_next_is_fetched(void **state)
{
    struct scene *const scene = *state;
    put_config(scene, "", PLUGIN);
    answer_until(scene, "first", 9);
    get(scene);
    answer_until(scene, "second", 3600);
    assert_int_equal(identity(scene, 0), JD_IDENTITY_THERE); /* not at once again */
    assert_int_equal(identity(scene, SOON_MS), JD_IDENTITY_THERE);
    assert_token(scene, "first");
    run_to_its_end(scene);
    assert_token(scene, "second");
}

static void what_has_ended_is_not_used(void **state)
{
    struct scene *const scene = *state;
    put_config(scene, "", PLUGIN);
    answer_until(scene, "old", -60);
    get(scene);
    assert_int_equal(identity(scene, 0), JD_IDENTITY_THERE); /* whose clock is wrong? */
    answer_until(scene, "new", 3600);
    assert_int_equal(identity(scene, SOON_MS), JD_IDENTITY_COMING);
    run_to_its_end(scene);
    assert_int_equal(identity(scene, SOON_MS), JD_IDENTITY_THERE);
    assert_token(scene, "new");
}

static void what_the_server_refuses_is_replaced(void **state)
{
    struct scene *const scene = *state;
    put_config(scene, "", PLUGIN);
    answer(scene, ANSWER("\"token\":\"first\""));
    get(scene);
    const int64_t now_ms = jd_clock_ms();
    answer(scene, ANSWER("\"token\":\"second\""));
    assert_false(jd_access_refused(scene->access, now_ms + 1, now_ms + 2)); /* just fetched */
    assert_true(jd_access_refused(scene->access, now_ms + 1, now_ms + SOON_MS));
    assert_int_equal(identity(scene, 0), JD_IDENTITY_COMING);
    run_to_its_end(scene);
    assert_token(scene, "second");
    assert_true(jd_access_refused(scene->access, now_ms, now_ms)); /* of the first */
    assert_int_equal(identity(scene, 0), JD_IDENTITY_THERE);
}

static void a_pair_that_does_not_fit_is_replaced(void **state)
{
    struct scene *const scene = *state;
    put_config(scene, "", PLUGIN);
    answer(scene,
           ANSWER("\"clientCertificateData\":\"" CERTIFICATE "\",\"clientKeyData\":\"" KEY "\""));
    get(scene);
    answer(scene, ANSWER("\"token\":\"t\""));
    const int64_t now_ms = jd_clock_ms();
    assert_false(jd_access_unidentified(scene->access, now_ms)); /* just fetched */
    assert_true(jd_access_unidentified(scene->access, now_ms + SOON_MS));
    assert_int_equal(identity(scene, 0), JD_IDENTITY_COMING);
    run_to_its_end(scene);
    assert_token(scene, "t");
    assert_null(jd_access_tls(scene->access)->certificate);
}

static void a_run_that_fails_is_repeated_later(void **state)
{
    struct scene *const scene = *state;
    const char *problem = NULL;
    put_config(scene, "", PLUGIN);
    answer_until(scene, "first", 9);
    get(scene);
    put_plugin(scene, "exit 3");
    assert_int_equal(identity(scene, SOON_MS), JD_IDENTITY_THERE);
    run_to_its_end(scene);
    jd_access_headers(scene->access, jd_clock_ms(), &problem);
    assert_non_null(strstr(problem, "users[1].user.exec.command: it ended with exit status 3"));
    answer(scene, ANSWER("\"token\":\"second\""));
    assert_int_equal(identity(scene, 900), JD_IDENTITY_THERE); /* not yet */
    assert_int_equal(identity(scene, 1000), JD_IDENTITY_THERE);
    run_to_its_end(scene);
    jd_access_headers(scene->access, jd_clock_ms(), &problem);
    assert_null(problem);
    assert_token(scene, "second");
}

/* ---- what is wrong ---- */

static void answers_that_say_nothing_are_refused_without_being_shown(void **state)
{
    static const struct {
        const char *answer;
        const char *message;
    } cases[] = {
        { "", "its answer is no ExecCredential" },
        { SECRET, "its answer is no ExecCredential" },
        { "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"" SECRET "\"}",
          "its answer is no ExecCredential" },
        { "{\"apiVersion\":\"" SECRET "\",\"kind\":\"ExecCredential\"}", "its answer is not of" },
        { "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\"}",
          "its answer has no status" },
        { ANSWER(""), "neither status.token nor" },
        { ANSWER("\"token\":[\"" SECRET "\"]"), "neither status.token nor" },
        { ANSWER("\"token\":\"" SECRET "\\nX-Evil: 1\""),
          "status.token of its answer is no token" },
        { ANSWER("\"clientKeyData\":\"" SECRET "\""), "its answer has one of" },
        { ANSWER("\"clientKeyData\":\"" SECRET "\",\"clientCertificateData\":\"x\""), "is no PEM" },
        { ANSWER("\"token\":\"" SECRET "\",\"expirationTimestamp\":\"tomorrow\""),
          "status.expirationTimestamp of its answer is no time" },
        { ANSWER("\"token\":\"" SECRET "\",\"expirationTimestamp\":5"),
          "status.expirationTimestamp of its answer is no text" },
    };

    struct scene *const scene = *state;
    put_config(scene, "", PLUGIN);
    for (size_t i = 0; i < JL_COUNT(cases); i++) {
        answer(scene, cases[i].answer);
        get_nothing(scene, cases[i].message);
    }
    put_plugin(scene, "yes " SECRET " | head -c 300000");
    get_nothing(scene, "its answer is longer than 256 KiB");
    put_plugin(scene, "echo '" ANSWER("\"token\":\"t\"") "'; exit 2");
    get_nothing(scene, "it ended with exit status 2");
    put_plugin(scene, "kill -KILL $$");
    get_nothing(scene, "it was ended by signal 9");
}

static void what_is_wrong_is_placed(void **state)
{
    static const struct {
        const char *user;
        int code;
        const char *message;
    } cases[] = {
        { "exec: 5", JOULIE_E_TYPE, "users[1].user.exec: it has to be an object" },
        { "exec: {command: ./plugin}", JOULIE_E_REQUIRED, "exec.apiVersion: it has to be there" },
        { "exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: ./plugin}",
          JOULIE_E_UNSUPPORTED, "exec.apiVersion: it is neither" },
        { "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin}",
          JOULIE_E_REQUIRED, "exec.interactiveMode: it has to be Never" },
        { "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Always, command: "
          "./plugin}",
          JOULIE_E_UNSUPPORTED, "exec.interactiveMode: a plugin that needs a terminal" },
        { "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: never, command: "
          "./plugin}",
          JOULIE_E_PARSE, "exec.interactiveMode: it is none of" },
        { "exec: {" V1 "}", JOULIE_E_REQUIRED, "exec.command: it has to be there" },
        { "exec: {" V1 ", command: 7}", JOULIE_E_TYPE, "exec.command: it has to be a string" },
        { "exec: {" V1 ", command: not-there-at-all, installHint: 'apt install it'}", JOULIE_E_IO,
          "exec.command: \"not-there-at-all\": there is no such program in PATH; its installHint: "
          "apt install it" },
        { "exec: {" V1 ", command: ./config}", JOULIE_E_IO,
          "exec.command: \"./config\": Permission denied" },
        { "exec: {" V1 ", command: ./gone, installHint: 'apt install it'}", JOULIE_E_IO,
          "exec.command: \"./gone\": No such file or directory; its installHint: apt" },
        { "exec: {" V1 ", command: ./plugin, args: x}", JOULIE_E_TYPE,
          "exec.args: it has to be a list" },
        { "exec: {" V1 ", command: ./plugin, args: [a, 2]}", JOULIE_E_TYPE,
          "exec.args[1]: it has to be a string" },
        { "exec: {" V1 ", command: ./plugin, env: [{name: A}, x]}", JOULIE_E_TYPE,
          "exec.env[1]: it has to be an object" },
        { "exec: {" V1 ", command: ./plugin, env: [{value: x}]}", JOULIE_E_REQUIRED,
          "exec.env[0].name: it has to be the name" },
        { "exec: {" V1 ", command: ./plugin, provideClusterInfo: 'no'}", JOULIE_E_TYPE,
          "exec.provideClusterInfo: it has to be true or false" },
        { "token: t, " PLUGIN, JOULIE_E_CONFLICT, "users[1].user.exec: a plugin beside" },
        { "username: n, password: p, " PLUGIN, JOULIE_E_CONFLICT, "only one can be used" },
    };

    struct scene *const scene = *state;
    put_plugin(scene, "exit 0");
    for (size_t i = 0; i < JL_COUNT(cases); i++) {
        put_config(scene, "", cases[i].user);
        open_badly(scene, cases[i].code, cases[i].message);
    }
    put_config(scene, "", "exec: null, token: t");
    open_well(scene);
    assert_token(scene, "t");
}

static void without_a_loop_none_is_taken(void **state)
{
    struct scene *const scene = *state;
    put_config(scene, "", PLUGIN);
    put_plugin(scene, "exit 0");
    scene->options.loop = NULL;
    open_badly(scene, JOULIE_E_UNSUPPORTED, "users[1].user.exec: this program runs no plugin");
}

static void what_it_will_say_does_not_go_over_plain_http_to_another_machine(void **state)
{
    struct scene *const scene = *state;
    put_config(scene, "", PLUGIN);
    put_plugin(scene, "exit 0");
    scene->options.server = "http://10.0.0.1";
    open_badly(scene, JOULIE_E_CONFLICT, "say --insecure-plain-http");
    scene->options.server = "http://127.0.0.1:1";
    open_well(scene);
}

/* Only root has more than the person who wrote the files. */
static void root_runs_nothing_that_others_may_change(void **state)
{
    struct scene *const scene = *state;
    if (geteuid() != 0)
        skip();
    put_config(scene, "", PLUGIN);
    answer(scene, ANSWER("\"token\":\"t\""));
    get(scene);
    assert_int_equal(chmod(scene->kubeconfig, 0620), 0);
    open_badly(scene, JOULIE_E_UNSUPPORTED, "root runs no plugin of a kubeconfig that others may");
    put_config(scene, "", PLUGIN);
    put(scene, "plugin", 0702, "#!/bin/sh\n");
    open_badly(scene, JOULIE_E_UNSUPPORTED, "root runs no plugin that others may change");
    put(scene, "plugin", 0700, "#!/bin/sh\n");
    open_well(scene);
    assert_int_equal(chown(scene->directory, 65534, 65534), 0);
    open_badly(scene, JOULIE_E_UNSUPPORTED, "root runs no plugin");
    assert_int_equal(chown(scene->directory, 0, 0), 0);
}

static void one_that_runs_ends_with_its_access(void **state)
{
    struct scene *const scene = *state;
    put_config(scene, "", PLUGIN);
    put_plugin(scene, "exec sleep 1000");
    open_well(scene);
    assert_int_equal(identity(scene, 0), JD_IDENTITY_COMING);
    jd_access_close(scene->access);
    scene->access = NULL;
    assert_int_equal(scene->loop.timer_count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(its_token_is_used),
        TEST(its_certificate_is_shown),
        TEST(it_gets_arguments_and_environment_and_no_descriptor),
        TEST(it_is_told_what_is_asked_for),
        TEST(v1beta1_is_spoken_too),
        TEST(what_ends_soon_is_used_while_the_next_is_fetched),
        TEST(what_has_ended_is_not_used),
        TEST(what_the_server_refuses_is_replaced),
        TEST(a_pair_that_does_not_fit_is_replaced),
        TEST(a_run_that_fails_is_repeated_later),
        TEST(answers_that_say_nothing_are_refused_without_being_shown),
        TEST(what_is_wrong_is_placed),
        TEST(without_a_loop_none_is_taken),
        TEST(what_it_will_say_does_not_go_over_plain_http_to_another_machine),
        TEST(root_runs_nothing_that_others_may_change),
        TEST(one_that_runs_ends_with_its_access),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
