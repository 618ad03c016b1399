/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What drives a node: the machine that the agent runs on (host.c), or endpoints over HTTP
 * (remote.c). The core (core.h) decides when, hands over what is desired, and reports what came of
 * it; a backend keeps the caps.
 */

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <joulie/error.h>

struct jd_backend {
    /* Its only node steps from the start on and stays, whatever the API server says. */
    bool is_local;
    /* Begins to drive a node: 0 or a code. maker is that of jd_core_open(). */
    int (*drive)(void *maker, const char *node_name, void **out_driven, struct joulie_error *err);
    void (*free)(void *driven); /* a step on its way ends without a word */
    /* What its power is read from and its caps go to, by settings and TelemetryProfiles: after
     * drive(), and when these or the labels of its Node have changed. facts: of the Node object,
     * NULL = unknown. What cannot be used changes nothing. NULL = nothing of it can change. */
    int (*wire)(void *driven, const char *facts, struct joulie_error *err);
    /* Before a step: another control takes over, and what the old one holds is given back first. */
    bool (*is_moving)(const void *driven);
    /* After a step: it is wired to something else, for as long as nobody asked. */
    bool (*has_moved)(void *driven);
    /* A NodeHardware, NULL = there is none; the function is NULL where the backend finds out by
     * itself. */
    int (*take_hardware)(void *driven, const char *text, size_t len, struct joulie_error *err);
    /* A NodeTwin; text NULL = there is none (any more). What cannot be used changes nothing. */
    int (*take_twin)(void *driven, const char *text, size_t len, struct joulie_error *err);
    /* Before a step: nothing is desired any more, all is given back by that step. */
    void (*give_back)(void *driven);
    /* The process ends: the step on its way and the next one are short. NULL = they always are. */
    void (*shorten)(void *driven);
    /* heartbeat_ms: of the operator, NULL = unknown. done comes once, also from within.
     * is_good: there is a report. */
    void (*step)(void *driven, int64_t now_ms, const int64_t *heartbeat_ms,
                 void (*done)(void *user, bool is_good), void *user);
    /* status.controlStatus of the last step, to be put back; NULL = nothing is new, unless
     * is_wanted, or it cannot be made. */
    struct json_object *(*report)(void *driven, bool is_wanted);
    /* The NodeHardware that is to be published, for joulie_free(); NULL = nothing is known. facts:
     * of the Node object, NULL = unknown. stamp_ms: by the wall. */
    char *(*hardware)(void *driven, const char *facts, int64_t stamp_ms);
    bool (*holds)(const void *driven); /* a limit of ours is in force, as far as is known */
};
