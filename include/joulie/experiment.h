/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_EXPERIMENT_H
#define JOULIE_EXPERIMENT_H
#pragma once

/**
 * @file
 * An experiment: the same traces on the same simulated machines under several policies and under
 * kube-scheduler alone, and what each policy saved, over several seeds, with an interval.
 *
 * The library reads the file, says which runs it takes, simulates one of them, and compares. Where
 * the runs take place, and where their results are kept, is the caller's affair: they can be
 * simulated in any order, by several threads or processes, and a result that was kept is as good
 * as a new one.
 *
 *     joulie_experiment_new()                                   the file
 *     for each run: joulie_experiment_simulate()                or a result that was kept
 *                   joulie_experiment_put_result()
 *     joulie_experiment_report()                                the answer
 *
 * Pure: no clock, no file, no environment; equal inputs give equal bytes. Rules:
 * docs/rules/experiments.md.
 */

#include <joulie/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An experiment that was read, and the results that it was given; opaque. */
struct joulie_experiment;

/**
 * Finds a file that an experiment names: an inventory or a trace.
 *
 * @param user       as in the options
 * @param name       as the experiment has it; relative names are meant from its own folder
 * @param out_bytes  the content, which stays valid until the next call of this function, or
 *                   joulie_experiment_new() returns
 * @param out_len    its length
 * @return 0, or anything else when there is no such file
 */
typedef int joulie_experiment_file_fn(void *user, const char *name, const void **out_bytes,
                                      size_t *out_len);

/** What to read; start with JOULIE_INIT(struct joulie_experiment_options). Texts are borrowed for
 * joulie_experiment_new(). */
struct joulie_experiment_options {
    size_t struct_size;
    const char *text;                     /**< the experiment, YAML or JSON */
    size_t len;                           /**< bytes */
    joulie_experiment_file_fn *find_file; /**< NULL: it can name no files */
    void *user;                           /**< first argument of find_file */
    const char *build; /**< a part of every key: what tells builds of one version apart; NULL =
                          nothing */
};

/**
 * Reads and expands an experiment (docs/rules/experiments.md#file).
 *
 * @param options  borrowed for the call
 * @param out      to be freed with joulie_experiment_free(); written only on success
 * @param err      where is a path such as "scenarios[0].workload.gpuRatio", line that of the text
 * @retval JOULIE_OK out is set
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_UNKNOWN_MEMBER, JOULIE_E_REQUIRED, JOULIE_E_ENUM,
 * JOULIE_E_RANGE, JOULIE_E_CONFLICT, JOULIE_E_LIMIT  a text is not what its format asks for
 * @retval JOULIE_E_UNSUPPORTED a word that this build does not have
 * @retval JOULIE_E_NOT_FOUND   a file that was not found
 * @retval JOULIE_E_NOMEM       memory ran out; everything was released
 * @retval JOULIE_E_ABI         struct_size is impossible, or a newer field is set
 * @threads any
 * @since 0.3
 */
JOULIE_API int joulie_experiment_new(const struct joulie_experiment_options *options,
                                     struct joulie_experiment **out, struct joulie_error *err);

/** Frees an experiment. NULL does nothing. @threads any @since 0.3 */
JOULIE_API void joulie_experiment_free(struct joulie_experiment *experiment);

/** How many runs it takes. A baseline is run once per scenario, speeds, load and seed. @threads any
 * @since 0.3 */
JOULIE_API size_t joulie_experiment_runs(const struct joulie_experiment *experiment);

/** Bits of joulie_experiment_run::has. */
#define JOULIE_EXPERIMENT_RUN_HAS_LOAD (1ULL << 0)

/** One run; start with JOULIE_INIT(struct joulie_experiment_run). Texts live as long as the
 * experiment. */
struct joulie_experiment_run {
    size_t struct_size;
    uint64_t has;          /**< JOULIE_EXPERIMENT_RUN_HAS_* */
    const char *scenario;  /**< its name */
    const char *speeds;    /**< "catalog" or "equal" */
    const char *policy;    /**< name of the policy, or the word of the baseline */
    const char *placement; /**< what nodes are scored by */
    const char *key;       /**< 16 hexadecimal digits: runs of one key have one result */
    double load;           /**< that the trace was generated for; unknown of a recorded one */
    uint64_t seed;
    int32_t is_baseline; /**< 1: kube-scheduler alone */
    int32_t has_result;  /**< 1: joulie_experiment_put_result() was called */
};

/**
 * Describes a run.
 *
 * @param index  0 to joulie_experiment_runs() - 1
 * @param out    caller's storage, written only on success; struct_size must be set
 * @retval JOULIE_OK, JOULIE_E_RANGE (there is no such run), JOULIE_E_ABI
 * @threads any, while nobody puts a result
 * @since 0.3
 */
JOULIE_API int joulie_experiment_run_at(const struct joulie_experiment *experiment, size_t index,
                                        struct joulie_experiment_run *out,
                                        struct joulie_error *err);

/**
 * Simulates a run to its end. The experiment is only read, so several threads can simulate runs of
 * one at the same time.
 *
 * @param result  one line of JSON, for joulie_experiment_put_result() now or later; to be freed
 *                with joulie_free(); written only on success
 * @param err     where names the scenario
 * @retval JOULIE_OK      result is set
 * @retval JOULIE_E_RANGE there is no such run, or no rate of arrivals comes to the load
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_UNKNOWN_MEMBER, JOULIE_E_REQUIRED, JOULIE_E_ENUM,
 * JOULIE_E_CONFLICT, JOULIE_E_LIMIT, JOULIE_E_UNSUPPORTED  the simulation cannot be started with
 * it: codes of joulie_workload_generate() and joulie_sim_new()
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads any, while nobody puts a result
 * @since 0.3
 */
JOULIE_API int joulie_experiment_simulate(const struct joulie_experiment *experiment, size_t index,
                                          char **result, struct joulie_error *err);

/**
 * Gives the result of a run to the experiment. A text that was cut or changed, and one of another
 * run, library or format, is refused: then the run is to be simulated.
 *
 * @param text  what joulie_experiment_simulate() made, borrowed for the call
 * @retval JOULIE_OK         it counts now
 * @retval JOULIE_E_RANGE    there is no such run
 * @retval JOULIE_E_CONFLICT it is whole, and of another run
 * @retval JOULIE_E_PARSE    it is no result, or not the one that was written
 * @retval JOULIE_E_NOMEM    memory ran out
 * @threads the experiment's
 * @since 0.3
 */
JOULIE_API int joulie_experiment_put_result(struct joulie_experiment *experiment, size_t index,
                                            const char *text, size_t len, struct joulie_error *err);

/**
 * Compares: per scenario, speeds and load every policy and every baseline with the best of the
 * baselines (docs/rules/experiments.md#comparison).
 *
 * @param json  one object, to be freed with joulie_free(); written only on success:
 *              {"name"?, "version", "physics", "intervalPct", "rows": [{"scenario", "speeds",
 *              "load"?, "policy", "placement", "isBaseline", "against", "seeds", "energyKwh",
 *              "savedPct"?, "makespanPct"?, "jobTimePct"?, "waitP99S", "againstWaitP99S",
 *              "slowdownP95"?, "boundPct"?, "boundSlowedPct"?, "asleepPct"?, "asleepSlowedPct"?,
 *              "sharePct"?, "shareOf"?, "savedPcts", "energyParts", "hourlyW", "waitS", "traces",
 *              "notes"}]}; estimates are {"mean", "halfWidth"?}, shareOf is the name of one of the
 *              four bounds (docs/rules/experiments.md#bound), savedPcts and traces have an item
 *              per seed, the others are means over the seeds (docs/rules/experiments.md#answer)
 * @retval JOULIE_OK         json is set
 * @retval JOULIE_E_CONFLICT a run has no result yet
 * @retval JOULIE_E_NOMEM    memory ran out
 * @threads the experiment's
 * @since 0.3
 */
JOULIE_API int joulie_experiment_report(const struct joulie_experiment *experiment, char **json,
                                        struct joulie_error *err);

/**
 * A table as CSV with a header line: "rows" (those of the report), "pairs" (a row per pair: a
 * policy, or another baseline, and the best baseline on one trace) or "runs" (one per run).
 *
 * @param csv  to be freed with joulie_free(); written only on success
 * @retval JOULIE_OK, JOULIE_E_UNSUPPORTED (there is no such table), JOULIE_E_CONFLICT (a run has no
 * result yet), JOULIE_E_NOMEM
 * @threads the experiment's
 * @since 0.3
 */
JOULIE_API int joulie_experiment_csv(const struct joulie_experiment *experiment, const char *table,
                                     char **csv, struct joulie_error *err);

#ifdef __cplusplus
}
#endif

#endif
