/* SPDX-License-Identifier: Apache-2.0 */

/* Pod demand as v0.1.0 and v0.1.1 compute it (docs/rules/placement.md#pod-demand), called by
 * demand.c: a small grammar, GPUs of init containers only. */

#include <math.h>

#include "base/number.h"
#include "place/place.h"

struct suffix {
    const char *text;
    double factor;
    double divisor;
};

static const struct suffix core_suffixes[] = { { "", 1, 1 }, { "m", 1, 1000 } };
static const struct suffix memory_suffixes[] = {
    { "", 1, 1 },
    { "Ki", 1024.0, 1 },
    { "Mi", 1024.0 * 1024, 1 },
    { "Gi", 1024.0 * 1024 * 1024, 1 },
    { "Ti", 1024.0 * 1024 * 1024 * 1024, 1 },
    { "K", 1e3, 1 },
    { "M", 1e6, 1 },
    { "G", 1e9, 1 },
    { "T", 1e12, 1 },
};

static const struct {
    const char *key;
    enum joulie_gpu_vendor vendor;
} gpu_keys[] = {
    { "nvidia.com/gpu", JOULIE_GPU_VENDOR_NVIDIA },
    { "amd.com/gpu", JOULIE_GPU_VENDOR_AMD },
    { "gpu.intel.com/i915", JOULIE_GPU_VENDOR_INTEL },
};

static size_t count_digits(const char *text)
{
    size_t count = 0;
    while (jl_is_digit(text[count]))
        count++;
    return count;
}

/* digits[.digits] and one of the suffixes; anything else is 0. */
static double read_amount(const char *text, const struct suffix *suffixes, size_t count)
{
    if (text == NULL)
        return 0;
    size_t len = count_digits(text);
    if (len == 0)
        return 0;
    if (text[len] == '.') {
        const size_t decimals = count_digits(text + len + 1);
        if (decimals == 0)
            return 0;
        len += 1 + decimals;
    }
    const char *end = text + len;
    while (text[0] == '0' && jl_is_digit(text[1])) /* a JSON number has no leading zeros */
        text++;
    double value = 0;
    if (jl_parse_double(text, (size_t)(end - text), &value) != 0)
        return 0;
    for (size_t i = 0; i < count; i++) {
        if (jl_same(end, suffixes[i].text))
            return value * suffixes[i].factor / suffixes[i].divisor;
    }
    return 0;
}

static double cores_of(const char *text)
{
    return read_amount(text, core_suffixes, JL_COUNT(core_suffixes));
}

static double bytes_of(const char *text)
{
    return read_amount(text, memory_suffixes, JL_COUNT(memory_suffixes));
}

static double request_or_limit(const struct jl_pod_resources *resources, const char *key,
                               double read(const char *))
{
    const double requested = read(jl_map_get(&resources->requests, key));
    return requested > 0 ? requested : read(jl_map_get(&resources->limits, key));
}

/* The first key with a whole device, requests before limits. */
static double gpus_of(const struct jl_pod_resources *resources, enum joulie_gpu_vendor *out_vendor)
{
    const struct jl_map *const maps[] = { &resources->requests, &resources->limits };
    for (size_t m = 0; m < JL_COUNT(maps); m++) {
        for (size_t i = 0; i < JL_COUNT(gpu_keys); i++) {
            const double count = floor(cores_of(jl_map_get(maps[m], gpu_keys[i].key)));
            if (count > 0) {
                *out_vendor = gpu_keys[i].vendor;
                return count;
            }
        }
    }
    return 0;
}

void jl_demand_v0_1_1(const struct jl_pod_spec *spec, struct joulie_work *out)
{
    out->cpu_cores = 0;
    out->memory_bytes = 0;
    out->gpu_count = 0;
    out->gpu_vendor = JOULIE_GPU_VENDOR_UNKNOWN;
    for (size_t i = 0; i < spec->containers.count; i++) {
        const struct jl_pod_resources *resources =
            &JL_ITEM(spec->containers, jl_container, i)->resources;
        out->cpu_cores += request_or_limit(resources, "cpu", cores_of);
        out->memory_bytes += request_or_limit(resources, "memory", bytes_of);
        out->gpu_count += gpus_of(resources, &out->gpu_vendor);
    }
    for (size_t i = 0; i < spec->init_containers.count; i++) {
        enum joulie_gpu_vendor vendor = JOULIE_GPU_VENDOR_UNKNOWN;
        const double gpus =
            gpus_of(&JL_ITEM(spec->init_containers, jl_container, i)->resources, &vendor);
        out->gpu_count = jl_max(out->gpu_count, gpus);
        if (out->gpu_vendor == JOULIE_GPU_VENDOR_UNKNOWN)
            out->gpu_vendor = vendor;
    }
}
