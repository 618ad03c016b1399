/* SPDX-License-Identifier: Apache-2.0 */

/* Requests of a scheduler: an answer is JSON, counts what it was asked, and is the same when the
 * request comes again; what is no request leaves nothing behind. */

#include <string.h>

#include <joulie/cluster.h>
#include <joulie/object.h>

#include "fuzz/fuzz.h"

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */

static const char *const objects[] = {
    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"eco-1\"}}",
    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\",\"labels\":{"
    "\"joulie.io/power-profile\":\"eco\"}}}",
    "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":"
    "\"eco-1\"},\"spec\":{\"nodeName\":\"eco-1\",\"profile\":\"eco\"},\"status\":{"
    "\"schedulableClass\":\"eco\",\"predictedPowerHeadroomScore\":70,\"lastUpdated\":"
    "\"2026-03-13T12:00:00Z\"}}",
    "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":\"b\"},"
    "\"spec\":{\"nodeName\":\"b\",\"profile\":\"performance\"},\"status\":{\"schedulableClass\":"
    "\"performance\",\"predictedPowerHeadroomScore\":7,\"lastUpdated\":\"2026-03-13T12:00:00Z\"}}",
};

static struct joulie_cluster *make(void)
{
    static const char settings[] = "{\"failPolicy\":\"closed\"}";
    struct joulie_cluster *cluster = NULL;
    FUZZ_REQUIRE(joulie_cluster_new(settings, strlen(settings), &cluster, NULL) == JOULIE_OK);
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++)
        FUZZ_REQUIRE(joulie_cluster_put_object(cluster, objects[i], strlen(objects[i]), NULL) ==
                     JOULIE_OK);
    return cluster;
}

static char *ask(struct joulie_cluster *cluster, const char *body, size_t len,
                 enum joulie_extender_verb verb, struct joulie_extender_result *result)
{
    struct joulie_extender_options options = JOULIE_INIT(struct joulie_extender_options);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *reply = NULL;
    options.now_ms = NOW_MS;
    options.verb = verb;
    options.is_filled = 1;
    const int rc = joulie_cluster_extend(cluster, body, len, &options, &reply, result, &err);
    FUZZ_REQUIRE((rc == JOULIE_OK) == (reply != NULL));
    FUZZ_REQUIRE(rc == JOULIE_OK || (rc != JOULIE_E_INTERNAL && err.message[0] != '\0'));
    return reply;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct joulie_cluster *cluster;
    struct joulie_extender_result result = JOULIE_INIT(struct joulie_extender_result);
    const char *body = (const char *)data;
    cluster = cluster != NULL ? cluster : make();
    char *filtered = ask(cluster, body, size, JOULIE_EXTENDER_FILTER, &result);
    char *scored = ask(cluster, body, size, JOULIE_EXTENDER_PRIORITIZE, NULL);
    FUZZ_REQUIRE((filtered == NULL) == (scored == NULL));
    if (filtered != NULL) {
        char *again = ask(cluster, body, size, JOULIE_EXTENDER_FILTER, NULL);
        char *line = NULL;
        FUZZ_REQUIRE(strcmp(filtered, again) == 0);
        FUZZ_REQUIRE(result.rejected_eco + result.rejected_draining + result.rejected_label +
                         result.rejected_no_data <=
                     result.nodes);
        int64_t hosts = 0;
        for (const char *at = scored; (at = strstr(at, "{\"Host\":")) != NULL; at++)
            hosts++;
        FUZZ_REQUIRE(hosts == result.nodes);
        FUZZ_REQUIRE(joulie_format(scored, strlen(scored), JOULIE_FORM_LINE, &line, NULL) ==
                     JOULIE_OK);
        joulie_free(line);
        joulie_free(again);
    }
    joulie_free(filtered);
    joulie_free(scored);
    return 0;
}
