/* SPDX-License-Identifier: Apache-2.0 */

/* What a reflector hands over (docs/rules/clients.md#caches): each object once per version, and
 * that it is gone. reflector.c calls it. */

#include "kube/cache.h"

#include <string.h>

#include "base/error.h"

void jd_cache_clear(struct jd_cache *cache)
{
    jd_seen_clear(&cache->seen);
    jl_buffer_clear(&cache->api_version);
    jl_buffer_clear(&cache->key);
    jl_buffer_clear(&cache->text);
}

static const char *key_of(struct jd_cache *cache, const struct jd_meta *meta)
{
    jl_buffer_reset(&cache->key);
    jd_put_key(&cache->key, meta->name_space, meta->name);
    cache->is_short |= cache->key.is_failed;
    return cache->key.is_failed || !cache->key.data ? "" : cache->key.data;
}

static void forget(struct jd_cache *cache, struct jd_seen_item *item)
{
    const char *slash = strchr(item->key, '/');
    jl_buffer_reset(&cache->text);
    jl_put(&cache->text, item->key, (size_t)(slash - item->key));
    jl_put_char(&cache->text, '\0');
    if (cache->text.is_failed) {
        jl_buffer_clear(&cache->text);
        cache->is_short = true;
        return;
    }
    cache->remove(cache->user, cache->text.data, slash + 1);
    jd_seen_remove(&cache->seen, item);
}

static int hand_over(struct jd_cache *cache, struct jl_text object, const struct jd_meta *meta,
                     struct joulie_error *err)
{
    jl_buffer_reset(&cache->text);
    jd_put_typed(&cache->text, object, meta, cache->api_version.data, cache->kind);
    if (cache->text.is_failed) {
        jl_buffer_clear(&cache->text);
        return jl_fail_memory(err);
    }
    return cache->upsert(cache->user, cache->text.data, cache->text.len, err);
}

void jd_cache_upsert(struct jd_cache *cache, struct jl_text object, const struct jd_meta *meta)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *key = key_of(cache, meta);
    if (!*key) {
        cache->refused(cache->owner, cache->is_short ? "out of memory" : "it has no name");
        return;
    }
    struct jd_seen_item *item = jd_seen_find(&cache->seen, key);
    if (item && !jl_text_is(meta->uid, item->uid)) {
        forget(cache, item);
        item = NULL;
    }
    if (item && meta->version.len > 0 && jl_text_is(meta->version, item->version)) {
        item->round = cache->round;
        return;
    }
    /* before the cache has it: what is not remembered could never be removed */
    if (jd_seen_put(&cache->seen, key, meta->uid, meta->version, cache->round) < 0) {
        cache->refused(cache->owner, "out of memory");
        cache->is_short = true;
        return;
    }
    const int rc = hand_over(cache, object, meta, &err);
    if (rc < 0)
        cache->refused(cache->owner, err.message);
    if (rc == JOULIE_E_NOMEM) {
        item = jd_seen_find(&cache->seen, key);
        item->version[0] = '\0'; /* so that the next list hands it over again */
        cache->is_short = true;
    }
}

void jd_cache_remove(struct jd_cache *cache, const struct jd_meta *meta)
{
    const char *key = key_of(cache, meta);
    struct jd_seen_item *item = *key ? jd_seen_find(&cache->seen, key) : NULL;
    if (item)
        forget(cache, item);
}

void jd_cache_begin_round(struct jd_cache *cache)
{
    cache->round++;
    cache->is_short = false;
}

void jd_cache_end_round(struct jd_cache *cache)
{
    for (size_t i = cache->seen.count; i > 0; i--) {
        if (cache->seen.items[i - 1].round != cache->round)
            forget(cache, &cache->seen.items[i - 1]);
    }
}
