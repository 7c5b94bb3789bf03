// The buying story by a2a-go 2.x. It cannot parse a 1.0 card with security requirements, so after the step that says so
// the endpoints are taken from the card by hand.
package main

import (
	"context"
	"encoding/json"
	"fmt"
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
	"media-buy-agent/clients/story"
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
	run := steps.Steps{Binding: string(binding), Prepare: withKey}
	run.Run("card", func(ctx context.Context) error {
		_, err := agentcard.DefaultResolver.Resolve(ctx, steps.Settings.BaseURL)
		return err
	})
	run.Run("card, asked for as 0.3", func(ctx context.Context) error {
		resolver := agentcard.Resolver{Client: http.DefaultClient, CardParser: a2av0.NewAgentCardParser()}
		card, err := resolver.Resolve(ctx, steps.Settings.BaseURL, agentcard.WithRequestHeader("A2A-Version", "0.3"))
		if err != nil {
			return err
		}
		return steps.Expect(len(card.Skills) > 0, "the card has no skill")
	})

	var buyer client
	opened := run.Run("endpoint by hand", func(ctx context.Context) (err error) {
		endpoint, err := endpointOf(binding)
		if err != nil {
			return err
		}
		if buyer.plain, err = open(ctx, endpoint, a2aclient.Config{}); err != nil {
			return err
		}
		buyer.pushing, err = open(ctx, endpoint, a2aclient.Config{PushConfig: pushConfig("")})
		return err
	})
	if opened {
		story.Play(run, buyer)
		run.Run("list, two pages", buyer.listTwoPages)
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

func request(part any, atOnce bool) *a2a.SendMessageRequest {
	content := a2a.NewDataPart(part)
	if text, ok := part.(string); ok {
		content = a2a.NewTextPart(text)
	}
	return &a2a.SendMessageRequest{
		Message: a2a.NewMessage(a2a.MessageRoleUser, content),
		Config:  &a2a.SendMessageConfig{ReturnImmediately: atOnce},
	}
}

// client is the plain one, and one that sends a push config with every request.
type client struct {
	plain, pushing *a2aclient.Client
}

func answerOf(task *a2a.Task) story.Answer {
	answer := story.Answer{ID: string(task.ID), State: story.StateOf(task.Status.State)}
	if len(task.Artifacts) > 0 {
		parts := task.Artifacts[0].Parts
		answer.Data, _ = parts[len(parts)-1].Data().(map[string]any)
	}
	return answer
}

// answered is the answer, when there is one.
func answered(task *a2a.Task, err error) (story.Answer, error) {
	if err != nil {
		return story.Answer{}, err
	}
	return answerOf(task), nil
}

// told is what an event says of the task; nil for one that says nothing of its state.
func told(event a2a.Event) *story.Told {
	switch known := event.(type) {
	case *a2a.Task:
		answer := answerOf(known)
		return &story.Told{State: answer.State, Task: &answer}
	case *a2a.TaskStatusUpdateEvent:
		return &story.Told{State: story.StateOf(known.Status.State)}
	}
	return nil
}

func (c client) Skills(ctx context.Context) (int, error) {
	card, err := c.plain.GetExtendedAgentCard(ctx, &a2a.GetExtendedAgentCardRequest{})
	if err != nil {
		return 0, err
	}
	return len(card.Skills), nil
}

func (c client) Send(ctx context.Context, part any, how story.How) (story.Answer, error) {
	by := c.plain
	if how == story.Pushing {
		by = c.pushing
	}
	result, err := by.SendMessage(ctx, request(part, how == story.AtOnce))
	if err != nil {
		return story.Answer{}, err
	}
	task, ok := result.(*a2a.Task)
	if !ok {
		return story.Answer{}, fmt.Errorf("the answer is no task: %T", result)
	}
	return answerOf(task), nil
}

func (c client) Stream(ctx context.Context, part map[string]any) ([]string, error) {
	return story.States(c.plain.SendStreamingMessage(ctx, request(part, false)), told)
}

func (c client) Get(ctx context.Context, id string) (story.Answer, error) {
	return answered(c.plain.GetTask(ctx, &a2a.GetTaskRequest{ID: a2a.TaskID(id)}))
}

func (c client) Cancel(ctx context.Context, id string) (story.Answer, error) {
	return answered(c.plain.CancelTask(ctx, &a2a.CancelTaskRequest{ID: a2a.TaskID(id)}))
}

func urlOf(config *a2a.PushConfig, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return config.URL, steps.Expect(config.ID == "mine", "the push config is %q", config.ID)
}

func (c client) CreatePush(ctx context.Context, id string) (string, error) {
	return urlOf(c.plain.CreateTaskPushConfig(ctx, pushConfig(a2a.TaskID(id))))
}

func (c client) GetPush(ctx context.Context, id string) (string, error) {
	return urlOf(c.plain.GetTaskPushConfig(ctx, &a2a.GetTaskPushConfigRequest{TaskID: a2a.TaskID(id), ID: "mine"}))
}

func (c client) ListPush(ctx context.Context, id string) (int, error) {
	configs, err := c.plain.ListTaskPushConfigs(ctx, &a2a.ListTaskPushConfigRequest{TaskID: a2a.TaskID(id)})
	return len(configs), err
}

func (c client) DeletePush(ctx context.Context, id string) error {
	return c.plain.DeleteTaskPushConfig(ctx, &a2a.DeleteTaskPushConfigRequest{TaskID: a2a.TaskID(id), ID: "mine"})
}

func (c client) Subscribe(ctx context.Context, id string) (story.Answer, story.Following, error) {
	return story.Follow(c.plain.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: a2a.TaskID(id)}), told)
}

func (c client) listTwoPages(ctx context.Context) error {
	first, err := c.plain.ListTasks(ctx, &a2a.ListTasksRequest{PageSize: 1})
	if err != nil {
		return err
	}
	second, err := c.plain.ListTasks(ctx, &a2a.ListTasksRequest{PageSize: 1, PageToken: first.NextPageToken})
	if err != nil {
		return err
	}
	differ := len(first.Tasks) == 1 && len(second.Tasks) == 1 && first.Tasks[0].ID != second.Tasks[0].ID
	return steps.Expect(differ, "page 2 is page 1, or empty")
}
