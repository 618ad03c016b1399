/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Numbers of GPU tools that mean something else than they seem (docs/rules/energy.md#gpu-readings),
 * the head of /proc/PID/stat and /proc/PID/task/TID/stat (#threads), and pressure stall
 * information: the files cpu, memory, io and irq below /proc/pressure, and those of a cgroup
 * (#pressure).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* The blank of a percent, watt, MHz or °C metric of DCGM; also a number that is not finite. */
bool jl_dcgm_is_missing(double value);

#define JL_THROTTLE_POWER_CAP UINT64_C(0x4) /* under load it proves that a cap works */
#define JL_THROTTLE_WORDS 9

/* The words of NVML's throttle bits, in bit order; bits without a word are left out. Returns their
 * number. */
size_t jl_throttle_words(uint64_t bits, const char *out[JL_THROTTLE_WORDS]);

struct jl_pid_stat {
    int64_t pid;
    struct jl_text
        comm;   /* raw bytes of the text that was parsed, parentheses and blanks included */
    char state; /* R S D Z T … */
};

/* 0, JOULIE_E_PARSE or JOULIE_E_RANGE; out is untouched on failure. */
int jl_pid_stat_parse(struct jl_text text, struct jl_pid_stat *out);

struct jl_pressure {
    bool is_known; /* cpu of older kernels has no line full, irq none some */
    double avg10_pct;
    double avg60_pct;
    double avg300_pct;
    uint64_t total_us;
};

struct jl_psi {
    struct jl_pressure some;
    struct jl_pressure full;
};

/* 0, JOULIE_E_PARSE or JOULIE_E_RANGE (a total above 64 bits); out is untouched on failure. */
int jl_psi_parse(struct jl_text text, struct jl_psi *out);
