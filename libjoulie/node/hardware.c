/* SPDX-License-Identifier: Apache-2.0 */

/* From what a machine says about itself to NodeHardware.status: processor, GPUs, quality
 * (docs/rules/node-agent.md#hardware-of-a-host). Called by joulie_host_hardware(). */

#include "node/hardware.h"

#include <errno.h>
#include <string.h>

#include <joulie/error.h>

#include "base/number.h"
#include "catalog/catalog.h"
#include "schema/row.h"

#define KHZ_PER_MHZ 1000.0

/* ---- CPU ---- */

static bool is_x86(const struct jl_host_facts *facts)
{
    return jl_same(facts->cpu_vendor, "GenuineIntel") || jl_same(facts->cpu_vendor, "AuthenticAMD");
}

enum jl_cap_reason jl_hardware_no_zones(const struct jl_host_facts *facts)
{
    if (facts->is_virtual || !is_x86(facts))
        return JL_CAP_REASON_NO_BACKEND;
    /* the driver makes the folder; one without anything in it was put over it */
    const bool is_masked = facts->has_powercap && facts->control_types == 0;
    return is_masked ? JL_CAP_REASON_MASKED : JL_CAP_REASON_MODEL_UNKNOWN;
}

static void warn_no_zones(struct jl_hardware_build *build)
{
    const struct jl_host_facts *facts = build->facts;
    const enum jl_cap_reason reason = jl_hardware_no_zones(facts);
    if (reason == JL_CAP_REASON_MASKED)
        jl_hardware_put_text(&build->cpu,
                             "no RAPL: sys/devices/virtual/powercap is empty; container runtimes "
                             "mask it");
    else if (reason == JL_CAP_REASON_MODEL_UNKNOWN)
        jl_hardware_put_text(&build->cpu, "no RAPL: CPU model unknown to this kernel");
    else if (facts->is_virtual)
        jl_hardware_put_text(&build->cpu, "no RAPL: a virtual machine");
    else if (facts->cpu_vendor != NULL || facts->cpu_count > 0)
        jl_hardware_put_text(&build->cpu, "no RAPL: this processor has none");
}

static void warn_no_energy(struct jl_hardware_build *build)
{
    for (size_t i = 0; i < build->order_count; i++) {
        const struct jl_fact *energy = &build->facts->zones[build->order[i]].energy_uj;
        if (energy->code != JOULIE_E_IO || energy->sys_errno != EACCES)
            continue;
        jl_hardware_put_text(&build->cpu,
                             "energy cannot be read: root or CAP_DAC_READ_SEARCH is needed");
        return;
    }
}

/* docs/rules/node-agent.md#hardware-of-a-host: the words that are published */
static const char *driver_family(const char *driver)
{
    if (jl_starts_with(driver, "amd-pstate"))
        return "amd-pstate";
    if (jl_starts_with(driver, "intel_pstate") || jl_same(driver, "intel_cpufreq"))
        return "intel_pstate";
    return driver;
}

/* A frequency of some policies; what the others lack stays unknown. */
static void put_mhz(const struct jl_fact *khz, bool is_lowest, int bit, double *member,
                    struct jl_landmarks *out)
{
    if (khz->code != 0 || khz->value == 0)
        return;
    const double mhz = (double)khz->value / KHZ_PER_MHZ;
    const bool is_better = is_lowest ? mhz < *member : mhz > *member;
    if (!JL_HAS(out, bit) || is_better)
        *member = mhz;
    JL_MARK(out, bit);
}

static void put_landmarks(const struct jl_host_facts *facts, struct jl_hw_cpu *cpu)
{
    struct jl_landmarks *out = &cpu->landmarks;
    for (size_t i = 0; i < facts->policy_count; i++) {
        const struct jl_cpufreq_policy *policy = &facts->policies[i];
        put_mhz(&policy->cpuinfo_min_khz, true, JL_INDEX(jl_landmarks, min_freq_mhz),
                &out->min_freq_mhz, out);
        put_mhz(&policy->base_khz, false, JL_INDEX(jl_landmarks, nominal_freq_mhz),
                &out->nominal_freq_mhz, out);
        put_mhz(&policy->cpuinfo_max_khz, false, JL_INDEX(jl_landmarks, max_boost_mhz),
                &out->max_boost_mhz, out);
        put_mhz(&policy->lowest_nonlinear_khz, true,
                JL_INDEX(jl_landmarks, lowest_nonlinear_freq_mhz), &out->lowest_nonlinear_freq_mhz,
                out);
    }
    if (out->has != 0)
        cpu->given.landmarks = true;
}

/* Frequencies can be lowered where a policy says how far. */
static bool can_scale(const struct jl_host_facts *facts)
{
    for (size_t i = 0; i < facts->policy_count; i++) {
        const struct jl_cpufreq_policy *policy = &facts->policies[i];
        if (policy->cpuinfo_min_khz.code == 0 && policy->cpuinfo_max_khz.code == 0 &&
            policy->scaling_max_khz.code == 0)
            return true;
    }
    return false;
}

/* Logical CPUs that are online, else as many as /proc/cpuinfo lists. */
static void put_counts(const struct jl_host_facts *facts, struct jl_hw_cpu *cpu)
{
    int64_t online = 0;
    for (size_t i = 0; i < facts->cpu_count; i++)
        online += facts->cpus[i].is_online;
    const int64_t total = online > 0 ? online : (int64_t)facts->cpuinfo_cpus;
    if (total == 0)
        return;
    JL_SET(cpu, total_cores, total);
    JL_SET(cpu, logical_cpus, total);
    if (cpu->given.sockets && cpu->sockets <= total)
        JL_SET(cpu, cores_per_socket, total / cpu->sockets);
}

static void put_names(struct jl_hardware_build *build, struct jl_hw_cpu *cpu)
{
    const struct jl_host_facts *facts = build->facts;
    const struct jl_cpu_model *model = jl_catalog_cpu(facts->cpu_model);
    const char *family = driver_family(facts->policy_count > 0 ? facts->policies[0].driver : NULL);
    JL_SET_IF(cpu, vendor, facts->cpu_vendor != NULL, facts->cpu_vendor);
    JL_SET_IF(cpu, driver_family, family != NULL, family);
    if (facts->cpu_model == NULL)
        return;
    JL_SET(cpu, raw_model, facts->cpu_model);
    JL_SET(cpu, model, model != NULL ? model->key : "");
    if (model == NULL) {
        JL_HARDWARE_WARN(build, &build->cpu, "cpu model not recognized: ", facts->cpu_model);
        JL_HARDWARE_WARN(build, &build->quality, "cpu model not recognized: ", facts->cpu_model);
    }
}

static void put_cpu(struct jl_hardware_build *build, struct jl_hw_cpu *cpu)
{
    put_names(build, cpu);
    jl_hardware_packages(build, cpu);
    put_counts(build->facts, cpu);
    put_landmarks(build->facts, cpu);
    if (build->order_count == 0)
        warn_no_zones(build);
    warn_no_energy(build);
    JL_SET(cpu, control_available, cpu->control_available || can_scale(build->facts));
    cpu->given.telemetry_available = true;
}

/* ---- GPU ---- */

static const struct gpu_vendor {
    uint32_t id;
    const char *word;
} gpu_vendors[] = { { 0x10DE, "nvidia" }, { 0x1002, "amd" }, { 0x8086, "intel" } };

static size_t count_gpus(const struct jl_host_facts *facts, uint32_t vendor_id)
{
    size_t count = 0;
    for (size_t i = 0; i < facts->gpu_count; i++)
        count += facts->gpus[i].vendor_id == vendor_id;
    return count;
}

/* The first vendor that has any; the display of a management controller is no GPU. */
static const struct gpu_vendor *find_vendor(const struct jl_host_facts *facts)
{
    for (size_t i = 0; i < JL_COUNT(gpu_vendors); i++) {
        if (count_gpus(facts, gpu_vendors[i].id) > 0)
            return &gpu_vendors[i];
    }
    return NULL;
}

static struct jl_gpu_device device_of(const struct jl_pci_gpu *gpu)
{
    struct jl_gpu_device device = { 0 };
    JL_SET(&device, id, gpu->address);
    JL_SET(&device, pci_address, gpu->address);
    JL_SET(&device, controllable, false);
    if (gpu->numa_node.code == 0 && gpu->numa_node.value <= INT32_MAX)
        JL_SET(&device, numa_node, (int64_t)gpu->numa_node.value);
    return device;
}

/* One vendor speaks for the node; the other's devices are named in a warning. */
static void put_devices(struct jl_hardware_build *build, const struct gpu_vendor *vendor,
                        struct jl_hw_gpu *gpu)
{
    const struct jl_host_facts *facts = build->facts;
    const size_t count = count_gpus(facts, vendor->id);
    struct jl_gpu_device *devices = JL_NEW_ARRAY(build->arena, count, struct jl_gpu_device);
    size_t used = 0;
    build->is_out |= devices == NULL;
    for (size_t i = 0; i < facts->gpu_count && devices != NULL; i++) {
        if (facts->gpus[i].vendor_id == vendor->id)
            devices[used++] = device_of(&facts->gpus[i]);
    }
    JL_SET(gpu, count, (int64_t)count);
    JL_SET(gpu, devices, ((struct jl_list){ devices, used }));
    jl_hardware_put_text(&build->gpu,
                         "known by their PCI addresses only: this release does not control GPUs");
    for (const struct gpu_vendor *other = vendor + 1; other < gpu_vendors + JL_COUNT(gpu_vendors);
         other++) {
        if (count_gpus(facts, other->id) > 0)
            JL_HARDWARE_WARN(build, &build->gpu, "GPUs of ", other->word, " are not counted");
    }
}

static void put_gpu(struct jl_hardware_build *build, struct jl_hw_gpu *gpu)
{
    const struct gpu_vendor *vendor = find_vendor(build->facts);
    gpu->given.control_available = true;
    gpu->given.telemetry_available = true;
    if (vendor == NULL && !build->facts->has_pci)
        return; /* nobody knows */
    JL_SET(gpu, present, vendor != NULL);
    JL_SET(gpu, vendor, vendor != NULL ? vendor->word : "none");
    if (vendor != NULL)
        put_devices(build, vendor, gpu);
    else
        JL_SET(gpu, count, 0);
}

/* ---- the whole ---- */

/* What everything else rests on. */
static void warn_unread(struct jl_hardware_build *build)
{
    const struct jl_host_facts *facts = build->facts;
    if (facts->cpuinfo_cpus == 0)
        jl_hardware_put_text(&build->quality, "proc/cpuinfo is not there or lists no processor");
    if (facts->cpu_count == 0)
        jl_hardware_put_text(&build->quality,
                             "sys/devices/system/cpu is not there or lists no processor");
    if (facts->memory_bytes.code != 0)
        jl_hardware_put_text(&build->quality, "proc/meminfo is not there or has no MemTotal");
}

/* How far the object can be trusted: by the catalog, by a text, or not at all. */
static void put_quality(struct jl_hardware_build *build, struct jl_hardware_status *out)
{
    const struct jl_host_facts *facts = build->facts;
    const bool has_key = !jl_is_empty(out->cpu.model);
    const bool has_raw = out->cpu.raw_model != NULL;
    struct jl_hw_resolution *resolution = &out->resolution;
    warn_unread(build);
    for (size_t i = 0; i < facts->warning_count; i++)
        JL_HARDWARE_WARN(build, &build->quality, facts->warnings[i].where, ": ",
                         facts->warnings[i].message);
    JL_SET_IF(&resolution->catalog_key, cpu, has_raw, out->cpu.model);
    JL_SET(&resolution->exactness, cpu, has_key ? "exact" : has_raw ? "proxy" : "generic");
    JL_SET(&resolution->exactness, gpu, "generic"); /* PCI numbers are no model */
    if (resolution->catalog_key.has != 0)
        resolution->given.catalog_key = true;
    resolution->given.exactness = true;
    JL_SET(&out->quality, overall,
           has_key && !out->gpu.present ? "exact"
           : has_raw                    ? "heuristic"
                                        : "unavailable");
}

static void put_capabilities(struct jl_hardware_status *out)
{
    struct jl_hw_capabilities *can = &out->capabilities;
    JL_SET(can, cpu_control, out->cpu.control_available);
    JL_SET(can, gpu_control, out->gpu.control_available);
    JL_SET(can, cpu_telemetry, out->cpu.telemetry_available);
    JL_SET(can, gpu_telemetry, out->gpu.telemetry_available);
}

static void put_warnings(struct jl_hardware_build *build, struct jl_hardware_status *out)
{
    if (build->cpu.count > 0)
        JL_SET(&out->cpu, warnings, jl_hardware_list(build, &build->cpu));
    if (build->gpu.count > 0)
        JL_SET(&out->gpu, warnings, jl_hardware_list(build, &build->gpu));
    if (build->quality.count > 0)
        JL_SET(&out->quality, warnings, jl_hardware_list(build, &build->quality));
}

static void put_all(struct jl_hardware_build *build, struct jl_hardware_status *out)
{
    const struct jl_fact *memory = &build->facts->memory_bytes;
    put_cpu(build, &out->cpu);
    put_gpu(build, &out->gpu);
    put_quality(build, out);
    put_capabilities(out);
    put_warnings(build, out);
    if (memory->code == 0 && memory->value <= INT64_MAX) {
        JL_SET(&out->memory, total_bytes, (int64_t)memory->value);
        out->given.memory = true;
    }
    out->given.cpu = true;
    out->given.gpu = true;
    out->given.resolution = true;
    out->given.capabilities = true;
    out->given.quality = true;
}

int jl_node_hardware_status(const struct jl_host_facts *facts, struct jl_arena *arena,
                            struct jl_hardware_status *out)
{
    struct jl_hardware_build build = {
        .facts = facts,
        .arena = arena,
        .views = JL_NEW_ARRAY(arena, facts->zone_count, struct jl_zone_view),
        .order = JL_NEW_ARRAY(arena, facts->zone_count, size_t),
    };
    struct jl_hardware_status status = { 0 };
    build.is_out = build.views == NULL || build.order == NULL;
    if (!build.is_out) {
        build.order_count =
            jl_zones_view(facts->zones, facts->zone_count, build.views, build.order);
        put_all(&build, &status);
    }
    if (build.is_out)
        return jl_arena_code(arena);
    *out = status;
    return 0;
}
