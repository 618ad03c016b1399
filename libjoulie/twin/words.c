/* SPDX-License-Identifier: Apache-2.0 */

/* Words of the twin's enums, for answers and documents. */

#include "twin/twin.h"

const struct jl_words jl_cooling_words = JL_WORDS({
    { JOULIE_COOLING_TDP_RATIO, "tdp-ratio" },
    { JOULIE_COOLING_LINEAR, "linear" },
    { JOULIE_COOLING_CRAH, "crah" },
    { JOULIE_COOLING_AISLE, "aisle" },
    { JOULIE_COOLING_DLC, "dlc" },
    { JOULIE_COOLING_IMMERSION, "immersion" },
    { JOULIE_COOLING_FREE, "free" },
    { JOULIE_COOLING_DX, "dx" },
});

const struct jl_words jl_cap_state_words = JL_WORDS({
    { JOULIE_CAP_STATE_REQUESTED, "requested" },
    { JOULIE_CAP_STATE_NOT_IN_FORCE, "not-in-force" },
    { JOULIE_CAP_STATE_NONE, "none" },
});

const struct jl_words jl_power_tier_words = JL_WORDS({
    { JOULIE_POWER_TIER_MEASURED, "measured" },
    { JOULIE_POWER_TIER_UTILIZATION, "utilization" },
    { JOULIE_POWER_TIER_CAP_ESTIMATE, "cap-estimate" },
    { JOULIE_POWER_TIER_STANDBY, "standby" },
    { JOULIE_POWER_TIER_ALLOCATION, "allocation" },
});

const struct jl_words jl_provenance_words = JL_WORDS({
    { JOULIE_PROVENANCE_GIVEN, "given" },
    { JOULIE_PROVENANCE_ASSUMED, "assumed" },
    { JOULIE_PROVENANCE_ZONE, "zone" },
});

const struct jl_words jl_supply_words = JL_WORDS({
    { JOULIE_SUPPLY_RACK, "rack" },
    { JOULIE_SUPPLY_CLUSTER, "cluster" },
});

const struct jl_words jl_fact_source_words = JL_WORDS({
    { JL_FACT_HARDWARE, "hardware" },
    { JL_FACT_CATALOG, "catalog" },
    { JL_FACT_CORES, "cores" },
});
