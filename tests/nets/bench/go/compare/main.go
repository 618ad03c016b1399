// SPDX-License-Identifier: Apache-2.0

// The work of tests/nets/bench/compare.py in Go: encoding/json with typed structs, and the formulas of the twin
// (joulie-control.md §3.6 to §3.9) with the same bits for what is known. One line of standard input names a figure, one line
// of output answers with nanoseconds and a checksum of the results.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"log"
	"math"
	"os"
	"path/filepath"
	"time"
)

type meta struct {
	Name            string            `json:"name"`
	UID             string            `json:"uid"`
	ResourceVersion string            `json:"resourceVersion"`
	Labels          map[string]string `json:"labels"`
}

type cpuIntent struct {
	PackagePowerCapPctOfMax float64 `json:"packagePowerCapPctOfMax"`
}

type powerCap struct {
	Scope       string  `json:"scope"`
	CapPctOfMax float64 `json:"capPctOfMax"`
}

type gpuIntent struct {
	PowerCap powerCap `json:"powerCap"`
}

type policy struct {
	Name string `json:"name"`
}

type scheduling struct {
	Draining bool `json:"draining"`
}

type spec struct {
	NodeName   string     `json:"nodeName"`
	Profile    string     `json:"profile"`
	CPU        cpuIntent  `json:"cpu"`
	GPU        gpuIntent  `json:"gpu"`
	Policy     policy     `json:"policy"`
	Scheduling scheduling `json:"scheduling"`
}

type power struct {
	Source             string  `json:"source"`
	MeasuredNodePowerW float64 `json:"measuredNodePowerW"`
	CPUCappedPowerW    float64 `json:"cpuCappedPowerW"`
	GPUCappedPowerW    float64 `json:"gpuCappedPowerW"`
	NodeCappedPowerW   float64 `json:"nodeCappedPowerW"`
	NodeTdpW           float64 `json:"nodeTdpW"`
	PowerTrendWPerMin  float64 `json:"powerTrendWPerMin"`
}

type effective struct {
	CPUPct float64 `json:"cpuPct"`
	GPUPct float64 `json:"gpuPct"`
}

type controlPart struct {
	Backend   string `json:"backend"`
	Result    string `json:"result"`
	Message   string `json:"message"`
	UpdatedAt string `json:"updatedAt"`
}

type control struct {
	CPU controlPart `json:"cpu"`
}

type status struct {
	SchedulableClass            string    `json:"schedulableClass"`
	PowerMeasurement            power     `json:"powerMeasurement"`
	PredictedPowerHeadroomScore float64   `json:"predictedPowerHeadroomScore"`
	PredictedCoolingStressScore float64   `json:"predictedCoolingStressScore"`
	PredictedPsuStressScore     float64   `json:"predictedPsuStressScore"`
	EffectiveCapState           effective `json:"effectiveCapState"`
	HardwareDensityScore        float64   `json:"hardwareDensityScore"`
	EstimatedPUE                float64   `json:"estimatedPUE"`
	ControlStatus               control   `json:"controlStatus"`
	LastUpdated                 string    `json:"lastUpdated"`
}

type nodeTwin struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   meta   `json:"metadata"`
	Spec       spec   `json:"spec"`
	Status     status `json:"status"`
}

type twinList struct {
	Items []nodeTwin `json:"items"`
}

const (
	hasGPU = 1 << iota
	hasPower
	hasRack
)

type twinInput struct {
	has                                                              uint64
	sockets, cores, cpuMaxW, cpuCapPct, gpuCount, gpuMaxW, gpuCapPct float64
	powerW, outsideC, rackW                                          float64
}

type twinOutput struct {
	has                    uint64
	headroom, cooling, psu float64
}

func clamp(v, low, high float64) float64 {
	if v < low {
		return low
	}
	if v > high {
		return high
	}
	return v
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// predict answers false for a number that is not finite or out of its bounds.
func predict(in *twinInput, out *twinOutput) bool {
	for _, v := range [...]float64{in.sockets, in.cores, in.cpuMaxW, in.cpuCapPct, in.gpuCount, in.gpuMaxW,
		in.gpuCapPct, in.powerW, in.outsideC, in.rackW} {
		if !isFinite(v) {
			return false
		}
	}
	if in.sockets < 0 || in.cpuMaxW < 0 || in.powerW < 0 || in.rackW < 0 || in.cpuCapPct <= 0 || in.cpuCapPct > 100 {
		return false
	}
	*out = twinOutput{}
	cpuTdpW := in.cpuMaxW * in.sockets
	gpuTdpW := 0.0
	gpuCappedW := 0.0
	if in.has&hasGPU != 0 {
		gpuTdpW = in.gpuMaxW * in.gpuCount
		gpuCappedW = gpuTdpW * in.gpuCapPct / 100
	}
	cappedW := cpuTdpW*in.cpuCapPct/100 + gpuCappedW
	if in.has&hasPower != 0 {
		out.headroom = min(100, (cappedW-in.powerW)/cappedW*100)
		k := 1 / max(0.5, 1-(in.outsideC-20)*0.02)
		out.cooling = clamp(in.powerW/(cpuTdpW+gpuTdpW)*k*100, 0, 100)
		out.has |= hasPower
	}
	if in.has&hasRack != 0 {
		out.psu = clamp(in.rackW/50000*100, 0, 100)
		out.has |= hasRack
	}
	return true
}

type work struct {
	list    []byte
	decoded twinList
	inputs  []twinInput
	outputs []twinOutput
}

func crcNumber(sum uint32, v float64) uint32 {
	var bytes [8]byte
	binary.LittleEndian.PutUint64(bytes[:], math.Float64bits(v))
	return crc32.Update(sum, crc32.IEEETable, bytes[:])
}

func (w *work) decode() (time.Duration, uint32) {
	start := time.Now()
	var list twinList
	if err := json.Unmarshal(w.list, &list); err != nil {
		log.Fatal(err)
	}
	took := time.Since(start)
	sum := uint32(0)
	for i := range list.Items {
		twin := &list.Items[i]
		sum = crc32.Update(sum, crc32.IEEETable, []byte(twin.Spec.NodeName))
		sum = crcNumber(sum, twin.Spec.CPU.PackagePowerCapPctOfMax)
		sum = crcNumber(sum, twin.Status.PowerMeasurement.MeasuredNodePowerW)
		sum = crcNumber(sum, twin.Status.PredictedPowerHeadroomScore)
	}
	w.decoded = list
	return took, sum
}

func (w *work) encode() (time.Duration, uint32) {
	if w.decoded.Items == nil {
		w.decode()
	}
	start := time.Now()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	for i := range w.decoded.Items {
		if err := encoder.Encode(&w.decoded.Items[i]); err != nil {
			log.Fatal(err)
		}
	}
	return time.Since(start), crc32.ChecksumIEEE(text.Bytes())
}

func (w *work) twin() (time.Duration, uint32) {
	start := time.Now()
	for i := range w.inputs {
		if !predict(&w.inputs[i], &w.outputs[i]) {
			log.Fatal("a number is out of its bounds")
		}
	}
	took := time.Since(start)
	sum := uint32(0)
	for i := range w.outputs {
		sum = crcNumber(crcNumber(crcNumber(sum, w.outputs[i].headroom), w.outputs[i].cooling), w.outputs[i].psu)
	}
	return took, sum
}

// readInputs reads ten columns of doubles, one after the other.
func readInputs(path string) []twinInput {
	data, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	numbers := make([]float64, len(data)/8)
	for i := range numbers {
		numbers[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[i*8:]))
	}
	rows := len(numbers) / 10
	inputs := make([]twinInput, rows)
	for i := range inputs {
		at := func(column int) float64 { return numbers[column*rows+i] }
		inputs[i] = twinInput{has: hasPower | hasRack, sockets: at(0), cores: at(1), cpuMaxW: at(2), cpuCapPct: at(3),
			gpuCount: at(4), gpuMaxW: at(5), gpuCapPct: at(6), powerW: at(7), outsideC: at(8), rackW: at(9)}
		if inputs[i].gpuCount > 0 {
			inputs[i].has |= hasGPU
		}
	}
	return inputs
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: compare FOLDER")
	}
	list, err := os.ReadFile(filepath.Join(os.Args[1], "twins.json"))
	if err != nil {
		log.Fatal(err)
	}
	w := &work{list: list, inputs: readInputs(filepath.Join(os.Args[1], "columns.bin"))}
	w.outputs = make([]twinOutput, len(w.inputs))
	figures := map[string]func() (time.Duration, uint32){"decode": w.decode, "encode": w.encode, "predict": w.twin,
		"columns": w.twin}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		figure, ok := figures[lines.Text()]
		if !ok {
			log.Fatalf("there is no figure %q", lines.Text())
		}
		took, sum := figure()
		fmt.Printf("%d %08x\n", took.Nanoseconds(), sum)
	}
}
