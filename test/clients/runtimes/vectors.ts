/**
 * The vectors of packages/receiver, by its sources, on whatever runs this once it is bundled: Deno and Bun run it as a script,
 * workerd calls `test`. It says what became of each file of vectors as a line of JSON.
 */
import { memoryReplayStore, readEvent, verifyWebhook } from '../../../packages/receiver/src/index.ts';
import type { KeyStanding, Registration, ReplayStore } from '../../../packages/receiver/src/index.ts';
import events from '../../../packages/receiver/vectors/events.json' with { type: 'json' };
import keys from '../../../packages/receiver/vectors/keys.json' with { type: 'json' };
import requests from '../../../packages/receiver/vectors/requests.json' with { type: 'json' };

interface Vector {
  name: string;
  registration: Registration['mode'];
  now: number;
  request: { method: string; url: string; headers: Record<string, string>; body: string };
  expect: string;
  before?: number;
  standing?: KeyStanding;
  nonces?: string;
}

const AGREED: Record<Registration['mode'], Registration> = {
  rfc9421: { mode: 'rfc9421', jwks: keys.jwks },
  'hmac-sha256': { mode: 'hmac-sha256', secret: keys.hmac_secret, sender: 'seller' },
  bearer: { mode: 'bearer', token: keys.bearer_token, sender: 'seller' },
};

async function verdictOf(vector: Vector): Promise<string> {
  const { registration, now, before = 0, standing, nonces } = vector;
  const full: ReplayStore = {
    isFull: () => Promise.resolve(nonces === 'full'),
    record: () => Promise.resolve('full'),
  };
  const rules = {
    replay: nonces === undefined ? memoryReplayStore() : full,
    now: () => now * 1000,
    ...(standing && { revocation: { standingOf: () => Promise.resolve(standing) } }),
  };
  const request = { ...vector.request, rawBody: new TextEncoder().encode(vector.request.body) };
  for (let copy = 0; copy < before; copy += 1) await verifyWebhook(request, AGREED[registration], rules);
  const verdict = await verifyWebhook(request, AGREED[registration], rules);
  return verdict.ok ? 'ok' : verdict.code;
}

async function wrongRequests(): Promise<string[]> {
  const all = requests as Vector[];
  const verdicts = await Promise.all(all.map(verdictOf));
  return all.flatMap(({ name, expect }, at) => (verdicts[at] === expect ? [] : [`${name}: ${String(verdicts[at])}`]));
}

async function wrongEvents(): Promise<string[]> {
  const read = await Promise.all(events.map(({ body }) => readEvent(new TextEncoder().encode(body))));
  const asText = (value: unknown) => JSON.stringify(value, sorted);
  return events.flatMap(({ name, event }, at) => {
    const found = read[at];
    return asText(found?.ok ? found.event : null) === asText(event) ? [] : [name];
  });
}

function sorted(_key: string, value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? Object.fromEntries(Object.entries(value).sort()) : value;
}

async function run(): Promise<void> {
  for (const [step, check] of [
    ['requests', wrongRequests],
    ['events', wrongEvents],
  ] as const) {
    const wrong = await check();
    const outcome = wrong.length === 0 ? 'ok' : 'failed';
    console.log(JSON.stringify({ binding: 'vectors', step, outcome, reason: wrong.join('; ') }));
  }
}

if ('Deno' in globalThis || 'Bun' in globalThis) await run();

export default { test: run };
