import { createHash } from 'node:crypto';
import type { Chance } from '../../support/chance.ts';
import type { Received } from './received.ts';

/** Of a hundred requests, so many are failed. */
const FAILING_PERCENT = 30;
/** One event is failed no more often, so that how long the storm lasts is no matter of luck. */
const MAX_FAILURES = 4;

/** What a buyer knows of the events that it has answered with 2xx. */
export interface Heard {
  /** By idempotency key: how often, and in what bytes. */
  events: Map<string, { times: number; bytes: Set<string> }>;
  /** By idempotency key: how often it was failed. */
  failures: Map<string, number>;
  /** By task: the newest status, older ones ignored (rule C.events.4). */
  states: Map<string, { timestamp: string; status: string }>;
}

/** What receivers do with each request: some are failed, by 503 or by closing the connection; the others are heard. */
export function failing(heard: Heard, chance: Chance) {
  return ({ rawBody, body }: Received): 'fails' | 'closes' | undefined => {
    const percent = chance.between(0, 99);
    const key = String(body['idempotency_key']);
    const failures = heard.failures.get(key) ?? 0;
    if (percent < FAILING_PERCENT && failures < MAX_FAILURES) {
      heard.failures.set(key, failures + 1);
      return percent < FAILING_PERCENT / 2 ? 'fails' : 'closes';
    }
    const event = heard.events.get(key) ?? { times: 0, bytes: new Set() };
    event.times++;
    event.bytes.add(createHash('sha256').update(rawBody).digest('hex'));
    heard.events.set(key, event);
    const [task, timestamp, status] = [body['task_id'], body['timestamp'], body['status']].map(String) as [
      string,
      string,
      string,
    ];
    if ((heard.states.get(task)?.timestamp ?? '') < timestamp) heard.states.set(task, { timestamp, status });
    return undefined;
  };
}
