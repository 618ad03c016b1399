// SPDX-License-Identifier: Apache-2.0

// What kube-scheduler's own plugins NodeResourcesFit and NodeResourcesBalancedAllocation score. Reads
// one JSON object a line:
//
//	{"strategy": "LeastAllocated"|"MostAllocated", "resources": {NAME: WEIGHT, …},
//	 "node": Node, "running": [Pod, …], "pod": Pod}
//
// and prints {"fit": SCORE, "balanced": SCORE} for each: 0 to 100, and what the scheduler adds for a
// plugin that skips a pod, which is 0.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"log"
	"os"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
)

type question struct {
	Strategy  string           `json:"strategy"`
	Resources map[string]int64 `json:"resources"`
	Node      *v1.Node         `json:"node"`
	Running   []*v1.Pod        `json:"running"`
	Pod       *v1.Pod          `json:"pod"`
}

type answer struct {
	Fit      int64 `json:"fit"`
	Balanced int64 `json:"balanced"`
}

type factory func(context.Context, runtime.Object, framework.Handle, feature.Features) (framework.Plugin, error)

// As the scheduler runs a plugin: its score after PreScore, 0 where that skips it.
func score(ctx context.Context, make factory, args runtime.Object, pod *v1.Pod, node fwk.NodeInfo) int64 {
	plugin, err := make(ctx, args, nil, feature.Features{})
	if err != nil {
		log.Fatal(err)
	}
	state := framework.NewCycleState()
	status := plugin.(framework.PreScorePlugin).PreScore(ctx, state, pod, []fwk.NodeInfo{node})
	if status.IsSkip() {
		return 0
	}
	if !status.IsSuccess() {
		log.Fatal(status)
	}
	found, status := plugin.(framework.ScorePlugin).Score(ctx, state, pod, node)
	if !status.IsSuccess() {
		log.Fatal(status)
	}
	return found
}

func specs(weights map[string]int64) []config.ResourceSpec {
	var out []config.ResourceSpec
	for name, weight := range weights {
		out = append(out, config.ResourceSpec{Name: name, Weight: weight})
	}
	return out
}

func ask(ctx context.Context, asked *question) answer {
	node := framework.NewNodeInfo(asked.Running...)
	node.SetNode(asked.Node)
	fit := &config.NodeResourcesFitArgs{ScoringStrategy: &config.ScoringStrategy{
		Type:      config.ScoringStrategyType(asked.Strategy),
		Resources: specs(asked.Resources),
	}}
	// Its defaults: of cpu and memory, whatever the other plugin is set to.
	balanced := &config.NodeResourcesBalancedAllocationArgs{
		Resources: specs(map[string]int64{"cpu": 1, "memory": 1}),
	}
	return answer{
		Fit:      score(ctx, noderesources.NewFit, fit, asked.Pod, node),
		Balanced: score(ctx, noderesources.NewBalancedAllocation, balanced, asked.Pod, node),
	}
}

func main() {
	ctx := context.Background()
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var asked question
		if err := json.Unmarshal(in.Bytes(), &asked); err != nil {
			log.Fatal(err)
		}
		if err := out.Encode(ask(ctx, &asked)); err != nil {
			log.Fatal(err)
		}
	}
	if err := in.Err(); err != nil {
		log.Fatal(err)
	}
}
