// The buying story by a2a-go 2.x. It cannot parse a 1.0 card with security requirements, so after the step that says so
// the endpoints are taken from the card by hand.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"os"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"media-buy-agent/clients/steps"
)

func main() {
	for _, binding := range os.Args[1:] {
		play(a2a.TransportProtocol(binding))
	}
}

func withKey(ctx context.Context) context.Context {
	return a2aclient.AttachServiceParams(ctx, a2aclient.ServiceParams{"Authorization": {"Bearer " + steps.Settings.APIKey}})
}

func play(binding a2a.TransportProtocol) {
	story := steps.Steps{Binding: string(binding), Prepare: withKey}
	story.Run("card", func(ctx context.Context) error {
		_, err := agentcard.DefaultResolver.Resolve(ctx, steps.Settings.BaseURL)
		return err
	})
	story.Run("card, asked for as 0.3", func(ctx context.Context) error {
		resolver := agentcard.Resolver{Client: http.DefaultClient, CardParser: a2av0.NewAgentCardParser()}
		card, err := resolver.Resolve(ctx, steps.Settings.BaseURL, agentcard.WithRequestHeader("A2A-Version", "0.3"))
		if err != nil {
			return err
		}
		return steps.Expect(len(card.Skills) > 0, "the card has no skill")
	})

	var client, pushing *a2aclient.Client
	opened := story.Run("endpoint by hand", func(ctx context.Context) (err error) {
		endpoint, err := endpointOf(binding)
		if err != nil {
			return err
		}
		if client, err = open(ctx, endpoint, a2aclient.Config{}); err != nil {
			return err
		}
		pushing, err = open(ctx, endpoint, a2aclient.Config{PushConfig: pushConfig("")})
		return err
	})
	if opened {
		buySteps(story, client, pushing)
	}
}

// endpointOf reads the card as plain JSON, and takes from it where the binding of 1.0 is.
func endpointOf(binding a2a.TransportProtocol) (*a2a.AgentInterface, error) {
	response, err := http.Get(steps.Settings.BaseURL + "/.well-known/agent-card.json")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var card struct {
		SupportedInterfaces []*a2a.AgentInterface `json:"supportedInterfaces"`
	}
	if err := json.NewDecoder(response.Body).Decode(&card); err != nil {
		return nil, err
	}
	for _, endpoint := range card.SupportedInterfaces {
		if endpoint.ProtocolBinding == binding && endpoint.ProtocolVersion == "1.0" {
			return endpoint, nil
		}
	}
	return nil, fmt.Errorf("the card has no %s for 1.0", binding)
}

func open(ctx context.Context, endpoint *a2a.AgentInterface, config a2aclient.Config) (*a2aclient.Client, error) {
	return a2aclient.NewFromEndpoints(ctx, []*a2a.AgentInterface{endpoint}, a2aclient.WithConfig(config),
		a2agrpc.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())))
}

func pushConfig(task a2a.TaskID) *a2a.PushConfig {
	return &a2a.PushConfig{TaskID: task, ID: "mine", URL: steps.Settings.WebhookURL, Token: steps.PushToken}
}

func request(part *a2a.Part, atOnce bool) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{
		Message: a2a.NewMessage(a2a.MessageRoleUser, part),
		Config:  &a2a.SendMessageConfig{ReturnImmediately: atOnce},
	}
}

func call(skill string, input map[string]any) *a2a.SendMessageRequest {
	return request(a2a.NewDataPart(steps.Request(skill, input)), false)
}

func send(ctx context.Context, client *a2aclient.Client, sent *a2a.SendMessageRequest) (*a2a.Task, error) {
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
	data, ok := parts[len(parts)-1].Data().(map[string]any)
	return data, steps.Expect(ok, "the last part is no data")
}

// findProducts is a call whose answer has products.
func findProducts(ctx context.Context, client *a2aclient.Client, sent *a2a.SendMessageRequest) error {
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

// endsBy is nil when the stream has more than one state and the last is this.
func endsBy(state a2a.TaskState, states []a2a.TaskState) error {
	return steps.Expect(len(states) > 0 && states[len(states)-1] == state, "the states are %v", states)
}

func buySteps(story steps.Steps, client, pushing *a2aclient.Client) {
	brief := map[string]any{"brief": "podcasts"}
	story.Run("extended card", func(ctx context.Context) error {
		card, err := client.GetExtendedAgentCard(ctx, &a2a.GetExtendedAgentCardRequest{})
		if err != nil {
			return err
		}
		return steps.Expect(len(card.Skills) > 0, "the card has no skill")
	})
	story.Run("get_products", func(ctx context.Context) error {
		return findProducts(ctx, client, call("get_products", brief))
	})
	story.Run("plain text", func(ctx context.Context) error {
		return findProducts(ctx, client, request(a2a.NewTextPart("podcast ads for runners"), false))
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
		part := a2a.NewDataPart(steps.Request("create_media_buy", steps.Buy(steps.Large)))
		task, err := send(ctx, client, request(part, true))
		if err != nil {
			return err
		}
		waiting = task.ID
		return steps.Expect(!task.Status.State.Terminal(), "the task is %s", task.Status.State)
	})
	story.Run("get", func(ctx context.Context) error {
		task, err := client.GetTask(ctx, &a2a.GetTaskRequest{ID: bought})
		if err != nil {
			return err
		}
		return steps.Expect(task.ID == bought, "another task")
	})
	story.Run("list, two pages", func(ctx context.Context) error {
		first, err := client.ListTasks(ctx, &a2a.ListTasksRequest{PageSize: 1})
		if err != nil {
			return err
		}
		second, err := client.ListTasks(ctx, &a2a.ListTasksRequest{PageSize: 1, PageToken: first.NextPageToken})
		if err != nil {
			return err
		}
		differ := len(first.Tasks) == 1 && len(second.Tasks) == 1 && first.Tasks[0].ID != second.Tasks[0].ID
		return steps.Expect(differ, "page 2 is page 1, or empty")
	})
	pushSteps(story, client, waiting)
	endSteps(story, client, waiting)
	refusalSteps(story, client)
	story.Run("get_products with a push config for every request", func(ctx context.Context) error {
		return findProducts(ctx, pushing, call("get_products", brief))
	})
}

func pushSteps(story steps.Steps, client *a2aclient.Client, task a2a.TaskID) {
	isMine := func(config *a2a.PushConfig, err error) error {
		if err != nil {
			return err
		}
		return steps.Expect(config.ID == "mine" && config.URL == steps.Settings.WebhookURL, "%+v", config)
	}
	list := func(ctx context.Context, count int) error {
		configs, err := client.ListTaskPushConfigs(ctx, &a2a.ListTaskPushConfigRequest{TaskID: task})
		if err != nil {
			return err
		}
		return steps.Expect(len(configs) == count, "%d configs are listed", len(configs))
	}
	story.Run("push config: create", func(ctx context.Context) error {
		return isMine(client.CreateTaskPushConfig(ctx, pushConfig(task)))
	})
	story.Run("push config: get", func(ctx context.Context) error {
		return isMine(client.GetTaskPushConfig(ctx, &a2a.GetTaskPushConfigRequest{TaskID: task, ID: "mine"}))
	})
	story.Run("push config: list", func(ctx context.Context) error { return list(ctx, 1) })
	story.Run("push config: delete", func(ctx context.Context) error {
		if err := client.DeleteTaskPushConfig(ctx, &a2a.DeleteTaskPushConfigRequest{TaskID: task, ID: "mine"}); err != nil {
			return err
		}
		return list(ctx, 0)
	})
}

func endSteps(story steps.Steps, client *a2aclient.Client, task a2a.TaskID) {
	following, leave := context.WithCancel(withKey(context.Background()))
	defer leave()
	next, stop := iter.Pull2(client.SubscribeToTask(following, &a2a.SubscribeToTaskRequest{ID: task}))
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
		canceled, err := client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: task})
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
		_, err := client.GetTask(ctx, &a2a.GetTaskRequest{ID: steps.Unknown})
		return steps.Refused(err, "not found")
	})
}
