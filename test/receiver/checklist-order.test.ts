import { describe, expect, it } from 'vitest';
import { memoryReplayStore } from '#receiver';
import type { Jwk, KeyStanding } from '#receiver';
import { BODY, craft, ED25519, NOW, NOW_SECONDS, verifySigned } from './craft.ts';
import type { Craft, Crafted } from './craft.ts';

/** Everything that can be wrong with one webhook at a time or at once. */
interface Scene {
  given: Partial<Craft> & { body: Buffer; params: Craft['params']; components: string[] };
  tampers: ((request: Crafted) => void)[];
  jwk: Jwk;
  standing: KeyStanding;
  replay: { isFull: boolean; record: 'recorded' | 'seen' | 'full' };
}

interface Fault {
  step: string;
  code: string;
  bring: (scene: Scene) => void;
}

/** One fault per step, in the order of the checklist; each can be brought together with any other. */
const FAULTS: Fault[] = [
  {
    step: 'content type',
    code: 'webhook_content_type_unsupported',
    bring: ({ given }) => (given.contentType = 'text/plain'),
  },
  {
    step: 'size',
    code: 'webhook_body_too_large',
    bring: ({ given }) => (given.body = Buffer.concat([given.body, Buffer.alloc(1_048_577, ' ')])),
  },
  {
    step: 'mode',
    code: 'webhook_mode_mismatch',
    bring: ({ tampers }) => tampers.push(({ headers }) => (headers['x-proto-signature'] = 'sha256=00')),
  },
  {
    step: '1 headers',
    code: 'webhook_signature_header_malformed',
    bring: ({ tampers }) => tampers.push(({ headers }) => (headers['signature'] = 'sig1=:A+-_:')),
  },
  {
    step: '2 params',
    code: 'webhook_signature_params_incomplete',
    bring: ({ given }) => (given.params['nonce'] = undefined),
  },
  {
    step: '3 tag',
    code: 'webhook_signature_tag_invalid',
    bring: ({ given }) => (given.params['tag'] = '"proto/request-signing/v1"'),
  },
  {
    step: '4 alg',
    code: 'webhook_signature_alg_not_allowed',
    bring: ({ given }) => (given.params['alg'] = '"rsa-pss-sha512"'),
  },
  {
    step: '5 window',
    code: 'webhook_signature_window_invalid',
    bring: ({ given }) => (given.params['expires'] = String(NOW_SECONDS + 301)),
  },
  {
    step: '6 components',
    code: 'webhook_signature_components_incomplete',
    bring: ({ given }) => (given.components = given.components.filter((name) => name !== '@authority')),
  },
  { step: '7 key', code: 'webhook_signature_key_unknown', bring: ({ given }) => (given.params['keyid'] = '"nobody"') },
  {
    step: '8 purpose',
    code: 'webhook_signature_key_purpose_invalid',
    bring: (scene) => (scene.jwk = { ...scene.jwk, proto_use: 'governance-signing' }),
  },
  {
    step: '9 revoked',
    code: 'webhook_signature_key_revoked',
    bring: (scene) => (scene.jwk = { ...scene.jwk, revoked_at: '2026-01-01T00:00:00Z' }),
  },
  { step: '9 stale', code: 'webhook_signature_revocation_stale', bring: (scene) => (scene.standing = 'stale') },
  { step: '9 abuse', code: 'webhook_signature_rate_abuse', bring: ({ replay }) => (replay.isFull = true) },
  {
    step: '10 target',
    code: 'webhook_target_uri_malformed',
    bring: ({ tampers }) => tampers.push(({ headers }) => (headers['host'] = 'other.example')),
  },
  {
    step: '10 signature',
    code: 'webhook_signature_invalid',
    bring: ({ tampers }) => tampers.push((request) => (request.method = 'PUT')),
  },
  {
    step: '11 digest',
    code: 'webhook_signature_digest_mismatch',
    bring: ({ tampers }) =>
      tampers.push((request) => (request.rawBody = Buffer.concat([request.rawBody, Buffer.from(' ')]))),
  },
  { step: '12 nonce', code: 'webhook_signature_replayed', bring: ({ replay }) => (replay.record = 'seen') },
  {
    step: '14 body',
    code: 'webhook_body_malformed',
    bring: ({ given }) => (given.body = Buffer.from(given.body.toString().replace('{', '{"task_id":"other",'))),
  },
];

async function codeWith(faults: readonly Fault[]): Promise<string> {
  const scene: Scene = {
    given: {
      body: Buffer.from(BODY),
      params: {},
      components: ['@method', '@target-uri', '@authority', 'content-type', 'content-digest'],
    },
    tampers: [],
    jwk: ED25519.publicJwk,
    standing: 'good',
    replay: { isFull: false, record: 'recorded' },
  };
  for (const { bring } of faults) bring(scene);
  const request = craft(scene.given);
  for (const tamper of scene.tampers) tamper(request);
  const verdict = await verifySigned(request, {
    jwks: { keys: [scene.jwk] },
    now: () => NOW,
    revocation: { standingOf: () => Promise.resolve(scene.standing) },
    replay: {
      isFull: () => Promise.resolve(scene.replay.isFull),
      record: () => Promise.resolve(scene.replay.record),
    },
  });
  return verdict.ok ? 'ok' : verdict.code;
}

describe('the order of the checks', () => {
  it('[W12] nothing wrong: verified', async () => {
    expect(await codeWith([])).toBe('ok');
  });

  it.each(FAULTS)('[W12] only $step wrong: $code', async (fault) => {
    expect(await codeWith([fault])).toBe(fault.code);
  });

  it.each(FAULTS.map((earlier, index) => ({ ...earlier, earlier, later: FAULTS.slice(index + 1) })))(
    '[W12] $step comes before every later one: $code',
    async ({ earlier, later }) => {
      for (const fault of later) {
        expect(await codeWith([earlier, fault]), `together with ${fault.step}`).toBe(earlier.code);
        expect(await codeWith([fault, earlier]), `together with ${fault.step}`).toBe(earlier.code);
      }
    },
  );

  it('[W12] 13 comes before 14: a nonce without room and a malformed body', async () => {
    const full: Fault = {
      step: '13',
      code: 'webhook_signature_rate_abuse',
      bring: ({ replay }) => (replay.record = 'full'),
    };
    const body = FAULTS.filter(({ step }) => step === '14 body');
    expect(await codeWith([...body, full])).toBe(full.code);
  });

  it('[W12] asks for no key, revocation or nonce before the cheap checks have passed', async () => {
    const asked: string[] = [];
    const ask = (name: string) => {
      asked.push(name);
      throw new Error('asked too early');
    };
    const options = {
      resolveKey: () => ask('key'),
      revocation: { standingOf: () => ask('revocation') },
      replay: { ...memoryReplayStore(), isFull: () => ask('nonces') },
      now: () => NOW,
    };
    for (const params of [{ tag: '"x"' }, { alg: '"x"' }, { expires: '1' }, { nonce: undefined }]) {
      expect(await verifySigned(craft({ params }), options)).toMatchObject({ ok: false, status: 401 });
    }
    expect(asked).toEqual([]);
  });
});
