package story

import (
	"errors"
	"fmt"
	"iter"
)

// Told is what an event of a stream says of its task: the state, and the task itself where the event is one.
type Told struct {
	State string
	Task  *Answer
}

// States reads a stream to its end. told reads one event; nil is one that says nothing of a state.
func States[E any](stream iter.Seq2[E, error], told func(E) *Told) ([]string, error) {
	next, stop := iter.Pull2(stream)
	defer stop()
	return statesOf(next, told)
}

// Follow reads the first event, which is the task, and leaves the rest of the stream to be read.
func Follow[E any](stream iter.Seq2[E, error], told func(E) *Told) (Answer, Following, error) {
	next, stop := iter.Pull2(stream)
	event, err, _ := next()
	first := told(event)
	if err != nil || first == nil || first.Task == nil {
		stop()
		return Answer{}, nil, errors.Join(err, fmt.Errorf("the first event is %T", event))
	}
	return *first.Task, func() ([]string, error) {
		defer stop()
		return statesOf(next, told)
	}, nil
}

func statesOf[E any](next func() (E, error, bool), told func(E) *Told) ([]string, error) {
	var states []string
	for {
		event, err, more := next()
		if err != nil || !more {
			return states, err
		}
		if known := told(event); known != nil {
			states = append(states, known.State)
		}
	}
}
