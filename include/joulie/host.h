/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_HOST_H
#define JOULIE_HOST_H
#pragma once

/**
 * @file
 * One machine: what it is made of, how much power it draws, and a cap on it that is proven and
 * always given back.
 *
 * A host is a folder: "/" for the machine itself, or a recorded or simulated one. Everything is
 * read and written below it, and no symbolic link is followed on the way. The handle decides
 * nothing by itself: each joulie_host_tick() reads the machine, asks the same pure step that
 * simulators and notebooks use (joulie/node.h), makes its writes and reads them back. Before the
 * first write to a control its value goes to a journal that is on the disk; no journal, no write.
 * Whatever the journal holds can be given back by joulie_host_restore(), by this process or by any
 * later one.
 *
 *     struct joulie_host_options options = JOULIE_INIT(struct joulie_host_options);
 *     options.enforces = 1;
 *     joulie_host_open(&options, &host, &err);
 *     joulie_host_claim(host, now_ms, &err);          // the lock and the journal
 *     joulie_host_put_twin(host, twin_text, twin_len, &err);
 *     for (;;) {                                       // about once a second
 *         joulie_host_tick(host, &time, &tick, &err);
 *         if (tick.is_news && joulie_host_report(host, &json, &err) == JOULIE_OK) {
 *             store(json);                             // status.controlStatus; a function of yours
 *             joulie_free(json);
 *         }
 *     }
 *     joulie_host_restore(host, now_ms, NULL, &err);
 *     joulie_host_free(host);
 *
 * A host belongs to the process that claimed it. A fork writes nothing with it (JOULIE_E_CONFLICT),
 * but its descriptors hold the lock as well: joulie_host_free() there lets go of them and leaves
 * the machine to the parent.
 *
 * The library reads no clock: times are arguments. Needed on a live machine: root, or
 * CAP_DAC_READ_SEARCH to read energy and CAP_DAC_OVERRIDE to write limits; or nothing, where
 * joulie-capd reads and writes for it (joulie_host_set_keeper()). Rules:
 * docs/rules/enforcement.md, docs/rules/frequencies.md and docs/rules/node-agent.md.
 */

#include <joulie/error.h>
#include <joulie/log.h>
#include <joulie/node.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A machine under a root folder; opaque. It belongs to one thread at a time. */
struct joulie_host;

/** Bits of joulie_host_options::has. */
#define JOULIE_HOST_HAS_FLOOR (1ULL << 0)
#define JOULIE_HOST_HAS_SPEC_READ_TIMEOUT (1ULL << 1)
#define JOULIE_HOST_HAS_STALENESS (1ULL << 2)
#define JOULIE_HOST_HAS_MAX_AGE (1ULL << 3)
#define JOULIE_HOST_HAS_EMA_ALPHA (1ULL << 4)
#define JOULIE_HOST_HAS_HIGH_MARGIN (1ULL << 5)
#define JOULIE_HOST_HAS_LOW_MARGIN (1ULL << 6)
#define JOULIE_HOST_HAS_STEP (1ULL << 7)
#define JOULIE_HOST_HAS_COOLDOWN (1ULL << 8)
#define JOULIE_HOST_HAS_TRIP_COUNT (1ULL << 9)
#define JOULIE_HOST_HAS_MIN_FREQ (1ULL << 10)
#define JOULIE_HOST_HAS_KEEPER (1ULL << 11)

/** What a host is opened with; start with JOULIE_INIT(struct joulie_host_options). Texts are
 * borrowed for joulie_host_open(). */
struct joulie_host_options {
    size_t struct_size;           /**< as the caller compiled it */
    uint64_t has;                 /**< JOULIE_HOST_HAS_* of the numbers that are set */
    const char *root;             /**< NULL = "/" */
    const char *state_dir;        /**< of the journal; NULL = var/lib/joulie below the root */
    const char *owner;            /**< in the journal: "api" (NULL) or "local:NAME" */
    double floor_pct;             /**< CAP_FLOOR_PCT, default 30; 0 = none */
    int64_t spec_read_timeout_ms; /**< default 5 min */
    int64_t staleness_ms;         /**< default 5 min */
    int64_t max_age_ms;           /**< default 1 h */
    const char *dvfs_controller;  /**< "proportional" (NULL) or "legacy" */
    double dvfs_ema_alpha;        /**< of legacy, as the others below; default 0.3 */
    double dvfs_high_margin_w;    /**< default 10 */
    double dvfs_low_margin_w;     /**< default 15 */
    double dvfs_step_pct;         /**< default 10 */
    int64_t dvfs_cooldown_ms;     /**< default 20 s */
    int64_t dvfs_trip_count;      /**< default 2 */
    int64_t dvfs_min_freq_khz;    /**< default 1500000 */
    joulie_log_fn *log;           /**< NULL = none */
    void *log_user;               /**< first argument of log */
    int32_t enforces;             /**< 0: no tick ever writes */
    int32_t ramps;                /**< 1: limits are lowered in steps of 20 % each 5 s */
    int32_t may_enable;           /**< 1: a package whose limit is switched off is switched on */
    int32_t has_backed_twin;      /**< 1: the twin is a file that a person wrote: its
                                     status.lastUpdated is not judged, and an unknown member is an
                                     error */
    int32_t is_one_shot;          /**< 1: no tick follows the first: where only frequencies can be
                                     lowered, a percentage lowers them once and watts are blocked */
    int32_t keeper_fd;            /**< as joulie_host_set_keeper() */
    int32_t gives_back_maximum;   /**< 1: a package limit that is found below the zone's own maximum
                                     is given back as that maximum (it may be a cap whose journal
                                     was lost) @since 0.3 */
};

/**
 * Opens a machine and reads what it is made of.
 *
 * @param options  borrowed for the call; NULL = every default, the live machine, observing
 * @param out      to be freed with joulie_host_free(); written only on success
 * @retval JOULIE_OK out is set, also for a machine without any power interface
 * @retval JOULIE_E_IO the root cannot be opened
 * @retval JOULIE_E_RANGE, JOULIE_E_ENUM an option is outside its bounds; `where` names it as its
 * environment name (DVFS_EMA_ALPHA)
 * @retval JOULIE_E_LIMIT the tree is absurdly large
 * @retval JOULIE_E_ABI, JOULIE_E_NOMEM
 * @threads any
 * @since 0.1
 */
JOULIE_API int joulie_host_open(const struct joulie_host_options *options, struct joulie_host **out,
                                struct joulie_error *err);

/** Closes a machine; caps stay in force and the journal stays open. NULL does nothing.
 * @threads any @since 0.1 */
JOULIE_API void joulie_host_free(struct joulie_host *host);

/**
 * The machine as a NodeHardware object.
 *
 * @param node_name  its spec.nodeName
 * @param now_ms     its status.updatedAt; milliseconds since 1970
 * @param json       to be freed with joulie_free(); written only on success
 * @retval JOULIE_OK json is set; what could not be read is absent, and a warning in it says why
 * @retval JOULIE_E_RANGE now_ms is outside the years 0 to 9999
 * @retval JOULIE_E_REQUIRED node_name is NULL or empty
 * @retval JOULIE_E_PARSE node_name is not UTF-8
 * @retval JOULIE_E_NOMEM
 * @threads the host's
 * @since 0.1
 */
JOULIE_API int joulie_host_hardware(struct joulie_host *host, const char *node_name, int64_t now_ms,
                                    char **json, struct joulie_error *err);

/** One file or folder of a snapshot; borrowed for the call of the sink. */
struct joulie_host_entry {
    size_t struct_size;
    const char *path;  /**< below the root, without a slash in front */
    const char *bytes; /**< of a file; of a link its target */
    uint64_t len;      /**< bytes */
    uint32_t mode;     /**< permission bits */
    int32_t is_folder; /**< 1: a folder, without bytes */
    int32_t is_link;   /**< 1: a symbolic link */
    uint32_t reserved; /**< 0 */
};

/** Takes one entry, folders before what is in them; other than 0 stops and is the answer. */
typedef int joulie_host_sink_fn(void *user, const struct joulie_host_entry *entry);

/**
 * Reads the parts of /sys and /proc that a recorded host needs. Only files that hold no secret of
 * the machine are taken: no serial numbers, host names, addresses or UUIDs.
 *
 * @retval JOULIE_OK the sink had everything
 * @retval JOULIE_E_LIMIT, JOULIE_E_NOMEM, or what the sink answered
 * @threads the host's
 * @since 0.1
 */
JOULIE_API int joulie_host_snapshot(struct joulie_host *host, joulie_host_sink_fn *sink, void *user,
                                    struct joulie_error *err);

/**
 * Becomes the only writer of this machine: makes the state folder, takes its lock, reads the
 * journal. Without it no tick writes. Caps of a process before this one are known from here on and
 * are taken over or given back by the next ticks; those of another boot are given back only when
 * they are still in force.
 *
 * @retval JOULIE_OK the machine is ours until joulie_host_free()
 * @retval JOULIE_E_CONFLICT another process holds the lock, or claimed this host before it was
 * forked; message names its pid
 * @retval JOULIE_E_IO the state folder cannot be made or read; with `where` "keeper" the connection
 * is lost
 * @retval JOULIE_E_UNSUPPORTED a newer version wrote the journal, or 0.2 left something there
 * @retval JOULIE_E_RANGE now_ms is outside the years 0 to 9999
 * @retval JOULIE_E_LIMIT, JOULIE_E_NOMEM
 * @threads the host's
 * @since 0.1
 */
JOULIE_API int joulie_host_claim(struct joulie_host *host, int64_t now_ms,
                                 struct joulie_error *err);

/**
 * Lets joulie-capd write and give back for this host, which reads and decides as before: every
 * write, what is open in the journal, and energy counters go over a connected socket to it
 * (AF_UNIX, SOCK_SEQPACKET). Its journal counts then, and state_dir here does not. When the process
 * ends without joulie_host_leave(), joulie-capd gives back what is open; a host that it hears
 * nothing of for 35 s counts as ended (joulie_host_beat()).
 *
 * A connection that was lost is an error of what needed it, with `where` "keeper", and ends the
 * claim. With a new one, or to the process after it, joulie_host_claim() goes on where it was.
 *
 * @param keeper_fd  borrowed until the next call or joulie_host_free(), which leave it open; -1 =
 * there is no connection now, and nothing is written
 * @retval JOULIE_OK the host is to be claimed (again)
 * @retval JOULIE_E_CONFLICT the host is claimed and writes itself
 * @retval JOULIE_E_NOMEM
 * @threads the host's
 * @since 0.3
 */
JOULIE_API int joulie_host_set_keeper(struct joulie_host *host, int32_t keeper_fd,
                                      struct joulie_error *err);

/**
 * Tells the keeper that this process lives and steps; each joulie_host_tick() does too. For
 * intervals longer than about 10 s. Never waits. Without a keeper or a claim nothing happens.
 *
 * @retval JOULIE_OK, or JOULIE_E_IO: the connection is lost
 * @threads the host's
 * @since 0.3
 */
JOULIE_API int joulie_host_beat(struct joulie_host *host, struct joulie_error *err);

/**
 * What is in force stays when the connection to the keeper ends, as it does without a keeper when
 * the host is freed.
 *
 * @retval JOULIE_OK, or JOULIE_E_IO: the connection is lost
 * @retval JOULIE_E_CONFLICT the host is not claimed
 * @threads the host's
 * @since 0.3
 */
JOULIE_API int joulie_host_leave(struct joulie_host *host, struct joulie_error *err);

/**
 * Replaces the NodeTwin, or its spec alone: what is desired.
 *
 * @param text  JSON or YAML, borrowed for the call; NULL = there is none any more
 * @retval JOULIE_OK it counts from the next tick on
 * @retval JOULIE_E_UNKNOWN_MEMBER with has_backed_twin
 * @retval others as joulie_node_put_twin(); the twin before stays
 * @threads the host's
 * @since 0.1
 */
JOULIE_API int joulie_host_put_twin(struct joulie_host *host, const char *text, size_t len,
                                    struct joulie_error *err);

/** Whether the twin could not be read just now (1) or can be again (0): the one before is believed
 * for spec_read_timeout_ms more. joulie_host_put_twin() sets 0 too. @threads the host's
 * @since 0.3 */
JOULIE_API void joulie_host_set_twin_unread(struct joulie_host *host, int32_t is_unread);

/** As joulie_node_heartbeat(). @threads the host's @since 0.1 */
JOULIE_API void joulie_host_heartbeat(struct joulie_host *host, int64_t at_ms);

/** The three clocks of a machine; start with JOULIE_INIT. */
struct joulie_host_time {
    size_t struct_size;
    int64_t now_ms;       /**< CLOCK_REALTIME, since 1970 */
    int64_t monotonic_us; /**< CLOCK_MONOTONIC, in microseconds: powers are measured by it */
    int64_t boottime_us; /**< CLOCK_BOOTTIME, in microseconds: goes on in sleep, which the others do
                            not show */
};

/** What a tick did; start with JOULIE_INIT(struct joulie_host_tick_result). */
struct joulie_host_tick_result {
    size_t struct_size;
    uint32_t writes;     /**< to controls, reverted ones included */
    int32_t is_news;     /**< 1: the report has a new word, or watts moved by 2 % or more */
    int32_t is_settled;  /**< 1: nothing is on its way: no ramp, no retry, nothing to give back */
    int32_t is_disabled; /**< 1: etc/joulie/disable is there */
};

/**
 * One control interval: reads the machine, decides, writes, reads back, judges the effect.
 *
 * Errors of single controls are no failure of the tick: they are in the report.
 *
 * @param out  may be NULL
 * @retval JOULIE_OK done
 * @retval JOULIE_E_IO the connection to the keeper is lost; the rest is done, and reported
 * @retval JOULIE_E_RANGE now_ms is outside the years 0 to 9999, or another clock is negative or
 * shows more than some 70000 years
 * @retval JOULIE_E_CONFLICT this is a fork of the process that claimed the host
 * @retval JOULIE_E_NOMEM, JOULIE_E_LIMIT nothing was written in this tick after memory ran out
 * @threads the host's
 * @since 0.1
 */
JOULIE_API int joulie_host_tick(struct joulie_host *host, const struct joulie_host_time *time,
                                struct joulie_host_tick_result *out, struct joulie_error *err);

/**
 * status.controlStatus after the last tick, as joulie_node_report(), with `watts`, `throttlePct`
 * and `limiter` in `observed` of the CPUs.
 *
 * @retval JOULIE_E_CONFLICT there was no tick yet
 * @retval JOULIE_E_NOMEM
 * @threads the host's
 * @since 0.1
 */
JOULIE_API int joulie_host_report(struct joulie_host *host, char **json, struct joulie_error *err);

/**
 * What a tick would do to this machine now, without doing it, as joulie_host_package_at() and
 * joulie_host_write_at() have it:
 * `{"backend","packages":[{"index","requestedW"?,"capW"?,"powerLimitUw"?,"clamp"?,"limitW"?,
 * "result","message"?}],"gpus":[],"writes":[{"key","file","from"?,"to"}]}`, writes in their order,
 * ramps and frequencies left out. result is `applied` when it could be had, else `blocked` or
 * `none`.
 *
 * @retval JOULIE_E_RANGE now_ms is outside the years 0 to 9999
 * @retval JOULIE_E_CONFLICT etc/joulie/disable is there: no cap would be set; `where` names it
 * @retval JOULIE_E_NOMEM
 * @threads the host's
 * @since 0.1
 */
JOULIE_API int joulie_host_plan(struct joulie_host *host, int64_t now_ms, char **json,
                                struct joulie_error *err);

/**
 * What came of all ticks so far, in the form of joulie_host_plan(): result is that of the report,
 * each package has its `state` (docs/rules/enforcement.md#states), and `writes` are those that were
 * made, with `readBack` and `result`.
 *
 * @retval JOULIE_E_CONFLICT there was no tick yet
 * @retval JOULIE_E_NOMEM
 * @threads the host's
 * @since 0.1
 */
JOULIE_API int joulie_host_outcome(struct joulie_host *host, char **json, struct joulie_error *err);

/** Bits of joulie_host_package::has. */
#define JOULIE_HOST_PACKAGE_HAS_REQUESTED (1ULL << 0)
#define JOULIE_HOST_PACKAGE_HAS_CAP (1ULL << 1) /**< cap_w and power_limit_uw */
#define JOULIE_HOST_PACKAGE_HAS_LIMIT (1ULL << 2)

/** What was asked for on a CPU package and what comes of it; start with JOULIE_INIT(struct
 * joulie_host_package). Texts live until the host is used again. */
struct joulie_host_package {
    size_t struct_size;
    uint64_t has;            /**< JOULIE_HOST_PACKAGE_HAS_* of the numbers that are set */
    int64_t index;           /**< of the package, as the kernel numbers it */
    double requested_w;      /**< asked for */
    double cap_w;            /**< after bounds, floor and power unit */
    uint64_t power_limit_uw; /**< the same in microwatts */
    double limit_w;          /**< in force, as it reads */
    const char *clamp;       /**< what changed the request: "min", "max", …; NULL = nothing */
    const char *state;       /**< worst of its limits (docs/rules/enforcement.md#states); NULL = a
                                plan, or it has no limit */
    const char *message;     /**< why; NULL = nothing to say */
    enum joulie_control_result result;
    uint32_t reserved; /**< 0 */
};

/**
 * Package number index of the last joulie_host_plan() or of the ticks so far, whichever came later.
 *
 * @param index  0 to the number of packages less 1, in the order of their numbers
 * @param out    filled only on success
 * @retval JOULIE_OK out is filled
 * @retval JOULIE_E_CONFLICT there was neither plan nor tick yet
 * @retval JOULIE_E_RANGE there is no such package
 * @retval JOULIE_E_ABI struct_size is impossible
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the host's
 * @since 0.3
 */
JOULIE_API int joulie_host_package_at(struct joulie_host *host, size_t index,
                                      struct joulie_host_package *out, struct joulie_error *err);

/** Bits of joulie_host_write::has. */
#define JOULIE_HOST_WRITE_HAS_OLD_VALUE (1ULL << 0)
#define JOULIE_HOST_WRITE_HAS_READ_BACK (1ULL << 1)

/** A write to a control, planned or made; start with JOULIE_INIT(struct joulie_host_write). Texts
 * live until the host is used again; units are those of the file. */
struct joulie_host_write {
    size_t struct_size;
    uint64_t has;       /**< JOULIE_HOST_WRITE_HAS_* of the numbers that are known */
    const char *key;    /**< of the journal: rapl/package-0/long_term */
    const char *file;   /**< below the root */
    uint64_t old_value; /**< before */
    uint64_t new_value; /**< written, or to be written */
    uint64_t read_back; /**< afterwards */
    const char *result; /**< of a write that was made: "verified" or what failed; NULL = planned */
};

/**
 * Write number index of the last joulie_host_plan() or of the ticks so far, in their order.
 *
 * @param out  filled only on success
 * @retval JOULIE_OK, or as joulie_host_package_at(): JOULIE_E_CONFLICT, JOULIE_E_RANGE,
 * JOULIE_E_ABI, JOULIE_E_NOMEM
 * @threads the host's
 * @since 0.3
 */
JOULIE_API int joulie_host_write_at(struct joulie_host *host, size_t index,
                                    struct joulie_host_write *out, struct joulie_error *err);

/**
 * Results and messages after the last joulie_host_tick() or joulie_host_plan(), whichever came
 * later, as joulie_node_get_summary(). A plan that could be carried out is `applied`; what a tick
 * would find blocked, a plan does too.
 *
 * @param out  filled only on success; its texts live until the host is used again
 * @retval JOULIE_OK out is filled
 * @retval JOULIE_E_CONFLICT there was neither yet
 * @retval JOULIE_E_ABI struct_size is impossible
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the host's
 * @since 0.3
 */
JOULIE_API int joulie_host_get_summary(struct joulie_host *host, struct joulie_node_summary *out,
                                       struct joulie_error *err);

/**
 * Gives back every control that the journal holds, at once and in the order GPUs, package limits,
 * frequencies; each is verified by reading.
 *
 * @param json  `{"restored":[{"key","value","unit"}],"failed":[{"key","value","unit","message"}]}`,
 *              to be freed with joulie_free(); may be NULL
 * @retval JOULIE_OK nothing is open any more
 * @retval JOULIE_E_IO something could not be given back and stays open in the journal; json is set
 * all the same
 * @retval JOULIE_E_CONFLICT the host is not claimed, or this is a fork of the process that did
 * @retval JOULIE_E_RANGE, JOULIE_E_NOMEM
 * @threads the host's
 * @since 0.1
 */
JOULIE_API int joulie_host_restore(struct joulie_host *host, int64_t now_ms, char **json,
                                   struct joulie_error *err);

/**
 * What is capped, by whom, since when; reads the journal without a lock, also while another process
 * writes it: `{"disabled","skippedLines"?,"controls":[{"key","unit","baseline",
 * "maximum"?,"written"?,"now"?,"owner"?,"since"}]}`. `now` is absent when it cannot be read;
 * `maximum` is there when the baseline of a package limit is below it: it may be a cap whose
 * journal was lost.
 *
 * @retval JOULIE_E_IO the journal is there and cannot be read
 * @retval JOULIE_E_NOMEM, JOULIE_E_LIMIT
 * @threads the host's
 * @since 0.1
 */
JOULIE_API int joulie_host_caps(struct joulie_host *host, char **json, struct joulie_error *err);

/**
 * Makes (1) or removes (0) etc/joulie/disable below the root: while it is there every agent of the
 * machine gives its caps back and only observes.
 *
 * @retval JOULIE_OK it is so, also when it was before
 * @retval JOULIE_E_IO
 * @threads the host's
 * @since 0.3
 */
JOULIE_API int joulie_host_set_disabled(struct joulie_host *host, int32_t is_disabled,
                                        struct joulie_error *err);

/** What an energy zone is. */
enum joulie_host_zone_kind {
    JOULIE_HOST_ZONE_KIND_UNKNOWN = 0,
    JOULIE_HOST_ZONE_KIND_PACKAGE = 1, /**< these add up to the power of the CPUs */
    JOULIE_HOST_ZONE_KIND_DRAM = 2,    /**< memory of a package, not in it */
    JOULIE_HOST_ZONE_KIND_PSYS = 3     /**< the whole platform, everything else included */
};

/** Bits of joulie_host_zone::has. */
#define JOULIE_HOST_ZONE_HAS_ENERGY (1ULL << 0)
#define JOULIE_HOST_ZONE_HAS_POWER (1ULL << 1)
#define JOULIE_HOST_ZONE_HAS_LIMIT (1ULL << 2)

/** One energy zone; start with JOULIE_INIT(struct joulie_host_zone). */
struct joulie_host_zone {
    size_t struct_size;
    uint64_t has;      /**< JOULIE_HOST_ZONE_HAS_* of the numbers that are set */
    const char *name;  /**< package-0, package-0/dram, psys; lives until the next tick */
    uint64_t energy_j; /**< since the host was opened, whole joules rounded down; never decreases,
                          moves at most once a second (a finer counter would be a side channel) */
    double power_w;    /**< mean of the last second or so, to 0.1 W */
    double limit_w;    /**< long term, as it reads */
    uint64_t resets;   /**< times the counter was found set back */
    enum joulie_host_zone_kind kind;
    uint32_t reserved; /**< 0 */
};

/**
 * Zone number index as of the last tick: packages by number, then memory, then platform.
 *
 * @retval JOULIE_OK out is filled
 * @retval JOULIE_E_RANGE there is no such zone
 * @retval JOULIE_E_ABI
 * @threads the host's
 * @since 0.1
 */
JOULIE_API int joulie_host_zone_at(struct joulie_host *host, size_t index,
                                   struct joulie_host_zone *out, struct joulie_error *err);

/** Bits of joulie_host_dvfs::has. */
#define JOULIE_HOST_DVFS_HAS_POWER (1ULL << 0)
#define JOULIE_HOST_DVFS_HAS_EMA (1ULL << 1)
#define JOULIE_HOST_DVFS_HAS_TRIPS (1ULL << 2)

/** Control by frequency; start with JOULIE_INIT(struct joulie_host_dvfs). */
struct joulie_host_dvfs {
    size_t struct_size;
    uint64_t has;   /**< JOULIE_HOST_DVFS_HAS_* of the numbers that are set; none while nothing
                       is controlled */
    double power_w; /**< that the last tick compared with the caps, of all packages */
    double ema_w;   /**< of controller "legacy": its smoothed power */
    uint64_t above_trips; /**< of "legacy": readings in a row above the band */
    uint64_t below_trips; /**< below it */
    uint64_t ups;         /**< steps to a higher throttle, since the host was opened */
    uint64_t downs;       /**< to a lower one */
};

/**
 * Control by frequency as of the last tick.
 *
 * @retval JOULIE_OK out is filled
 * @retval JOULIE_E_ABI
 * @threads the host's
 * @since 0.3
 */
JOULIE_API int joulie_host_get_dvfs(struct joulie_host *host, struct joulie_host_dvfs *out,
                                    struct joulie_error *err);

/** Bits of joulie_host_policy::has. */
#define JOULIE_HOST_POLICY_HAS_NOW (1ULL << 0)
#define JOULIE_HOST_POLICY_HAS_MAX (1ULL << 1)

/** One frequency policy; start with JOULIE_INIT(struct joulie_host_policy). */
struct joulie_host_policy {
    size_t struct_size;
    uint64_t has;
    uint64_t number;  /**< of the policy: its first CPU */
    uint64_t now_khz; /**< scaling_cur_freq */
    uint64_t max_khz; /**< scaling_max_freq */
};

/**
 * Reads one of the frequency policies that can be lowered, now: two small files. What cannot be
 * read, as of CPUs that are offline, has no bit.
 *
 * @param index  0 to the number of such policies less 1
 * @retval JOULIE_OK out is filled
 * @retval JOULIE_E_RANGE there is no such policy
 * @retval JOULIE_E_ABI, JOULIE_E_NOMEM
 * @threads the host's
 * @since 0.1
 */
JOULIE_API int joulie_host_policy_at(struct joulie_host *host, size_t index,
                                     struct joulie_host_policy *out, struct joulie_error *err);

/** System calls below the root and in the state folder so far, and what they were for; start with
 * JOULIE_INIT. */
struct joulie_host_counts {
    size_t struct_size;
    uint64_t calls;    /**< all */
    uint64_t writes;   /**< of bytes */
    uint64_t syncs;    /**< fsync */
    uint64_t restores; /**< controls that were given back, by ticks and by joulie_host_restore() */
};

/** Counts so far; for measuring and for tests that stop a process at each of them.
 * @retval JOULIE_E_ABI @threads the host's @since 0.1 */
JOULIE_API int joulie_host_get_counts(struct joulie_host *host, struct joulie_host_counts *out,
                                      struct joulie_error *err);

#ifdef __cplusplus
}
#endif

#endif
