import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createReceiver, memoryInbox, memoryReplayStore } from '../src/index.ts';
import type { Inbox, ReceiverOptions, WebhookOutcome } from '../src/index.ts';

const TOKEN = 'a-token-of-forty-characters-1234567890ab';
const URL = 'https://buyer.example/webhooks';
const HEADERS = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
const CHALLENGE = { type: 'webhook.challenge', challenge: 'c'.repeat(32), account_id: 'acc_1', subscriber_id: 'main' };
const EVENT = { idempotency_key: 'k1', operation_id: 'op-1', task_id: 't1', status: 'working', timestamp: at(1) };

/** One request, how the receiver is set up for it, and what the sender and the receiver's people are told. */
interface Row {
  when: string;
  options?: Partial<ReceiverOptions>;
  /** Events that came before it. */
  before?: object[];
  request?: () => Request;
  status: number;
  outcome: WebhookOutcome['outcome'];
  /** Headers that the answer has besides its content type. */
  headers?: Record<string, string>;
  error?: string;
}

const RETRY = { 'retry-after': '5' };
const TABLE: Row[] = [
  { when: 'a new event', status: 200, outcome: 'handled' },
  { when: 'the same event again', before: [EVENT], status: 200, outcome: 'duplicate' },
  {
    when: 'an older state of the task',
    before: [{ ...EVENT, idempotency_key: 'k2', timestamp: at(2) }],
    status: 200,
    outcome: 'stale',
  },
  {
    when: 'no event in it',
    request: () => post('{"task_id":"t1"}'),
    status: 400,
    outcome: 'unreadable',
    error: 'webhook_idempotency_key_missing',
  },
  {
    when: 'a status nobody knows',
    request: () => post({ ...EVENT, status: 'active' }),
    status: 400,
    outcome: 'unreadable',
    error: 'webhook_status_unknown',
  },
  {
    when: 'no proof',
    request: () => post(EVENT, { 'content-type': 'application/json' }),
    status: 401,
    outcome: 'refused',
    headers: { 'www-authenticate': 'Signature error="webhook_signature_header_malformed"' },
    error: 'webhook_signature_header_malformed',
  },
  {
    when: 'another mode',
    request: () => post(EVENT, { 'content-type': 'application/json', 'x-proto-signature': 'x' }),
    status: 401,
    outcome: 'refused',
    headers: { 'www-authenticate': 'Signature error="webhook_mode_mismatch"' },
    error: 'webhook_mode_mismatch',
  },
  {
    when: 'an endpoint nobody registered',
    options: { registration: () => undefined },
    status: 404,
    outcome: 'unknown_endpoint',
  },
  { when: 'an operation nobody began', options: { expects: () => false }, status: 404, outcome: 'unexpected' },
  {
    when: 'a challenge that is agreed to',
    options: { agrees: ({ account_id, subscriber_id }) => account_id === 'acc_1' && subscriber_id === 'main' },
    request: () => post(CHALLENGE),
    status: 200,
    outcome: 'agreed',
  },
  {
    when: 'a challenge of others',
    options: { agrees: () => false },
    request: () => post(CHALLENGE),
    status: 404,
    outcome: 'unexpected',
  },
  { when: 'a challenge that nobody looks at', request: () => post(CHALLENGE), status: 404, outcome: 'unexpected' },
  {
    when: 'another method',
    request: () => new Request(URL),
    status: 405,
    outcome: 'not_a_post',
    headers: { allow: 'POST' },
  },
  {
    when: 'a body over 1 MB that says so',
    request: () => post(' '.repeat(1_048_577), { ...HEADERS, 'content-length': '1048577' }),
    status: 413,
    outcome: 'refused',
    error: 'webhook_body_too_large',
  },
  {
    when: 'a body that has no end',
    request: () => new Request(URL, { method: 'POST', headers: HEADERS, body: endless(), duplex: 'half' }),
    status: 413,
    outcome: 'refused',
    error: 'webhook_body_too_large',
  },
  {
    when: 'another content type',
    request: () => post(EVENT, { ...HEADERS, 'content-type': 'text/plain' }),
    status: 415,
    outcome: 'refused',
    error: 'webhook_content_type_unsupported',
  },
  { when: 'a full inbox', options: { inbox: answering('full') }, status: 429, outcome: 'full', headers: RETRY },
  {
    when: 'a handler that throws',
    options: {
      onEvent: () => {
        throw new Error('no');
      },
    },
    status: 500,
    outcome: 'failed',
  },
  {
    when: 'an inbox that fails',
    options: { inbox: { ...memoryInbox(), claim: () => Promise.reject(new Error('down')) } },
    status: 500,
    outcome: 'failed',
  },
  {
    when: 'a body that a parser has eaten',
    request: () => {
      const request = post(EVENT);
      void request.text();
      return request;
    },
    status: 500,
    outcome: 'body_already_parsed',
  },
  {
    when: 'another copy being handled',
    options: { inbox: answering('busy'), waitMs: 0 },
    status: 503,
    outcome: 'busy',
    headers: RETRY,
  },
  {
    when: 'keys that cannot be fetched',
    options: {
      registration: {
        mode: 'rfc9421',
        resolveKey: () => {
          throw new Error('connection refused');
        },
      },
    },
    request: () => post(EVENT, { 'content-type': 'application/json', ...signedByNobody() }),
    status: 503,
    outcome: 'refused',
    headers: RETRY,
    error: 'webhook_verifier_unavailable',
  },
];

describe('the answers', () => {
  for (const row of TABLE) {
    it(`${row.status} ${row.outcome}: ${row.when}`, async () => {
      const outcomes: WebhookOutcome[] = [];
      const handled: string[] = [];
      const receiver = createReceiver({
        publicUrl: 'https://buyer.example',
        registration: { mode: 'bearer', token: TOKEN, sender: 'seller' },
        replay: memoryReplayStore(),
        inbox: memoryInbox(),
        onEvent: ({ event }) => {
          handled.push(event.idempotency_key);
        },
        onOutcome: (outcome) => outcomes.push(outcome),
        ...row.options,
      });
      for (const event of row.before ?? []) assert.equal((await receiver.fetch(post(event))).status, 200);
      const answer = await receiver.fetch((row.request ?? (() => post(EVENT)))());
      assert.equal(answer.status, row.status);
      const { 'content-type': type, ...headers } = Object.fromEntries(answer.headers);
      assert.equal(type, 'application/json');
      assert.deepEqual(headers, row.headers ?? {});
      const body = (await answer.json()) as { error?: string; message?: string };
      const repeated = row.outcome === 'agreed' ? { challenge: CHALLENGE.challenge } : {};
      if (row.status === 200) assert.deepEqual(body, { received: true, outcome: row.outcome, ...repeated });
      else assert.equal(body.error, row.error ?? row.outcome);
      assert.deepEqual([outcomes.at(-1)?.outcome, outcomes.at(-1)?.status], [row.outcome, row.status]);
      if (row.outcome === 'body_already_parsed') assert.match(body.message ?? '', /before any body parser/);
      assert.equal(handled.length, (row.before ?? []).length + (row.outcome === 'handled' ? 1 : 0));
    });
  }
});

function post(body: string | object, headers: Record<string, string> = HEADERS): Request {
  return new Request(URL, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
}

function at(second: number): string {
  return new Date(1_772_366_400_000 + second * 1000).toISOString();
}

function answering(claim: 'busy' | 'full'): Inbox {
  return { ...memoryInbox(), claim: () => Promise.resolve(claim) };
}

/** A signature that passes all checks before the key's. */
function signedByNobody(): Record<string, string> {
  const created = Math.floor(Date.now() / 1000);
  const components = '"@method" "@target-uri" "@authority" "content-type" "content-digest"';
  const times = `created=${created};expires=${created + 300}`;
  const rest = 'nonce="AAAAAAAAAAAAAAAAAAAAAA";keyid="k";alg="ed25519";tag="proto/webhook-signing/v1"';
  return {
    'content-digest': `sha-256=:${'A'.repeat(43)}:`,
    'signature-input': `sig1=(${components});${times};${rest}`,
    signature: `sig1=:${'A'.repeat(86)}:`,
  };
}

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(new Uint8Array(65_536).fill(32));
    },
  });
}
