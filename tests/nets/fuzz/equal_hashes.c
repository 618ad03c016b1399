/* SPDX-License-Identifier: Apache-2.0 */

/* json-c draws a secret for its hashes in every process; with it the comparisons that a search
 * learns from would differ from run to run. */

#include <json.h>

__attribute__((constructor)) static void hash_without_a_secret(void)
{
    (void)json_global_set_string_hash(JSON_C_STR_HASH_PERLLIKE);
}
