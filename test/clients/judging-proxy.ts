import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RELEASES, schemaErrors } from '../dialects/support/public-call.ts';
import type { Release } from '../dialects/support/public-call.ts';

type Json = Record<string, unknown>;

/** What stands between a client and the agent, hands on all that either says, and holds the answers against the official schemas. */
export interface JudgingProxy {
  base_url: string;
  /** Of which tasks answers came by, how many of each. */
  judged: ReadonlyMap<string, number>;
  /** What the schemas found wrong, a line each. */
  wrong: readonly string[];
  close(): Promise<void>;
}

/** Says nothing of either side: of one connection, or of this one alone. */
const HOP = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'content-encoding', 'keep-alive']);

/** @param agent the agent's origin: the client is told this proxy's in its place wherever it stands, and the agent its own. */
export async function startJudgingProxy(agent: string): Promise<JudgingProxy> {
  const judged = new Map<string, number>();
  const wrong: string[] = [];
  let base_url = '';

  async function handOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = (await textOf(request)).replaceAll(base_url, agent);
    const answer = await fetch(`${agent}${request.url ?? '/'}`, {
      method: request.method ?? 'GET',
      headers: headersOf(request),
      ...(asked.length > 0 && { body: asked }),
    });
    const text = await answer.text();
    judge(asked, text);
    const kept = [...answer.headers].filter(([name]) => !HOP.has(name));
    response.writeHead(answer.status, Object.fromEntries(kept));
    response.end(text.replaceAll(agent, base_url));
  }

  function judge(asked: string, answered: string): void {
    const { skill, release: spoken } = callIn(jsonOf(asked));
    if (skill === undefined) return;
    for (const message of messagesOf(answered)) {
      const told = answerIn(message);
      if (told === undefined) continue;
      judged.set(skill, (judged.get(skill) ?? 0) + 1);
      const named = String(spoken ?? told['adcp_version']);
      const release = RELEASES.find((one) => named.startsWith(one)) ?? OLDEST;
      wrong.push(...schemaErrors(skill, release, told).map((error) => `${skill} in ${release}: ${error}`));
    }
  }

  const server = createServer((request, response) => {
    handOn(request, response).catch((error: unknown) => {
      wrong.push(`${request.url ?? ''} was not handed on: ${String(error)}`);
      response.writeHead(502).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    base_url,
    judged,
    wrong,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Neither its requests nor its answers name it. */
const OLDEST: Release = '3.0';

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !HOP.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, [value].flat().join(', ')]));
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Which public task is asked for, over either wire, and in which release, where it says so. */
function callIn(asked: Json | undefined): { skill?: string | undefined; release?: unknown } {
  const { name, arguments: given, message } = (asked?.['params'] ?? {}) as Partial<Call>;
  if (asked?.['method'] === 'tools/call') return { skill: name, release: given?.['adcp_version'] };
  const data = message?.parts.map((part) => part.data).find((one) => one?.skill !== undefined);
  return { skill: data?.skill, release: data?.parameters?.['adcp_version'] };
}

interface Call {
  name: string;
  arguments: Json;
  message: { parts: { data?: { skill?: string; parameters?: Json } }[] };
}

/** The messages of an answer, which may be a stream of events. */
function messagesOf(answered: string): Json[] {
  const texts = answered.startsWith('{')
    ? [answered]
    : [...answered.matchAll(/^data: ?(\{.*)$/gm)].map((found) => found[1] ?? '');
  return texts.map(jsonOf).filter((one) => one !== undefined);
}

/** What a task answers in a message of either wire; undefined in one that carries none. */
function answerIn({ result }: Json): Json | undefined {
  const { structuredContent, task = result } = (result ?? {}) as { structuredContent?: Json; task?: unknown };
  if (structuredContent !== undefined) return structuredContent;
  const { artifacts } = (task ?? {}) as { artifacts?: { parts: { data?: Json }[] }[] };
  return artifacts?.at(-1)?.parts.findLast((part) => part.data !== undefined)?.data;
}
