/* SPDX-License-Identifier: Apache-2.0 */

/* Gives back what the journal holds when the agent starts or ends, and logs the caps of an agent
 * that is gone. */

#include "agent/restore.h"

#include <json-c/json.h>
#include <string.h>

#include "runtime/clock.h"
#include "runtime/json.h"

static const char *text_of(struct json_object *item, const char *key)
{
    const char *text = json_object_get_string(json_object_object_get(item, key));
    return text ? text : "";
}

static void tell_restore(struct jd_log *log, const char *component, const char *json)
{
    struct json_object *root = jd_json_parse(json, strlen(json));
    const size_t failed = jd_json_count(jd_json_at(root, "failed"));
    if (jd_json_count(jd_json_at(root, "restored")) > 0)
        jd_log(log, JOULIE_LOG_LEVEL_INFO, component, "%zu limits were given back",
               jd_json_count(jd_json_at(root, "restored")));
    for (size_t i = 0; i < failed; i++) {
        struct json_object *item =
            json_object_array_get_idx(json_object_object_get(root, "failed"), i);
        jd_log(log, JOULIE_LOG_LEVEL_ERROR, component, "still open: %s, to be %s %s: %s",
               text_of(item, "key"), text_of(item, "value"), text_of(item, "unit"),
               text_of(item, "message"));
    }
    json_object_put(root);
}

int jd_restore(struct joulie_host *host, struct jd_log *log, const char *component)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *json = NULL;
    const int rc = joulie_host_restore(host, jd_clock_now().now_ms, &json, &err);
    if (json)
        tell_restore(log, component, json);
    else if (rc < 0)
        jd_log_error(log, component, "the caps could not be given back", &err);
    joulie_free(json);
    return rc;
}

void jd_report_caps(struct joulie_host *host, struct jd_log *log)
{
    char *json = NULL;
    if (joulie_host_caps(host, &json, NULL) != JOULIE_OK)
        return;
    struct json_object *root = jd_json_parse(json, strlen(json));
    joulie_free(json);
    const char *writer = text_of(root, "writerPid");
    if (jd_json_count(jd_json_at(root, "controls")) > 0 && writer[0])
        jd_log(log, JOULIE_LOG_LEVEL_INFO, "journal", "%zu limits are held by process %s",
               jd_json_count(jd_json_at(root, "controls")), writer);
    else if (jd_json_count(jd_json_at(root, "controls")) > 0)
        jd_log(log, JOULIE_LOG_LEVEL_WARN, "journal",
               "%zu limits that an earlier process left are in force; joulie cap restore gives "
               "them back",
               jd_json_count(jd_json_at(root, "controls")));
    json_object_put(root);
}
