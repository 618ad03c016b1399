/* SPDX-License-Identifier: Apache-2.0 */

/* The (namespace, name) → uid, resourceVersion of a cache, in an array with an index over it. */

#include "kube/seen.h"

#include <string.h>

#include <joulie/error.h>

#include "base/buffer.h"
#include "base/memory.h"

#define VERSION_ROOM 16 /* most resourceVersions fit */

static bool is_part(struct jl_text part)
{
    return part.len == 0 || (!memchr(part.ptr, '/', part.len) && !memchr(part.ptr, 0, part.len));
}

void jd_put_key(struct jl_buffer *out, struct jl_text name_space, struct jl_text name)
{
    if (name.len == 0 || !is_part(name) || !is_part(name_space)) {
        jl_put_string(out, "");
        return;
    }
    jl_put(out, name_space.ptr, name_space.len);
    jl_put_char(out, '/');
    jl_put(out, name.ptr, name.len);
}

struct jd_seen_item *jd_seen_find(const struct jd_seen *seen, const char *key)
{
    size_t at = 0;
    return jl_index_get(&seen->index, key, &at) ? &seen->items[at] : NULL;
}

static int make(const char *key, struct jl_text uid, struct jl_text version, uint32_t round,
                struct jd_seen_item *out)
{
    const size_t key_len = strlen(key);
    const size_t room = version.len < VERSION_ROOM ? VERSION_ROOM : version.len + 1;
    char *block = jl_calloc(key_len + uid.len + 2 + room, 1);
    if (!block)
        return JOULIE_E_NOMEM;
    char *uid_at = block + key_len + 1;
    char *version_at = uid_at + uid.len + 1;
    memcpy(block, key, key_len + 1);
    if (uid.len > 0)
        memcpy(uid_at, uid.ptr, uid.len);
    if (version.len > 0)
        memcpy(version_at, version.ptr, version.len);
    *out = (struct jd_seen_item){
        .key = block, .uid = uid_at, .version = version_at, .version_room = room, .round = round
    };
    return 0;
}

static int add(struct jd_seen *seen, const struct jd_seen_item *item)
{
    int rc = JL_GROW(&seen->items, &seen->capacity, seen->count + 1);
    if (rc == 0)
        rc = jl_index_set(&seen->index, item->key, seen->count);
    if (rc == 0)
        seen->items[seen->count++] = *item;
    return rc;
}

int jd_seen_put(struct jd_seen *seen, const char *key, struct jl_text uid, struct jl_text version,
                uint32_t round)
{
    struct jd_seen_item made;
    struct jd_seen_item *item = jd_seen_find(seen, key);
    if (item && jl_text_is(uid, item->uid) && version.len < item->version_room) {
        if (version.len > 0)
            memcpy(item->version, version.ptr, version.len);
        item->version[version.len] = '\0';
        item->round = round;
        return 0;
    }
    int rc = make(key, uid, version, round, &made);
    if (rc < 0)
        return rc;
    if (item)
        jd_seen_remove(seen, item);
    rc = add(seen, &made);
    if (rc < 0)
        jl_free(made.key);
    return rc;
}

void jd_seen_remove(struct jd_seen *seen, struct jd_seen_item *item)
{
    struct jd_seen_item *last = &seen->items[seen->count - 1];
    jl_index_remove(&seen->index, item->key);
    jl_free(item->key);
    if (item != last) {
        *item = *last;
        jl_index_set(&seen->index, item->key, (size_t)(item - seen->items)); /* it is there */
    }
    seen->count--;
}

void jd_seen_clear(struct jd_seen *seen)
{
    for (size_t i = 0; i < seen->count; i++)
        jl_free(seen->items[i].key);
    jl_index_clear(&seen->index);
    jl_free(seen->items);
    *seen = (struct jd_seen){ 0 };
}
