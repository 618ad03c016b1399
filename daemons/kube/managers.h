/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Who else writes what is ours: metadata.managedFields of a NodeTwin
 * (docs/rules/programs.md#another-writer). */

#include <stdbool.h>
#include <stddef.h>

struct json_object;

/* Whether its text names any other manager: most objects need not be parsed for the next. */
bool jd_names_foreign_manager(const char *text, size_t len);
/* The manager of a field of the spec that is no operator, agent or kubectl; NULL = there is none,
 * or the object says that we may take it over (joulie.io/adopt). Lives as long as the object. */
const char *jd_foreign_manager(struct json_object *twin);
