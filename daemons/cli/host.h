/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the commands over joulie/host.h share: options, the root, reading a spec. */

#include <joulie/host.h>

#include "base/buffer.h"
#include "cli.h"

#define JD_ROOT_ROW \
    JD_TEXT_ROW("ROOT", root, "DIR", "the machine: / (the default) or a recorded one")
#define JD_STATE_DIR_ROW                       \
    JD_TEXT_ROW("STATE_DIR", state_dir, "DIR", \
                "of the journal; var/lib/joulie below the root by default")
#define JD_CAPD_PROGRAM_ROW                           \
    JD_TEXT_ROW("CAPD_PROGRAM", capd_program, "FILE", \
                "the joulie-capd that writes, where none listens; the one beside this program")
#define JD_SPEC_ROW \
    JD_TEXT_ROW("SPEC", spec, "FILE", "a NodeTwin or its spec, JSON or YAML; - is standard input")
#define JD_YES_ROW JD_BOOLEAN_ROW("YES", yes, "do it also when the root is the live machine")
#define JD_VERBOSE_ROW                                                     \
    JD_OPTION_ROW("VERBOSE", 'v', JD_BOOLEAN_AT(jd_values, verbose), NULL, \
                  "report on standard error what is done")

/* The root of the command line, "/" without one. */
const char *jd_root(const struct jd_call *call);

/* From here on a reader of our output that goes away, or a file that may not grow, is an error like
 * any other: a change of a machine does not end half-way. */
void jd_outlive_readers(void);

/* false = a reported usage error: the root is live and --yes was not given. Opens nothing. Outlives
 * readers. */
bool jd_may_write(const struct jd_call *call);

/* Opens the machine for a command that uses it; a machine that cannot be opened is reported. An
 * enum jd_exit. */
typedef int jd_host_fn(struct jd_call *call, struct joulie_host *host, struct joulie_error *err);
int jd_on_host(struct jd_call *call, struct joulie_host_options options, jd_host_fn *use);

/* The same for one that writes, when it has claimed. What is in force in the end stays; killed on
 * the way, joulie-capd gives back. */
int jd_on_kept_host(struct jd_call *call, struct joulie_host_options options, jd_host_fn *use);
/* The joulie-capd of the service manager, if there is one, else one that is started, writes for the
 * host from here on. 0 or a code. */
int jd_find_keeper(const struct jd_call *call, struct joulie_host *host, struct joulie_error *err);
/* The same and joulie_host_claim(); an error that another process holds the machine says what to
 * do.
 */
int jd_claim(const struct jd_call *call, struct joulie_host *host, struct joulie_error *err);
/* Whether limits come down in steps. */
bool jd_ramps(const struct jd_call *call);

/* Root, state folder and log of the command line. A person who hands over a spec stands behind it,
 * and nobody ticks on. */
struct joulie_host_options jd_host_options(const struct jd_call *call);

int64_t jd_now_ms(void);
bool jd_pause_ms(int64_t pause_ms); /* false = a signal came in between */

/* Reads --spec strictly (a slip in a cap is never skipped) and says that it is desired. Errors name
 * the file, and have the path from the root of the document in `where`. 0 or a code. */
int jd_take_spec(const struct jd_call *call, struct joulie_host *host, struct joulie_error *err);

/* Of the last tick or plan: JD_EXIT_BAD when a cap is blocked or failed, and why on standard error.
 */
int jd_judge_caps(struct joulie_host *host);

/* The error of a machine that has etc/joulie/disable; says what to do. JD_EXIT_BAD. */
int jd_fail_disabled(struct jd_call *call, struct joulie_error *err);

/* cap.c: gives everything back and prints what came of it. An enum jd_exit. */
int jd_restore(struct jd_call *call, struct joulie_host *host, struct joulie_error *err);
