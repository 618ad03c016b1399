/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Cuts a stream of bytes into lines (docs/rules/clients.md#frames). A line that came whole is not
 * copied; each byte is read once. */

#include "base/buffer.h"

#define JD_FRAME_LIMIT ((size_t)8 << 20) /* bytes of one line */

struct jd_frames {         /* zeroed at the start */
    struct jl_buffer rest; /* of a line that is not whole yet */
};

enum jd_frames_result { JD_FRAMES_MORE, JD_FRAMES_STOPPED, JD_FRAMES_TOO_LONG, JD_FRAMES_NOMEM };

/*
 * Each line that the bytes complete, without its end; empty ones are left out. take says false to
 * stop. After anything but MORE the frames have to be cleared.
 */
enum jd_frames_result jd_frames_feed(struct jd_frames *frames, const char *bytes, size_t len,
                                     bool (*take)(void *user, struct jl_text line), void *user);
/* What is left of a stream that broke is thrown away. */
void jd_frames_clear(struct jd_frames *frames);
