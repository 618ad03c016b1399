/* SPDX-License-Identifier: Apache-2.0 */

/* Words of the twin's enums, for answers and documents. */

#include "twin/twin.h"

static const struct jl_word cooling_words[] = {
    { JOULIE_COOLING_TDP_RATIO, "tdp-ratio" },
    { JOULIE_COOLING_LINEAR, "linear" },
    { JOULIE_COOLING_CRAH, "crah" },
    { JOULIE_COOLING_AISLE, "aisle" },
    { JOULIE_COOLING_DLC, "dlc" },
    { JOULIE_COOLING_IMMERSION, "immersion" },
    { JOULIE_COOLING_FREE, "free" },
    { JOULIE_COOLING_DX, "dx" },
};

static const struct jl_word cap_state_words[] = {
    { JOULIE_CAP_STATE_REQUESTED, "requested" },
    { JOULIE_CAP_STATE_NOT_IN_FORCE, "not-in-force" },
    { JOULIE_CAP_STATE_NONE, "none" },
};

static const struct jl_word power_tier_words[] = {
    { JOULIE_POWER_TIER_MEASURED, "measured" },
    { JOULIE_POWER_TIER_UTILIZATION, "utilization" },
    { JOULIE_POWER_TIER_CAP_ESTIMATE, "cap-estimate" },
};

static const struct jl_word provenance_words[] = {
    { JOULIE_PROVENANCE_GIVEN, "given" },
    { JOULIE_PROVENANCE_ASSUMED, "assumed" },
    { JOULIE_PROVENANCE_ZONE, "zone" },
};

static const struct jl_word supply_words[] = {
    { JOULIE_SUPPLY_RACK, "rack" },
    { JOULIE_SUPPLY_CLUSTER, "cluster" },
};

static const struct jl_word fact_source_words[] = {
    { JL_FACT_HARDWARE, "hardware" },
    { JL_FACT_CATALOG, "catalog" },
    { JL_FACT_CORES, "cores" },
};

const struct jl_words jl_cooling_words = JL_WORDS(cooling_words);
const struct jl_words jl_cap_state_words = JL_WORDS(cap_state_words);
const struct jl_words jl_power_tier_words = JL_WORDS(power_tier_words);
const struct jl_words jl_provenance_words = JL_WORDS(provenance_words);
const struct jl_words jl_supply_words = JL_WORDS(supply_words);
const struct jl_words jl_fact_source_words = JL_WORDS(fact_source_words);
