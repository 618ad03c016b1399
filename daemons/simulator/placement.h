/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Where a pod may go, asked of a scheduler extender exactly as kube-scheduler does: filter, and
 * prioritize when at least two nodes passed (docs/rules/simulator-contract.md#placement).
 */

#include <joulie/sim.h>

#include "base/buffer.h"
#include "runtime/http_client.h"
#include "runtime/log.h"
#include "runtime/loop.h"

struct jd_placement { /* zeroed at the start */
    const char *url;  /* NULL = there is no extender */
    int64_t timeout_ms;
    bool is_ignorable;
    bool has_scores; /* prioritize is asked too */
    struct jd_loop *loop;
    struct jd_http *http;
    struct jd_log *log;
    /* A call was made; result: ok, error, timeout. */
    void (*on_call)(void *user, const char *verb, const char *result);
    /* The answer, by candidate; wire NULL = no scores. Never from within jd_placement_ask(). */
    void (*on_answer)(void *user, const uint8_t *passed, const int32_t *wire, size_t count);
    void *user;

    struct jd_transfer *transfer;
    struct jl_buffer pod;
    const char *const *candidates; /* of the simulation */
    size_t count;
    size_t capacity;
    size_t cursor;
    uint8_t *passed;
    int32_t *wire;
    bool is_sample;
    bool is_failing;       /* as it was logged */
    struct jd_timer timer; /* to answer from the loop, and to try again */
    void (*later)(struct jd_placement *placement);
    uint64_t skipped; /* filter calls that failed and were ignored */
};

void jd_placement_clear(struct jd_placement *placement);
/* The candidates of the event have to live until the answer. 0 or JOULIE_E_NOMEM. */
int jd_placement_ask(struct jd_placement *placement, const struct joulie_sim_event *event);
