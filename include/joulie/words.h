/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_WORDS_H
#define JOULIE_WORDS_H
#pragma once

/**
 * @file
 * Values that all parts of the library share, and their words.
 *
 * 0 is always "unknown" and has no word. A word that the library does not know reads as 0; where a
 * document is kept, its text is kept too. Words are those of the CRDs and of every answer.
 */

#include <stddef.h>
#include <stdint.h>

#include <joulie/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a node is set to (NodeTwin spec.profile). */
enum joulie_profile {
    JOULIE_PROFILE_UNKNOWN = 0,
    JOULIE_PROFILE_PERFORMANCE = 1, /**< "performance": full power */
    JOULIE_PROFILE_ECO = 2          /**< "eco": caps save power */
};

/** What a node may be used for now (NodeTwin status.schedulableClass). */
enum joulie_node_class {
    JOULIE_NODE_CLASS_UNKNOWN = 0, /**< no word, or one that is not in the list */
    JOULIE_NODE_CLASS_ECO = 1,
    JOULIE_NODE_CLASS_PERFORMANCE = 2,
    JOULIE_NODE_CLASS_DRAINING = 3,    /**< on its way to eco, waits for work that needs power */
    JOULIE_NODE_CLASS_WORD_UNKNOWN = 4 /**< the list's own word "unknown" */
};

/** What work needs of its node (annotation joulie.io/workload-class). */
enum joulie_workload_class {
    JOULIE_WORKLOAD_UNKNOWN = 0,
    JOULIE_WORKLOAD_PERFORMANCE = 1, /**< "performance": never on an eco node */
    JOULIE_WORKLOAD_STANDARD = 2,    /**< "standard": anywhere, eco preferred */
    JOULIE_WORKLOAD_OTHER = 3        /**< "other": a word that is neither */
};

/** Intensity or sensitivity. */
enum joulie_level {
    JOULIE_LEVEL_UNKNOWN = 0,
    JOULIE_LEVEL_HIGH = 1,
    JOULIE_LEVEL_MEDIUM = 2,
    JOULIE_LEVEL_LOW = 3,
    JOULIE_LEVEL_NONE = 4 /**< "none": the device is not used; only of GPUs */
};

/** What limits work. */
enum joulie_bound {
    JOULIE_BOUND_UNKNOWN = 0,
    JOULIE_BOUND_COMPUTE = 1,
    JOULIE_BOUND_MEMORY = 2,
    JOULIE_BOUND_IO = 3,
    JOULIE_BOUND_MIXED = 4,
    JOULIE_BOUND_NONE = 5 /**< only of GPUs */
};

/** Vendor of a GPU. */
enum joulie_gpu_vendor {
    JOULIE_GPU_VENDOR_UNKNOWN = 0,
    JOULIE_GPU_VENDOR_NVIDIA = 1,
    JOULIE_GPU_VENDOR_AMD = 2,
    JOULIE_GPU_VENDOR_INTEL = 3
};

/** Where a node's power was read (NodeTwin status.powerMeasurement.source).
 * HTTP_ERROR, HTTP_NO_ENDPOINT and PROMETHEUS_NO_DATA: the source failed, there is no reading
 * (docs/rules/twin.md#node-power). */
enum joulie_power_source {
    JOULIE_POWER_SOURCE_UNKNOWN = 0,
    JOULIE_POWER_SOURCE_KEPLER = 1,      /**< energy counters of Kepler, through Prometheus */
    JOULIE_POWER_SOURCE_UTILIZATION = 2, /**< estimated from utilisation */
    JOULIE_POWER_SOURCE_STATIC = 3,      /**< not read: what the caps allow */
    JOULIE_POWER_SOURCE_HTTP = 4,        /**< a telemetry endpoint */
    JOULIE_POWER_SOURCE_HTTP_ERROR = 5,
    JOULIE_POWER_SOURCE_HTTP_NO_ENDPOINT = 6,
    JOULIE_POWER_SOURCE_PROMETHEUS = 7, /**< a query of the user's */
    JOULIE_POWER_SOURCE_PROMETHEUS_NO_DATA = 8,
    JOULIE_POWER_SOURCE_STANDBY =
        9, /**< not read: the node is switched off. Only written. @since 0.3 */
    JOULIE_POWER_SOURCE_ALLOCATION =
        10 /**< not read: what the pods on the node ask for. Only written. @since 0.3 */
};

/** What an agent reports about a cap (NodeTwin status.controlStatus;
 * docs/rules/node-agent.md#results). */
enum joulie_control_result {
    JOULIE_CONTROL_UNKNOWN = 0,
    JOULIE_CONTROL_APPLIED = 1, /**< the limit reads back as asked for */
    JOULIE_CONTROL_BLOCKED = 2, /**< not possible here; the message begins with the reason */
    JOULIE_CONTROL_ERROR = 3,   /**< was tried and failed */
    JOULIE_CONTROL_NONE = 4,    /**< no cap is asked for */
    JOULIE_CONTROL_PENDING = 5  /**< on its way */
};

/** How a GPU is partitioned (NodeTwin status.gpuSlicingRecommendation). */
enum joulie_slicing {
    JOULIE_SLICING_UNKNOWN = 0,
    JOULIE_SLICING_MIG = 1,  /**< hardware partitions of NVIDIA (multi-instance GPU) */
    JOULIE_SLICING_TIME = 2, /**< time slices */
    JOULIE_SLICING_NONE = 3
};

/** Where a node stands between its profiles. */
enum joulie_node_state {
    JOULIE_NODE_STATE_UNKNOWN = 0, /**< nothing was decided */
    JOULIE_NODE_STATE_ACTIVE_PERFORMANCE = 1,
    JOULIE_NODE_STATE_DRAINING_PERFORMANCE = 2,
    JOULIE_NODE_STATE_ACTIVE_ECO = 3,
    JOULIE_NODE_STATE_WORD_UNKNOWN = 4 /**< the list's own word "Unknown" */
};

/** Where a node stands between on and off (docs/rules/policy.md#power-records). @since 0.3 */
enum joulie_power_state {
    JOULIE_POWER_STATE_UNKNOWN = 0,   /**< not said, or not readable */
    JOULIE_POWER_STATE_ON = 1,        /**< "on" */
    JOULIE_POWER_STATE_STOPPING = 2,  /**< "stopping" */
    JOULIE_POWER_STATE_OFF = 3,       /**< "off" */
    JOULIE_POWER_STATE_BOOTING = 4,   /**< "booting": also one that was woken while it stopped */
    JOULIE_POWER_STATE_LEFT_ALONE = 5 /**< "left-alone": it failed too often */
};

/** What power_off_v1 decides about a node (docs/rules/policy.md#power_off_v1). @since 0.3 */
enum joulie_power_action {
    JOULIE_POWER_ACTION_NONE = 0,
    JOULIE_POWER_ACTION_SWITCH_OFF = 1, /**< "switch-off" */
    JOULIE_POWER_ACTION_WAKE = 2,       /**< "wake" */
    JOULIE_POWER_ACTION_GIVE_UP = 3     /**< "give-up": it is left alone */
};

/** Whether a machine answers. @since 0.3 */
enum joulie_readiness {
    JOULIE_READINESS_UNKNOWN = 0, /**< nobody says */
    JOULIE_READINESS_READY = 1,
    JOULIE_READINESS_NOT_READY = 2
};

/** What filtering does while nothing is known of a node (FAIL_POLICY;
 * docs/rules/extender.md#fail-policy). */
enum joulie_fail_policy {
    JOULIE_FAIL_UNKNOWN = 0,
    JOULIE_FAIL_LAST_KNOWN = 1, /**< the node passes; an error while nothing was ever known */
    JOULIE_FAIL_OPEN = 2,       /**< the node passes */
    JOULIE_FAIL_CLOSED = 3      /**< the node is rejected; an error while nothing was ever known */
};

/** The lists of words; each is the enum of its name. Values go up from 1 without gaps. */
enum joulie_vocabulary {
    JOULIE_VOCABULARY_UNKNOWN = 0,
    JOULIE_VOCABULARY_PROFILE = 1,
    JOULIE_VOCABULARY_NODE_CLASS = 2,
    JOULIE_VOCABULARY_WORKLOAD_CLASS = 3,
    JOULIE_VOCABULARY_LEVEL = 4,
    JOULIE_VOCABULARY_BOUND = 5,
    JOULIE_VOCABULARY_GPU_VENDOR = 6,
    JOULIE_VOCABULARY_POWER_SOURCE = 7,
    JOULIE_VOCABULARY_CONTROL_RESULT = 8,
    JOULIE_VOCABULARY_SLICING = 9,
    JOULIE_VOCABULARY_NODE_STATE = 10,
    JOULIE_VOCABULARY_FAIL_POLICY = 11,
    JOULIE_VOCABULARY_COOLING = 12,    /**< enum joulie_cooling of twin.h, CUSTOM has no word */
    JOULIE_VOCABULARY_CAP_STATE = 13,  /**< enum joulie_cap_state of twin.h */
    JOULIE_VOCABULARY_POWER_TIER = 14, /**< enum joulie_power_tier of twin.h */
    JOULIE_VOCABULARY_TENSOR_FUSION_QOS = 15,       /**< of tensor_fusion_v1.h, since 0.2 */
    JOULIE_VOCABULARY_TENSOR_FUSION_ISOLATION = 16, /**< of tensor_fusion_v1.h, since 0.2 */
    JOULIE_VOCABULARY_TENSOR_FUSION_TARGET = 17,    /**< of tensor_fusion_v1.h, since 0.2 */
    JOULIE_VOCABULARY_POLICY = 18, /**< policies that this build has (setting policy.type). They
                                      have no enum: the words count. Since 0.3 */
    JOULIE_VOCABULARY_POWER_STATE = 19, /**< since 0.3 */
    JOULIE_VOCABULARY_POWER_ACTION = 20 /**< since 0.3 */
};

/**
 * The word of a value. Values of a list go up from 1 without gaps, so a program prints the list by
 * counting until NULL.
 *
 * @param vocabulary  which list
 * @param value       of the enum that the vocabulary names
 * @return static text; NULL for 0, for a value without a word and for an unknown vocabulary
 * @threads any
 * @since 0.1
 */
JOULIE_API const char *joulie_word(enum joulie_vocabulary vocabulary, int value);

/**
 * The value of a word, letter by letter as it stands in a document.
 *
 * @param vocabulary  which list
 * @param word        NULL is no word
 * @return a value of the enum that the vocabulary names; 0 (_UNKNOWN) for a word that is not in the
 *         list and for an unknown vocabulary
 * @threads any
 * @since 0.1
 */
JOULIE_API int joulie_word_value(enum joulie_vocabulary vocabulary, const char *word);

#ifdef __cplusplus
}
#endif

#endif
