import { randomUUID } from 'node:crypto';
import { z } from 'zod';

const Answer = z.object({
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown() }).partial({ data: true }).optional(),
});

const Task = z.object({
  id: z.string(),
  status: z.object({ state: z.string() }),
  artifacts: z.array(z.object({ parts: z.array(z.object({ data: z.unknown() }).partial()) })).default([]),
});
export type Task = z.infer<typeof Task>;

/** Twice as long as the agent itself waits for an outcome, in milliseconds. */
const ANSWERS_WITHIN_MS = 40_000;

/** What a buyer's agent needs of A2A for the demo, in plain HTTP so that every step can be seen. */
export interface AgentClient {
  card(): Promise<{ name: string; skills: string[] }>;
  send(skill: string, input: Record<string, unknown>, options?: { returnImmediately?: boolean }): Promise<Task>;
  get(id: string): Promise<Task>;
}

/** @throws {Error} with the agent's own words when it answers an error. */
export function agentClient(baseUrl: string, apiKey: string): AgentClient {
  async function call(method: string, params: unknown): Promise<unknown> {
    const response = await fetch(`${baseUrl}/a2a/jsonrpc`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
    });
    const { result, error } = Answer.parse(await response.json());
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }
  return {
    async card() {
      const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
      const response = await fetch(`${baseUrl}/.well-known/agent-card.json`, { signal });
      const card = z
        .object({ name: z.string(), skills: z.array(z.object({ id: z.string() })) })
        .parse(await response.json());
      return { name: card.name, skills: card.skills.map(({ id }) => id) };
    },
    async send(skill, input, configuration = {}) {
      const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { skill, input } }] };
      const { task } = z.object({ task: Task }).parse(await call('SendMessage', { message, configuration }));
      return task;
    },
    async get(id) {
      return Task.parse(await call('GetTask', { id }));
    },
  };
}

/** The task's response: the last data part of its first artifact (rule C.events.5). */
export function responseOf(task: Task): unknown {
  return task.artifacts[0]?.parts.findLast((part) => part.data !== undefined)?.data;
}
