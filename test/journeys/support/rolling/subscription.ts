import type { AgentAt } from '../buyer.ts';

/** One buyer that follows a task over server-sent events, and subscribes again whenever the stream ends before the task does. */
export interface Subscription {
  /** The states that the streams have told, in order. */
  states: string[];
  /** Streams that have ended, each as a stream ends. */
  ends(): number;
  /** Resolves once a stream has told that the task is over; rejects when one was refused or broke off. */
  over: Promise<void>;
}

interface StreamEvent {
  error?: unknown;
  result?: { task?: { status: { state: string } }; statusUpdate?: { status: { state: string } } };
}

export function subscribe(agent: AgentAt, task_id: string): Subscription {
  const states: string[] = [];
  let ends = 0;

  async function follow(): Promise<void> {
    while (!/COMPLETED|FAILED|REJECTED|CANCELED/.test(states.at(-1) ?? '')) {
      const response = await fetch(`${agent.baseUrl}/a2a/jsonrpc`, {
        method: 'POST',
        headers: {
          ...{ authorization: `Bearer ${agent.apiKey}`, 'a2a-version': '1.0' },
          ...{ 'content-type': 'application/json', accept: 'text/event-stream' },
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id: task_id } }),
      });
      if (response.status !== 200) throw new Error(`a subscription is answered ${response.status}`);
      // Throws where the connection breaks off in the middle of it.
      for (const data of (await response.text()).matchAll(/^data: (.*)$/gm)) {
        const { result, error } = JSON.parse(data[1] ?? '') as StreamEvent;
        const state = (result?.task ?? result?.statusUpdate)?.status.state;
        if (error !== undefined) throw new Error(`a stream tells ${JSON.stringify(error)}`);
        if (state !== undefined) states.push(state);
      }
      ends += 1;
    }
  }

  const over = follow();
  over.catch(() => undefined);
  return { states, ends: () => ends, over };
}
