/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the API server says of an error: a Status object, or plain text
 * (docs/rules/clients.md#retries). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jd_status {
    int64_t code;         /* 0 = not said */
    char reason[64];      /* "" = not said */
    char message[512];    /* for a person, one line; cut */
    double retry_after_s; /* details.retryAfterSeconds; JL_NO_RETRY_AFTER */
    bool has_object_name; /* details.name */
    bool is_version_too_large;
};

/* Any bytes: what is no Status is taken as the message. */
void jd_status_read(const char *body, size_t len, struct jd_status *out);
