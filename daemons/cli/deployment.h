/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a Deployment says of an option of the program in it. */

struct json_object;

/* The text of an option in the first container that is given it, by its flag ("--scoring-profile")
 * or its variable ("SCORING_PROFILE"). NULL with *why_unknown NULL: it is not given. NULL with
 * *why_unknown: it may be, where the Deployment does not show it. */
const char *jd_deployment_option(struct json_object *deployment, const char *flag,
                                 const char *variable, const char **why_unknown);
