# SPDX-License-Identifier: Apache-2.0
"""The rules of the autoscaler as tensor-fusion.md says them, one per module, slow and plain."""
