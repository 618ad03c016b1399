/* SPDX-License-Identifier: Apache-2.0 */
#define JL_NODE_AFFINITY_TABLES
#include "kinds/node_affinity.h"
