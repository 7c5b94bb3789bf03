import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What a process used since it was last asked; times in milliseconds. */
export interface Used {
  cpu: number;
  /** The longest that its event loop was held up. */
  stall: number;
  /** Calls of the store that read. */
  reads: number;
}

/** How often the event loop is looked at. */
const LOOK_EVERY_MS = 1;

/** Tells at an address of its own what this process has used, each time since the last; to ask costs next to nothing. */
export async function tellUse(readsSoFar: () => number): Promise<string> {
  const delay = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS });
  delay.enable();
  let [usage, reads] = [process.cpuUsage(), readsSoFar()];
  const server = createServer((_request, response) => {
    const { user, system } = process.cpuUsage(usage);
    const stall = Math.max(0, delay.max / 1e6 - LOOK_EVERY_MS);
    const used: Used = { cpu: (user + system) / 1000, stall, reads: readsSoFar() - reads };
    response.end(JSON.stringify(used));
    delay.reset();
    [usage, reads] = [process.cpuUsage(), readsSoFar()];
  });
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function useOf(url: string): Promise<Used> {
  return (await (await fetch(url)).json()) as Used;
}
