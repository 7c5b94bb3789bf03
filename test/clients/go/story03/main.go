// The buying story by a2a-go 0.3.x, from the card's URL alone. It knows JSON-RPC and gRPC.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2aclient"
	"github.com/a2aproject/a2a-go/a2aclient/agentcard"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"media-buy-agent/clients/steps"
	"media-buy-agent/clients/story"
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
	run := steps.Steps{Binding: string(binding), Prepare: inSession}
	var buyer client
	opened := run.Run("card", func(ctx context.Context) error {
		card, err := agentcard.DefaultResolver.Resolve(ctx, steps.Settings.BaseURL)
		if err != nil {
			return err
		}
		for _, each := range []struct {
			client **a2aclient.Client
			config a2aclient.Config
		}{
			{&buyer.plain, a2aclient.Config{}},
			{&buyer.polling, a2aclient.Config{Polling: true}},
			{&buyer.pushing, a2aclient.Config{PushConfig: pushConfig()}},
		} {
			each.config.PreferredTransports = []a2a.TransportProtocol{binding}
			if *each.client, err = open(ctx, card, each.config); err != nil {
				return err
			}
		}
		return nil
	})
	if opened {
		story.Play(run, buyer)
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
func request(part any) *a2a.MessageSendParams {
	blocking := true
	var content a2a.Part
	switch given := part.(type) {
	case string:
		content = a2a.TextPart{Text: given}
	case map[string]any:
		content = a2a.DataPart{Data: given}
	}
	return &a2a.MessageSendParams{
		Message: a2a.NewMessage(a2a.MessageRoleUser, content),
		Config:  &a2a.MessageSendConfig{Blocking: &blocking},
	}
}

// client is the plain one, one that does not wait, and one that sends a push config with every request.
type client struct {
	plain, polling, pushing *a2aclient.Client
}

func answerOf(task *a2a.Task) story.Answer {
	answer := story.Answer{ID: string(task.ID), State: story.StateOf(task.Status.State)}
	if len(task.Artifacts) > 0 {
		parts := task.Artifacts[0].Parts
		data, _ := parts[len(parts)-1].(a2a.DataPart)
		answer.Data = data.Data
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
	card, err := c.plain.GetAgentCard(ctx)
	if err != nil {
		return 0, err
	}
	return len(card.Skills), nil
}

func (c client) Send(ctx context.Context, part any, how story.How) (story.Answer, error) {
	by := map[story.How]*a2aclient.Client{story.Blocking: c.plain, story.AtOnce: c.polling, story.Pushing: c.pushing}[how]
	result, err := by.SendMessage(ctx, request(part))
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
	return story.States(c.plain.SendStreamingMessage(ctx, request(part)), told)
}

func (c client) Get(ctx context.Context, id string) (story.Answer, error) {
	return answered(c.plain.GetTask(ctx, &a2a.TaskQueryParams{ID: a2a.TaskID(id)}))
}

func (c client) Cancel(ctx context.Context, id string) (story.Answer, error) {
	return answered(c.plain.CancelTask(ctx, &a2a.TaskIDParams{ID: a2a.TaskID(id)}))
}

func urlOf(made *a2a.TaskPushConfig, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return made.Config.URL, nil
}

func (c client) CreatePush(ctx context.Context, id string) (string, error) {
	return urlOf(c.plain.SetTaskPushConfig(ctx, &a2a.TaskPushConfig{TaskID: a2a.TaskID(id), Config: *pushConfig()}))
}

func (c client) GetPush(ctx context.Context, id string) (string, error) {
	return urlOf(c.plain.GetTaskPushConfig(ctx, &a2a.GetTaskPushConfigParams{TaskID: a2a.TaskID(id), ConfigID: "mine"}))
}

func (c client) ListPush(ctx context.Context, id string) (int, error) {
	configs, err := c.plain.ListTaskPushConfig(ctx, &a2a.ListTaskPushConfigParams{TaskID: a2a.TaskID(id)})
	return len(configs), err
}

func (c client) DeletePush(ctx context.Context, id string) error {
	return c.plain.DeleteTaskPushConfig(ctx, &a2a.DeleteTaskPushConfigParams{TaskID: a2a.TaskID(id), ConfigID: "mine"})
}

func (c client) Subscribe(ctx context.Context, id string) (story.Answer, story.Following, error) {
	return story.Follow(c.plain.ResubscribeToTask(ctx, &a2a.TaskIDParams{ID: a2a.TaskID(id)}), told)
}
