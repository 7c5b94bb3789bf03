import type { Outbound } from '../../platform/outbound/outbound-client.ts';
import { SimulatorCalls } from '../simulator/controls.ts';
import type { SimulatorControl } from '../simulator/controls.ts';
import type { SteeredSimulator } from './simulator-world.ts';
import type { WorldClock } from './world.ts';

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

export interface SteeringOptions {
  /** Where the simulator's process is; what stands before `/_control`. */
  url: string;
  token: string;
  outbound: Pick<Outbound, 'send'>;
}

/**
 * Steers a simulator's process by `POST /_control`, and tells what time it is there. Something must have been asked of it since its
 * last reset, since the time is that of its last call.
 * @throws {Error} with what was answered, when the controls are not there or not for us.
 */
export async function steerOverHttp({ url, token, outbound }: SteeringOptions): Promise<{
  simulator: SteeredSimulator;
  clock: Pick<WorldClock, 'now'>;
}> {
  async function ask(method: 'GET' | 'POST', path: string, body?: SimulatorControl): Promise<unknown> {
    const result = await outbound.send({
      url: url.replace(/\/+$/, '') + path,
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      totalTimeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
    });
    if (result.kind !== 'response') throw new Error(`${method} ${path} has no answer: ${result.kind}`);
    const text = result.body.toString('utf8');
    if (result.status !== 200) throw new Error(`${method} ${path} is answered ${result.status}: ${text.slice(0, 300)}`);
    return JSON.parse(text);
  }

  let aheadMs = 0;
  const simulator: SteeredSimulator = {
    take: async (control) => {
      await ask('POST', '/_control', control);
      aheadMs += (control.advance_s ?? 0) * 1000;
    },
    calls: async () => SimulatorCalls.parse(await ask('GET', '/_control/calls')),
  };
  const last = (await simulator.calls()).calls.at(-1);
  if (last === undefined)
    throw new Error('the simulator has not been asked anything yet, so it does not tell its time');
  aheadMs = Date.parse(last.at) - Date.now();
  return { simulator, clock: { now: () => Date.now() + aheadMs } };
}
