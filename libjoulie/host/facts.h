/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What was read of a machine, as it was read: nothing is judged here. Texts live in the arena of
 * the scan; paths are relative to the root ("sys/devices/…"). What the kernel means by them:
 * docs/rules/rapl.md. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number of a file: a value, or why there is none. */
struct jl_fact {
    int code; /* 0 = value is set; JOULIE_E_UNSUPPORTED = there is no such file; else why not */
    int sys_errno; /* with JOULIE_E_IO */
    uint64_t value;
};

struct jl_zone_constraint {
    unsigned number;  /* N of constraint_N_* */
    const char *name; /* long_term, short_term, peak_power; NULL = unreadable */
    struct jl_fact limit_uw;
    struct jl_fact max_power_uw;
    struct jl_fact time_window_us;
};

struct jl_zone {              /* one powercap zone */
    const char *path;         /* sys/devices/virtual/powercap/intel-rapl/intel-rapl:0 */
    const char *dir;          /* intel-rapl:0 */
    const char *control_type; /* intel-rapl, intel-rapl-mmio, dtpm… */
    const char *name;         /* package-0, dram, psys; NULL = unreadable */
    size_t parent;            /* index of the zone that holds it, SIZE_MAX = top level */
    struct jl_fact enabled;
    struct jl_fact energy_uj;
    struct jl_fact max_energy_range_uj;
    struct jl_zone_constraint *constraints; /* by number */
    size_t constraint_count;
};

struct jl_cpufreq_policy { /* one cpufreq policy */
    unsigned number;
    const char *path; /* sys/devices/system/cpu/cpufreq/policy0 */
    uint32_t *cpus;   /* affected_cpus */
    size_t cpu_count;
    const char *driver;   /* scaling_driver; NULL = unknown */
    const char *governor; /* NULL = unknown */
    struct jl_fact cpuinfo_min_khz;
    struct jl_fact cpuinfo_max_khz;
    struct jl_fact scaling_min_khz;
    struct jl_fact scaling_max_khz;
    struct jl_fact base_khz;             /* base_frequency */
    struct jl_fact lowest_nonlinear_khz; /* amd_pstate_lowest_nonlinear_freq */
};

struct jl_cpu {
    uint32_t number;
    bool is_online;
    struct jl_fact package; /* physical_package_id; these three: JOULIE_E_RANGE for -1 */
    struct jl_fact die;
    struct jl_fact core;
};

struct jl_numa_node {
    uint32_t number;
    const char *cpulist; /* as written; NULL = unknown */
    struct jl_fact memory_bytes;
};

struct jl_pci_gpu {      /* a display controller; a later release controls them */
    const char *address; /* 0000:3b:00.0 */
    uint32_t vendor_id;
    uint32_t device_id;
    uint32_t class_id;
    struct jl_fact numa_node; /* JOULIE_E_RANGE when the kernel says -1 */
};

struct jl_host_warning {
    const char *where; /* path below the root */
    const char *message;
};

struct jl_host_facts {
    const char *boot_id;    /* NULL = unknown */
    const char *cpu_vendor; /* vendor_id of /proc/cpuinfo; NULL = unknown */
    const char *cpu_model;  /* model name */
    struct jl_fact cpu_family;
    bool is_virtual;         /* flag hypervisor */
    size_t cpuinfo_cpus;     /* processors in /proc/cpuinfo */
    size_t cpuinfo_packages; /* distinct physical ids in it */
    size_t cpuinfo_cores;    /* distinct (physical id, core id) in it */
    bool has_powercap;       /* the folder sys/devices/virtual/powercap is there */
    size_t control_types;    /* folders in it */
    bool has_pci;            /* a folder sys/devices/pci… is there */
    struct jl_fact memory_bytes;
    struct jl_cpu *cpus; /* by number */
    size_t cpu_count;
    struct jl_cpufreq_policy *policies; /* by number */
    size_t policy_count;
    struct jl_zone *zones; /* parents before children, control types and numbers in byte order */
    size_t zone_count;
    struct jl_numa_node *numa_nodes;
    size_t numa_count;
    struct jl_pci_gpu *gpus; /* by address */
    size_t gpu_count;
    struct jl_host_warning *warnings; /* what was there and could not be read, or was refused */
    size_t warning_count;
};
