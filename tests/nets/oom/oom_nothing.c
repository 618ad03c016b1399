/* SPDX-License-Identifier: Apache-2.0 */

/* Functions that need no memory: they answer while no allocation works. */

#include <stdio.h>

#include <joulie/ask.h>
#include <joulie/caps.h>
#include <joulie/classify.h>
#include <joulie/place.h>
#include <joulie/sim.h>
#include <joulie/twin.h>
#include <joulie/version.h>
#include <joulie/words.h>

#include "oom/allocator.h"

static int wrong;

static void require(int condition, const char *what)
{
    if (!condition || oom_has_failed) {
        printf("FAIL %s%s\n", what, oom_has_failed ? " asked for memory" : "");
        wrong++;
    }
    oom_has_failed = false;
    oom_fail_in = 0; /* the next one */
}

static void predict(void)
{
    struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
    struct joulie_twin_output out = JOULIE_INIT(struct joulie_twin_output);
    in.has = JOULIE_TWIN_HAS_CPU_MAX;
    in.cpu_max_w = 300;
    require(joulie_twin_predict(&in, &out, NULL) == JOULIE_OK, "joulie_twin_predict");

    struct joulie_twin_columns columns = JOULIE_INIT(struct joulie_twin_columns);
    struct joulie_twin_columns_out columns_out = JOULIE_INIT(struct joulie_twin_columns_out);
    require(joulie_twin_predict_columns(&columns, 3, &columns_out, NULL, NULL) == JOULIE_OK,
            "joulie_twin_predict_columns");
}

static void foresee(void)
{
    static const int64_t times_ms[] = { 0, 60000, 120000 };
    static const double watts[] = { 100, 110, 120 };
    struct joulie_twin_trend_input in = JOULIE_INIT(struct joulie_twin_trend_input);
    struct joulie_twin_trend_output out = JOULIE_INIT(struct joulie_twin_trend_output);
    struct joulie_slowdown_input work = JOULIE_INIT(struct joulie_slowdown_input);
    struct joulie_slowdown_output slowdown = JOULIE_INIT(struct joulie_slowdown_output);
    in.at_ms = (struct joulie_column_ms){ times_ms, sizeof *times_ms };
    in.power_w = (struct joulie_column){ watts, sizeof *watts };
    require(joulie_twin_trend(&in, 3, &out, NULL) == JOULIE_OK, "joulie_twin_trend");
    require(joulie_slowdown_predict(&work, &slowdown, NULL) == JOULIE_OK,
            "joulie_slowdown_predict");
}

static void name_features(void)
{
    require(joulie_feature_at(0) != NULL, "joulie_feature_at");
}

static void simulate_plant(void)
{
    require(joulie_facility_ambient_c(20, 5, 0, 0) == 20, "joulie_facility_ambient_c");
    require(joulie_facility_simulated_pue(20, 0.5) > 1, "joulie_facility_simulated_pue");
}

static void classify(void)
{
    struct joulie_classify_input in = JOULIE_INIT(struct joulie_classify_input);
    struct joulie_classify_output out = JOULIE_INIT(struct joulie_classify_output);
    in.has = JOULIE_CLASSIFY_HAS_CPU_UTIL;
    in.cpu_util_pct = 80;
    require(joulie_classify(&in, &out, NULL) == JOULIE_OK, "joulie_classify");
}

static void place(void)
{
    struct joulie_place_config config = JOULIE_INIT(struct joulie_place_config);
    struct joulie_work work = JOULIE_INIT(struct joulie_work);
    struct joulie_place_columns nodes = JOULIE_INIT(struct joulie_place_columns);
    struct joulie_place_columns_out out = JOULIE_INIT(struct joulie_place_columns_out);
    require(joulie_place_config_init(&config, JOULIE_PLACE_RULES_CURRENT) == JOULIE_OK,
            "joulie_place_config_init");
    require(joulie_place_nodes(&config, &work, &nodes, 3, 0, &out, NULL, NULL) == JOULIE_OK,
            "joulie_place_nodes");
    require(joulie_place_reject_text(0) == NULL, "joulie_place_reject_text");
}

static void caps(void)
{
    struct joulie_caps_intent intent = JOULIE_INIT(struct joulie_caps_intent);
    struct joulie_caps_limits limits = JOULIE_INIT(struct joulie_caps_limits);
    struct joulie_caps_out out = JOULIE_INIT(struct joulie_caps_out);
    intent.device = JOULIE_CAP_DEVICE_PACKAGE;
    require(joulie_caps_resolve(&intent, &limits, 3, &out, NULL, NULL) == JOULIE_OK,
            "joulie_caps_resolve");
    require(joulie_caps_next_w(200, 200, 100) > 0, "joulie_caps_next_w");
}

static void words(void)
{
    require(joulie_version() != NULL, "joulie_version");
    require(joulie_has_feature("nothing of the kind") == 0, "joulie_has_feature");
    require(joulie_code_word(JOULIE_E_NOMEM)[0] != '\0', "joulie_code_word");
    require(joulie_word(-1, 0) == NULL, "joulie_word");
    require(joulie_word_value(-1, "eco") <= 0, "joulie_word_value");
    require(joulie_sim_instant_ms(0) > 0, "joulie_sim_instant_ms");
    joulie_free(NULL);
    require(1, "joulie_free");
}

int main(void)
{
    oom_fail_in = 0;
    predict();
    classify();
    foresee();
    simulate_plant();
    name_features();
    caps();
    place();
    words();
    oom_fail_in = -1;
    printf("oom: functions without memory, %d wrong\n", wrong);
    return wrong != 0;
}
