import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Json, Operation } from '../../admin/operator/operation.ts';
import { tolerantSchema } from '../../platform/store/tolerant-schema.ts';
import { AgentAway } from './agent-away.ts';
import { fieldPath } from '../../platform/field-path.ts';

const Refusal = z.object({
  error: z.looseObject({
    code: z.string(),
    message: z.string(),
    field: z.string().optional(),
    suggestion: z.string().optional(),
    issues: z.array(z.object({ pointer: z.string(), message: z.string() })).optional(),
  }),
});
type RefusalBody = z.infer<typeof Refusal>['error'];

/** What the agent refused. */
export class OperatorError extends Error {
  readonly body: RefusalBody;
  constructor(body: RefusalBody) {
    super(body.message);
    this.name = 'OperatorError';
    this.body = body;
  }
}

/** What an operation is called with, as it was typed: the agent checks it. What is undefined is not sent. */
export type Given<P, Q, B> = (P extends undefined ? object : { params: Record<keyof P & string, string> }) & {
  query?: Typed<Q>;
  body?: Typed<B>;
};
type Typed<T> = { [K in keyof T]?: string | boolean | readonly object[] | undefined };

/** The operator API of one agent. */
export interface OperatorClient {
  /**
   * The answer as it came, with what only a newer agent knows of. What changes something is tried again once when the
   * connection breaks, as the same action.
   * @throws {OperatorError} for a refusal; in plain words for no answer, or one that does not fit.
   */
  call<P, Q, B, A extends Json>(operation: Operation<P, Q, B, A>, given: Given<P, Q, B>): Promise<A>;
}

export interface OperatorClientOptions {
  /** Without a slash at the end. */
  baseUrl: string;
  key: string;
  /** Who acts. */
  by: string;
}

/** A range of ten thousand deliveries takes minutes. */
const TIMEOUT_MS = 10 * 60_000;

export function operatorClient({ baseUrl, key, by }: OperatorClientOptions): OperatorClient {
  async function ask(method: string, path: string, more: { headers?: Record<string, string>; body?: string }) {
    const headers = { authorization: `Bearer ${key}`, 'operator-name': encodeURIComponent(by), ...more.headers };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(`${baseUrl}/api/operator${path}`, {
      ...{ method, headers, signal, redirect: 'error' },
      ...(more.body !== undefined && { body: more.body }),
    }).catch((error: unknown) => {
      throw new AgentAway(baseUrl, error);
    });
    const body: unknown = await response.json().catch(() => undefined);
    if (response.ok && typeof body === 'object' && body !== null) return body;
    const refusal = Refusal.safeParse(body);
    if (refusal.success) throw new OperatorError(refusal.data.error);
    throw new Error(`${baseUrl} answered ${response.status} and not as an agent does; check --url`);
  }

  return {
    async call(operation, given) {
      const { params = {}, query = {}, body = {} } = given as { params?: Strings; query?: Strings; body?: Strings };
      const path = pathOf(operation.path, params) + searchOf(query);
      if (operation.method === 'get') return readAnswer(operation, await ask('GET', path, {}));
      const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
      const act = () => ask('POST', path, { headers, body: JSON.stringify(body) });
      const answer = await act().catch((error: unknown) => {
        if (error instanceof AgentAway) return act();
        throw error;
      });
      return readAnswer(operation, answer);
    },
  };
}

type Strings = Readonly<Record<string, string | undefined>>;

/** The operation's path with its ids escaped. */
function pathOf(path: string, params: Strings): string {
  return path.replaceAll(/:(\w+)/g, (_all, name: string) => encodeURIComponent(params[name] ?? ''));
}

function searchOf(query: Strings): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

/** Whatever else a newer agent says is let through; what this program is to show must be there. */
function readAnswer<A extends Json>(
  { answer, action, path }: Pick<Operation<unknown, unknown, unknown, A>, 'answer' | 'action' | 'path'>,
  body: unknown,
): A {
  const parsed = tolerantSchema(answer).safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = fieldPath(issue?.path ?? []);
  const where = field === '' ? 'the answer' : `${field} in the answer`;
  const done = action === undefined ? '' : '; what you asked for has been done';
  throw new Error(
    `${where} of ${path} is not what this command knows (${issue?.message ?? ''}): ` +
      `the agent may be of another version${done}`,
  );
}
