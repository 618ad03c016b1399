/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * TelemetryProfiles (docs/rules/endpoints.md#telemetryprofiles): each is judged, and the condition
 * Accepted of its status says what came of it; where the power of a node is read by them is asked
 * here.
 */

#include <joulie/remote.h>

#include "operator/shared.h"

struct jd_profiles;

struct jd_judged { /* a TelemetryProfile */
    struct jd_profiles *profiles;
    char *name;
    int64_t generation; /* 0 = unknown */
    bool is_accepted;
    char message[800];        /* why not; "" = it is */
    struct json_object *said; /* status.conditions as stored; NULL = none */
    bool is_said;             /* they say so already */
    bool has_failed;          /* to be written, since the last step */
    bool is_busy;
    bool is_gone;
};

struct jd_profiles { /* shared is set before it is opened */
    const struct jd_shared *shared;
    struct joulie_remote_profiles *good;
    struct jd_judged **judged; /* in any order */
    size_t count;
    size_t capacity;
    size_t in_flight;
    int logged_code; /* of a write; 0 = the last one was taken */
};

int jd_profiles_open(struct jd_profiles *profiles, struct joulie_error *err);
void jd_profiles_close(struct jd_profiles *profiles);
int jd_profiles_put(struct jd_profiles *profiles, const char *text, size_t len,
                    struct joulie_error *err);
void jd_profiles_remove(struct jd_profiles *profiles, const char *name);
/* Writes what is not said yet, some at a time. is_step: also what failed before. */
void jd_profiles_say(struct jd_profiles *profiles, bool is_step);
/* Where they have the power of a node read; a type without a URL = nowhere. 0 or a code; out->url
 * is for joulie_free(). */
int jd_profiles_source(const struct jd_profiles *profiles, const char *node_name,
                       struct joulie_remote_endpoint *out);
