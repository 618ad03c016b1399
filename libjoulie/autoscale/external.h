/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Asking a scaler outside of the cluster: what is sent, what may be asked, what its reply means,
 * and when it is asked again. Rules: docs/rules/autoscaling.md#external-scaler. Pure: the
 * caller makes the call and keeps these rules around it. Redirects are not followed.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <joulie/error.h>

#include "autoscale/engine.h"
#include "base/arena.h"
#include "base/buffer.h"
#include "schema/row.h"

#define JL_EXTERNAL_REPLY_BYTES ((size_t)1 << 20)
#define JL_EXTERNAL_CONNECT_S 3
#define JL_EXTERNAL_TOTAL_S 10

/* ---- the request ---- */

/* Quantity texts; NULL is written as 0. */
struct jl_external_side {
    const char *tflops;
    const char *compute;
    const char *vram;
};

struct jl_external_request {
    const char *workload;
    const char *name_space;
    struct jl_external_side requests;
    struct jl_external_side limits;
};

/* The JSON body of the POST; a failure is remembered by the buffer. */
void jl_external_write(const struct jl_external_request *request, struct jl_buffer *out);

/* Keys of a secret's data that may hold the bearer token, in the order in which they are tried. */
#define JL_EXTERNAL_SECRET_KEYS 3
extern const char *const jl_external_secret_keys[JL_EXTERNAL_SECRET_KEYS];

/* A secret is read only from the workload's own namespace; NULL or "" means that one. */
bool jl_external_may_read_secret(const char *workload_namespace, const char *secret_namespace);

/* ---- where it may go ---- */

enum jl_external_allow {
    JL_EXTERNAL_ALLOW_HTTP = 1 << 0,    /* without TLS */
    JL_EXTERNAL_ALLOW_PRIVATE = 1 << 1, /* loopback, link-local and unspecified addresses */
};

/*
 * A URL as the profile says it: scheme, host, no user and password. 0 or JOULIE_E_PARSE,
 * JOULIE_E_UNSUPPORTED (not allowed); err says why, its where is empty. A host that is a name must
 * be judged again when it was resolved: by jl_external_check_address(), for the address that is
 * connected to.
 */
int jl_external_check_url(const char *url, size_t len, unsigned allow, struct joulie_error *err);

/* An address in network byte order, of 4 or 16 bytes. 0 or JOULIE_E_UNSUPPORTED. */
int jl_external_check_address(const uint8_t *address, size_t len, unsigned allow,
                              struct joulie_error *err);

/* ---- the reply ---- */

/* The reply, also for those who have it as a member of a document; amounts are quantity texts. */
#ifdef JL_EXTERNAL_TABLES
#define RECORD_TABLES
#endif

#define RECORD jl_external_amounts
#define ABOUT .flags = JL_OPEN
#define MEMBERS                                                                         \
    QUANTITY(tflops, "tflops", "Compute, TFLOPS.")                                      \
    QUANTITY(compute, "compute", "Percentage of one GPU; where tflops is absent or 0.") \
    QUANTITY(vram, "vram", "Video memory, bytes.")
#include "schema/shared_record.h"

#define RECORD jl_external_resources
#define ABOUT .flags = JL_OPEN
#define MEMBERS                                                              \
    OBJECT(requests, "requests", jl_external_amounts, "Amounts to promise.") \
    OBJECT(limits, "limits", jl_external_amounts, "Largest amounts.")
#include "schema/shared_record.h"

#define RECORD jl_external_reply
#define ABOUT .flags = JL_OPEN
#define MEMBERS                                                                    \
    BOOLEAN(needs_up, "needScaleUp", "Amounts may grow; false when absent.")       \
    BOOLEAN(needs_down, "needScaleDown", "Amounts may shrink; false when absent.") \
    STRING(reason, "reason", "Text for a person: the message of the condition.")   \
    OBJECT(resources, "recommendedResources", jl_external_resources, "What the scaler recommends.")
#include "schema/shared_record.h"

#undef RECORD_TABLES

/* What it means; a quantity that is negative or none at all makes it a failure, out->problem. */
void jl_external_take(const struct jl_external_reply *reply, struct jl_scale_reply *out);

/*
 * The same from an answer over HTTP. status is its code, 0 = there was none, and then text says
 * why. Everything that is wrong is out->problem. 0 or JOULIE_E_NOMEM.
 */
int jl_external_read(int64_t status, const char *text, size_t len, struct jl_arena *arena,
                     struct jl_scale_reply *out);

/* ---- when ---- */

/* After failures in a row: 1, 2, 4, ... intervals, up to 10 minutes or the interval itself. */
int64_t jl_external_wait_ns(int64_t interval_ns, uint32_t failures);
