// Package steps is what both Go clients are told, and how they say what became of each step: a line of JSON.
package steps

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// Settings of the story, from the environment.
var Settings = func() (settings struct {
	BaseURL    string `json:"base_url"`
	APIKey     string `json:"api_key"`
	WebhookURL string `json:"webhook_url"`
	EndTime    string `json:"end_time"`
}) {
	if err := json.Unmarshal([]byte(os.Getenv("STORY")), &settings); err != nil {
		panic(err)
	}
	return settings
}()

// The budget of a buy that goes through, and of one that waits for a person.
const (
	Small = 10_000
	Large = 60_000
)

// PushToken is the token that push configs carry.
const PushToken = "a-token-of-the-client"

// However slow the machine is; no step takes this long.
const stepTimeout = 2 * time.Minute

// Steps over one binding. One that fails does not end the others.
type Steps struct {
	Binding string
	// Prepare is given the context of each step, to attach credentials.
	Prepare func(context.Context) context.Context
}

// Run takes one step and says what became of it.
func (s Steps) Run(name string, step func(ctx context.Context) error) bool {
	ctx, cancel := context.WithTimeout(context.Background(), stepTimeout)
	defer cancel()
	err := guarded(s.Prepare(ctx), step)
	line := map[string]any{"binding": s.Binding, "step": name, "outcome": "ok"}
	if err != nil {
		line["outcome"], line["reason"] = "failed", err.Error()
	}
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
	return err == nil
}

func guarded(ctx context.Context, step func(ctx context.Context) error) (err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = fmt.Errorf("panic: %v", thrown)
		}
	}()
	return step(ctx)
}

// Expect is nil when what is expected holds, else an error that says what was found.
func Expect(holds bool, found string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(found, args...)
}

// Refused is nil when the words of a refusal reached the caller.
func Refused(err error, words ...string) error {
	if err == nil {
		return fmt.Errorf("nothing was refused")
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			return fmt.Errorf("the refusal says only %q", err.Error())
		}
	}
	return nil
}

// Request is the data part of a call of a skill.
func Request(skill string, input map[string]any) map[string]any {
	return map[string]any{"skill": skill, "input": input}
}

// Buy is the input of a media buy of its own.
func Buy(budget float64) map[string]any {
	return map[string]any{
		"buyer_ref":      "client-" + rand.Text(),
		"brand_manifest": map[string]any{"name": "Acme Outdoor", "url": "https://acme-outdoor.example"},
		"packages": []any{map[string]any{
			"product_id":        "podcast_network_dynamic",
			"pricing_option_id": "podcast_fixed_usd",
			"budget":            budget,
		}},
		"start_time": map[string]any{"type": "asap"},
		"end_time":   Settings.EndTime,
	}
}

// Unknown is the id of no task.
const Unknown = "00000000-0000-4000-8000-000000000000"
