/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A host handle over the fake kernel, in virtual time: what a process does to a machine, and what a
 * test sees of it. Whatever must not fail ends the test. */

#include <joulie/host.h>

#include "fakehost/model.h"
#include "support/test.h"

#define RAPL "sys/devices/virtual/powercap/intel-rapl/"
#define LIMIT_0 RAPL "intel-rapl:0/constraint_0_power_limit_uw"
#define LIMIT_1 RAPL "intel-rapl:1/constraint_0_power_limit_uw"
#define SHORT_0 RAPL "intel-rapl:0/constraint_1_power_limit_uw"
#define ALL_LIMITS RAPL "*_power_limit_uw"
#define MAX_FREQ(policy) "sys/devices/system/cpu/cpufreq/policy" policy "/scaling_max_freq"
#define ALL_MAX_FREQS MAX_FREQ("*")

struct rig {
    struct fk *fk;
    struct joulie_host *host;
    struct joulie_host_options options;  /* of the next rig_open() */
    struct joulie_host_tick_result tick; /* the last one */
    int64_t slept_ms;                    /* CLOCK_BOOTTIME is so much ahead */
    char *report;                        /* of the last tick */
    struct rig_keeper *keeper;           /* who writes for the host, where RIG_KEEPER is defined */
};

/* An enforcing agent that is not open yet, over a host of tests/support/fixtures. */
struct rig rig_new(const char *host);
void rig_free(struct rig *rig);
int rig_try_open(struct rig *rig, struct joulie_error *err); /* joulie_host_open over the fake */
int rig_try_claim(struct rig *rig, struct joulie_error *err);
void rig_open(struct rig *rig); /* both */
void rig_close(struct rig *rig);

int64_t rig_now_ms(const struct rig *rig); /* since 1970 */
void rig_cap_w(struct rig *rig, double watts);
void rig_cap_pct(struct rig *rig, double pct);
void rig_cap_none(struct rig *rig);               /* a spec without intent */
void rig_twin(struct rig *rig, const char *text); /* any; NULL = there is none */
int rig_try_tick(struct rig *rig);
void rig_tick(struct rig *rig);
void rig_pass_s(struct rig *rig, int seconds); /* a second passes, a tick, and again */
int rig_restore(struct rig *rig);              /* its code */
void rig_fault(struct rig *rig, const char *line);

/* Of the report: a path such as cpu.observed.packages.0.limitWatts. "" or NAN = absent. */
const char *rig_word(struct rig *rig, const char *path);
double rig_value(struct rig *rig, const char *path);
/* State of a package (docs/rules/enforcement.md#states) in joulie_host_outcome(); lives until the
 * next call. */
const char *rig_state(struct rig *rig, size_t package);
struct joulie_host_zone rig_zone(struct rig *rig, const char *name);
/* Keys in joulie_host_caps(): how many are open. */
size_t rig_open_keys(struct rig *rig);

#define assert_word(rig, path, expected) assert_string_equal(rig_word(rig, path), expected)
/* The reason word stands before the first colon of a message, after the name of a package. */
#define assert_reason(rig, path, word)                                                 \
    do {                                                                               \
        if (strstr(rig_word(rig, path), word ":") == NULL)                             \
            fail_msg("%s is \"%s\", not \"…%s: …\"", path, rig_word(rig, path), word); \
    } while (0)
#define assert_number(rig, path, expected) assert_int_equal(fk_number((rig)->fk, path), expected)
