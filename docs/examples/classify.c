/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/classify.h>: what kind of work is it, and how much does it mind a power cap? */

#include <stdio.h>

#include <joulie/classify.h>

static const char *level(enum joulie_level value)
{
    const char *word = joulie_word(JOULIE_VOCABULARY_LEVEL, (int)value);
    return word != NULL ? word : "unknown";
}

static int show(const struct joulie_classify_input *in)
{
    char reason[JOULIE_CLASSIFY_REASON_BYTES];
    struct joulie_classify_output out = JOULIE_INIT(struct joulie_classify_output);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);

    out.reason = reason;
    out.reason_size = sizeof reason;
    if (joulie_classify(in, &out, &err) != JOULIE_OK) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
        return 1;
    }
    printf("CPU %s, minds caps: %s; GPU %s; %s (%.1f)\n", level(out.cpu_intensity),
           level(out.cpu_sensitivity), level(out.gpu_intensity),
           out.flags & JOULIE_CLASSIFY_RELIABLE ? "reliable" : "a guess", out.confidence);
    printf("  %s\n", reason);
    return 0;
}

int main(void)
{
    struct joulie_classify_input in = JOULIE_INIT(struct joulie_classify_input);

    in.workload_class = "performance"; /* nothing was measured yet */
    if (show(&in) != 0)
        return 1;
    in.workload_class = NULL;
    in.cpu_util_pct = 90;
    in.gpu_util_pct = 0; /* measured: not the same as unknown */
    in.mem_pressure_pct = 20;
    in.has = JOULIE_CLASSIFY_HAS_CPU_UTIL | JOULIE_CLASSIFY_HAS_GPU_UTIL |
             JOULIE_CLASSIFY_HAS_MEM_PRESSURE;
    return show(&in);
}
