/* SPDX-License-Identifier: Apache-2.0 */

/* Annotations of the Lease joulie-heartbeat (docs/rules/programs.md#heartbeat): what classifier and
 * plan have to say is read and written here. */

#define _GNU_SOURCE /* memmem */

#include "operator/announce.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "kube/client.h"
#include "runtime/json.h"

struct json_object *jd_announce_lease(const char *text, size_t len)
{
    if (memmem(text, len, "\"" JD_HEARTBEAT_LEASE "\"", strlen(JD_HEARTBEAT_LEASE) + 2) == NULL)
        return NULL;
    struct json_object *lease = jd_json_parse(text, len);
    if (jl_same(jd_json_word(lease, "metadata.name"), JD_HEARTBEAT_LEASE))
        return lease;
    json_object_put(lease);
    return NULL;
}

void jd_announce_see(struct jd_announcement *announcement, struct json_object *lease)
{
    const char *said = jd_json_label(lease, "metadata.annotations", announcement->key);
    snprintf(announcement->said, sizeof announcement->said, "%s", said ? said : "");
}

static void on_done(void *user, const struct jd_answer *answer)
{
    struct jd_announcement *announcement = user;
    (void)answer;
    announcement->is_busy = false;
    jd_clock_release(announcement->shared->clock);
    if (announcement->on_done)
        announcement->on_done(announcement->user);
}

static void put_body(const struct jd_announcement *announcement, const char *text,
                     struct jl_buffer *out)
{
    jl_put_string(out, "{\"metadata\":{\"annotations\":{");
    if (text[0]) {
        jd_json_put_text(out, announcement->key, text);
    } else {
        jd_json_put_key(out, announcement->key);
        jl_put_string(out, "null");
    }
    jl_put_string(out, "}}}");
}

void jd_announce(struct jd_announcement *announcement, const char *text)
{
    const struct jd_shared *shared = announcement->shared;
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer body = { 0 };
    if (announcement->is_busy || shared->values->dry_run || jl_same(text, announcement->said))
        return;
    put_body(announcement, text, &body);
    const struct jd_kube_call call = {
        .method = "PATCH",
        .resource = &jd_leases,
        .name_space = shared->values->name_space,
        .name = JD_HEARTBEAT_LEASE,
        .patch = JD_PATCH_MERGE,
        .body = body.data,
        .len = body.len,
        .priority = JD_PRIORITY_LEASE,
        .is_exempt = true,
        .on_done = on_done,
        .user = announcement,
    };
    if (body.is_failed || jd_kube_start(shared->kube, &call, NULL) < 0)
        return;
    announcement->is_busy = true;
    jd_clock_hold(shared->clock);
}
