/* SPDX-License-Identifier: Apache-2.0 */

/* Lines out of the chunks of a stream (docs/rules/clients.md#frames), for watch.c. */

#include "kube/frames.h"

#include <string.h>

#define KEEP_BYTES ((size_t)64 << 10) /* memory that is kept for the next line */

static bool hand_over(struct jl_text line, bool (*take)(void *user, struct jl_text line),
                      void *user)
{
    line = jl_text_trim(line);
    return line.len == 0 || take(user, line);
}

/* The bytes up to the line's end, behind those that came before. */
static enum jd_frames_result complete(struct jd_frames *frames, const char *bytes, size_t len,
                                      bool (*take)(void *user, struct jl_text line), void *user)
{
    struct jl_buffer *rest = &frames->rest;
    if (rest->len + len > JD_FRAME_LIMIT)
        return JD_FRAMES_TOO_LONG;
    if (rest->len == 0)
        return hand_over((struct jl_text){ bytes, len }, take, user) ? JD_FRAMES_MORE
                                                                     : JD_FRAMES_STOPPED;
    jl_put(rest, bytes, len);
    if (rest->is_failed)
        return JD_FRAMES_NOMEM;
    const bool is_more = hand_over((struct jl_text){ rest->data, rest->len }, take, user);
    if (rest->capacity > KEEP_BYTES)
        jl_buffer_clear(rest);
    else
        jl_buffer_reset(rest);
    return is_more ? JD_FRAMES_MORE : JD_FRAMES_STOPPED;
}

enum jd_frames_result jd_frames_feed(struct jd_frames *frames, const char *bytes, size_t len,
                                     bool (*take)(void *user, struct jl_text line), void *user)
{
    while (len > 0) {
        const char *end = memchr(bytes, '\n', len);
        if (!end)
            break;
        const size_t taken = (size_t)(end - bytes);
        const enum jd_frames_result result = complete(frames, bytes, taken, take, user);
        if (result != JD_FRAMES_MORE)
            return result;
        bytes += taken + 1;
        len -= taken + 1;
    }
    if (frames->rest.len + len > JD_FRAME_LIMIT)
        return JD_FRAMES_TOO_LONG;
    jl_put(&frames->rest, bytes, len);
    return frames->rest.is_failed ? JD_FRAMES_NOMEM : JD_FRAMES_MORE;
}

void jd_frames_clear(struct jd_frames *frames)
{
    jl_buffer_clear(&frames->rest);
}
