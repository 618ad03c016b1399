/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Whether a node takes a pod by what Kubernetes itself asks of it: selector, required affinity,
 * taints, and what the pod asks for (docs/rules/policy.md#room,
 * docs/rules/placement.md#unfit-nodes). */

#include <stdbool.h>

#include "base/buffer.h"
#include "kinds/node.h"
#include "kinds/pod.h"

/* As a node whose profile is performance: selector, required affinity, taints. */
bool jl_pod_admitted(const struct jl_pod *pod, const struct jl_node *node);

/* Appends why kube-scheduler would not put the pod there, as the node is now: texts with "; "
 * between them, nothing where it would. held are the pods on the node, struct jl_pod, NULL = not
 * known; the pod itself may be among them. What a Node does not say is not judged. */
void jl_put_unfit(const struct jl_pod *pod, const struct jl_node *node, const struct jl_list *held,
                  struct jl_buffer *out);
