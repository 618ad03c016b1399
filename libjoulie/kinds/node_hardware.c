/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds/node_hardware.h"

#include "kinds/root.h"

/* Source of every row: joulie-control.md §2.3 with the libjoulie additions behind the rows of the
 * source. */

static const struct jl_row cap_range_rows[] = {
    [JL_CAP_RANGE_TYPE] =
        JL_STRING(jl_cap_range, type, "type", .doc = "What the range applies to, such as package."),
    [JL_CAP_RANGE_MIN] = JL_NUMBER(jl_cap_range, min_w, "minWattsPerSocket",
                                   .doc = "Lowest cap that every package takes, in watts."),
    [JL_CAP_RANGE_MAX] = JL_NUMBER(jl_cap_range, max_w, "maxWattsPerSocket",
                                   .doc = "Highest cap that every package takes, in watts."),
};
static const struct jl_table cap_range_table = JL_TABLE(jl_cap_range, cap_range_rows);

static const struct jl_row landmark_rows[] = {
    [JL_LANDMARK_MIN] =
        JL_NUMBER(jl_landmarks, min_freq_mhz, "minFreqMHz", .doc = "Lowest frequency, in MHz."),
    [JL_LANDMARK_NOMINAL] = JL_NUMBER(jl_landmarks, nominal_freq_mhz, "nominalFreqMHz",
                                      .doc = "Nominal frequency, in MHz."),
    [JL_LANDMARK_MAX_BOOST] = JL_NUMBER(jl_landmarks, max_boost_mhz, "maxBoostMHz",
                                        .doc = "Highest boost frequency, in MHz."),
    [JL_LANDMARK_LOWEST_NONLINEAR] =
        JL_NUMBER(jl_landmarks, lowest_nonlinear_freq_mhz, "lowestNonlinearFreqMHz",
                  .doc = "Frequency below which lowering it saves less power, in MHz."),
};
static const struct jl_table landmark_table = JL_TABLE(jl_landmarks, landmark_rows);

static const struct jl_row package_rows[] = {
    [JL_PACKAGE_INDEX] =
        JL_INTEGER(jl_cpu_package, index, "index", .flags = JL_REQUIRED | JL_MAP_KEY,
                   .doc = "Number of the package."),
    [JL_PACKAGE_ZONE] =
        JL_STRING(jl_cpu_package, zone, "zone",
                  .doc = "Path of the power zone below the root of sysfs; empty without RAPL."),
    [JL_PACKAGE_DIES] = JL_INTEGER(jl_cpu_package, dies, "dies", .doc = "Dies in the package."),
    [JL_PACKAGE_MIN] = JL_NUMBER(jl_cpu_package, min_w, "minWatts", .doc = "Lowest cap, in watts."),
    [JL_PACKAGE_MAX] =
        JL_NUMBER(jl_cpu_package, max_w, "maxWatts", .doc = "Highest cap, in watts."),
    [JL_PACKAGE_DEFAULT] = JL_NUMBER(jl_cpu_package, default_w, "defaultWatts",
                                     .doc = "Cap that the firmware set, in watts."),
    [JL_PACKAGE_POWER_UNIT] = JL_NUMBER(jl_cpu_package, power_unit_w, "powerUnitWatts",
                                        .doc = "Step of the cap, in watts."),
    [JL_PACKAGE_CONTROLLABLE] = JL_BOOLEAN(jl_cpu_package, controllable, "controllable",
                                           .doc = "Whether the cap can be written."),
    [JL_PACKAGE_LOCKED] =
        JL_BOOLEAN(jl_cpu_package, locked, "locked",
                   .doc = "Whether the firmware locked the cap until the next boot."),
};
static const struct jl_table package_table = JL_TABLE(jl_cpu_package, package_rows);

static const struct jl_row cpu_rows[] = {
    [JL_HW_CPU_RAW_MODEL] = JL_STRING(jl_hw_cpu, raw_model, "rawModel",
                                      .doc = "Model text as the machine or its labels give it."),
    [JL_HW_CPU_MODEL] = JL_STRING(jl_hw_cpu, model, "model",
                                  .doc = "Key in the hardware catalog; empty when unknown."),
    [JL_HW_CPU_VENDOR] = JL_STRING(jl_hw_cpu, vendor, "vendor",
                                   .doc = "Vendor, such as AuthenticAMD or GenuineIntel."),
    [JL_HW_CPU_SOCKETS] =
        JL_INTEGER(jl_hw_cpu, sockets, "sockets", .doc = "CPU packages of the node."),
    [JL_HW_CPU_TOTAL_CORES] = JL_INTEGER(jl_hw_cpu, total_cores, "totalCores",
                                         .doc = "Logical CPUs of the node, rounded up."),
    [JL_HW_CPU_CORES_PER_SOCKET] = JL_INTEGER(jl_hw_cpu, cores_per_socket, "coresPerSocket",
                                              .doc = "Logical CPUs of each package."),
    [JL_HW_CPU_DRIVER_FAMILY] = JL_STRING(jl_hw_cpu, driver_family, "driverFamily",
                                          .doc = "Driver that scales the frequency."),
    [JL_HW_CPU_CAP_RANGE] = JL_OBJECT(jl_hw_cpu, cap_range, "capRange", &cap_range_table,
                                      .doc = "Power caps that every package takes, in watts."),
    [JL_HW_CPU_LANDMARKS] = JL_OBJECT(jl_hw_cpu, landmarks, "landmarks", &landmark_table,
                                      .doc = "Frequencies of note, in MHz."),
    [JL_HW_CPU_CONTROL_AVAILABLE] = JL_BOOLEAN(jl_hw_cpu, control_available, "controlAvailable",
                                               .doc = "Whether the CPU's power can be capped."),
    [JL_HW_CPU_TELEMETRY_AVAILABLE] =
        JL_BOOLEAN(jl_hw_cpu, telemetry_available, "telemetryAvailable",
                   .doc = "Whether the CPU's power can be read."),
    [JL_HW_CPU_WARNINGS] = JL_STRINGS(jl_hw_cpu, warnings, "warnings",
                                      .doc = "What was not found or looks wrong, for a person."),
    [JL_HW_CPU_PACKAGES] = JL_LIST(jl_hw_cpu, packages, "packages", &package_table,
                                   .doc = "The CPU packages one by one."),
    [JL_HW_CPU_LOGICAL_CPUS] = JL_INTEGER(jl_hw_cpu, logical_cpus, "logicalCpus",
                                          .doc = "Logical CPUs of the node; repeats totalCores."),
    [JL_HW_CPU_PHYSICAL_CORES] = JL_INTEGER(jl_hw_cpu, physical_cores, "physicalCores",
                                            .doc = "Physical cores of the node."),
};
static const struct jl_table cpu_table = JL_TABLE(jl_hw_cpu, cpu_rows);

static const struct jl_row gpu_cap_range_rows[] = {
    [JL_GPU_RANGE_MIN] =
        JL_NUMBER(jl_gpu_cap_range, min_w, "minWatts", .doc = "Lowest cap of each GPU, in watts."),
    [JL_GPU_RANGE_MAX] =
        JL_NUMBER(jl_gpu_cap_range, max_w, "maxWatts", .doc = "Highest cap of each GPU, in watts."),
    [JL_GPU_RANGE_DEFAULT] = JL_NUMBER(jl_gpu_cap_range, default_w, "defaultWatts",
                                       .doc = "Default cap of each GPU, in watts."),
};
static const struct jl_table gpu_cap_range_table = JL_TABLE(jl_gpu_cap_range, gpu_cap_range_rows);

static const struct jl_row gpu_slicing_rows[] = {
    [JL_GPU_SLICING_SUPPORTED] = JL_BOOLEAN(jl_gpu_slicing, supported, "supported",
                                            .doc = "Whether the GPUs can be divided."),
    [JL_GPU_SLICING_MODES] =
        JL_STRINGS(jl_gpu_slicing, modes, "modes", .doc = "Ways to divide them."),
};
static const struct jl_table gpu_slicing_table = JL_TABLE(jl_gpu_slicing, gpu_slicing_rows);

static const struct jl_row device_rows[] = {
    [JL_DEVICE_ID] = JL_STRING(jl_gpu_device, id, "id", .flags = JL_REQUIRED | JL_MAP_KEY,
                               .doc = "UUID of the GPU, else its PCI address; never its index."),
    [JL_DEVICE_PCI_ADDRESS] =
        JL_STRING(jl_gpu_device, pci_address, "pciAddress", .doc = "PCI address of the GPU."),
    [JL_DEVICE_RAW_MODEL] = JL_STRING(jl_gpu_device, raw_model, "rawModel",
                                      .doc = "Model text as the driver gives it."),
    [JL_DEVICE_MODEL] = JL_STRING(jl_gpu_device, model, "model",
                                  .doc = "Key in the hardware catalog; empty when unknown."),
    [JL_DEVICE_MIN] = JL_NUMBER(jl_gpu_device, min_w, "minWatts", .doc = "Lowest cap, in watts."),
    [JL_DEVICE_MAX] = JL_NUMBER(jl_gpu_device, max_w, "maxWatts", .doc = "Highest cap, in watts."),
    [JL_DEVICE_DEFAULT] =
        JL_NUMBER(jl_gpu_device, default_w, "defaultWatts", .doc = "Default cap, in watts."),
    [JL_DEVICE_CURRENT_CAP] = JL_NUMBER(jl_gpu_device, current_cap_w, "currentCapWatts",
                                        .doc = "Cap in force, in watts."),
    [JL_DEVICE_CONTROLLABLE] = JL_BOOLEAN(jl_gpu_device, controllable, "controllable",
                                          .doc = "Whether the cap can be written."),
    [JL_DEVICE_MIG_ENABLED] = JL_BOOLEAN(jl_gpu_device, mig_enabled, "migEnabled",
                                         .doc = "Whether the GPU is divided by MIG."),
    [JL_DEVICE_NUMA_NODE] = JL_INTEGER(jl_gpu_device, numa_node, "numaNode",
                                       .doc = "NUMA node that the GPU is attached to."),
};
static const struct jl_table device_table = JL_TABLE(jl_gpu_device, device_rows);

static const struct jl_row gpu_rows[] = {
    [JL_HW_GPU_PRESENT] = JL_BOOLEAN(jl_hw_gpu, present, "present",
                                     .doc = "Whether the node has GPUs; absent: count tells."),
    [JL_HW_GPU_RAW_MODEL] = JL_STRING(jl_hw_gpu, raw_model, "rawModel",
                                      .doc = "Model text as the machine or its labels give it."),
    [JL_HW_GPU_MODEL] = JL_STRING(jl_hw_gpu, model, "model",
                                  .doc = "Key in the hardware catalog; empty when unknown."),
    [JL_HW_GPU_VENDOR] = JL_STRING(jl_hw_gpu, vendor, "vendor", .doc = "Vendor of the GPUs."),
    [JL_HW_GPU_COUNT] = JL_INTEGER(jl_hw_gpu, count, "count", .doc = "GPUs of the node."),
    [JL_HW_GPU_CAP_RANGE] = JL_OBJECT(jl_hw_gpu, cap_range, "capRangePerGpu", &gpu_cap_range_table,
                                      .doc = "Power caps that each GPU takes, in watts."),
    [JL_HW_GPU_CURRENT_CAP] = JL_NUMBER(jl_hw_gpu, current_cap_w, "currentCapWatts",
                                        .doc = "Cap in force on each GPU, in watts."),
    [JL_HW_GPU_SLICING] = JL_OBJECT(jl_hw_gpu, slicing, "slicing", &gpu_slicing_table,
                                    .doc = "How the GPUs can be divided."),
    [JL_HW_GPU_CONTROL_AVAILABLE] = JL_BOOLEAN(jl_hw_gpu, control_available, "controlAvailable",
                                               .doc = "Whether the GPUs' power can be capped."),
    [JL_HW_GPU_TELEMETRY_AVAILABLE] =
        JL_BOOLEAN(jl_hw_gpu, telemetry_available, "telemetryAvailable",
                   .doc = "Whether the GPUs' power can be read."),
    [JL_HW_GPU_WARNINGS] = JL_STRINGS(jl_hw_gpu, warnings, "warnings",
                                      .doc = "What was not found or looks wrong, for a person."),
    [JL_HW_GPU_DEVICES] =
        JL_LIST(jl_hw_gpu, devices, "devices", &device_table, .doc = "The GPUs one by one."),
};
static const struct jl_table gpu_table = JL_TABLE(jl_hw_gpu, gpu_rows);

static const struct jl_row memory_rows[] = {
    [JL_HW_MEMORY_TOTAL] = JL_INTEGER(jl_hw_memory, total_bytes, "totalBytes", .flags = JL_INT64,
                                      .doc = "Memory of the node, in bytes."),
};
static const struct jl_table memory_table = JL_TABLE(jl_hw_memory, memory_rows);

static const struct jl_row network_rows[] = {
    [JL_HW_NETWORK_LINK_CLASS] = JL_STRING(jl_hw_network, link_class, "linkClass",
                                           .doc = "Class of the node's network link."),
};
static const struct jl_table network_table = JL_TABLE(jl_hw_network, network_rows);

static const struct jl_row catalog_key_rows[] = {
    [JL_HW_KEYS_CPU] = JL_STRING(jl_hw_keys, cpu, "cpu", .doc = "Catalog key of the CPU."),
    [JL_HW_KEYS_GPU] = JL_STRING(jl_hw_keys, gpu, "gpu", .doc = "Catalog key of the GPU."),
};
static const struct jl_table catalog_key_table = JL_TABLE(jl_hw_keys, catalog_key_rows);

static const struct jl_row exactness_rows[] = {
    [JL_HW_KEYS_CPU] =
        JL_STRING(jl_hw_keys, cpu, "cpu",
                  .doc = "exact (in the catalog), proxy (a model text only) or generic (nothing)."),
    [JL_HW_KEYS_GPU] =
        JL_STRING(jl_hw_keys, gpu, "gpu",
                  .doc = "exact (in the catalog), proxy (a model text only) or generic (nothing)."),
};
static const struct jl_table exactness_table = JL_TABLE(jl_hw_keys, exactness_rows);

static const struct jl_row resolution_rows[] = {
    [JL_HW_RESOLUTION_KEY] =
        JL_OBJECT(jl_hw_resolution, catalog_key, "hardwareCatalogKey", &catalog_key_table,
                  .doc = "Entries of the hardware catalog that were found."),
    [JL_HW_RESOLUTION_EXACTNESS] = JL_OBJECT(jl_hw_resolution, exactness, "exactness",
                                             &exactness_table, .doc = "How well the entries fit."),
};
static const struct jl_table resolution_table = JL_TABLE(jl_hw_resolution, resolution_rows);

static const struct jl_row capability_rows[] = {
    [JL_HW_CAN_CPU_CONTROL] = JL_BOOLEAN(jl_hw_capabilities, cpu_control, "cpuControl",
                                         .doc = "Whether CPU power can be capped."),
    [JL_HW_CAN_GPU_CONTROL] = JL_BOOLEAN(jl_hw_capabilities, gpu_control, "gpuControl",
                                         .doc = "Whether GPU power can be capped."),
    [JL_HW_CAN_CPU_TELEMETRY] = JL_BOOLEAN(jl_hw_capabilities, cpu_telemetry, "cpuTelemetry",
                                           .doc = "Whether CPU power can be read."),
    [JL_HW_CAN_GPU_TELEMETRY] = JL_BOOLEAN(jl_hw_capabilities, gpu_telemetry, "gpuTelemetry",
                                           .doc = "Whether GPU power can be read."),
};
static const struct jl_table capability_table = JL_TABLE(jl_hw_capabilities, capability_rows);

static const struct jl_row quality_rows[] = {
    [JL_HW_QUALITY_OVERALL] =
        JL_STRING(jl_hw_quality, overall, "overall", .doc = "exact, heuristic or unavailable."),
    [JL_HW_QUALITY_WARNINGS] =
        JL_STRINGS(jl_hw_quality, warnings, "warnings",
                   .doc = "What was not found or looks wrong, for a person."),
};
static const struct jl_table quality_table = JL_TABLE(jl_hw_quality, quality_rows);

static const struct jl_row hardware_spec_rows[] = {
    [JL_HARDWARE_SPEC_NODE_NAME] =
        JL_STRING(jl_hardware_spec, node_name, "nodeName", .flags = JL_REQUIRED,
                  .doc = "Name of the node; readers match on this, never on the object name."),
};
static const struct jl_table hardware_spec_table = JL_TABLE(jl_hardware_spec, hardware_spec_rows);

static const struct jl_row hardware_status_rows[] = {
    [JL_HARDWARE_CPU] = JL_OBJECT(jl_hardware_status, cpu, "cpu", &cpu_table, .doc = "The CPUs."),
    [JL_HARDWARE_GPU] = JL_OBJECT(jl_hardware_status, gpu, "gpu", &gpu_table, .doc = "The GPUs."),
    [JL_HARDWARE_MEMORY] =
        JL_OBJECT(jl_hardware_status, memory, "memory", &memory_table, .doc = "The memory."),
    [JL_HARDWARE_NETWORK] =
        JL_OBJECT(jl_hardware_status, network, "network", &network_table, .doc = "The network."),
    [JL_HARDWARE_RESOLUTION] =
        JL_OBJECT(jl_hardware_status, resolution, "inventoryResolution", &resolution_table,
                  .doc = "How the models were found in the hardware catalog."),
    [JL_HARDWARE_CAPABILITIES] =
        JL_OBJECT(jl_hardware_status, capabilities, "capabilities", &capability_table,
                  .doc = "What can be read and capped."),
    [JL_HARDWARE_QUALITY] = JL_OBJECT(jl_hardware_status, quality, "quality", &quality_table,
                                      .doc = "How far these facts can be trusted."),
    [JL_HARDWARE_UPDATED_AT] = JL_STRING(jl_hardware_status, updated_at, "updatedAt",
                                         .doc = "When the facts were last read, RFC 3339 in UTC."),
};
const struct jl_table jl_hardware_status_table = JL_TABLE(jl_hardware_status, hardware_status_rows);

static const struct jl_column node_hardware_columns[] = {
    { "Node", ".spec.nodeName", "string" },
    { "CPU", ".status.cpu.model", "string" },
    { "GPU", ".status.gpu.model", "string" },
    { "GPUCount", ".status.gpu.count", "integer" },
    { "Quality", ".status.quality.overall", "string" },
};

static const struct jl_kind node_hardware_kind = {
    .api_version = JL_API_VERSION,
    .kind = "NodeHardware",
    .plural = "nodehardwares",
    .singular = "nodehardware",
    .short_name = "nhw",
    .scope = "Cluster",
    .has_status = true,
    .columns = node_hardware_columns,
    .column_count = JL_COUNT(node_hardware_columns),
};

static const struct jl_row node_hardware_rows[] = {
    JL_ROOT_ROWS(jl_node_hardware, JL_REQUIRED),
    [JL_ROOT_SPEC] = JL_OBJECT(jl_node_hardware, spec, "spec", &hardware_spec_table,
                               .flags = JL_REQUIRED, .doc = "Which node this is about."),
    [JL_ROOT_STATUS] = JL_OBJECT(jl_node_hardware, status, "status", &jl_hardware_status_table,
                                 .doc = "What the agent found."),
};

const struct jl_table jl_node_hardware_table =
    JL_TABLE(jl_node_hardware, node_hardware_rows, .kind = &node_hardware_kind,
             .doc = "What one node is made of, as its agent found it.");
