import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { memoryReplayStore, readEvent, verifyWebhook } from '../src/index.ts';
import type { Jwks, KeyStanding, Registration, ReplayStore } from '../src/index.ts';

interface Keys {
  jwks: Jwks;
  hmac_secret: string;
  bearer_token: string;
}

interface RequestVector {
  name: string;
  registration: Registration['mode'];
  now: number;
  request: { method: string; url: string; headers: Record<string, string>; body: string };
  expect: string;
  status: number;
  before?: number;
  standing?: KeyStanding;
  nonces?: 'full' | 'fills';
}

interface EventVector {
  name: string;
  body: string;
  event: object | null;
}

function vectors(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8'));
}

const keys = vectors('keys') as Keys;
const AGREED: Record<Registration['mode'], Registration> = {
  rfc9421: { mode: 'rfc9421', jwks: keys.jwks },
  'hmac-sha256': { mode: 'hmac-sha256', secret: keys.hmac_secret, sender: 'seller' },
  bearer: { mode: 'bearer', token: keys.bearer_token, sender: 'seller' },
};

/** What remembers nonces: empty, or with no room left at once, or when this one is to be recorded. */
function replayStore({ nonces }: RequestVector): ReplayStore {
  if (nonces === undefined) return memoryReplayStore();
  return { isFull: () => Promise.resolve(nonces === 'full'), record: () => Promise.resolve('full') };
}

describe('the vectors of requests', () => {
  for (const vector of vectors('requests') as RequestVector[]) {
    const { name, registration, now, expect, status, before = 0, standing } = vector;
    it(`${name}: ${expect}`, async () => {
      const rules = {
        replay: replayStore(vector),
        now: () => now * 1000,
        ...(standing && { revocation: { standingOf: () => Promise.resolve(standing) } }),
      };
      const request = { ...vector.request, rawBody: new TextEncoder().encode(vector.request.body) };
      for (let copy = 0; copy < before; copy += 1) {
        assert.equal((await verifyWebhook(request, AGREED[registration], rules)).ok, true);
      }
      const verdict = await verifyWebhook(request, AGREED[registration], rules);
      assert.deepEqual(verdict.ok ? ['ok', 200] : [verdict.code, verdict.status], [expect, status]);
    });
  }
});

describe('the vectors of events', () => {
  for (const { name, body, event } of vectors('events') as EventVector[]) {
    it(name, async () => {
      const read = await readEvent(new TextEncoder().encode(body));
      assert.deepEqual(read.ok ? read.event : null, event);
    });
  }
});
