// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Package tools names what is built as it is: helm is a program, not a package to import.
package tools

import _ "helm.sh/helm/v3/cmd/helm"
