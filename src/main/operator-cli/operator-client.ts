import { randomUUID } from 'node:crypto';
import { z } from 'zod';

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

export type Json = Record<string, unknown>;

/** The operator API of one agent. Each throws {@link OperatorError} for a refusal, and in plain words for no answer. */
export interface OperatorClient {
  get(path: string, query?: Readonly<Record<string, string | undefined>>): Promise<Json>;
  /** Tried again once when the connection breaks, as the same action. */
  post(path: string, body?: Json): Promise<Json>;
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
  async function call(method: string, path: string, more: { headers?: Record<string, string>; body?: string } = {}) {
    const headers = { authorization: `Bearer ${key}`, 'operator-name': encodeURIComponent(by), ...more.headers };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(`${baseUrl}/api/operator${path}`, {
      ...{ method, headers, signal, redirect: 'error' },
      ...(more.body !== undefined && { body: more.body }),
    }).catch((error: unknown) => {
      throw new NoAnswerError(baseUrl, error);
    });
    const body = await response.json().catch(() => undefined);
    if (response.ok && typeof body === 'object' && body !== null) return body as Json;
    const refusal = Refusal.safeParse(body);
    if (refusal.success) throw new OperatorError(refusal.data.error);
    throw new Error(`${baseUrl} answered ${response.status} and not as an agent does; check --url`);
  }

  return {
    get(path, query = {}) {
      const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
      const search = new URLSearchParams(given).toString();
      return call('GET', search === '' ? path : `${path}?${search}`);
    },
    async post(path, body = {}) {
      const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
      const act = () => call('POST', path, { headers, body: JSON.stringify(body) });
      return act().catch((error: unknown) => {
        if (error instanceof NoAnswerError) return act();
        throw error;
      });
    },
  };
}

class NoAnswerError extends Error {
  constructor(baseUrl: string, cause: unknown) {
    super(`${baseUrl} does not answer; is the agent running?`, { cause });
    this.name = 'NoAnswerError';
  }
}

/** A path with its ids escaped: `` path`/approvals/${id}` ``. */
export function path(parts: TemplateStringsArray, ...ids: string[]): string {
  return parts.map((part, i) => part + encodeURIComponent(ids[i] ?? '')).join('');
}
