import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StoryReceiver {
  url: string;
  /** What the webhooks since the last asking took from their `timestamp` to here, in milliseconds; those without one left out. */
  takeNewsMs(): number[];
  /** Resolves when the webhook has come that says so of this task. */
  completed(id: string): Promise<void>;
  close(): void;
}

/** A receiver that answers every webhook with 204 and waits for those that say `completed`. It verifies nothing. */
export async function openStoryReceiver(): Promise<StoryReceiver> {
  const done = new Set<string>();
  const waiting = new Map<string, () => void>();
  let newsMs: number[] = [];
  const server = createServer((request, response) => {
    const arrivedMs = Date.now();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(204).end();
      const { task_id, status, timestamp } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<
        string,
        string
      >;
      if (timestamp !== undefined) newsMs.push(arrivedMs - Date.parse(timestamp));
      if (status !== 'completed' || task_id === undefined) return;
      done.add(task_id);
      waiting.get(task_id)?.();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async completed(id) {
      if (!done.has(id)) await new Promise<void>((resolve) => waiting.set(id, resolve));
      waiting.delete(id);
    },
    takeNewsMs() {
      const taken = newsMs;
      newsMs = [];
      return taken;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
