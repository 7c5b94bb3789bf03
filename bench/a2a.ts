import { randomUUID } from 'node:crypto';
import { compare, load, startSide } from './sides.ts';
import type { Side } from './sides.ts';

const CONNECTIONS = [10, 50] as const;
const PEER = 'stock SDK';

/**
 * Non-blocking `SendMessage` and `GetTask` per second over JSON-RPC: this agent (server and worker as two processes, durable,
 * on the embedded store) against the stock SDK handler over its in-memory store, in turns in the same run.
 */
export async function benchA2a(): Promise<void> {
  const sides = [
    await startSide(['../test/support/conformance/agent.ts'], {
      ...{ PORT: '0', LOG_LEVEL: 'error' },
      // More are sent than begun, which a client in earnest would be refused.
      MAX_TASKS_QUEUED: '1000000',
    }),
    await startSide(['a2a-stock.ts'], {}),
  ] as const;
  try {
    for (const connections of CONNECTIONS) {
      await compare(`SendMessage, ${connections} connections`, sides, PEER, (side) => loadSends(side, connections));
      const ids = new Map(await Promise.all(sides.map(async (side) => [side, await someTask(side)] as const)));
      await compare(`GetTask, ${connections} connections`, sides, PEER, (side) =>
        loadRpc(side, connections, () => rpc('GetTask', { id: ids.get(side) })),
      );
    }
  } finally {
    await Promise.all(sides.map((side) => side.stop()));
  }
}

function loadSends(side: Side, connections: number) {
  return loadRpc(side, connections, () =>
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

function loadRpc(side: Side, connections: number, body: () => string) {
  return load(connections, `${side.url}/a2a/jsonrpc`, () => ({
    method: 'POST',
    headers: { ...HEADERS },
    body: body(),
  }));
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
