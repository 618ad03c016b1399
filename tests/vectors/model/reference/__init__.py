# SPDX-License-Identifier: Apache-2.0
"""The rules of the autoscaler as docs/rules/autoscaling.md has them, one per module, slow and plain."""
