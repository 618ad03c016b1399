// SPDX-License-Identifier: Apache-2.0

// A peer for the embedded API server: client-go's reflector on several collections, each named like
// "joulie.io/v1alpha1/nodetwins" or "v1/pods?namespace=blue&labelSelector=tier=a". Each line on
// standard input is answered by one line, {"stores": {COLLECTION: {"NAMESPACE/NAME": ["uid",
// "resourceVersion"], …}, …}}: what its stores hold at that moment. It ends with its input.
//
//	reflector --server URL [--speedup N] COLLECTION…
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
)

// speedup makes the waits shorter, those of the backoff and those that the server asks for, and leaves
// all else.
type speedup struct {
	clock.RealClock
	next  http.RoundTripper
	times int64
}

type timer struct {
	clock.Timer
	speedup speedup
}

func (h speedup) short(wait time.Duration) time.Duration {
	return wait / time.Duration(h.times)
}

func (h speedup) NewTimer(wait time.Duration) clock.Timer {
	return timer{h.RealClock.NewTimer(h.short(wait)), h}
}

func (t timer) Reset(wait time.Duration) bool {
	return t.Timer.Reset(t.speedup.short(wait))
}

func (h speedup) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := h.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if seconds, err := strconv.ParseInt(response.Header.Get("Retry-After"), 10, 32); err == nil {
		response.Header.Set("Retry-After", strconv.FormatInt(seconds/h.times, 10))
	}
	return response, nil
}

type collection struct {
	resource schema.GroupVersionResource
	query    url.Values
}

func parse(text string) (collection, error) {
	path, rest, _ := strings.Cut(text, "?")
	query, err := url.ParseQuery(rest)
	parts := strings.Split(path, "/")
	if err != nil || len(parts) < 2 || len(parts) > 3 {
		return collection{}, fmt.Errorf("%q is no collection", text)
	}
	out := collection{query: query}
	out.resource.Resource = parts[len(parts)-1]
	out.resource.Version = parts[len(parts)-2]
	if len(parts) == 3 {
		out.resource.Group = parts[0]
	}
	return out, nil
}

func (c collection) follow(client dynamic.Interface, pace clock.Clock) cache.Store {
	var resource dynamic.ResourceInterface = client.Resource(c.resource)
	if space := c.query.Get("namespace"); space != "" {
		resource = client.Resource(c.resource).Namespace(space)
	}
	narrow := func(options metav1.ListOptions) metav1.ListOptions {
		options.LabelSelector = c.query.Get("labelSelector")
		options.FieldSelector = c.query.Get("fieldSelector")
		return options
	}
	source := &cache.ListWatch{
		ListFunc: func(options metav1.ListOptions) (runtime.Object, error) {
			return resource.List(context.Background(), narrow(options))
		},
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			return resource.Watch(context.Background(), narrow(options))
		},
	}
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	options := cache.ReflectorOptions{Clock: pace}
	go cache.NewReflectorWithOptions(source, &unstructured.Unstructured{}, store, options).
		Run(context.Background().Done())
	return store
}

type contents map[string]map[string][2]string

func dump(stores map[string]cache.Store) contents {
	out := contents{}
	for name, store := range stores {
		out[name] = map[string][2]string{}
		for _, item := range store.List() {
			object := item.(*unstructured.Unstructured)
			key := object.GetNamespace() + "/" + object.GetName()
			out[name][key] = [2]string{string(object.GetUID()), object.GetResourceVersion()}
		}
	}
	return out
}

func run() error {
	server := flag.String("server", "", "URL")
	times := flag.Int64("speedup", 1, "how many times shorter the waits are")
	flag.Parse()
	config := &rest.Config{Host: *server, QPS: -1, UserAgent: "reflector/1"}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return speedup{next: next, times: *times}
	})
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	stores := map[string]cache.Store{}
	for _, name := range flag.Args() {
		found, err := parse(name)
		if err != nil {
			return err
		}
		stores[name] = found.follow(client, speedup{times: *times})
	}
	out := json.NewEncoder(os.Stdout)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if err := out.Encode(map[string]contents{"stores": dump(stores)}); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
