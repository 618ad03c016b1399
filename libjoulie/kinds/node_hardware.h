/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* NodeHardware (joulie-control.md §2.3): what a node is made of. */

#include "kinds/meta.h"

struct jl_cap_range { /* status.cpu.capRange */
    uint64_t has;
    const char *type;
    double min_w; /* minWattsPerSocket */
    double max_w; /* maxWattsPerSocket */
};

enum { JL_CAP_RANGE_TYPE, JL_CAP_RANGE_MIN, JL_CAP_RANGE_MAX };

struct jl_landmarks {
    uint64_t has;
    double min_freq_mhz;
    double nominal_freq_mhz;
    double max_boost_mhz;
    double lowest_nonlinear_freq_mhz;
};

enum { JL_LANDMARK_MIN, JL_LANDMARK_NOMINAL, JL_LANDMARK_MAX_BOOST, JL_LANDMARK_LOWEST_NONLINEAR };

struct jl_cpu_package {
    uint64_t has;
    int64_t index;
    const char *zone;
    int64_t dies;
    double min_w;
    double max_w;
    double default_w;
    double power_unit_w;
    bool controllable;
    bool locked;
};

enum {
    JL_PACKAGE_INDEX,
    JL_PACKAGE_ZONE,
    JL_PACKAGE_DIES,
    JL_PACKAGE_MIN,
    JL_PACKAGE_MAX,
    JL_PACKAGE_DEFAULT,
    JL_PACKAGE_POWER_UNIT,
    JL_PACKAGE_CONTROLLABLE,
    JL_PACKAGE_LOCKED,
};

struct jl_hw_cpu {
    uint64_t has;
    const char *raw_model;
    const char *model;
    const char *vendor;
    int64_t sockets;
    int64_t total_cores;
    int64_t cores_per_socket;
    const char *driver_family;
    struct jl_cap_range cap_range;
    struct jl_landmarks landmarks;
    bool control_available;
    bool telemetry_available;
    struct jl_list warnings; /* strings */
    struct jl_list packages; /* struct jl_cpu_package */
    int64_t logical_cpus;    /* total_cores under its right name */
    int64_t physical_cores;
};

enum {
    JL_HW_CPU_RAW_MODEL,
    JL_HW_CPU_MODEL,
    JL_HW_CPU_VENDOR,
    JL_HW_CPU_SOCKETS,
    JL_HW_CPU_TOTAL_CORES,
    JL_HW_CPU_CORES_PER_SOCKET,
    JL_HW_CPU_DRIVER_FAMILY,
    JL_HW_CPU_CAP_RANGE,
    JL_HW_CPU_LANDMARKS,
    JL_HW_CPU_CONTROL_AVAILABLE,
    JL_HW_CPU_TELEMETRY_AVAILABLE,
    JL_HW_CPU_WARNINGS,
    JL_HW_CPU_PACKAGES, /* from here on: additions of libjoulie */
    JL_HW_CPU_LOGICAL_CPUS,
    JL_HW_CPU_PHYSICAL_CORES,
};

struct jl_gpu_cap_range { /* status.gpu.capRangePerGpu */
    uint64_t has;
    double min_w;
    double max_w;
    double default_w;
};

enum { JL_GPU_RANGE_MIN, JL_GPU_RANGE_MAX, JL_GPU_RANGE_DEFAULT };

struct jl_gpu_slicing {
    uint64_t has;
    bool supported;
    struct jl_list modes; /* strings */
};

enum { JL_GPU_SLICING_SUPPORTED, JL_GPU_SLICING_MODES };

struct jl_gpu_device {
    uint64_t has;
    const char *id;
    const char *pci_address;
    const char *raw_model;
    const char *model;
    double min_w;
    double max_w;
    double default_w;
    double current_cap_w;
    bool controllable;
    bool mig_enabled;
    int64_t numa_node;
};

enum {
    JL_DEVICE_ID,
    JL_DEVICE_PCI_ADDRESS,
    JL_DEVICE_RAW_MODEL,
    JL_DEVICE_MODEL,
    JL_DEVICE_MIN,
    JL_DEVICE_MAX,
    JL_DEVICE_DEFAULT,
    JL_DEVICE_CURRENT_CAP,
    JL_DEVICE_CONTROLLABLE,
    JL_DEVICE_MIG_ENABLED,
    JL_DEVICE_NUMA_NODE,
};

struct jl_hw_gpu {
    uint64_t has;
    bool present;
    const char *raw_model;
    const char *model;
    const char *vendor;
    int64_t count;
    struct jl_gpu_cap_range cap_range;
    double current_cap_w;
    struct jl_gpu_slicing slicing;
    bool control_available;
    bool telemetry_available;
    struct jl_list warnings; /* strings */
    struct jl_list devices;  /* struct jl_gpu_device */
};

enum {
    JL_HW_GPU_PRESENT,
    JL_HW_GPU_RAW_MODEL,
    JL_HW_GPU_MODEL,
    JL_HW_GPU_VENDOR,
    JL_HW_GPU_COUNT,
    JL_HW_GPU_CAP_RANGE,
    JL_HW_GPU_CURRENT_CAP,
    JL_HW_GPU_SLICING,
    JL_HW_GPU_CONTROL_AVAILABLE,
    JL_HW_GPU_TELEMETRY_AVAILABLE,
    JL_HW_GPU_WARNINGS,
    JL_HW_GPU_DEVICES, /* addition of libjoulie */
};

struct jl_hw_memory {
    uint64_t has;
    int64_t total_bytes;
};

enum { JL_HW_MEMORY_TOTAL };

struct jl_hw_network {
    uint64_t has;
    const char *link_class;
};

enum { JL_HW_NETWORK_LINK_CLASS };

struct jl_hw_keys { /* hardwareCatalogKey, exactness */
    uint64_t has;
    const char *cpu;
    const char *gpu;
};

enum { JL_HW_KEYS_CPU, JL_HW_KEYS_GPU };

struct jl_hw_resolution {
    uint64_t has;
    struct jl_hw_keys catalog_key;
    struct jl_hw_keys exactness;
};

enum { JL_HW_RESOLUTION_KEY, JL_HW_RESOLUTION_EXACTNESS };

struct jl_hw_capabilities {
    uint64_t has;
    bool cpu_control;
    bool gpu_control;
    bool cpu_telemetry;
    bool gpu_telemetry;
};

enum {
    JL_HW_CAN_CPU_CONTROL,
    JL_HW_CAN_GPU_CONTROL,
    JL_HW_CAN_CPU_TELEMETRY,
    JL_HW_CAN_GPU_TELEMETRY
};

struct jl_hw_quality {
    uint64_t has;
    const char *overall;
    struct jl_list warnings; /* strings */
};

enum { JL_HW_QUALITY_OVERALL, JL_HW_QUALITY_WARNINGS };

struct jl_hardware_spec {
    uint64_t has;
    const char *node_name;
};

enum { JL_HARDWARE_SPEC_NODE_NAME };

struct jl_hardware_status {
    uint64_t has;
    struct jl_hw_cpu cpu;
    struct jl_hw_gpu gpu;
    struct jl_hw_memory memory;
    struct jl_hw_network network;
    struct jl_hw_resolution resolution;
    struct jl_hw_capabilities capabilities;
    struct jl_hw_quality quality;
    const char *updated_at;
};

enum {
    JL_HARDWARE_CPU,
    JL_HARDWARE_GPU,
    JL_HARDWARE_MEMORY,
    JL_HARDWARE_NETWORK,
    JL_HARDWARE_RESOLUTION,
    JL_HARDWARE_CAPABILITIES,
    JL_HARDWARE_QUALITY,
    JL_HARDWARE_UPDATED_AT,
};

struct jl_node_hardware { /* bits: JL_ROOT_* */
    uint64_t has;
    const char *api_version;
    const char *kind;
    struct jl_meta meta;
    struct jl_hardware_spec spec;
    struct jl_hardware_status status;
};

extern const struct jl_table jl_hardware_status_table;
extern const struct jl_table jl_node_hardware_table;
