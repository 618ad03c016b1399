/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_CAPS_H
#define JOULIE_CAPS_H
#pragma once

/**
 * @file
 * From what is asked for to the power limit of each CPU package or GPU, for programs that write
 * limits themselves: percent or watts, floors, clamps, and how fast a limit may fall.
 *
 * Plain functions over numbers, without allocation. Nothing is written here; <joulie/host.h> writes
 * limits, with all that belongs to it (read back, restore, journal), by the same rules.
 * Rules: docs/rules/caps.md.
 */

#include <joulie/column.h>
#include <joulie/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Which rules answer. */
enum joulie_caps_rules {
    JOULIE_CAPS_RULES_UNKNOWN = 0, /**< the same as CURRENT */
    JOULIE_CAPS_RULES_CURRENT = 1, /**< each device by its own limits */
    JOULIE_CAPS_RULES_V0_1_1 = 2   /**< Joulie v0.1.1 exactly: one target for all devices of a node,
                                        no floor, microwatts cut off */
};

/** What is capped. */
enum joulie_cap_device {
    JOULIE_CAP_DEVICE_UNKNOWN = 0, /**< refused */
    JOULIE_CAP_DEVICE_PACKAGE = 1, /**< a CPU package */
    JOULIE_CAP_DEVICE_GPU = 2
};

/** Which bound changed a request. */
enum joulie_cap_clamp {
    JOULIE_CAP_CLAMP_NONE = 0,
    JOULIE_CAP_CLAMP_MIN = 1,  /**< "min": raised to the device's minimum */
    JOULIE_CAP_CLAMP_MAX = 2,  /**< "max": lowered to its maximum */
    JOULIE_CAP_CLAMP_FLOOR = 3 /**< "floor": raised to floor_pct of its maximum */
};

/** Why a device gets no cap, with the words that agents report. */
enum joulie_cap_block {
    JOULIE_CAP_BLOCK_NONE = 0,              /**< it has one */
    JOULIE_CAP_BLOCK_NO_INTENT = 1,         /**< "no intent": nothing is asked for */
    JOULIE_CAP_BLOCK_NO_MAX = 2,            /**< "no max": a percent of an unknown maximum */
    JOULIE_CAP_BLOCK_PCT_NOT_POSITIVE = 3,  /**< 3 to 8 only V0_1_1: "pct must be > 0" */
    JOULIE_CAP_BLOCK_RANGE_UNAVAILABLE = 4, /**< "rapl cap range unavailable" */
    JOULIE_CAP_BLOCK_GPU_NO_MAX = 5,     /**< "cannot resolve capPctOfMax without device max …" */
    JOULIE_CAP_BLOCK_GPU_NO_REQUEST = 6, /**< "missing capWattsPerGpu or capPctOfMax" */
    JOULIE_CAP_BLOCK_GPU_BELOW_MIN = 7,  /**< "requested cap …W below min …W on gpu N" */
    JOULIE_CAP_BLOCK_GPU_ABOVE_MAX = 8   /**< "requested cap …W above max …W on gpu N" */
};

/** Bits of joulie_caps_intent::has. */
#define JOULIE_CAPS_HAS_CAP_W (1ULL << 0)
#define JOULIE_CAPS_HAS_CAP_PCT (1ULL << 1)
#define JOULIE_CAPS_HAS_FLOOR (1ULL << 2)

/** What is asked of the devices of a node; start with JOULIE_INIT(struct joulie_caps_intent). */
struct joulie_caps_intent {
    size_t struct_size; /**< as the caller compiled it */
    uint64_t has;       /**< JOULIE_CAPS_HAS_* of the numbers that are set */
    double cap_w;       /**< per device, wins over percent; 0 or less asks for nothing */
    double cap_pct;     /**< percent of each maximum; 0 or less asks for nothing */
    double floor_pct;   /**< lowest cap of a package, percent of its maximum, 0..100; default 30 */
    enum joulie_cap_device device;
    enum joulie_caps_rules rules;
};

/** What the devices can do; start with JOULIE_INIT(struct joulie_caps_limits). 0: unknown. */
struct joulie_caps_limits {
    size_t struct_size;          /**< as the caller compiled it */
    struct joulie_column min_w;  /**< lowest limit that the device takes */
    struct joulie_column max_w;  /**< highest limit; for GPUs the default limit is a good choice */
    struct joulie_column unit_w; /**< smallest step of the limit (packages) */
};

/** Where the answers go, each optional; start with JOULIE_INIT(struct joulie_caps_out). */
struct joulie_caps_out {
    size_t struct_size;                   /**< as the caller compiled it */
    struct joulie_column_int_out code;    /**< JOULIE_OK, or what is wrong with the row */
    struct joulie_column_int_out block;   /**< enum joulie_cap_block */
    struct joulie_column_int_out clamp;   /**< enum joulie_cap_clamp */
    struct joulie_column_out requested_w; /**< what was asked for in watts; 0 when nothing was */
    struct joulie_column_out cap_w;       /**< the limit to set; 0 when blocked */
    struct joulie_column_out limit_uw;    /**< whole microwatts of it, a multiple of unit_w: what
                                               powercap and hwmon files take; 0 when blocked */
    struct joulie_column_out limit_milliwatts; /**< whole milliwatts: what GPU libraries take */
    struct joulie_column_out bound_w;          /**< the limit that a V0_1_1 request broke */
    struct joulie_column_int_out culprit;      /**< row of the device whose limit bound_w is */
};

/**
 * Resolves the cap of count devices of one node.
 *
 * Pure: no I/O, no clock, no state, no allocation. A row with a number that is negative or not
 * finite has code JOULIE_E_RANGE and no cap; others are not affected, except that V0_1_1 has one
 * target for all rows and takes such a row for one whose limits are unknown.
 *
 * @param intent      borrowed for the call
 * @param limits      borrowed for the call
 * @param count       devices; 0 is allowed
 * @param out         columns are written only on success
 * @param out_failed  number of rows whose code is not JOULIE_OK; may be NULL
 * @param err         details on failure of the call, may be NULL; rows do not write it
 * @retval JOULIE_OK       every row has its answers; some of them may be codes
 * @retval JOULIE_E_RANGE  a number of intent is not finite or outside its bounds, an output has
 *                         stride 0
 * @retval JOULIE_E_ENUM   a choice that this build does not know
 * @retval JOULIE_E_ABI    a struct_size is impossible, or a newer field is set
 * @threads any; no locking needed
 * @since 0.1
 */
JOULIE_API int joulie_caps_resolve(const struct joulie_caps_intent *intent,
                                   const struct joulie_caps_limits *limits, size_t count,
                                   const struct joulie_caps_out *out, size_t *out_failed,
                                   struct joulie_error *err);

/**
 * The next limit on the way to a target (docs/rules/caps.md#ramp): raising at once, lowering by at
 * most 20 % of the reference; call it every 5 seconds until it returns the target.
 *
 * @param reference_w  the device's maximum; 0: unknown, and then the target is next
 * @param current_w    the limit that is set now; not finite: unknown
 * @param target_w     where it should be; not finite: stays where it is
 * @return the watts to write next
 * @threads any
 * @since 0.1
 */
JOULIE_API double joulie_caps_next_w(double reference_w, double current_w, double target_w);

#ifdef __cplusplus
}
#endif

#endif
