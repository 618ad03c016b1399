{{/* SPDX-License-Identifier: Apache-2.0 */}}

{{/* Labels of an object: (list CONTEXT COMPONENT). */}}
{{- define "joulie.labels" -}}
app.kubernetes.io/name: joulie
app.kubernetes.io/component: {{ index . 1 }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ (index . 0).Chart.Name }}-{{ (index . 0).Chart.Version }}
{{- end }}

{{/* The image of a component: (list CONTEXT COMPONENT). */}}
{{- define "joulie.image" -}}
{{- $image := (index . 0).Values.image -}}
{{- with $image.registry }}{{ . }}/{{ end }}joulie-{{ index . 1 }}:{{ default (index . 0).Chart.AppVersion $image.tag }}
{{- end }}

{{/* Options of a program as environment variables. */}}
{{- define "joulie.settings" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* What operator and extender have to agree on. */}}
{{- define "joulie.confidence" -}}
{{- if ne (float64 .Values.classifier.minConfidence) 0.5 -}}
- name: CLASSIFY_MIN_CONFIDENCE
  value: {{ .Values.classifier.minConfidence | quote }}
{{- end }}
{{- end }}
