/* SPDX-License-Identifier: Apache-2.0 */

/* TelemetryProfiles that come and go, and what they wire a node to
 * (docs/rules/endpoints.md#telemetryprofiles). */

#include <stdio.h>
#include <string.h>

#include <joulie/remote.h>

#include "base/text.h"
#include "support/test.h"

#define HEAD "apiVersion: joulie.io/v1alpha1\nkind: TelemetryProfile\n"
#define SOURCE "sources: {cpu: {type: http, http: {endpoint: 'http://%s/{node}'}}}"

static struct joulie_remote_profiles *open_profiles(void **state)
{
    struct joulie_remote_profiles *profiles = NULL;
    (void)state;
    assert_int_equal(joulie_remote_profiles_new(&profiles, NULL), JOULIE_OK);
    return profiles;
}

static int put(struct joulie_remote_profiles *profiles, const char *name, const char *spec,
               struct joulie_error *err)
{
    char text[1024];
    const int len =
        snprintf(text, sizeof text, HEAD "metadata: {name: %s}\nspec: %s\n", name, spec);
    assert_in_range(len, 1, sizeof text - 1);
    return joulie_remote_profiles_put(profiles, text, (size_t)len, err);
}

static void put_source(struct joulie_remote_profiles *profiles, const char *name,
                       const char *target, const char *host)
{
    char spec[512];
    snprintf(spec, sizeof spec, "{target: {%s}, " SOURCE "}", target, host);
    assert_int_equal(put(profiles, name, spec, NULL), JOULIE_OK);
}

/* URL of the source of a node, "" = it has none. */
static const char *source(struct joulie_remote_profiles *profiles, const char *node,
                          const char *labels)
{
    static char url[256];
    struct joulie_remote_settings settings = JOULIE_INIT(struct joulie_remote_settings);
    struct joulie_remote_endpoint out = JOULIE_INIT(struct joulie_remote_endpoint);
    assert_int_equal(joulie_remote_profiles_resolve(profiles, &settings, node, labels,
                                                    labels != NULL ? strlen(labels) : 0,
                                                    JOULIE_REMOTE_ROLE_CPU_SOURCE, &out, NULL),
                     JOULIE_OK);
    snprintf(url, sizeof url, "%s", out.url != NULL ? out.url : "");
    joulie_free(out.url);
    return url;
}

static void the_nearest_profile_speaks_for_a_node(void **state)
{
    static const char in_pool[] = "{\"labels\":{\"pool\":\"x\"},\"name\":\"n1\"}";
    struct joulie_remote_profiles *profiles = open_profiles(state);
    assert_string_equal(source(profiles, "n1", NULL), "");
    put_source(profiles, "m", "scope: cluster", "all");
    put_source(profiles, "z", "scope: node, nodeSelector: 'pool in (x, y)'", "pool");
    put_source(profiles, "y", "scope: node, nodeName: n1", "own");
    assert_string_equal(source(profiles, "n1", in_pool), "http://own/n1");
    assert_string_equal(source(profiles, "n2", in_pool), "http://pool/n2");
    assert_string_equal(source(profiles, "n2", "{\"labels\":{}}"), "http://all/n2");
    assert_string_equal(source(profiles, "n2", NULL), "http://all/n2");
    assert_int_equal(joulie_remote_profiles_remove(profiles, "y", NULL), JOULIE_OK);
    assert_string_equal(source(profiles, "n1", in_pool), "http://pool/n1");
    assert_int_equal(joulie_remote_profiles_remove(profiles, "y", NULL), JOULIE_E_NOT_FOUND);
    assert_int_equal(joulie_remote_profiles_remove(profiles, "z", NULL), JOULIE_OK);
    assert_int_equal(joulie_remote_profiles_remove(profiles, "m", NULL), JOULIE_OK);
    assert_string_equal(source(profiles, "n1", in_pool), "");
    joulie_remote_profiles_free(profiles);
}

static void of_several_the_lowest_name_counts_in_any_order(void **state)
{
    static const char *const names[] = { "c", "a", "e", "b", "d" };
    struct joulie_remote_profiles *profiles = open_profiles(state);
    for (size_t i = 0; i < JL_COUNT(names); i++)
        put_source(profiles, names[i], "scope: cluster", names[i]);
    assert_string_equal(source(profiles, "n", NULL), "http://a/n");
    put_source(profiles, "a", "scope: node, nodeName: other", "a"); /* changed */
    assert_string_equal(source(profiles, "n", NULL), "http://b/n");
    joulie_remote_profiles_free(profiles);
}

static void what_is_wrong_is_named_and_changes_nothing(void **state)
{
    static const struct {
        const char *spec;
        int code;
        const char *where;
    } bad[] = {
        { "{}", JOULIE_E_REQUIRED, "spec.target.scope" },
        { "{target: {scope: rack}}", JOULIE_E_ENUM, "spec.target.scope" },
        { "{target: {scope: node}}", JOULIE_E_REQUIRED, "spec.target.nodeName" },
        { "{target: {scope: node, nodeName: a, nodeSelector: b}}", JOULIE_E_CONFLICT,
          "spec.target.nodeName" },
        { "{target: {scope: cluster, nodeName: a}}", JOULIE_E_CONFLICT, "spec.target" },
        { "{target: {scope: node, nodeSelector: 'a in'}}", JOULIE_E_PARSE,
          "spec.target.nodeSelector" },
        { "{target: {scope: cluster}, sources: {cpu: {type: http}}}", JOULIE_E_REQUIRED,
          "spec.sources.cpu.http.endpoint" },
        { "{target: {scope: cluster}, sources: {cpu: {type: prometheus}}}", JOULIE_E_REQUIRED,
          "spec.sources.cpu.prometheus.endpoint" },
        { "{target: {scope: cluster}, controls: {gpu: {type: http, http: {endpoint: 'a b'}}}}",
          JOULIE_E_PARSE, "spec.controls.gpu.http.endpoint" },
        { "{target: {scope: cluster}, controls: {cpu: {type: prometheus}}}", JOULIE_E_ENUM,
          "spec.controls.cpu.type" },
        { "{target: {scope: cluster}, controls: {cpu: {type: http, http: {endpoint: 'http://h', "
          "timeoutSeconds: 301}}}}",
          JOULIE_E_RANGE, "spec.controls.cpu.http.timeoutSeconds" },
        { "{target: {scope: cluster}, controls: {cpu: {type: http, http: {endpoint: "
          "'http://u:p@h/{node}'}}}}",
          JOULIE_E_UNSUPPORTED, "spec.controls.cpu.http.endpoint" },
    };
    struct joulie_remote_profiles *profiles = open_profiles(state);
    put_source(profiles, "a", "scope: cluster", "good");
    for (size_t i = 0; i < JL_COUNT(bad); i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        assert_int_equal(put(profiles, "a", bad[i].spec, &err), bad[i].code);
        assert_string_equal(err.where, bad[i].where);
        assert_string_equal(source(profiles, "n", NULL), "http://good/n");
    }
    put_source(profiles, "a", "scope: cluster", "h/at@the-end"); /* no user */
    assert_string_equal(source(profiles, "n", NULL), "http://h/at@the-end/n");
    joulie_remote_profiles_free(profiles);
}

/* A part that a setting names is the setting's alone. */
static void settings_come_first(void **state)
{
    struct joulie_remote_settings settings = JOULIE_INIT(struct joulie_remote_settings);
    struct joulie_remote_endpoint out = JOULIE_INIT(struct joulie_remote_endpoint);
    struct joulie_remote_profiles *profiles = open_profiles(state);
    put_source(profiles, "a", "scope: cluster", "profile");
    settings.cpu_source = "http";
    settings.cpu_endpoint = "http://setting/{node}";
    assert_int_equal(joulie_remote_profiles_resolve(profiles, &settings, "n", NULL, 0,
                                                    JOULIE_REMOTE_ROLE_CPU_SOURCE, &out, NULL),
                     JOULIE_OK);
    assert_string_equal(out.url, "http://setting/n");
    joulie_free(out.url);
    out = JOULIE_INIT(struct joulie_remote_endpoint);
    assert_int_equal(joulie_remote_profiles_resolve(profiles, &settings, "n", "{", 1,
                                                    JOULIE_REMOTE_ROLE_CPU_SOURCE, &out, NULL),
                     JOULIE_E_PARSE);
    assert_null(out.url);
    joulie_remote_profiles_free(profiles);
    joulie_remote_profiles_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_profile_speaks_for_a_node),
        cmocka_unit_test(of_several_the_lowest_name_counts_in_any_order),
        cmocka_unit_test(what_is_wrong_is_named_and_changes_nothing),
        cmocka_unit_test(settings_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
