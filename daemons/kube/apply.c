/* SPDX-License-Identifier: Apache-2.0 */

/* What a reflector hands to its cache: objects of lists and events against what was seen before.
 * list.c and watch.c call it. */

#include <string.h>

#include "base/error.h"
#include "kube/follow.h"

static const char *key_of(struct jd_reflector *r, const struct jd_meta *meta)
{
    jl_buffer_reset(&r->key);
    jd_put_key(&r->key, meta->name_space, meta->name);
    r->is_short |= r->key.is_failed;
    return r->key.is_failed || !r->key.data ? "" : r->key.data;
}

static void refuse(struct jd_reflector *r, const char *why)
{
    r->counts.refused++;
    jd_follow_count(r, "refused");
    if (!r->is_refusing)
        jd_log(r->log, JOULIE_LOG_LEVEL_WARN, "kube",
               "an object of %s is left out, perhaps others too: %s", r->options.resource->plural,
               why);
    r->is_refusing = true;
}

static void forget(struct jd_reflector *r, struct jd_seen_item *item)
{
    const char *slash = strchr(item->key, '/');
    jl_buffer_reset(&r->text);
    jl_put(&r->text, item->key, (size_t)(slash - item->key));
    jl_put_char(&r->text, '\0');
    if (r->text.is_failed) {
        jl_buffer_clear(&r->text);
        r->is_short = true;
        return;
    }
    r->options.remove(r->options.user, r->text.data, slash + 1);
    jd_seen_remove(&r->seen, item);
}

static int hand_over(struct jd_reflector *r, struct jl_text object, const struct jd_meta *meta,
                     struct joulie_error *err)
{
    jl_buffer_reset(&r->text);
    jd_put_typed(&r->text, object, meta, r->api_version.data, r->options.resource->kind);
    if (r->text.is_failed) {
        jl_buffer_clear(&r->text);
        return jl_fail_memory(err);
    }
    return r->options.upsert(r->options.user, r->text.data, r->text.len, err);
}

void jd_apply_upsert(struct jd_reflector *r, struct jl_text object, const struct jd_meta *meta)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *key = key_of(r, meta);
    if (!*key) {
        refuse(r, r->is_short ? "out of memory" : "it has no name");
        return;
    }
    struct jd_seen_item *item = jd_seen_find(&r->seen, key);
    if (item && !jl_text_is(meta->uid, item->uid)) {
        forget(r, item);
        item = NULL;
    }
    if (item && meta->version.len > 0 && jl_text_is(meta->version, item->version)) {
        item->round = r->round;
        return;
    }
    /* before the cache has it: what is not remembered could never be removed */
    if (jd_seen_put(&r->seen, key, meta->uid, meta->version, r->round) < 0) {
        refuse(r, "out of memory");
        r->is_short = true;
        return;
    }
    const int rc = hand_over(r, object, meta, &err);
    if (rc < 0)
        refuse(r, err.message);
    if (rc == JOULIE_E_NOMEM) {
        item = jd_seen_find(&r->seen, key);
        item->version[0] = '\0'; /* so that the next list hands it over again */
        r->is_short = true;
    }
}

void jd_apply_remove(struct jd_reflector *r, const struct jd_meta *meta)
{
    const char *key = key_of(r, meta);
    struct jd_seen_item *item = *key ? jd_seen_find(&r->seen, key) : NULL;
    if (item)
        forget(r, item);
}

void jd_apply_round(struct jd_reflector *r)
{
    for (size_t i = r->seen.count; i > 0; i--) {
        if (r->seen.items[i - 1].round != r->round)
            forget(r, &r->seen.items[i - 1]);
    }
}
