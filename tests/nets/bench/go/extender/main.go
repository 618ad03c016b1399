// SPDX-License-Identifier: Apache-2.0

// The baseline of the extender benchmark: net/http and encoding/json, with the formula of
// joulie-scheduler.md §6.2 over the twins of a file.
//
//	extender OBJECTS.json NOW
//
// prints its address and answers /filter and /prioritize until it is killed. It knows what the
// benchmark sends: names, fresh twins with a measurement, pods with requests of cpu and memory.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"math"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

type meta struct {
	Name        string            `json:"name"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type resources struct {
	Requests map[string]string `json:"requests,omitempty"`
	Limits   map[string]string `json:"limits,omitempty"`
}

type container struct {
	Name      string    `json:"name"`
	Resources resources `json:"resources"`
}

type pod struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		Containers []container `json:"containers"`
	} `json:"spec"`
}

// As in k8s.io/kube-scheduler/extender/v1, without JSON tags.
type extenderArgs struct {
	Pod       *pod
	Nodes     *struct{ Items []json.RawMessage }
	NodeNames *[]string
}

type extenderFilterResult struct {
	NodeNames                  *[]string         `json:",omitempty"`
	FailedAndUnresolvableNodes map[string]string `json:",omitempty"`
	Error                      string            `json:",omitempty"`
}

type hostPriority struct {
	Host  string
	Score int64
}

type object struct {
	Kind string `json:"kind"`
	Spec struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		SchedulableClass            string  `json:"schedulableClass"`
		PredictedPowerHeadroomScore float64 `json:"predictedPowerHeadroomScore"`
		PredictedCoolingStressScore float64 `json:"predictedCoolingStressScore"`
		LastUpdated                 string  `json:"lastUpdated"`
		PowerMeasurement            struct {
			MeasuredNodePowerW float64 `json:"measuredNodePowerW"`
			NodeCappedPowerW   float64 `json:"nodeCappedPowerW"`
			PowerTrendWPerMin  float64 `json:"powerTrendWPerMin"`
		} `json:"powerMeasurement"`
		CPU struct {
			TotalCores float64 `json:"totalCores"`
			Sockets    float64 `json:"sockets"`
			CapRange   struct {
				MaxWattsPerSocket float64 `json:"maxWattsPerSocket"`
			} `json:"capRange"`
		} `json:"cpu"`
	} `json:"status"`
}

type node struct {
	class                   string
	headroom, cooling       float64
	measured, capped, trend float64
	updated                 time.Time
	cores, cpuMax           float64
	isFresh                 bool
}

type extender struct {
	nodes    map[string]*node
	pressure float64
	trend    float64
}

const staleness = 5 * time.Minute

func load(path string, now time.Time) (*extender, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var objects []object
	if err := json.Unmarshal(text, &objects); err != nil {
		return nil, err
	}
	e := &extender{nodes: map[string]*node{}}
	of := func(name string) *node {
		if e.nodes[name] == nil {
			e.nodes[name] = &node{}
		}
		return e.nodes[name]
	}
	for _, o := range objects {
		switch o.Kind {
		case "NodeTwin":
			n := of(o.Spec.NodeName)
			n.class = o.Status.SchedulableClass
			n.headroom = o.Status.PredictedPowerHeadroomScore
			n.cooling = o.Status.PredictedCoolingStressScore
			n.measured = o.Status.PowerMeasurement.MeasuredNodePowerW
			n.capped = o.Status.PowerMeasurement.NodeCappedPowerW
			n.trend = o.Status.PowerMeasurement.PowerTrendWPerMin
			n.updated, _ = time.Parse(time.RFC3339, o.Status.LastUpdated)
			n.isFresh = now.Sub(n.updated) <= staleness
		case "NodeHardware":
			n := of(o.Spec.NodeName)
			n.cores = o.Status.CPU.TotalCores
			n.cpuMax = o.Status.CPU.CapRange.MaxWattsPerSocket * math.Max(1, o.Status.CPU.Sockets)
		}
	}
	e.aggregate()
	return e, nil
}

// Once, as the twins of a run do not change: the baseline is spared what ours does per request.
func (e *extender) aggregate() {
	var sum, weight float64
	for _, n := range e.nodes {
		if !n.isFresh {
			continue
		}
		e.trend += n.trend
		if n.class == "performance" {
			sum += (100 - n.headroom) * n.capped
			weight += n.capped
		}
	}
	if weight > 0 {
		e.pressure = math.Min(100, math.Max(0, sum/weight))
	}
}

func cores(quantity string) float64 {
	if milli, ok := strings.CutSuffix(quantity, "m"); ok {
		value, _ := strconv.ParseFloat(milli, 64)
		return value / 1000
	}
	value, _ := strconv.ParseFloat(quantity, 64)
	return value
}

func gib(quantity string) float64 {
	if value, ok := strings.CutSuffix(quantity, "Gi"); ok {
		number, _ := strconv.ParseFloat(value, 64)
		return number
	}
	if value, ok := strings.CutSuffix(quantity, "Mi"); ok {
		number, _ := strconv.ParseFloat(value, 64)
		return number / 1024
	}
	value, _ := strconv.ParseFloat(quantity, 64)
	return value / (1 << 30)
}

func class(p *pod) string {
	if text := p.Metadata.Annotations["joulie.io/workload-class"]; text != "" {
		return strings.ToLower(strings.TrimSpace(text))
	}
	return "standard"
}

func demand(p *pod, class string) (cpu, memory float64) {
	for _, c := range p.Spec.Containers {
		cpu += cores(c.Resources.Requests["cpu"])
		memory += gib(c.Resources.Requests["memory"])
	}
	if cpu == 0 {
		cpu = 0.25
		if class == "performance" {
			cpu = 0.5
		}
	}
	return cpu, memory
}

func marginal(n *node, cpu, memory float64) float64 {
	max := n.cpuMax
	if max <= 0 {
		max = math.Max(150, n.cores*3.5)
	}
	cores := n.cores
	if cores <= 0 {
		cores = 1
	}
	share := math.Min(1, math.Max(0, cpu/cores))
	return max * 0.7 * share * math.Min(1.3, math.Max(1, 1+memory*0.01))
}

func (e *extender) score(n *node, class string, cpu, memory float64) int64 {
	headroom := math.Min(100, (n.capped-(n.measured+marginal(n, cpu, memory)))/n.capped*100)
	scale := 6.0
	if math.Abs(e.trend) > 500 {
		scale = 2
	}
	raw := 0.7*headroom + 0.15*(100-n.cooling) - math.Min(25, math.Max(-25, n.trend/scale))
	if class == "standard" && n.class == "eco" {
		raw += 10
	}
	if class == "standard" && n.class == "performance" {
		raw -= 0.3 * e.pressure
	}
	return int64(math.Min(100, math.Max(0, raw)))
}

func (e *extender) filter(args *extenderArgs) any {
	result := extenderFilterResult{FailedAndUnresolvableNodes: map[string]string{}}
	if args.NodeNames == nil {
		result.Error = "no names"
		return result
	}
	isPerformance := class(args.Pod) == "performance"
	passed := make([]string, 0, len(*args.NodeNames))
	for _, name := range *args.NodeNames {
		n := e.nodes[name]
		if isPerformance && n != nil && n.isFresh && (n.class == "eco" || n.class == "draining") {
			result.FailedAndUnresolvableNodes[name] =
				"joulie: performance pod rejected from eco/draining node"
			continue
		}
		passed = append(passed, name)
	}
	result.NodeNames = &passed
	return result
}

func (e *extender) prioritize(args *extenderArgs) any {
	class := class(args.Pod)
	cpu, memory := demand(args.Pod, class)
	names := *args.NodeNames
	result := make([]hostPriority, len(names))
	lowest := int64(25)
	for i, name := range names {
		result[i].Host = name
		result[i].Score = -1
		if n := e.nodes[name]; n != nil && n.isFresh {
			result[i].Score = e.score(n, class, cpu, memory)
			isKept := class != "performance" || (n.class != "eco" && n.class != "draining")
			if isKept && result[i].Score < lowest {
				lowest = result[i].Score
			}
		}
	}
	for i := range result {
		if result[i].Score < 0 {
			result[i].Score = lowest
		}
		result[i].Score = (result[i].Score + 5) / 10
	}
	return result
}

func serve(answer func(*extenderArgs) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var args extenderArgs
		if err := json.NewDecoder(r.Body).Decode(&args); err != nil || args.Pod == nil {
			http.Error(w, fmt.Sprintf("decode error: %v", err), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer(&args))
	}
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: extender OBJECTS.json NOW")
	}
	now, err := time.Parse(time.RFC3339, os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	e, err := load(os.Args[1], now)
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/filter", serve(e.filter))
	http.HandleFunc("/prioritize", serve(e.prioritize))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}
