/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* CRD manifests (apiextensions.k8s.io/v1) from the tables, as YAML.
 * (docs/rules/documents.md#definitions) */

#include "base/buffer.h"
#include "schema/row.h"

/* Appends the manifest of a kind, from its "---" to its last line feed. */
void jl_crd_write(struct jl_buffer *out, const struct jl_table *table);

/* Appends the name that the manifest's file has: "joulie.io_nodetwins.yaml". */
void jl_crd_file_name(struct jl_buffer *out, const struct jl_table *table);
