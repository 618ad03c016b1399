/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* NodeHardware (docs/rules/objects.md#nodehardware): what a node is made of. */

#include "kinds/meta.h"

extern const struct jl_kind jl_node_hardware_kind;

#ifdef JL_NODE_HARDWARE_TABLES
#define RECORD_TABLES
#endif

/* status.cpu.capRange */
#define RECORD jl_cap_range
#define MEMBERS                                                                          \
    STRING(type, "type", "What the range applies to, such as package.")                  \
    NUMBER(min_w, "minWattsPerSocket", "Lowest cap that every package takes, in watts.") \
    NUMBER(max_w, "maxWattsPerSocket", "Highest cap that every package takes, in watts.")
#include "schema/shared_record.h"

#define RECORD jl_landmarks
#define MEMBERS                                                              \
    NUMBER(min_freq_mhz, "minFreqMHz", "Lowest frequency, in MHz.")          \
    NUMBER(nominal_freq_mhz, "nominalFreqMHz", "Nominal frequency, in MHz.") \
    NUMBER(max_boost_mhz, "maxBoostMHz", "Highest boost frequency, in MHz.") \
    NUMBER(lowest_nonlinear_freq_mhz, "lowestNonlinearFreqMHz",              \
           "Frequency below which lowering it saves less power, in MHz.")
#include "schema/shared_record.h"

#define RECORD jl_cpu_package
#define MEMBERS                                                                                 \
    INTEGER(index, "index", "Number of the package.", REQUIRED, LIST_KEY)                       \
    STRING(zone, "zone", "Path of the power zone below the root of sysfs; empty without RAPL.") \
    INTEGER(dies, "dies", "Dies in the package.")                                               \
    NUMBER(min_w, "minWatts", "Lowest cap, in watts.")                                          \
    NUMBER(max_w, "maxWatts", "Highest cap, in watts.")                                         \
    NUMBER(default_w, "defaultWatts", "Cap that the firmware set, in watts.")                   \
    NUMBER(power_unit_w, "powerUnitWatts", "Step of the cap, in watts.")                        \
    BOOLEAN(controllable, "controllable", "Whether the cap can be written.")                    \
    BOOLEAN(locked, "locked", "Whether the firmware locked the cap until the next boot.")
#include "schema/shared_record.h"

#define RECORD jl_hw_cpu
#define MEMBERS                                                                                   \
    STRING(raw_model, "rawModel", "Model text as the machine or its labels give it.")             \
    STRING(model, "model", "Key in the hardware catalog; empty when unknown.")                    \
    STRING(vendor, "vendor", "Vendor, such as AuthenticAMD or GenuineIntel.")                     \
    INTEGER(sockets, "sockets", "CPU packages of the node.")                                      \
    INTEGER(total_cores, "totalCores", "Logical CPUs of the node, rounded up.")                   \
    INTEGER(cores_per_socket, "coresPerSocket", "Logical CPUs of each package.")                  \
    STRING(driver_family, "driverFamily", "Driver that scales the frequency.")                    \
    OBJECT(cap_range, "capRange", jl_cap_range, "Power caps that every package takes, in watts.") \
    OBJECT(landmarks, "landmarks", jl_landmarks, "Frequencies of note, in MHz.")                  \
    BOOLEAN(control_available, "controlAvailable", "Whether the CPU's power can be capped.")      \
    BOOLEAN(telemetry_available, "telemetryAvailable", "Whether the CPU's power can be read.")    \
    STRINGS(warnings, "warnings", "What was not found or looks wrong, for a person.")             \
    LIST(packages, "packages", jl_cpu_package, "The CPU packages one by one.")                    \
    /* total_cores under its right name */                                                        \
    INTEGER(logical_cpus, "logicalCpus", "Logical CPUs of the node; repeats totalCores.")         \
    INTEGER(physical_cores, "physicalCores", "Physical cores of the node.")
#include "schema/shared_record.h"

/* status.gpu.capRangePerGpu */
#define RECORD jl_gpu_cap_range
#define MEMBERS                                                     \
    NUMBER(min_w, "minWatts", "Lowest cap of each GPU, in watts.")  \
    NUMBER(max_w, "maxWatts", "Highest cap of each GPU, in watts.") \
    NUMBER(default_w, "defaultWatts", "Default cap of each GPU, in watts.")
#include "schema/shared_record.h"

#define RECORD jl_gpu_slicing
#define MEMBERS                                                         \
    BOOLEAN(supported, "supported", "Whether the GPUs can be divided.") \
    STRINGS(modes, "modes", "Ways to divide them.")
#include "schema/shared_record.h"

#define RECORD jl_gpu_device
#define MEMBERS                                                                           \
    STRING(id, "id", "UUID of the GPU, else its PCI address; never its index.", REQUIRED, \
           LIST_KEY)                                                                      \
    STRING(pci_address, "pciAddress", "PCI address of the GPU.")                          \
    STRING(raw_model, "rawModel", "Model text as the driver gives it.")                   \
    STRING(model, "model", "Key in the hardware catalog; empty when unknown.")            \
    NUMBER(min_w, "minWatts", "Lowest cap, in watts.")                                    \
    NUMBER(max_w, "maxWatts", "Highest cap, in watts.")                                   \
    NUMBER(default_w, "defaultWatts", "Default cap, in watts.")                           \
    NUMBER(current_cap_w, "currentCapWatts", "Cap in force, in watts.")                   \
    BOOLEAN(controllable, "controllable", "Whether the cap can be written.")              \
    BOOLEAN(mig_enabled, "migEnabled", "Whether the GPU is divided by MIG.")              \
    INTEGER(numa_node, "numaNode", "NUMA node that the GPU is attached to.")
#include "schema/shared_record.h"

#define RECORD jl_hw_gpu
#define MEMBERS                                                                                \
    BOOLEAN(present, "present",                                                                \
            "Whether the node has GPUs; absent: it has them where count is above 0.")          \
    STRING(raw_model, "rawModel", "Model text as the machine or its labels give it.")          \
    STRING(model, "model", "Key in the hardware catalog; empty when unknown.")                 \
    STRING(vendor, "vendor", "Vendor of the GPUs.")                                            \
    INTEGER(count, "count", "GPUs of the node.")                                               \
    OBJECT(cap_range, "capRangePerGpu", jl_gpu_cap_range,                                      \
           "Power caps that each GPU takes, in watts.")                                        \
    NUMBER(current_cap_w, "currentCapWatts", "Cap in force on each GPU, in watts.")            \
    OBJECT(slicing, "slicing", jl_gpu_slicing, "How the GPUs can be divided.")                 \
    BOOLEAN(control_available, "controlAvailable", "Whether the GPUs' power can be capped.")   \
    BOOLEAN(telemetry_available, "telemetryAvailable", "Whether the GPUs' power can be read.") \
    STRINGS(warnings, "warnings", "What was not found or looks wrong, for a person.")          \
    LIST(devices, "devices", jl_gpu_device, "The GPUs one by one.")
#include "schema/shared_record.h"

#define RECORD jl_hw_memory
#define MEMBERS INTEGER(total_bytes, "totalBytes", "Memory of the node, in bytes.", AS_INT64)
#include "schema/shared_record.h"

#define RECORD jl_hw_network
#define MEMBERS STRING(link_class, "linkClass", "Class of the node's network link.")
#include "schema/shared_record.h"

#define RECORD jl_hw_keys
#define MEMBERS                                   \
    STRING(cpu, "cpu", "Catalog key of the CPU.") \
    STRING(gpu, "gpu", "Catalog key of the GPU.")
#include "schema/shared_record.h"

/* The same for how good they are. */
#define RECORD jl_hw_exactness
#define TABLE_OF jl_hw_keys
#define MEMBERS                                                                                   \
    STRING(cpu, "cpu", "exact (in the catalog), proxy (a model text only) or generic (nothing).") \
    STRING(gpu, "gpu", "exact (in the catalog), proxy (a model text only) or generic (nothing).")
#include "schema/shared_record.h"

#define RECORD jl_hw_resolution
#define MEMBERS                                                          \
    OBJECT(catalog_key, "hardwareCatalogKey", jl_hw_keys,                \
           "Entries of the hardware catalog that were found.")           \
    OBJECT_BY(exactness, "exactness", jl_hw_keys, jl_hw_exactness_table, \
              "How well the entries fit.")
#include "schema/shared_record.h"

#define RECORD jl_hw_capabilities
#define MEMBERS                                                              \
    BOOLEAN(cpu_control, "cpuControl", "Whether CPU power can be capped.")   \
    BOOLEAN(gpu_control, "gpuControl", "Whether GPU power can be capped.")   \
    BOOLEAN(cpu_telemetry, "cpuTelemetry", "Whether CPU power can be read.") \
    BOOLEAN(gpu_telemetry, "gpuTelemetry", "Whether GPU power can be read.")
#include "schema/shared_record.h"

#define RECORD jl_hw_quality
#define MEMBERS                                                    \
    STRING(overall, "overall", "exact, heuristic or unavailable.") \
    STRINGS(warnings, "warnings", "What was not found or looks wrong, for a person.")
#include "schema/shared_record.h"

#define RECORD jl_hardware_spec
#define MEMBERS                   \
    STRING(node_name, "nodeName", \
           "Name of the node; readers match on this, never on the object name.", REQUIRED)
#include "schema/shared_record.h"

#define RECORD jl_hardware_status
#define MEMBERS                                                                              \
    OBJECT(cpu, "cpu", jl_hw_cpu, "The CPUs.")                                               \
    OBJECT(gpu, "gpu", jl_hw_gpu, "The GPUs.")                                               \
    OBJECT(memory, "memory", jl_hw_memory, "The memory.")                                    \
    OBJECT(network, "network", jl_hw_network, "The network.")                                \
    OBJECT(resolution, "inventoryResolution", jl_hw_resolution,                              \
           "How the models were found in the hardware catalog.")                             \
    OBJECT(capabilities, "capabilities", jl_hw_capabilities, "What can be read and capped.") \
    OBJECT(quality, "quality", jl_hw_quality, "How far these facts can be trusted.")         \
    STRING(updated_at, "updatedAt", "When the facts were last read, RFC 3339 in UTC.")
#include "schema/shared_record.h"

/* bits: JL_ROOT_* */
#define RECORD jl_node_hardware
#define MEMBERS                                                                   \
    JL_ROOT_MEMBERS(REQUIRED)                                                     \
    OBJECT(spec, "spec", jl_hardware_spec, "Which node this is about.", REQUIRED) \
    OBJECT(status, "status", jl_hardware_status, "What the agent found.")
#define ABOUT \
    .kind = &jl_node_hardware_kind, .doc = "What one node is made of, as its agent found it."
#include "schema/shared_record.h"

#undef RECORD_TABLES
