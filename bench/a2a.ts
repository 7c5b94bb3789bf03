import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';

const SECONDS = 4;
const ROUNDS = 3;
const CONNECTIONS = [10, 50] as const;

interface Side {
  url: string;
  stop(): Promise<void>;
}

interface Figures {
  rate: number;
  p99: number;
}

/**
 * Non-blocking `SendMessage` and `GetTask` per second over JSON-RPC: this agent (server and worker as two processes, durable,
 * on the embedded store) against the stock SDK handler over its in-memory store, in turns in the same run.
 */
export async function benchA2a(): Promise<void> {
  const sides = [
    await start(['../test/support/conformance/agent.ts'], { PORT: '0', LOG_LEVEL: 'error' }),
    await start(['a2a-stock.ts'], {}),
  ] as const;
  try {
    for (const connections of CONNECTIONS) {
      await compare(`SendMessage, ${connections} connections`, sides, (side) => loadSends(side, connections));
      const ids = new Map(await Promise.all(sides.map(async (side) => [side, await someTask(side)] as const)));
      await compare(`GetTask, ${connections} connections`, sides, (side) =>
        load(side, connections, () => rpc('GetTask', { id: ids.get(side) })),
      );
    }
  } finally {
    await Promise.all(sides.map((side) => side.stop()));
  }
}

async function compare(what: string, sides: readonly Side[], measure: (side: Side) => Promise<Figures>): Promise<void> {
  const rounds: Figures[][] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const figures: Figures[] = [];
    for (const side of sides) figures.push(await measure(side));
    if (round > 0) rounds.push(figures); // the first warms up
  }
  const of = (side: number, field: keyof Figures) => median(rounds.map((figures) => figures[side]?.[field] ?? 0));
  const [rate, peerRate] = [of(0, 'rate'), of(1, 'rate')];
  console.log(
    `${what.padEnd(30)} ours ${rate.toFixed(0)}/s p99 ${of(0, 'p99').toFixed(0)} ms   stock SDK ${peerRate.toFixed(0)}/s p99 ${of(1, 'p99').toFixed(0)} ms   ratio ${(rate / peerRate).toFixed(2)}`,
  );
}

function loadSends(side: Side, connections: number): Promise<Figures> {
  return load(side, connections, () =>
    rpc('SendMessage', { message: newMessage(), configuration: { returnImmediately: true } }),
  );
}

function newMessage() {
  return { messageId: `tck-complete-task-${randomUUID()}`, role: 'ROLE_USER', parts: [{ text: 'bench' }] };
}

function rpc(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}

const HEADERS = { 'content-type': 'application/json', 'a2a-version': '1.0' };

async function load(side: Side, connections: number, body: () => string): Promise<Figures> {
  const result = await autocannon({
    url: `${side.url}/a2a/jsonrpc`,
    connections,
    duration: SECONDS,
    requests: [{ method: 'POST', headers: HEADERS, setupRequest: (request) => ({ ...request, body: body() }) }],
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx + result.errors} requests failed`);
  return { rate: result.requests.average, p99: result.latency.p99 };
}

async function someTask(side: Side): Promise<string> {
  const response = await fetch(`${side.url}/a2a/jsonrpc`, {
    method: 'POST',
    headers: HEADERS,
    body: rpc('SendMessage', { message: newMessage() }),
  });
  const { result } = (await response.json()) as { result: { task: { id: string } } };
  return result.task.id;
}

async function start([file = '']: readonly string[], env: Record<string, string>): Promise<Side> {
  const child = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(new URL(file, import.meta.url))], {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const first = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
  const { base_url } = JSON.parse(String(first.value)) as { base_url: string };
  return {
    url: base_url,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
