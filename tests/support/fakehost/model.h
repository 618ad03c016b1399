/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A kernel that is not one: a tree of a host (tests/support/fixtures/hosts.py) in memory, whose
 * files live.
 *
 * - Energy counters advance and wrap, limits are floored to the power unit and cut to 15 bits, take
 *   effect after a delay, and bound the power of a package (docs/rules/rapl.md).
 * - cpufreq limits are requests; reading gives the effective value.
 * - Files outside of sys, proc and fake are ordinary: what was not synced is lost with the power.
 * - Every operation can be made to fail, by path.
 *
 * The numbers of the driver are computed here a second time, and not by libjoulie/power, because
 * the one is tested against the other.
 *
 * The plant, per package (per die where zones are dies): without limits it takes
 *   P = idle + (demand - idle) * s,  s = mean over its CPUs of (f / fmax)^k,  k = 2.4
 * where f is the effective scaling_max_freq; a demand at or below idle is taken as it is. Limits
 * bound P, but not below idle: the lowest enabled long_term of the zone and its MMIO twin once its
 * delay has passed, and short_term at once. P follows with a first-order lag. A short_term that the
 * tree leaves at 0 is no limit; a 0 that somebody writes is 0 W, as in the register.
 * dram takes 12 % of its package on top of it, core 60 % (AMD: 2 %, one CPU) and uncore 10 % of it,
 * psys everything and 10 W.
 *
 * Running out of memory ends the program. One thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/os.h"

struct fk;

/* Reads a tree; NULL with a sentence in why. */
struct fk *fk_load(const char *tree, char *why, size_t why_size);
void fk_free(struct fk *fk);

/* ---- time and load ---- */

void fk_advance_ms(struct fk *fk, int64_t ms);
void fk_advance_us(struct fk *fk, int64_t us);
int64_t fk_now_ms(const struct fk *fk); /* since fk_load */

/* Packages (or dies) by number; every tree has at least one. */
size_t fk_packages(const struct fk *fk);
void fk_set_demand_w(struct fk *fk, size_t package, double watts); /* default 60 % of the TDP */
void fk_set_idle_w(struct fk *fk, size_t package, double watts);   /* default 15 % of the TDP */
void fk_set_delay_ms(struct fk *fk, int64_t ms);                   /* default 200 */
void fk_set_lag_ms(struct fk *fk, double ms); /* time constant of P, default 100; 0 = none */
double fk_power_w(const struct fk *fk, size_t package); /* now */
/* The limit in force now, HUGE_VAL = none; frequencies are no limit of this kind. */
double fk_limit_w(const struct fk *fk, size_t package);

/* ---- what a test knows and does behind the back of the product: no fault, no count ---- */

/* The content of a file; NULL = there is none, or the kernel refuses. Valid until the next call. */
const char *fk_text(struct fk *fk, const char *path);
uint64_t fk_number(struct fk *fk, const char *path); /* UINT64_MAX = none */
/* Another program writes: kernel files by their rules; an ordinary file is created or replaced,
 * with its folders, and synced. 0 or a negative errno. */
int fk_write_text(struct fk *fk, const char *path, const char *text);
int fk_write_bytes(struct fk *fk, const char *path, const char *bytes, size_t len);
/* A read-only kernel file as if the kernel had changed it: boot_id, throttle counts, an
 * energy counter that is set back. */
int fk_set_text(struct fk *fk, const char *path, const char *text);
/* Writes by the product to files that match, the refused and ignored ones too. */
uint64_t fk_writes(const struct fk *fk, const char *pattern);

/* ---- faults ---- */

/*
 * One rule or deed; the same lines as in the control file fake/fault. 0, or -EINVAL with
 * fk_message(). PATTERN is a glob over the whole path without the first slash; * matches / too.
 * COUNT times, without it for ever. The first rule that matches and is not used up counts.
 *
 *   open|read|write|stat|list|sync|truncate|rename|unlink|mkdir|lock PATTERN ERRNO [COUNT]
 *                               fails with EINVAL, EACCES, EIO, ENODATA, EROFS, …
 *   ignore PATTERN [COUNT]      a write returns success and changes nothing
 *   short PATTERN BYTES [COUNT] a write to an ordinary file takes only so many bytes
 *   readonly PATTERN            whatever would change something: EROFS
 *   round PATTERN UNIT_UW       limits that match have another power unit
 *   drift PATTERN VALUE READS   another program writes VALUE after so many more reads
 *   space BYTES | space all     ordinary files may grow by so much in all, then ENOSPC
 *   vanish ZONE                 ZONE goes: ENODEV on open descriptors, ENOENT by name
 *   return ZONE NAME [enabled]  it comes back as NAME, its limits in force only when asked
 *   clear                       no rule any more, space all
 *
 * A ZONE is a folder such as sys/devices/virtual/powercap/intel-rapl/intel-rapl:1.
 */
int fk_fault(struct fk *fk, const char *line);
const char *fk_message(const struct fk *fk);

/* Whether the product runs as root (default): else files are opened as their modes allow others. */
void fk_set_root(struct fk *fk, bool is_root);

/* ---- what the product calls (os.c) ---- */

struct jl_os fk_os(struct fk *fk);
/* A folder of the tree as a descriptor of fk_os(), "" = the root; not counted. Negative errno. */
int fk_open_folder(struct fk *fk, const char *path);
struct jl_os_counts fk_counts(const struct fk *fk);
/* The process dies before the n-th call from now (1 = the next): callback (may be NULL) is called,
 * then that call and all others return -EIO until fk_reboot_process(). 0 = it lives. */
void fk_stop_at(struct fk *fk, uint64_t n, void (*callback)(void *user), void *user);
bool fk_is_stopped(const struct fk *fk);
/* The process is gone: its descriptors are closed, its locks free. Hardware stays as it is. */
void fk_reboot_process(struct fk *fk);
/*
 * The machine is switched off and on: fk_reboot_process(); of ordinary files only what was synced
 * (bytes by sync of the file, names by sync of their folder), plus up to kept_bytes of what was
 * appended to each after its sync; limits, frequencies and counters as in the tree; a new boot_id.
 */
void fk_power_loss(struct fk *fk, size_t kept_bytes);
