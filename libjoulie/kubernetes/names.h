/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Grammars of names in Kubernetes documents. Rules: docs/rules/kubernetes-values.md#names. */

#include "base/text.h"

bool jl_is_dns_label(struct jl_text text); /* namespaces: at most 63 bytes */
/* Object names: labels with points, at most 253 bytes. */
bool jl_is_dns_subdomain(struct jl_text text);
bool jl_is_label_key(struct jl_text text); /* [subdomain/]name */
/* A label key, but upper case is allowed in the prefix too. */
bool jl_is_annotation_key(struct jl_text text);
bool jl_is_label_value(struct jl_text text); /* also the empty text */
