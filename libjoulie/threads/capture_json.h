/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The text of ftrace inside of Chrome's JSON, piece by piece
 * (docs/rules/threads-training.md#traces). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct jl_capture_json { /* all zero before the first piece */
    uint32_t depth;
    bool is_in_string;
    bool is_wanted;       /* the string that is being read */
    bool is_escaped;      /* the next byte is behind a backslash */
    uint8_t unicode_left; /* digits of \u that are still to come */
    uint16_t unicode;
    uint8_t key_len; /* of the newest string of the outermost object */
    bool is_value;   /* a colon stands before what comes */
    char key[20];
};

/* Reads from *text until it is used up or out is full; returns how many bytes of the trace's text
 * are in out. */
size_t jl_capture_json_read(struct jl_capture_json *json, struct jl_text *text, char *out,
                            size_t room);
