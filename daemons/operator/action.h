/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* An action of the model (joulie/cluster.h) as a call of the API, and in the words of metrics. */

#include <joulie/cluster.h>

#include "kube/client.h"

/* Its method, name, subresource and body ("" = none); what it is about, and who hears of it, is the
 * caller's to fill in. The texts are borrowed. */
struct jd_kube_call jd_action_call(const struct joulie_cluster_action *action, const char *body);
/* Labels verb and outcome. */
const char *jd_verb_word(enum joulie_action_verb verb);
const char *jd_outcome_word(enum joulie_action_outcome outcome);
