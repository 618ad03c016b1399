/* SPDX-License-Identifier: Apache-2.0 */
/* Which API server, and as whom: docs/rules/clients.md#which-api-server. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/memory.h"
#include "kube/access_parts.h"
#include "support/test.h"

#define PEM(word) "-----BEGIN " word "-----\nAAAA\n-----END " word "-----\n"
/* base64 -w0 of the above */
#define CA_DATA "LS0tLS1CRUdJTiBDQS0tLS0tCkFBQUEKLS0tLS1FTkQgQ0EtLS0tLQo="
#define CERT_DATA "LS0tLS1CRUdJTiBDRVJULS0tLS0KQUFBQQotLS0tLUVORCBDRVJULS0tLS0K"
#define KEY_DATA "LS0tLS1CRUdJTiBLRVktLS0tLQpBQUFBCi0tLS0tRU5EIEtFWS0tLS0tCg=="

struct scene {
    char directory[64];
    struct jd_access *access;
    struct joulie_error err;
    struct jd_access_options options;
    char kubeconfig[128];
    char variables[8][256];
    char *environment[9];
};

static int set_up(void **state)
{
    struct scene *const scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    snprintf(scene->directory, sizeof scene->directory, "/tmp/test_access_XXXXXX");
    assert_non_null(mkdtemp(scene->directory));
    snprintf(scene->kubeconfig, sizeof scene->kubeconfig, "%s/config", scene->directory);
    scene->options.kubeconfig = scene->kubeconfig;
    scene->options.environment = scene->environment;
    scene->options.is_plain_allowed = true; /* most of these names are of no machine */
    scene->err.struct_size = sizeof scene->err;
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *const scene = *state;
    static const char *const names[] = {
        "config",     "other",      "third/config", "third",     "ca.crt",
        "client.crt", "client.key", "token",        "namespace", "home/.kube/config",
        "home/.kube", "home"
    };
    jd_access_close(scene->access);
    for (size_t i = 0; i < JL_COUNT(names); i++) {
        char path[192];
        snprintf(path, sizeof path, "%s/%s", scene->directory, names[i]);
        remove(path);
    }
    assert_int_equal(rmdir(scene->directory), 0);
    free(scene);
    return 0;
}

static void put(const struct scene *scene, const char *name, const char *text)
{
    char path[192];
    snprintf(path, sizeof path, "%s/%s", scene->directory, name);
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void make_directory(const struct scene *scene, const char *name)
{
    char path[192];
    snprintf(path, sizeof path, "%s/%s", scene->directory, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void set_variable(struct scene *scene, size_t i, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void set_variable(struct scene *scene, size_t i, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(scene->variables[i], sizeof scene->variables[i], format, arguments);
    va_end(arguments);
    scene->environment[i] = scene->variables[i];
}

/* cluster and user are the members of theirs, as a YAML flow. */
static void put_config(const struct scene *scene, const char *cluster, const char *user)
{
    char text[4096];
    snprintf(text, sizeof text,
             "apiVersion: v1\nkind: Config\ncurrent-context: here\n"
             "contexts:\n- name: here\n  context: {cluster: c, user: u, namespace: power}\n"
             "clusters:\n- name: c\n  cluster: {%s}\nusers:\n- name: u\n  user: {%s}\n",
             cluster, user);
    put(scene, "config", text);
}

static int open_access(struct scene *scene)
{
    jd_access_close(scene->access);
    scene->access = NULL;
    scene->err.message[0] = '\0';
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
    assert_null(scene->access);
    if (!strstr(scene->err.message, part_of_message))
        fail_msg("\"%s\" is not in: %s", part_of_message, scene->err.message);
}

static void assert_headers(struct scene *scene, int64_t now_ms, const char *expected)
{
    char text[1024] = "";
    const char *problem = NULL;
    const char *const *line = jd_access_headers(scene->access, now_ms, &problem);
    for (; *line; line++) {
        strncat(text, *line, sizeof text - strlen(text) - 2);
        strncat(text, "\n", 2);
    }
    assert_string_equal(text, expected);
}

/* ---- a kubeconfig ---- */

static void a_context_names_server_user_and_namespace(void **state)
{
    struct scene *const scene = *state;
    put_config(scene, "server: 'https://10.0.0.1:6443/'", "token: abc");
    open_well(scene);
    assert_string_equal(jd_access_server(scene->access), "https://10.0.0.1:6443");
    assert_string_equal(jd_access_namespace(scene->access), "power");
    assert_null(jd_access_proxy(scene->access));
    assert_non_null(jd_access_tls(scene->access));
    assert_null(jd_access_tls(scene->access)->ca);
    assert_headers(scene, 0, "Authorization: Bearer abc\n");
    assert_string_equal(jd_access_note(scene->access), "");
}

static void a_kubeconfig_may_be_json(void **state)
{
    struct scene *const scene = *state;
    put(scene, "config",
        "{\"current-context\":\"a\",\"contexts\":[{\"name\":\"a\",\"context\":{\"cluster\":\"b\","
        "\"user\":\"c\"}}],\"clusters\":[{\"name\":\"b\",\"cluster\":{\"server\":"
        "\"http://127.0.0.1:8001/prefix/\"}}],\"users\":[{\"name\":\"c\",\"user\":{}}]}");
    open_well(scene);
    assert_string_equal(jd_access_server(scene->access), "http://127.0.0.1:8001/prefix");
    assert_string_equal(jd_access_namespace(scene->access), "default");
    assert_null(jd_access_tls(scene->access));
    assert_headers(scene, 0, "");
}

static void data_is_preferred_to_a_file(void **state)
{
    struct scene *const scene = *state;
    put_config(scene,
               "server: 'https://s', certificate-authority: /nowhere, "
               "certificate-authority-data: " CA_DATA,
               "client-certificate: /nowhere, client-certificate-data: " CERT_DATA
               ", client-key: /nowhere, client-key-data: " KEY_DATA);
    open_well(scene);
    const struct jd_tls *const tls = jd_access_tls(scene->access);
    assert_string_equal(tls->ca, PEM("CA"));
    assert_string_equal(tls->certificate, PEM("CERT"));
    assert_string_equal(tls->key, PEM("KEY"));
    assert_false(tls->is_unverified);
}

static void paths_are_relative_to_their_own_file(void **state)
{
    struct scene *const scene = *state;
    make_directory(scene, "third");
    put(scene, "third/config",
        "users: [{name: u, user: {client-certificate: ../client.crt, "
        "client-key: ../client.key}}]");
    put(scene, "config",
        "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
        "clusters: [{name: c, cluster: {server: s, certificate-authority: ca.crt}}]");
    put(scene, "ca.crt", PEM("CA"));
    put(scene, "client.crt", PEM("CERT"));
    put(scene, "client.key", PEM("KEY"));
    scene->options.kubeconfig = NULL;
    set_variable(scene, 0, "KUBECONFIG=%s/config:%s/third/config", scene->directory,
                 scene->directory);
    open_well(scene);
    assert_string_equal(jd_access_server(scene->access), "https://s"); /* it has TLS settings */
    assert_string_equal(jd_access_tls(scene->access)->ca, PEM("CA"));
    assert_string_equal(jd_access_tls(scene->access)->certificate, PEM("CERT"));
    assert_string_equal(jd_access_tls(scene->access)->key, PEM("KEY"));
}

static void of_several_files_the_first_that_says_something_wins(void **state)
{
    struct scene *const scene = *state;
    put(scene, "config",
        "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
        "clusters: [{name: c, cluster: {server: 'http://first'}}]\n");
    put(scene, "other",
        "current-context: x\n"
        "contexts: [{name: x, context: {cluster: d, user: u, namespace: other}}]\n"
        "clusters: [{name: c, cluster: {server: 'http://second'}}]\n"
        "users: [{name: u, user: {token: t}}]\n");
    scene->options.kubeconfig = NULL;
    set_variable(scene, 0, "KUBECONFIG=:%s/missing::%s/config:%s/other", scene->directory,
                 scene->directory, scene->directory);
    open_well(scene);
    assert_string_equal(jd_access_server(scene->access), "http://first");
    assert_string_equal(jd_access_namespace(scene->access), "default");
    assert_headers(scene, 0, "Authorization: Bearer t\n");
}

static void what_is_missing_is_named(void **state)
{
    struct scene *const scene = *state;
    open_badly(scene, JOULIE_E_IO, "/config: No such file");
    put(scene, "config", "# nothing\n");
    open_badly(scene, JOULIE_E_REQUIRED, "there is no kubeconfig in it");
    put(scene, "config", "kind: Config\n");
    open_badly(scene, JOULIE_E_REQUIRED, "no current-context");
    put(scene, "config", "current-context: gone\n");
    open_badly(scene, JOULIE_E_REQUIRED, "there is no context \"gone\"");
    scene->options.context = "mine";
    open_badly(scene, JOULIE_E_REQUIRED, "there is no context \"mine\"");
    scene->options.context = NULL;
    put(scene, "config", "current-context: x\ncontexts: [{name: x, context: {user: u}}]");
    open_badly(scene, JOULIE_E_REQUIRED, "context \"x\" names no cluster");
    put(scene, "config", "current-context: x\ncontexts: [{name: x, context: {cluster: c}}]");
    open_badly(scene, JOULIE_E_REQUIRED, "context \"x\" names no user");
    put(scene, "config",
        "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]");
    open_badly(scene, JOULIE_E_REQUIRED, "there is no cluster \"c\"");
    put(scene, "config",
        "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
        "clusters: [{name: c, cluster: {server: s}}]");
    open_badly(scene, JOULIE_E_REQUIRED, "there is no user \"u\"");
    put_config(scene, "tls-server-name: x", "token: t");
    open_badly(scene, JOULIE_E_REQUIRED, "the cluster \"c\" has no server");
    put_config(scene, "server: s, certificate-authority: gone.crt", "token: t");
    open_badly(scene, JOULIE_E_IO, "/gone.crt: No such file");
    put_config(scene, "server: s", "tokenFile: gone");
    open_badly(scene, JOULIE_E_IO, "/gone: No such file");
}

static void what_is_wrong_is_placed(void **state)
{
    struct scene *const scene = *state;
    put(scene, "config", "a: [\n");
    assert_int_equal(open_access(scene), JOULIE_E_PARSE);
    assert_string_equal(scene->err.where, scene->kubeconfig);
    assert_true(scene->err.line > 0);
    put(scene, "config", "[1]");
    open_badly(scene, JOULIE_E_TYPE, "no kubeconfig");
    put(scene, "config", "kind: Pod\n");
    open_badly(scene, JOULIE_E_PARSE, "config: kind: it is not Config");
    put_config(scene, "server: s", "token: 12");
    open_badly(scene, JOULIE_E_TYPE, "config: users[0].user.token: it has to be a string");
    put_config(scene, "server: [s]", "token: t");
    open_badly(scene, JOULIE_E_TYPE, "clusters[0].cluster.server");
    put_config(scene, "server: s, insecure-skip-tls-verify: 'yes'", "token: t");
    open_badly(scene, JOULIE_E_TYPE, "clusters[0].cluster.insecure-skip-tls-verify");
    put_config(scene, "server: s, certificate-authority-data: '%%%%'", "token: t");
    open_badly(scene, JOULIE_E_PARSE, "clusters[0].cluster.certificate-authority-data");
    put_config(scene, "server: s, certificate-authority-data: 'YWFhYQ=='", "token: t"); /* "aaaa" */
    open_badly(scene, JOULIE_E_PARSE, "no base64 of PEM");
    put_config(scene, "server: s", "token: \"a\\nX-Evil: 1\"");
    open_badly(scene, JOULIE_E_PARSE, "users[0].user.token");
    assert_null(strstr(scene->err.message, "Evil"));
    put(scene, "config", "current-context: x\ncontexts: {x: 1}");
    open_badly(scene, JOULIE_E_TYPE, "contexts: it has to be a list");
    put(scene, "config", "current-context: x\ncontexts: [{name: x, context: {}}, {name: x}]");
    open_badly(scene, JOULIE_E_CONFLICT, "contexts[1].name: this name is there twice");
    put_config(scene, "server: 'ftp://s'", "token: t");
    open_badly(scene, JOULIE_E_PARSE, "no http or https URL");
}

static void contradictions_are_refused(void **state)
{
    struct scene *const scene = *state;
    put_config(scene,
               "server: s, insecure-skip-tls-verify: true, "
               "certificate-authority-data: " CA_DATA,
               "token: t");
    open_badly(scene, JOULIE_E_CONFLICT, "insecure-skip-tls-verify");
    put_config(scene, "server: s", "token: t, username: n, password: p");
    open_badly(scene, JOULIE_E_CONFLICT, "only one");
    put_config(scene, "server: s", "client-key-data: " KEY_DATA);
    open_badly(scene, JOULIE_E_REQUIRED, "client-certificate");
    put_config(scene, "server: s", "client-certificate-data: " CERT_DATA);
    open_badly(scene, JOULIE_E_REQUIRED, "client-key");
    put_config(scene, "server: s, proxy-url: 'ftp://p'", "token: t");
    open_badly(scene, JOULIE_E_PARSE, "proxy-url");
}

static void providers_are_refused_with_what_would_help(void **state)
{
    struct scene *const scene = *state;
    put_config(scene, "server: s", "auth-provider: {name: gcp}");
    open_badly(scene, JOULIE_E_UNSUPPORTED,
               "kubeconfig user \"u\": auth-provider \"gcp\" is not supported; use an exec plugin "
               "or a token");
    assert_string_equal(scene->err.where, scene->kubeconfig);
    put_config(scene, "server: s", "auth-provider: null, token: t");
    open_well(scene);
}

static void a_server_without_a_scheme_gets_one(void **state)
{
    struct scene *const scene = *state;

    static const struct {
        const char *cluster;
        const char *user;
        const char *server;
    } cases[] = {
        { "server: 'h:1'", "token: t", "http://h:1" },
        { "server: 'h:1', insecure-skip-tls-verify: true", "token: t", "https://h:1" },
        { "server: 'h:1', tls-server-name: n", "token: t", "https://h:1" },
        { "server: 'h:1', certificate-authority-data: " CA_DATA, "token: t", "https://h:1" },
        { "server: 'h:1'", "client-certificate-data: " CERT_DATA ", client-key-data: " KEY_DATA,
          "https://h:1" },
    };

    for (size_t i = 0; i < JL_COUNT(cases); i++) {
        put_config(scene, cases[i].cluster, cases[i].user);
        open_well(scene);
        assert_string_equal(jd_access_server(scene->access), cases[i].server);
    }
}

static void settings_of_a_cluster_arrive(void **state)
{
    struct scene *const scene = *state;
    put_config(scene,
               "server: 'https://10.0.0.1', tls-server-name: api.example, proxy-url: "
               "'socks5://p:1080', insecure-skip-tls-verify: true, disable-compression: "
               "true, extensions: []",
               "username: Aladdin, password: 'open sesame'");
    open_well(scene);
    assert_string_equal(jd_access_tls(scene->access)->server_name, "api.example");
    assert_true(jd_access_tls(scene->access)->is_unverified);
    assert_string_equal(jd_access_proxy(scene->access), "socks5://p:1080");
    /* the example of RFC 7617 */
    assert_headers(scene, 0, "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\n");
}

static void impersonation_is_headers(void **state)
{
    struct scene *const scene = *state;
    put_config(scene, "server: s",
               "token: t, as: jane, as-uid: '7', as-groups: [dev, ops], "
               "as-user-extra: {reason: [a, b], 'x/y:z': [c]}");
    open_well(scene);
    assert_headers(scene, 0,
                   "Authorization: Bearer t\nImpersonate-User: jane\nImpersonate-Uid: 7\n"
                   "Impersonate-Group: dev\nImpersonate-Group: ops\n"
                   "Impersonate-Extra-reason: a\nImpersonate-Extra-reason: b\n"
                   "Impersonate-Extra-x%2Fy%3Az: c\n");
    put_config(scene, "server: s", "token: t, as-groups: [dev]");
    open_badly(scene, JOULIE_E_REQUIRED, "users[0].user.as");
    put_config(scene, "server: s", "token: t, as: x, as-groups: dev");
    open_badly(scene, JOULIE_E_TYPE, "as-groups");
    put_config(scene, "server: s", "token: t, as: \"x\\r\\nY: z\"");
    open_badly(scene, JOULIE_E_PARSE, "users[0].user.as");
}

/* ---- tokens that change ---- */

static void a_token_file_is_read_again_after_50_s(void **state)
{
    struct scene *const scene = *state;
    const char *problem = NULL;
    put(scene, "token", " first\n");
    put_config(scene, "server: s", "token: inline, tokenFile: token");
    open_well(scene);
    assert_headers(scene, 1000, "Authorization: Bearer first\n");
    put(scene, "token", "second\n");
    assert_headers(scene, 50999, "Authorization: Bearer first\n");
    assert_headers(scene, 51000, "Authorization: Bearer second\n");
    put(scene, "token", "\n"); /* and the last good one stays */
    assert_headers(scene, 101000, "Authorization: Bearer second\n");
    jd_access_headers(scene->access, 101001, &problem);
    assert_non_null(problem);
    assert_non_null(strstr(problem, "the token is empty; the last token is still used"));
    put(scene, "token", "third");
    assert_headers(scene, 101002, "Authorization: Bearer third\n"); /* no 50 s to wait after that */
    jd_access_headers(scene->access, 101003, &problem);
    assert_null(problem);
}

/* A kubelet writes the file a moment after it starts the program. */
static void a_token_that_is_not_there_yet_is_waited_for(void **state)
{
    struct scene *const scene = *state;
    const char *why = NULL;
    put_config(scene, "server: 'https://s'", "tokenFile: token");
    open_badly(scene, JOULIE_E_IO, "/token: No such file"); /* of a command that ends */
    scene->options.is_patient = true;
    open_well(scene);
    assert_int_equal(jd_access_identity(scene->access, 2000, &why), JD_IDENTITY_MISSING);
    assert_non_null(strstr(why, "/token: No such file or directory; it is waited for"));
    put(scene, "token", " \n");
    assert_int_equal(jd_access_identity(scene->access, 4000, &why), JD_IDENTITY_MISSING);
    assert_non_null(strstr(why, "/token: the token is empty; it is waited for"));
    put(scene, "token", "first\n");
    assert_int_equal(jd_access_identity(scene->access, 4999, &why), JD_IDENTITY_MISSING);
    assert_int_equal(jd_access_identity(scene->access, 5000, &why), JD_IDENTITY_THERE);
    assert_headers(scene, 5000, "Authorization: Bearer first\n");
    put(scene, "token", "\"no token\"");
    open_badly(scene, JOULIE_E_PARSE, "/token: this is no token"); /* nobody ends writing that */
}

static void a_refused_token_is_read_again_once(void **state)
{
    struct scene *const scene = *state;
    put(scene, "token", "first");
    put_config(scene, "server: s", "tokenFile: token");
    open_well(scene);
    assert_headers(scene, 1000, "Authorization: Bearer first\n");
    assert_false(jd_access_refused(scene->access, 1000, 1100)); /* still the same: no use */
    put(scene, "token", "second");
    assert_true(jd_access_refused(scene->access, 1200, 1300));
    assert_headers(scene, 1300, "Authorization: Bearer second\n");
    /* a request of before: the one that is there is newer than what it used */
    assert_true(jd_access_refused(scene->access, 1200, 1400));
    assert_false(jd_access_refused(scene->access, 1500, 1600));
    put_config(scene, "server: s", "token: inline");
    open_well(scene);
    assert_false(jd_access_refused(scene->access, 0, 1));
}

static void a_ca_is_read_again_at_most_once_a_minute(void **state)
{
    struct scene *const scene = *state;
    put(scene, "ca.crt", PEM("CA"));
    put_config(scene, "server: s, certificate-authority: ca.crt", "token: t");
    open_well(scene);
    assert_false(jd_access_distrusted(scene->access, 1000)); /* the same */
    put(scene, "ca.crt", PEM("NEW"));
    assert_false(jd_access_distrusted(scene->access, 60999));
    assert_string_equal(jd_access_tls(scene->access)->ca, PEM("CA"));
    assert_true(jd_access_distrusted(scene->access, 61000));
    assert_string_equal(jd_access_tls(scene->access)->ca, PEM("NEW"));
    put(scene, "ca.crt", "half a file");
    assert_false(jd_access_distrusted(scene->access, 200000));
    assert_string_equal(jd_access_tls(scene->access)->ca, PEM("NEW"));
}

/* ---- where it comes from ---- */

static void open_with_files(struct scene *scene)
{
    put(scene, "ca.crt", PEM("CA"));
    put(scene, "client.crt", PEM("CERT"));
    put(scene, "client.key", PEM("KEY"));
    put_config(scene, "server: 'https://h', certificate-authority: ca.crt",
               "client-certificate: client.crt, client-key: client.key");
    open_well(scene);
    assert_headers(scene, 1000, "");
}

static void assert_tls(const struct scene *scene, const char *ca, const char *certificate,
                       const char *key)
{
    const struct jd_tls *const tls = jd_access_tls(scene->access);
    assert_string_equal(tls->ca, ca);
    assert_string_equal(tls->certificate, certificate);
    assert_string_equal(tls->key, key);
}

static void certificates_are_read_again_after_50_s(void **state)
{
    struct scene *const scene = *state;
    open_with_files(scene);
    put(scene, "ca.crt", PEM("CA2"));
    put(scene, "client.crt", PEM("CERT2"));
    put(scene, "client.key", PEM("KEY2"));
    assert_headers(scene, 50999, "");
    assert_tls(scene, PEM("CA"), PEM("CERT"), PEM("KEY"));
    assert_headers(scene, 51000, "");
    assert_tls(scene, PEM("CA2"), PEM("CERT2"), PEM("KEY2"));
    put(scene, "client.crt", PEM("CERT3")); /* of the same key */
    assert_headers(scene, 101000, "");
    assert_tls(scene, PEM("CA2"), PEM("CERT3"), PEM("KEY2"));
}

static void a_pair_is_replaced_as_a_whole_or_not_at_all(void **state)
{
    struct scene *const scene = *state;
    const char *problem = NULL;
    char path[192];
    open_with_files(scene);
    put(scene, "client.crt", PEM("CERT2"));
    put(scene, "client.key", "half of a fi");
    jd_access_headers(scene->access, 51000, &problem);
    assert_tls(scene, PEM("CA"), PEM("CERT"), PEM("KEY"));
    assert_non_null(strstr(problem, "client.key: there is no PEM in it; the last one is still"));
    snprintf(path, sizeof path, "%s/client.key", scene->directory);
    assert_int_equal(remove(path), 0);
    jd_access_headers(scene->access, 101000, &problem);
    assert_tls(scene, PEM("CA"), PEM("CERT"), PEM("KEY"));
    assert_non_null(strstr(problem, "client.key"));
    put(scene, "client.key", PEM("KEY2"));
    jd_access_headers(scene->access, 151000, &problem);
    assert_tls(scene, PEM("CA"), PEM("CERT2"), PEM("KEY2"));
    assert_null(problem);
}

static void a_refused_certificate_is_read_again(void **state)
{
    struct scene *const scene = *state;
    open_with_files(scene);
    assert_false(jd_access_refused(scene->access, 1000, 1100)); /* still the same: no use */
    put(scene, "client.crt", PEM("CERT2"));
    assert_true(jd_access_refused(scene->access, 1200, 1300));
    assert_tls(scene, PEM("CA"), PEM("CERT2"), PEM("KEY"));
}

static void a_pair_that_does_not_fit_gives_way_to_the_one_before(void **state)
{
    struct scene *const scene = *state;
    open_with_files(scene);
    assert_false(jd_access_unidentified(scene->access, 2000)); /* there is none before */
    put(scene, "client.crt", PEM("CERT2"));
    assert_headers(scene, 51000, "");
    assert_tls(scene, PEM("CA"), PEM("CERT2"), PEM("KEY"));
    assert_true(jd_access_unidentified(scene->access, 51100));
    assert_tls(scene, PEM("CA"), PEM("CERT"), PEM("KEY"));
    put(scene, "client.key", PEM("KEY2"));
    assert_false(jd_access_unidentified(scene->access, 52099)); /* at most once a second */
    assert_true(jd_access_unidentified(scene->access, 52100));
    assert_tls(scene, PEM("CA"), PEM("CERT2"), PEM("KEY2"));
}

static void the_sources_have_an_order(void **state)
{
    struct scene *const scene = *state;
    put_config(scene, "server: 'http://of-option'", "token: t");
    put(scene, "other",
        "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
        "clusters: [{name: c, cluster: {server: 'http://of-variable'}}]\n"
        "users: [{name: u, user: {token: v}}]");
    make_directory(scene, "home");
    make_directory(scene, "home/.kube");
    put(scene, "home/.kube/config",
        "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
        "clusters: [{name: c, cluster: {server: 'http://of-home'}}]\n"
        "users: [{name: u, user: {token: h}}]");
    set_variable(scene, 0, "KUBECONFIG=%s/other", scene->directory);
    set_variable(scene, 1, "HOME=%s/home", scene->directory);
    open_well(scene);
    assert_string_equal(jd_access_server(scene->access), "http://of-option");
    scene->options.server = "http://plain:8080/"; /* the user of the kubeconfig, another server */
    open_well(scene);
    assert_string_equal(jd_access_server(scene->access), "http://plain:8080");
    assert_headers(scene, 0, "Authorization: Bearer t\n");
    scene->options.kubeconfig = NULL; /* nothing else is needed */
    open_well(scene);
    assert_string_equal(jd_access_server(scene->access), "http://plain:8080");
    assert_string_equal(jd_access_namespace(scene->access), "default");
    assert_headers(scene, 0, "");
    scene->options.server = NULL;
    open_well(scene);
    assert_string_equal(jd_access_server(scene->access), "http://of-variable");
    set_variable(scene, 0, "KUBECONFIG=");
    open_well(scene);
    assert_string_equal(jd_access_server(scene->access), "http://of-home");
    set_variable(scene, 1, "HOME=/nowhere");
    open_badly(scene, JOULIE_E_REQUIRED, "no API server");
    set_variable(scene, 0,
                 "KUBECONFIG=/nowhere/a:/nowhere/b"); /* named, so nothing else is tried */
    open_badly(scene, JOULIE_E_REQUIRED, "/nowhere/a:/nowhere/b");
}

static void options_are_over_what_was_found(void **state)
{
    struct scene *const scene = *state;
    char token_file[192];
    put(scene, "token", "of-option\n");
    snprintf(token_file, sizeof token_file, "%s/token", scene->directory);
    put_config(scene, "server: s", "token: t");
    scene->options.name_space = "mine";
    scene->options.token_file = token_file;
    open_well(scene);
    assert_string_equal(jd_access_namespace(scene->access), "mine");
    assert_headers(scene, 0, "Authorization: Bearer of-option\n");
    scene->options.token_file = "/nowhere/token";
    open_badly(scene, JOULIE_E_IO, "/nowhere/token");
}

static void no_token_goes_over_plain_http_to_another_machine(void **state)
{
    struct scene *const scene = *state;

    static const struct {
        const char *cluster;
        const char *user;
        bool is_refused;
    } cases[] = {
        { "server: 'http://h:1'", "token: t", true },
        { "server: 'h:1'", "token: t", true }, /* nothing says https */
        { "server: 'http://10.0.0.1'", "username: u, password: p", true },
        { "server: 'http://u:p@10.0.0.1/path'", "", true },
        { "server: 'http://127.0.0.1.h'", "token: t", true },
        { "server: 'http://localhost.h'", "token: t", true },
        { "server: 'http://[::2]:1'", "token: t", true },
        { "server: 'http://0.0.0.0:1'", "token: t", true },
        { "server: 'http://127.0.0.1@h'", "token: t", true },
        { "server: 'http://127.0.0.1:1', proxy-url: 'http://h:2'", "token: t", true },
        { "server: 'http://h:1'", "", false },
        { "server: 'https://h:1'", "token: t", false },
        { "server: 'http://127.0.0.1:1'", "token: t", false },
        { "server: 'http://127.3.2.1:1/path'", "token: t", false },
        { "server: 'http://[::1]:1'", "token: t", false },
        { "server: 'http://localhost'", "token: t", false },
        { "server: 'http://u:p@localhost'", "", false },
    };

    for (size_t i = 0; i < JL_COUNT(cases); i++) {
        put_config(scene, cases[i].cluster, cases[i].user);
        scene->options.is_plain_allowed = true;
        open_well(scene);
        scene->options.is_plain_allowed = false;
        if (!cases[i].is_refused)
            open_well(scene);
        else
            open_badly(scene, JOULIE_E_CONFLICT, "say --insecure-plain-http");
        assert_null(strstr(scene->err.message, "u:p"));
    }
}

/* ---- in a pod ---- */

static int read_pod(struct scene *scene)
{
    jd_access_close(scene->access);
    scene->access = jl_calloc(1, sizeof *scene->access);
    assert_non_null(scene->access);
    return jd_access_read_pod(scene->access, scene->environment, scene->directory, &scene->err);
}

static void a_pod_has_a_service_account(void **state)
{
    struct scene *const scene = *state;
    assert_int_equal(read_pod(scene), JOULIE_E_REQUIRED);
    set_variable(scene, 0, "KUBERNETES_SERVICE_HOST=10.96.0.1");
    set_variable(scene, 1, "KUBERNETES_SERVICE_PORT=");
    assert_int_equal(read_pod(scene), JOULIE_E_REQUIRED);
    set_variable(scene, 1, "KUBERNETES_SERVICE_PORT=443");
    assert_int_equal(read_pod(scene), JOULIE_E_IO); /* no token */
    put(scene, "token", " \n");
    assert_int_equal(read_pod(scene), JOULIE_E_REQUIRED);
    put(scene, "token", " abc\n");
    assert_int_equal(read_pod(scene), 0);
    assert_string_equal(scene->access->server, "https://10.96.0.1:443");
    assert_string_equal(scene->access->token, "abc");
    assert_null(scene->access->ca);
    assert_null(scene->access->name_space);
    assert_non_null(strstr(jd_access_note(scene->access), "/ca.crt"));
    put(scene, "ca.crt", PEM("CA"));
    put(scene, "namespace", "joulie-system\n");
    set_variable(scene, 0, "KUBERNETES_SERVICE_HOST=fd00::1");
    assert_int_equal(read_pod(scene), 0);
    assert_string_equal(scene->access->server, "https://[fd00::1]:443");
    assert_string_equal(scene->access->ca, PEM("CA"));
    assert_string_equal(scene->access->name_space, "joulie-system");
    assert_string_equal(jd_access_note(scene->access), "");
    put(scene, "ca.crt", "no");
    assert_int_equal(read_pod(scene), JOULIE_E_PARSE);
}

/* ---- base64, the vectors of RFC 4648 ---- */

static void base64_is_that_of_the_rfc(void **state)
{
    static const char *const pairs[][2] = {
        { "", "" },
        { "f", "Zg==" },
        { "fo", "Zm8=" },
        { "foo", "Zm9v" },
        { "foob", "Zm9vYg==" },
        { "fooba", "Zm9vYmE=" },
        { "foobar", "Zm9vYmFy" },
    };
    static const char *const broken[] = { "Z",        "Zg",   "Zg=",  "Z===", "====",
                                          "Zg==Zg==", "Zm9-", "Zg=v", "AAAA" };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(pairs); i++) {
        struct jl_buffer text = { 0 };
        char *plain = NULL;
        jl_put_base64(&text, pairs[i][0], strlen(pairs[i][0]));
        assert_string_equal(text.data ? text.data : "", pairs[i][1]);
        assert_int_equal(jd_access_decode(pairs[i][1], strlen(pairs[i][1]), &plain), 0);
        assert_string_equal(plain, pairs[i][0]);
        jl_free(plain);
        jl_buffer_clear(&text);
    }
    for (size_t i = 0; i < JL_COUNT(broken); i++) {
        char *plain = NULL;
        if (jd_access_decode(broken[i], strlen(broken[i]), &plain) != JOULIE_E_PARSE)
            fail_msg("\"%s\" was taken", broken[i]);
    }
    char *folded = NULL;
    assert_int_equal(jd_access_decode("Zm9v\n YmFy\n", 11, &folded), 0);
    assert_string_equal(folded, "foobar");
    jl_free(folded);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_context_names_server_user_and_namespace),
        TEST(a_kubeconfig_may_be_json),
        TEST(data_is_preferred_to_a_file),
        TEST(paths_are_relative_to_their_own_file),
        TEST(of_several_files_the_first_that_says_something_wins),
        TEST(what_is_missing_is_named),
        TEST(what_is_wrong_is_placed),
        TEST(contradictions_are_refused),
        TEST(providers_are_refused_with_what_would_help),
        TEST(a_server_without_a_scheme_gets_one),
        TEST(settings_of_a_cluster_arrive),
        TEST(impersonation_is_headers),
        TEST(a_token_file_is_read_again_after_50_s),
        TEST(a_token_that_is_not_there_yet_is_waited_for),
        TEST(a_refused_token_is_read_again_once),
        TEST(a_ca_is_read_again_at_most_once_a_minute),
        TEST(certificates_are_read_again_after_50_s),
        TEST(a_pair_is_replaced_as_a_whole_or_not_at_all),
        TEST(a_refused_certificate_is_read_again),
        TEST(a_pair_that_does_not_fit_gives_way_to_the_one_before),
        TEST(the_sources_have_an_order),
        TEST(options_are_over_what_was_found),
        TEST(no_token_goes_over_plain_http_to_another_machine),
        TEST(a_pod_has_a_service_account),
        cmocka_unit_test(base64_is_that_of_the_rfc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
