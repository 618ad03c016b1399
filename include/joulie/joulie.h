/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_H
#define JOULIE_H
#pragma once

/**
 * @file
 * libjoulie: decisions about power, for schedulers.
 *
 * How stressed is this node, what may run here, which cap holds the budget without hurting the
 * work? The library answers from values that the caller hands in. It opens no connection and reads
 * no clock; only <joulie/host.h>, which enforces caps on the machine that it runs on, makes system
 * calls.
 *
 * Entry points
 * ------------
 *
 * - *ask* (<joulie/ask.h>): one call, JSON or YAML in, JSON out. Every decision of the library, for
 *   scripts, notebooks and tests. Some microseconds and a few allocations per question.
 * - *cluster* (<joulie/cluster.h>): a model of all nodes, fed by events, that decides what has to
 *   be written, and filters and scores nodes for work. Incremental; microseconds to milliseconds.
 *   <joulie/node.h> and <joulie/host.h> are the same for one machine, <joulie/remote.h> reads what
 *   machines say over HTTP, <joulie/sim.h> plays all of it against simulated hardware.
 * - *autoscaler* (<joulie/autoscale.h>): sizes one workload of TensorFusion: usage of its workers
 *   in, requests, limits and replicas out. A handle per workload; some microseconds per step.
 * - *threads* (<joulie/threads.h>): what the threads of a workload do, from a recorded trace that
 *   is read piece by piece.
 * - *fast* (<joulie/twin.h>, <joulie/place.h>, <joulie/classify.h>, <joulie/caps.h>): plain
 *   functions over flat structs and, for many nodes at once, over columns. Nanoseconds, no
 *   allocation.
 *
 * The same rule answers at every entry point: equal facts give bit-identical numbers, on every
 * machine. Documents of the CRDs are read and written by <joulie/object.h> and <joulie/v1alpha1.h>.
 *
 * Words
 * -----
 *
 * docs/rules/README.md has them all. Those that every header uses:
 *
 * - *source*: Joulie, the Kubernetes project whose rules this library took over; in
 *   <joulie/autoscale.h> TensorFusion. *Rule set*: `current`, the source's rules with corrections,
 *   or a version word (`v0.1.1`, …), that release exactly.
 * - *node*, *machine*: what is decided about; *host*: the machine that a process itself reads and
 *   writes. *Package*: a CPU socket as power limits see it. *Part*: a package or GPU of a node.
 * - *cap*: the power that is asked for; *limit*: the number in the hardware that holds it.
 * - *profile*: `performance` (full power) or `eco` (capped). A *draining* node is on its way to
 *   eco. A WorkloadProfile is something else: what is known of a workload.
 * - *twin*: what is known of a node as numbers; NodeTwin, its object: `spec` is what is desired,
 *   `status` what is predicted and reported.
 * - *operator*: the program that decides for a cluster; *agent*: the one that puts caps in force on
 *   a node; *extender*: the one that answers kube-scheduler. *Heartbeat*: the sign of life of the
 *   program that decides; to beat is to give one.
 * - *TDP*: the highest power of a device; *PSU*: the power supply of a rack; *PUE*: power of the
 *   facility over power of its machines (IT power).
 *
 * Units and times
 * ---------------
 *
 * A name ends in its unit: `_w` W, `_uw` µW, `_j` J, `_c` °C, `_khz` kHz, `_pct` percent, `_frac` a
 * share of 0 to 1, `_s` seconds, `_ms` milliseconds, `_us` microseconds.
 *
 * An instant (`now_ms`, `at_ms`, `updated_ms`, …) is milliseconds since 1970-01-01T00:00:00Z by the
 * wall clock, and may go back. Where another clock is meant the member says so. Ages, intervals and
 * timeouts have the same unit and no beginning.
 *
 * Unknown
 * -------
 *
 * A number that nobody measured is not 0. Optional members have a bit in a `has` mask, enums have
 * 0 = _UNKNOWN (or _NONE, where nothing is a known answer), columns may be NULL. The answer to an
 * unknown question is unknown as well: a node without hardware facts has no headroom, rather than a
 * full one.
 *
 * Ownership
 * ---------
 *
 * - Inputs are borrowed for the call.
 * - What comes out through a `char **` belongs to the caller and is freed with joulie_free() (not
 *   with free(): the library may use another allocator than the program).
 * - A `const char *` inside a struct that a handle filled lives as long as that function says, at
 *   most as long as the handle.
 * - Handles come from _new, _open, _parse or _copy and go with _free. _free(NULL) does nothing.
 * - Outputs are untouched when a function fails, unless it says otherwise.
 * - A parameter that may be NULL is documented so. The others may not, and are not checked.
 *
 * Threads
 * -------
 *
 * The library starts no thread, keeps no mutable global and no thread-local "last error". A
 * function without a handle may be called by any thread at any time. A handle belongs to one thread
 * at a time: two handles may be used by two threads at once, one handle may wander between threads
 * under the caller's lock.
 *
 * What the process has to know
 * ----------------------------
 *
 * - Nothing is initialised and nothing has to be cleaned up; dlopen() and dlclose() at will.
 * - It never prints, exits, aborts, installs a signal handler, reads the environment or the locale.
 *   Numbers are read and written with a point, whatever the locale.
 * - Memory that runs out is JOULIE_E_NOMEM with everything released, not the end of the process.
 * - Floating point: the default rounding mode, and no flush-to-zero. A program that was linked with
 *   -ffast-math has set flush-to-zero for its threads: predictions of tiny numbers may then differ
 *   in the last bits. Vector units are found out at run time; every one gives the same bits.
 * - After fork() each process has its own copy of a handle, and goes on with it. Only a struct
 *   joulie_host that was claimed stays with one of them: its lock and its journal are shared.
 * - errno means nothing after a call; the errno of a failed system call is in sys_errno.
 * - The only libraries that come along are libc, libm, json-c and libyaml. None of their types is
 *   in a header.
 *
 * Errors
 * ------
 *
 * A function that can fail returns 0 or a negative enum joulie_code and documents which ones. A
 * struct joulie_error of the caller takes what a person needs: where in the document or struct, and
 * a sentence. It may be NULL. Limits (document bytes, nesting, nodes of a request) are documented
 * where they apply and end in JOULIE_E_LIMIT.
 *
 * Compatibility
 * -------------
 *
 * The promise is per soname. This is libjoulie.so.1, from version 0.3.0 on: a program that was
 * built against one release of it runs with every later one, without being built again. (0.1.0 and
 * 0.2.0 are libjoulie.so.0; their programs go on with that library, which is installed beside this
 * one.) Until 0.3.0 is released, as long as joulie_version() ends in "~dev", the interface may
 * still change.
 *
 * - No symbol goes away or changes its type.
 * - Structs with a `struct_size` only grow at their end. Set it with JOULIE_INIT() (of a static
 *   variable, where C wants a constant: `{ .struct_size = sizeof name }`) and every member that you
 *   do not name is 0, which is the default or "unknown"; where that is not so, as of a weight that
 *   may be 0, the struct has a function that fills it (joulie_place_config_init()). What the
 *   library does not know of a newer caller has to be 0, else the call ends with JOULIE_E_ABI
 *   rather than with a guess.
 * - Enum values are never renumbered. New ones come: have a default in your switch.
 * - New members of JSON answers come: skip those that you do not know. Members never change their
 *   type, their unit or their meaning.
 * - Numbers may change between releases where a release says so in NEWS; a rule set with a version
 *   word (`v0.1.1`, …) never does.
 *
 * joulie_version() names the library that was loaded, JOULIE_VERSION the one that was compiled
 * against, joulie_has_feature() says what is there at run time. `@since` is the release that first
 * had a function under its name; the symbols of libjoulie.so.1 are all of version JOULIE_0.3.
 *
 * @code{.c}
 * #include <joulie/joulie.h>
 * #include <stdio.h>
 *
 * int main(void)
 * {
 *     struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
 *     struct joulie_twin_output out = JOULIE_INIT(struct joulie_twin_output);
 *     in.has = JOULIE_TWIN_HAS_CPU_SOCKETS | JOULIE_TWIN_HAS_CPU_MAX | JOULIE_TWIN_HAS_NODE_POWER;
 *     in.cpu_sockets = 2;
 *     in.cpu_max_w = 350;
 *     in.measured_node_power_w = 420;
 *     if (joulie_twin_predict(&in, &out, NULL) == JOULIE_OK)
 *         printf("headroom %.1f\n", out.power_headroom_score);
 *     return 0;
 * }
 * @endcode
 */

#include <joulie/ask.h>
#include <joulie/autoscale.h>
#include <joulie/caps.h>
#include <joulie/classify.h>
#include <joulie/cluster.h>
#include <joulie/column.h>
#include <joulie/error.h>
#include <joulie/experiment.h>
#include <joulie/host.h>
#include <joulie/layout.h>
#include <joulie/log.h>
#include <joulie/node.h>
#include <joulie/object.h>
#include <joulie/place.h>
#include <joulie/remote.h>
#include <joulie/sim.h>
#include <joulie/tensor_fusion_v1.h>
#include <joulie/threads.h>
#include <joulie/twin.h>
#include <joulie/v1alpha1.h>
#include <joulie/version.h>
#include <joulie/words.h>

#endif
