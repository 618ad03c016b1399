/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The power of the nodes, read before each step: a bounded number of requests at a time, each with
 * a time limit and a size limit. A read that failed is no sample
 * (docs/rules/programs.md#power-of-the-nodes).
 */

#include "base/arena.h"
#include "operator/reading.h"
#include "operator/shared.h"

#define JD_MOST_READS 64

extern const char *const jd_power_sources[]; /* words of OPERATOR_NODE_POWER_SOURCE */

enum jd_power_source {
    JD_POWER_STATIC,
    JD_POWER_HTTP,
    JD_POWER_PROMETHEUS,
    JD_POWER_KEPLER,
    JD_POWER_UTILIZATION,
    JD_POWER_BY_PROFILES /* the setting is not made: TelemetryProfiles say */
};

struct jd_read { /* one request on its way */
    struct jd_telemetry *telemetry;
    struct jd_transfer *transfer;
    const char *node_name; /* NULL = free */
    int query;             /* kepler: which of its queries */
    bool is_old;           /* by profiles: the source before, as the new one has not answered */
};

struct jd_profiles;

struct jd_telemetry { /* zeroed at the start */
    const struct jd_profiles *profiles;
    const struct jd_shared *shared; /* its model gets the samples */
    void (*on_read)(void *user);    /* a round has ended */
    void *user;
    enum jd_power_source source;
    uint64_t round;
    struct jl_arena arena; /* of names */
    const char **names;
    size_t count;
    size_t next;
    size_t in_flight;
    struct jd_read reads[JD_MOST_READS];
    size_t good; /* of this round, as failed */
    size_t failed;
    size_t reported; /* of this round: node by node at most so many */
};

/* 0, or a code with err->where = the option that is missing. */
int jd_telemetry_check(const struct jd_operator_values *values, struct joulie_error *err);
void jd_telemetry_open(struct jd_telemetry *telemetry, const struct jd_shared *shared,
                       const struct jd_profiles *profiles, void (*on_read)(void *user), void *user);
void jd_telemetry_close(struct jd_telemetry *telemetry);
/* Reads all nodes in scope; true = reads are under way, on_read will be called. */
bool jd_telemetry_start(struct jd_telemetry *telemetry);
void jd_telemetry_measure(const struct jd_telemetry *telemetry); /* before /metrics */
