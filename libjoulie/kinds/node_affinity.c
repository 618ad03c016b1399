/* SPDX-License-Identifier: Apache-2.0 */

/* The tables of node affinity (docs/rules/tensor-fusion.md#node-affinity). */

#define JL_NODE_AFFINITY_TABLES
#include "kinds/node_affinity.h"
