/* SPDX-License-Identifier: Apache-2.0 */
#include "node/telemetry.h"

#include <joulie/error.h>

#include "base/number.h"
#include "schema/decode.h"

static const struct jl_word power_of_words[] = {
    { JL_POWER_OF_CPU, "cpu" },
    { JL_POWER_OF_NODE, "node" },
};
const struct jl_words jl_power_of_words = JL_WORDS(power_of_words);

static const struct jl_word result_words[] = {
    { JL_SAMPLE_TAKEN, "sample" },
    { JL_SAMPLE_NONE, "no-sample" },
    { JL_SAMPLE_ERROR, "error" },
};
const struct jl_words jl_sample_result_words = JL_WORDS(result_words);

/* Producers send anything here: types are looked at one by one. */
struct reply_part { /* the members `cpu` and `gpu` */
    uint64_t has;
    struct jl_raw power;
    struct jl_raw present;
};

enum { PART_POWER, PART_PRESENT };

static const struct jl_row part_rows[] = {
    [PART_POWER] = JL_RAW(reply_part, power, "packagePowerWatts"),
    [PART_PRESENT] = JL_RAW(reply_part, present, "present"),
};
static const struct jl_table part_table = JL_TABLE(reply_part, part_rows, .flags = JL_OPEN);

struct reply_body {
    uint64_t has;
    struct jl_raw power;
    struct jl_raw cpu;
    struct jl_raw gpu;
};

enum { BODY_POWER, BODY_CPU, BODY_GPU };

static const struct jl_row body_rows[] = {
    [BODY_POWER] = JL_RAW(reply_body, power, "packagePowerWatts"),
    [BODY_CPU] = JL_RAW(reply_body, cpu, "cpu"),
    [BODY_GPU] = JL_RAW(reply_body, gpu, "gpu"),
};
static const struct jl_table body_table = JL_TABLE(reply_body, body_rows, .flags = JL_OPEN);

struct found {
    bool has_top;
    double top_w;
    bool has_cpu;
    double cpu_w;
    bool has_gpu; /* then the top level is the power of CPUs and GPUs */
};

static int read_part(struct jl_decode *decode, const struct jl_raw *raw, struct reply_part *out)
{
    *out = (struct reply_part){ .has = 0 };
    return raw->len > 0 && raw->text[0] == '{' ? jl_decode_raw(decode, raw, NULL, &part_table, out)
                                               : 0;
}

/* A string is no number. */
static bool read_number(const struct jl_raw *raw, double *out)
{
    return jl_parse_double(raw->text, raw->len, out) == 0;
}

static int read_body(const struct jl_telemetry_reply *reply, struct jl_arena *arena,
                     struct found *out)
{
    struct jl_decode decode = {
        .arena = arena, .text = reply->body.ptr, .len = reply->body.len, .flags = JL_LENIENT
    };
    struct reply_body body;
    struct reply_part cpu;
    struct reply_part gpu;
    int rc = jl_decode_document(&decode, &body_table, &body);
    if (rc == 0)
        rc = read_part(&decode, &body.cpu, &cpu);
    if (rc == 0)
        rc = read_part(&decode, &body.gpu, &gpu);
    if (rc < 0)
        return rc;
    out->has_top = read_number(&body.power, &out->top_w);
    out->has_cpu = read_number(&cpu.power, &out->cpu_w);
    out->has_gpu = jl_text_is((struct jl_text){ gpu.present.text, gpu.present.len }, "true");
    return 0;
}

static struct jl_power_sample sample(bool is_there, double watts)
{
    return is_there ? (struct jl_power_sample){ JL_SAMPLE_TAKEN, watts }
                    : (struct jl_power_sample){ .result = JL_SAMPLE_NONE };
}

static struct jl_power_sample power_of_cpu(const struct found *found, bool is_source)
{
    if (is_source)
        return sample(found->has_top || found->has_cpu,
                      found->has_top ? found->top_w : found->cpu_w);
    if (found->has_cpu && found->cpu_w >= 0)
        return sample(true, found->cpu_w);
    return sample(found->has_top && found->top_w >= 0 && !found->has_gpu, found->top_w);
}

static struct jl_power_sample power_of_node(const struct found *found)
{
    if (found->has_top && found->top_w > 0)
        return sample(true, found->top_w);
    return sample(found->has_cpu && found->cpu_w > 0, found->cpu_w);
}

int jl_telemetry_power(const struct jl_telemetry_reply *reply, struct jl_arena *arena,
                       struct jl_power_sample *out)
{
    struct found found = { 0 };
    const bool is_good = reply->http_status >= 200 && reply->http_status <= 299;
    const int rc = is_good ? read_body(reply, arena, &found) : JOULIE_E_IO;
    if (rc == JOULIE_E_NOMEM)
        return rc;
    if (rc < 0)
        *out = (struct jl_power_sample){ .result = JL_SAMPLE_ERROR };
    else if (reply->power_of == JL_POWER_OF_CPU)
        *out = power_of_cpu(&found, reply->is_source);
    else
        *out = power_of_node(&found);
    return 0;
}
