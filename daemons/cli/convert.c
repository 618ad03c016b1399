/* SPDX-License-Identifier: Apache-2.0 */

/* Objects of other releases and dialects (docs/rules/commands.md#conversion). */

#include "convert.h"

#define MIGRATE_VERSION "v0.1.1"

static int run(struct jd_call *call)
{
    const char *file = call->argument_count > 0 ? call->arguments[0] : NULL;
    const char *to = call->values.to;
    const bool is_detect = call->values.detect;
    const bool has_gpu = jd_given(call, JD_OPTION(gpu_tflops)) || call->values.gpu_model;
    if (!to && !is_detect)
        return jd_usage("\"convert\" needs --to or --detect");
    if (to && is_detect)
        return jd_usage("--to and --detect exclude each other");
    if (has_gpu && (is_detect || jl_same(to, MIGRATE_VERSION)))
        return jd_usage("--gpu-tflops and --gpu-model are for --to A, B or C");
    if (jd_given(call, JD_OPTION(gpu_tflops)) && call->values.gpu_model)
        return jd_usage("--gpu-tflops and --gpu-model exclude each other");
    return jl_same(to, MIGRATE_VERSION) ? jd_convert_migrate(call, file)
                                        : jd_convert_dialect(call, file);
}

static const char *const to_words[] = { MIGRATE_VERSION, "A", "B", "C", NULL };

static const struct jd_setting options[] = {
    JD_WORD_ROW("TO", to, to_words, "VERSION",
                "v0.1.1: NodePowerProfiles become NodeTwins, TelemetryProfiles settings of agents; "
                "A, B, C: dialect of TensorFusion"),
    JD_BOOLEAN_ROW("DETECT", detect,
                   "only name the TensorFusion dialect: A, B, C, neutral or mixed"),
    JD_DOUBLE_ROW("GPU_TFLOPS", gpu_tflops, "N",
                  "FP16 TFLOPS of one GPU, for amounts that are percents of it"),
    JD_TEXT_ROW(
        "GPU_MODEL", gpu_model, "NAME",
        "the same by a GPU's driver name, model or family; without both it is spec.gpuModel"),
    JD_LENIENT_ROW,
    JD_FORM_ROW,
};

const struct jd_command jd_command_convert = {
    .name = "convert",
    .arguments = "[FILE]",
    .most = 1,
    .files = JD_FILES,
    .summary = "Objects of other releases and dialects",
    .text =
        "--to v0.1.1: one line per node, by name: {\"nodeTwin\", \"agentEnv\"}, each only where "
        "there is something to say; a node without a NodeTwin says its nodeName. What holds for "
        "the whole cluster is the last line, {\"agentEnv\"} alone.\n"
        "--to A, B, C: each WorkloadProfile or TensorFusionWorkload of tensor-fusion.ai/v1 as a "
        "cluster of that dialect reads it. What the dialect cannot say is reported as a warning "
        "and "
        "kept in the annotation joulie.io/tensor-fusion-autoscaling, from which the way back "
        "restores it. An object of the dialect, or one that is valid in all, is unchanged; what "
        "its "
        "cluster would ignore is reported. Members that no dialect has stay, with a warning. "
        "--lenient "
        "takes the last of two members of one name.",
    .question = "convert",
    .options = options,
    .option_count = JL_COUNT(options),
    .run = run,
};
