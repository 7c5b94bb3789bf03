// Package story is the buying story as both Go clients play it over one binding; how a client calls is its own.
package story

import (
	"context"
	"fmt"
	"strings"
	"time"

	"media-buy-agent/clients/steps"
)

// Answer is a task as a client has read it. Data is that of its first artifact, nil without one.
type Answer struct {
	ID    string
	State string
	Data  map[string]any
}

// How a message is sent.
type How int

const (
	// Blocking waits for the end.
	Blocking How = iota
	// AtOnce waits for nothing.
	AtOnce
	// Pushing is Blocking by a client that sends a push config with every request.
	Pushing
)

// Following reads the states of a task to the end of a subscription.
type Following func() ([]string, error)

// Client is one generation of the client over one binding.
type Client interface {
	// Skills are those of the extended card.
	Skills(ctx context.Context) (int, error)
	// Send calls a skill with data, or says a text.
	Send(ctx context.Context, part any, how How) (Answer, error)
	// Stream gives the states that a streamed call goes through, to its end.
	Stream(ctx context.Context, part map[string]any) ([]string, error)
	Get(ctx context.Context, id string) (Answer, error)
	// CreatePush and GetPush give the URL of the task's push config.
	CreatePush(ctx context.Context, id string) (string, error)
	GetPush(ctx context.Context, id string) (string, error)
	// ListPush counts them.
	ListPush(ctx context.Context, id string) (int, error)
	DeletePush(ctx context.Context, id string) error
	// Subscribe reads the first event, which is the task as it stands, and goes on until ctx ends.
	Subscribe(ctx context.Context, id string) (Answer, Following, error)
	Cancel(ctx context.Context, id string) (Answer, error)
}

// StateOf is a state in the words of A2A 0.3.
func StateOf[S ~string](state S) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(string(state), "TASK_STATE_")), "_", "-")
}

// Play takes all steps from the extended card on.
func Play(run steps.Steps, client Client) {
	brief := steps.Request("get_products", map[string]any{"brief": "podcasts"})
	find := func(part any, how How) func(context.Context) error {
		return func(ctx context.Context) error {
			answer, err := sendToEnd(ctx, client, part, how)
			if err != nil {
				return err
			}
			products, _ := answer.Data["products"].([]any)
			return steps.Expect(answer.State == "completed" && len(products) > 0, "no products; the task is %s", answer.State)
		}
	}
	run.Run("extended card", func(ctx context.Context) error {
		skills, err := client.Skills(ctx)
		if err != nil {
			return err
		}
		return steps.Expect(skills > 0, "the card has no skill")
	})
	run.Run("get_products", find(brief, Blocking))
	run.Run("plain text", find("podcast ads for runners", Blocking))
	bought, waiting := buySteps(run, client)
	run.Run("get", func(ctx context.Context) error {
		answer, err := client.Get(ctx, bought)
		if err != nil {
			return err
		}
		return steps.Expect(answer.ID == bought, "another task")
	})
	pushSteps(run, client, waiting)
	endSteps(run, client, waiting)
	refusalSteps(run, client)
	run.Run("get_products with a push config for every request", find(brief, Pushing))
}

// sendToEnd looks again where a slow machine has let the 20 seconds pass for which the agent waits.
func sendToEnd(ctx context.Context, client Client, part any, how How) (Answer, error) {
	answer, err := client.Send(ctx, part, how)
	for err == nil && (answer.State == "submitted" || answer.State == "working") {
		time.Sleep(500 * time.Millisecond)
		answer, err = client.Get(ctx, answer.ID)
	}
	return answer, err
}

// buySteps gives the tasks of a buy that went through, and of one that waits for a person.
func buySteps(run steps.Steps, client Client) (bought, waiting string) {
	run.Run("buy, blocking", func(ctx context.Context) error {
		answer, err := sendToEnd(ctx, client, steps.Request("create_media_buy", steps.Buy(steps.Small)), Blocking)
		if err != nil {
			return err
		}
		bought = answer.ID
		return steps.Expect(answer.State == "completed" && answer.Data["media_buy_id"] != nil, "no media_buy_id; the task is %s", answer.State)
	})
	run.Run("buy, streamed", func(ctx context.Context) error {
		states, err := client.Stream(ctx, steps.Request("create_media_buy", steps.Buy(steps.Small)))
		if err != nil {
			return err
		}
		return endsBy("completed", states)
	})
	run.Run("buy, at once", func(ctx context.Context) error {
		answer, err := client.Send(ctx, steps.Request("create_media_buy", steps.Buy(steps.Large)), AtOnce)
		if err != nil {
			return err
		}
		waiting = answer.ID
		return steps.Expect(answer.State == "submitted" || answer.State == "working", "the task is %s", answer.State)
	})
	return bought, waiting
}

func pushSteps(run steps.Steps, client Client, task string) {
	isOurs := func(ask func(context.Context, string) (string, error)) func(context.Context) error {
		return func(ctx context.Context) error {
			url, err := ask(ctx, task)
			if err != nil {
				return err
			}
			return steps.Expect(url == steps.Settings.WebhookURL, "the push config leads to %s", url)
		}
	}
	list := func(ctx context.Context, expected int) error {
		count, err := client.ListPush(ctx, task)
		if err != nil {
			return err
		}
		return steps.Expect(count == expected, "%d configs are listed", count)
	}
	run.Run("push config: create", isOurs(client.CreatePush))
	run.Run("push config: get", isOurs(client.GetPush))
	run.Run("push config: list", func(ctx context.Context) error { return list(ctx, 1) })
	run.Run("push config: delete", func(ctx context.Context) error {
		if err := client.DeletePush(ctx, task); err != nil {
			return err
		}
		return list(ctx, 0)
	})
}

func endSteps(run steps.Steps, client Client, task string) {
	following, leave := context.WithCancel(run.Prepare(context.Background()))
	defer leave()
	follow := Following(func() ([]string, error) { return nil, fmt.Errorf("there is no subscription") })
	run.Run("subscribe", func(context.Context) error {
		first, states, err := client.Subscribe(following, task)
		if err != nil {
			return err
		}
		follow = states
		return steps.Expect(first.ID == task, "the first event is of %q", first.ID)
	})
	run.Run("cancel", func(ctx context.Context) error {
		answer, err := client.Cancel(ctx, task)
		if err != nil {
			return err
		}
		return steps.Expect(answer.State == "canceled", "the task is %s", answer.State)
	})
	run.Run("end of subscription", func(ctx context.Context) error {
		context.AfterFunc(ctx, leave)
		states, err := follow()
		if err != nil {
			return err
		}
		return endsBy("canceled", states)
	})
}

func refusalSteps(run steps.Steps, client Client) {
	wrong := steps.Request("create_media_buy", map[string]any{"buyer_ref": "wrong"})
	run.Run("refusal", func(ctx context.Context) error {
		_, err := client.Send(ctx, wrong, Blocking)
		return steps.Refused(err, "packages")
	})
	run.Run("refused stream", func(ctx context.Context) error {
		_, err := client.Stream(ctx, wrong)
		return steps.Refused(err, "packages")
	})
	run.Run("unknown task", func(ctx context.Context) error {
		_, err := client.Get(ctx, steps.Unknown)
		return steps.Refused(err, "not found")
	})
}

func endsBy(state string, states []string) error {
	return steps.Expect(len(states) > 0 && states[len(states)-1] == state, "the states are %v", states)
}
