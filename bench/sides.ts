import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { median } from './figures.ts';

/** One of the two that are compared: a process of its own. */
export interface Side {
  url: string;
  stop(): Promise<void>;
}

export interface Figures {
  /** Requests per second. */
  rate: number;
  /** Milliseconds. */
  p99: number;
}

const SECONDS = 4;
const ROUNDS = 3;

/** Starts an entry of this project that prints a line of JSON with its `base_url` when it is ready. */
export async function startSide([file = '', ...args]: readonly string[], env: Record<string, string>): Promise<Side> {
  const entry = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', entry, ...args], {
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

/**
 * As many requests as a number of connections can make, each a new object, headers and all: autocannon writes into it.
 * @throws {Error} when one of them fails.
 */
export async function load(connections: number, url: string, each: () => autocannon.Request): Promise<Figures> {
  const result = await autocannon({
    url,
    connections,
    duration: SECONDS,
    requests: [{ setupRequest: (request) => ({ ...request, ...each() }) }],
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx + result.errors} requests failed`);
  return { rate: result.requests.average, p99: result.latency.p99 };
}

/** Measures both in turns, several rounds, and prints their medians and the ratio. */
export async function compare(
  what: string,
  [ours, peer]: readonly [Side, Side],
  peerName: string,
  measure: (side: Side) => Promise<Figures>,
): Promise<void> {
  const rounds: [Figures, Figures][] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const figures: [Figures, Figures] = [await measure(ours), await measure(peer)];
    if (round > 0) rounds.push(figures); // the first warms up
  }
  const of = (side: 0 | 1, field: keyof Figures) => median(rounds.map((figures) => figures[side][field]));
  const [rate, peerRate] = [of(0, 'rate'), of(1, 'rate')];
  console.log(
    `${what.padEnd(44)} ours ${rate.toFixed(0)}/s p99 ${of(0, 'p99').toFixed(0)} ms   ${peerName} ${peerRate.toFixed(0)}/s p99 ${of(1, 'p99').toFixed(0)} ms   ratio ${(rate / peerRate).toFixed(2)}`,
  );
}
