// The buying story by a2a-go 0.3.x, from the card's URL alone. It knows JSON-RPC and gRPC.
package main

import (
	"context"
	"fmt"
	"iter"
	"os"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2aclient"
	"github.com/a2aproject/a2a-go/a2aclient/agentcard"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"media-buy-agent/clients/steps"
)

const session = a2aclient.SessionID("buyer")

func main() {
	for _, binding := range os.Args[1:] {
		play(a2a.TransportProtocol(binding))
	}
}

func inSession(ctx context.Context) context.Context {
	return a2aclient.WithSessionID(ctx, session)
}

func play(binding a2a.TransportProtocol) {
	story := steps.Steps{Binding: string(binding), Prepare: inSession}
	var client, polling, pushing *a2aclient.Client
	opened := story.Run("card", func(ctx context.Context) error {
		card, err := agentcard.DefaultResolver.Resolve(ctx, steps.Settings.BaseURL)
		if err != nil {
			return err
		}
		for _, each := range []struct {
			client **a2aclient.Client
			config a2aclient.Config
		}{
			{&client, a2aclient.Config{}},
			{&polling, a2aclient.Config{Polling: true}},
			{&pushing, a2aclient.Config{PushConfig: pushConfig()}},
		} {
			each.config.PreferredTransports = []a2a.TransportProtocol{binding}
			if *each.client, err = open(ctx, card, each.config); err != nil {
				return err
			}
		}
		return nil
	})
	if opened {
		buySteps(story, client, polling, pushing)
	}
}

// open gives a client that shows the key in the way the card's scheme `bearer` says.
func open(ctx context.Context, card *a2a.AgentCard, config a2aclient.Config) (*a2aclient.Client, error) {
	credentials := a2aclient.NewInMemoryCredentialsStore()
	credentials.Set(session, "bearer", a2aclient.AuthCredential(steps.Settings.APIKey))
	return a2aclient.NewFromCard(ctx, card, a2aclient.WithConfig(config),
		a2aclient.WithInterceptors(&a2aclient.AuthInterceptor{Service: credentials}),
		a2aclient.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())))
}

func pushConfig() *a2a.PushConfig {
	return &a2a.PushConfig{ID: "mine", URL: steps.Settings.WebhookURL, Token: steps.PushToken}
}

// request blocks in so many words: a client that does not poll would say nothing of it.
func request(part a2a.Part) *a2a.MessageSendParams {
	blocking := true
	return &a2a.MessageSendParams{
		Message: a2a.NewMessage(a2a.MessageRoleUser, part),
		Config:  &a2a.MessageSendConfig{Blocking: &blocking},
	}
}

func call(skill string, input map[string]any) *a2a.MessageSendParams {
	return request(a2a.DataPart{Data: steps.Request(skill, input)})
}

func send(ctx context.Context, client *a2aclient.Client, sent *a2a.MessageSendParams) (*a2a.Task, error) {
	result, err := client.SendMessage(ctx, sent)
	if err != nil {
		return nil, err
	}
	task, ok := result.(*a2a.Task)
	if !ok {
		return nil, fmt.Errorf("the answer is no task: %T", result)
	}
	return task, nil
}

// dataOf is the data of a finished task.
func dataOf(task *a2a.Task) (map[string]any, error) {
	if len(task.Artifacts) == 0 || task.Status.State != a2a.TaskStateCompleted {
		return nil, fmt.Errorf("no result; the task is %s", task.Status.State)
	}
	parts := task.Artifacts[0].Parts
	data, ok := parts[len(parts)-1].(a2a.DataPart)
	return data.Data, steps.Expect(ok, "the last part is no data: %T", parts[len(parts)-1])
}

// findProducts is a call whose answer has products.
func findProducts(ctx context.Context, client *a2aclient.Client, sent *a2a.MessageSendParams) error {
	task, err := send(ctx, client, sent)
	if err != nil {
		return err
	}
	data, err := dataOf(task)
	if err != nil {
		return err
	}
	products, _ := data["products"].([]any)
	return steps.Expect(len(products) > 0, "no products")
}

// statesOf reads a stream to its end.
func statesOf(next func() (a2a.Event, error, bool)) ([]a2a.TaskState, error) {
	var states []a2a.TaskState
	for {
		event, err, more := next()
		if err != nil || !more {
			return states, err
		}
		switch known := event.(type) {
		case *a2a.Task:
			states = append(states, known.Status.State)
		case *a2a.TaskStatusUpdateEvent:
			states = append(states, known.Status.State)
		}
	}
}

// endsBy is nil when the last state of a stream is this.
func endsBy(state a2a.TaskState, states []a2a.TaskState) error {
	return steps.Expect(len(states) > 0 && states[len(states)-1] == state, "the states are %v", states)
}

func buySteps(story steps.Steps, client, polling, pushing *a2aclient.Client) {
	brief := map[string]any{"brief": "podcasts"}
	story.Run("extended card", func(ctx context.Context) error {
		card, err := client.GetAgentCard(ctx)
		if err != nil {
			return err
		}
		return steps.Expect(len(card.Skills) > 0, "the card has no skill")
	})
	story.Run("get_products", func(ctx context.Context) error {
		return findProducts(ctx, client, call("get_products", brief))
	})
	story.Run("plain text", func(ctx context.Context) error {
		return findProducts(ctx, client, request(a2a.TextPart{Text: "podcast ads for runners"}))
	})
	var bought, waiting a2a.TaskID
	story.Run("buy, blocking", func(ctx context.Context) error {
		task, err := send(ctx, client, call("create_media_buy", steps.Buy(steps.Small)))
		if err != nil {
			return err
		}
		bought = task.ID
		data, err := dataOf(task)
		if err != nil {
			return err
		}
		return steps.Expect(data["media_buy_id"] != nil, "no media_buy_id")
	})
	story.Run("buy, streamed", func(ctx context.Context) error {
		next, stop := iter.Pull2(client.SendStreamingMessage(ctx, call("create_media_buy", steps.Buy(steps.Small))))
		defer stop()
		states, err := statesOf(next)
		if err != nil {
			return err
		}
		return endsBy(a2a.TaskStateCompleted, states)
	})
	story.Run("buy, at once", func(ctx context.Context) error {
		task, err := send(ctx, polling, call("create_media_buy", steps.Buy(steps.Large)))
		if err != nil {
			return err
		}
		waiting = task.ID
		return steps.Expect(!task.Status.State.Terminal(), "the task is %s", task.Status.State)
	})
	story.Run("get", func(ctx context.Context) error {
		task, err := client.GetTask(ctx, &a2a.TaskQueryParams{ID: bought})
		if err != nil {
			return err
		}
		return steps.Expect(task.ID == bought, "another task")
	})
	pushSteps(story, client, waiting)
	endSteps(story, client, waiting)
	refusalSteps(story, client)
	story.Run("get_products with a push config for every request", func(ctx context.Context) error {
		return findProducts(ctx, pushing, call("get_products", brief))
	})
}

func pushSteps(story steps.Steps, client *a2aclient.Client, task a2a.TaskID) {
	isMine := func(made *a2a.TaskPushConfig, err error) error {
		if err != nil {
			return err
		}
		return steps.Expect(made.Config.URL == steps.Settings.WebhookURL, "%+v", made)
	}
	list := func(ctx context.Context, count int) error {
		configs, err := client.ListTaskPushConfig(ctx, &a2a.ListTaskPushConfigParams{TaskID: task})
		if err != nil {
			return err
		}
		return steps.Expect(len(configs) == count, "%d configs are listed", len(configs))
	}
	story.Run("push config: create", func(ctx context.Context) error {
		return isMine(client.SetTaskPushConfig(ctx, &a2a.TaskPushConfig{TaskID: task, Config: *pushConfig()}))
	})
	story.Run("push config: get", func(ctx context.Context) error {
		return isMine(client.GetTaskPushConfig(ctx, &a2a.GetTaskPushConfigParams{TaskID: task, ConfigID: "mine"}))
	})
	story.Run("push config: list", func(ctx context.Context) error { return list(ctx, 1) })
	story.Run("push config: delete", func(ctx context.Context) error {
		if err := client.DeleteTaskPushConfig(ctx, &a2a.DeleteTaskPushConfigParams{TaskID: task, ConfigID: "mine"}); err != nil {
			return err
		}
		return list(ctx, 0)
	})
}

func endSteps(story steps.Steps, client *a2aclient.Client, task a2a.TaskID) {
	following, leave := context.WithCancel(inSession(context.Background()))
	defer leave()
	next, stop := iter.Pull2(client.ResubscribeToTask(following, &a2a.TaskIDParams{ID: task}))
	defer stop()
	story.Run("subscribe", func(context.Context) error {
		event, err, _ := next()
		if err != nil {
			return err
		}
		first, ok := event.(*a2a.Task)
		return steps.Expect(ok && first.ID == task, "the first event is %T", event)
	})
	story.Run("cancel", func(ctx context.Context) error {
		canceled, err := client.CancelTask(ctx, &a2a.TaskIDParams{ID: task})
		if err != nil {
			return err
		}
		return steps.Expect(canceled.Status.State == a2a.TaskStateCanceled, "the task is %s", canceled.Status.State)
	})
	story.Run("end of subscription", func(ctx context.Context) error {
		context.AfterFunc(ctx, leave)
		states, err := statesOf(next)
		if err != nil {
			return err
		}
		return endsBy(a2a.TaskStateCanceled, states)
	})
}

func refusalSteps(story steps.Steps, client *a2aclient.Client) {
	wrong := map[string]any{"buyer_ref": "wrong"}
	story.Run("refusal", func(ctx context.Context) error {
		_, err := client.SendMessage(ctx, call("create_media_buy", wrong))
		return steps.Refused(err, "packages")
	})
	story.Run("refused stream", func(ctx context.Context) error {
		next, stop := iter.Pull2(client.SendStreamingMessage(ctx, call("create_media_buy", wrong)))
		defer stop()
		_, err := statesOf(next)
		return steps.Refused(err, "packages")
	})
	story.Run("unknown task", func(ctx context.Context) error {
		_, err := client.GetTask(ctx, &a2a.TaskQueryParams{ID: steps.Unknown})
		return steps.Refused(err, "not found")
	})
}
