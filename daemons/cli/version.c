/* SPDX-License-Identifier: Apache-2.0 */

/* joulie version: version, ABI and features. */

#include <stdio.h>
#include <string.h>

#include "cli.h"

static int run(struct jd_call *call)
{
    struct jl_buffer json = { 0 };
    if (!call->values.output) {
        jd_print("joulie %s\n", joulie_version());
        return JD_EXIT_OK;
    }
    jl_put_string(&json, "{\"version\":");
    jl_put_json_string(&json, joulie_version(), strlen(joulie_version()));
    jl_put_string(&json, ",\"abi\":\"libjoulie.so.1\",\"features\":[");
    const char *feature;
    for (size_t i = 0; (feature = joulie_feature_at(i)) != NULL; i++) {
        jl_put_string(&json, i > 0 ? "," : "");
        jl_put_json_string(&json, feature, strlen(feature));
    }
    jl_put_string(&json, "],\"build\":");
    jl_put_json_string(&json, JD_BUILD, strlen(JD_BUILD));
    jl_put_char(&json, '}');
    if (!json.is_failed)
        jd_put_answer(call, json.data);
    jl_buffer_clear(&json);
    return JD_EXIT_OK;
}

static const struct jd_setting options[] = {
    JD_OUTPUT_ROW("version, ABI, features and build as json, pretty or yaml"),
};

const struct jd_command jd_command_version = {
    .name = "version",
    .summary = "Version of the library that is loaded",
    JD_ROWS(options),
    .run = run,
};
