import { describe, expect, it } from 'vitest';
import { memoryReplayStore } from '#receiver';
import type { Jwk, KeyStanding, ReplayStore } from '#receiver';
import { BODY, craft, ED25519, ES256, NOW, NOW_SECONDS, rules, verifySigned } from './craft.ts';
import type { Craft, Crafted, SignedRules } from './craft.ts';

type Tamper = (request: Crafted) => void;

/** Verifies a request that is right but for what was changed, before it was signed or after. */
async function codeOf(
  given: Partial<Craft>,
  tamper: Tamper = () => undefined,
  options: SignedRules = rules(),
): Promise<string> {
  const request = craft(given);
  tamper(request);
  const verdict = await verifySigned(request, options);
  return verdict.ok ? 'ok' : verdict.code;
}

function withHeader(name: string, value: string | undefined): Tamper {
  return ({ headers }) => {
    if (value === undefined) Reflect.deleteProperty(headers, name);
    else headers[name] = value;
  };
}

describe('a webhook that is right in every way', () => {
  it.each([ED25519, ES256])('[W12] is verified, by $alg', async (key) => {
    expect(await verifySigned(craft({ key }), rules())).toEqual({ ok: true, keyid: key.kid, sender: 'unnamed' });
  });

  it('[W12] tells who sent it, when the resolver knows', async () => {
    const resolveKey = () => ({ jwk: ED25519.publicJwk, sender: 'https://sales.example' });
    const verdict = await verifySigned(craft(), { resolveKey, replay: memoryReplayStore(), now: () => NOW });
    expect(verdict).toMatchObject({ ok: true, sender: 'https://sales.example' });
  });

  it('[W13] may carry other signatures: only sig1 is read', async () => {
    expect(
      await codeOf({}, ({ headers }) => {
        headers['signature-input'] = `relay=("@path");alg="x", ${headers['signature-input'] ?? ''}`;
        headers['signature'] = `relay=:AAAA:, ${headers['signature'] ?? ''}`;
      }),
    ).toBe('ok');
  });

  it('[W13] may use standard base64, padded or not', async () => {
    const toStandard = (text = '') => text.replaceAll('-', '+').replaceAll('_', '/');
    for (const key of [ED25519, ES256]) {
      for (const padding of ['', '==']) {
        const tamper = ({ headers }: Crafted) => {
          headers['signature'] = `sig1=:${toStandard(headers['signature']?.slice(6, -1))}${padding}:`;
        };
        expect(await codeOf({ key }, tamper)).toBe('ok');
      }
    }
  });

  it('[W12] may cover the five components in any order', async () => {
    expect(
      await codeOf({ components: ['content-digest', '@authority', 'content-type', '@target-uri', '@method'] }),
    ).toBe('ok');
  });

  it('[W12] may carry parameters that the profile does not know', async () => {
    expect(await codeOf({ params: { extra: '?1' } })).toBe('ok');
  });

  it('takes headers in any case, and as a web Headers object', async () => {
    const { headers, ...request } = craft();
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    expect(await verifySigned({ ...request, headers: upper }, rules())).toMatchObject({ ok: true });
    expect(await verifySigned({ ...request, headers: new Headers(headers) }, rules())).toMatchObject({ ok: true });
  });

  it('may have white space around its headers', async () => {
    const { headers, ...request } = craft();
    const spaced = Object.fromEntries(Object.entries<string>(headers).map(([name, value]) => [name, ` ${value}\t`]));
    expect(await verifySigned({ ...request, headers: spaced }, rules())).toMatchObject({ ok: true });
  });
});

describe('before the checklist', () => {
  it.each(['text/plain', 'application/a2a+json', 'application/jsonp', 'application/json; charset=latin1', ''])(
    '[W12] content type %j is refused with 415',
    async (contentType) => {
      expect(await verifySigned(craft({ contentType }), rules())).toEqual({
        ok: false,
        code: 'webhook_content_type_unsupported',
        status: 415,
      });
    },
  );

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset="UTF-8"; v=1'])(
    '[W12] content type %j is JSON',
    async (contentType) => {
      expect(await codeOf({ contentType })).toBe('ok');
    },
  );

  it('[W12] two content types, or a compressed body, are refused with 415', async () => {
    const twice = withHeader('content-type', 'application/json, application/json');
    expect(await codeOf({}, twice)).toBe('webhook_content_type_unsupported');
    expect(await codeOf({}, withHeader('content-encoding', 'gzip'))).toBe('webhook_content_type_unsupported');
  });

  it('[W12] a body of 1 MB is taken, and of one byte more refused with 413', async () => {
    const body = (size: number) => Buffer.from(BODY.padEnd(size));
    expect(await codeOf({ body: body(1_048_576) })).toBe('ok');
    expect(await verifySigned(craft({ body: body(1_048_577) }), rules())).toEqual({
      ok: false,
      code: 'webhook_body_too_large',
      status: 413,
    });
  });

  it('[W12] an HMAC signature, alone or beside the other, is another mode', async () => {
    expect(await codeOf({}, withHeader('x-proto-signature', 'sha256=00'))).toBe('webhook_mode_mismatch');
    expect(await codeOf({}, withHeader('x-proto-timestamp', '1'))).toBe('webhook_mode_mismatch');
  });

  it('[W12] a bearer token instead of a signature is another mode; beside one it says nothing', async () => {
    const instead = ({ headers }: Crafted) => {
      Reflect.deleteProperty(headers, 'signature');
      Reflect.deleteProperty(headers, 'signature-input');
      headers['authorization'] = 'Bearer abc';
    };
    expect(await codeOf({}, instead)).toBe('webhook_mode_mismatch');
    expect(await codeOf({}, withHeader('authorization', 'Bearer abc'))).toBe('ok');
  });
});

describe('step 1, headers', () => {
  it.each([
    ['no Signature-Input', withHeader('signature-input', undefined)],
    ['no Signature', withHeader('signature', undefined)],
    ['an empty Signature-Input', withHeader('signature-input', '')],
    ['a Signature-Input that does not parse', withHeader('signature-input', 'sig1=("@method"')],
    ['a Signature that does not parse', withHeader('signature', 'sig1=AAAA')],
    [
      'a Signature under another label',
      ({ headers }: Crafted) => (headers['signature'] = headers['signature']?.replace('sig1', 'sig2') ?? ''),
    ],
    [
      'a Signature-Input under another label',
      ({ headers }: Crafted) =>
        (headers['signature-input'] = headers['signature-input']?.replace('sig1', 'sig2') ?? ''),
    ],
    [
      'a label twice',
      ({ headers }: Crafted) => (headers['signature'] = `${headers['signature'] ?? ''}, ${headers['signature'] ?? ''}`),
    ],
    ['a Signature of both alphabets', withHeader('signature', 'sig1=:A+-_:')],
    ['a Content-Digest of both alphabets', withHeader('content-digest', `sha-256=:${'+-'.repeat(21)}A:`)],
    ['a Content-Digest that does not parse', withHeader('content-digest', 'sha-256=abc')],
    ['a Content-Digest of another algorithm', withHeader('content-digest', 'sha-512=:AAAA:')],
    ['a Content-Digest of a wrong length', withHeader('content-digest', 'sha-256=:AAAA:')],
    [
      'a Content-Digest with one algorithm twice',
      ({ headers }: Crafted) =>
        (headers['content-digest'] = `${headers['content-digest'] ?? ''}, ${headers['content-digest'] ?? ''}`),
    ],
    [
      'a Signature-Input of more than 8 KiB',
      ({ headers }: Crafted) => {
        headers['signature-input'] = `${headers['signature-input'] ?? ''};x="${'x'.repeat(8192)}"`;
      },
    ],
  ] as [string, Tamper][])('[W12] [W13] refuses %s', async (_what, tamper) => {
    expect(await codeOf({}, tamper)).toBe('webhook_signature_header_malformed');
  });

  it.each([
    { created: '"1772366400"' },
    { created: '1772366400.5' },
    { expires: 'soon' },
    { nonce: '1' },
    { keyid: 'key-1' },
    { alg: 'ed25519' },
    { tag: '?1' },
    { nonce: '"short"' },
    { nonce: '"AAAAAAAAAAAAAAAAAAAA+-"' },
    { nonce: '"not a token at all, by far"' },
  ])('[W12] refuses a parameter of another type or form: %j', async (params) => {
    expect(await codeOf({ params })).toBe('webhook_signature_header_malformed');
  });
});

describe('step 2, parameters', () => {
  it.each(['created', 'expires', 'nonce', 'keyid', 'alg', 'tag'])(
    '[W12] refuses a signature without %s',
    async (name) => {
      expect(await codeOf({ params: { [name]: undefined } })).toBe('webhook_signature_params_incomplete');
    },
  );
});

describe('step 3, tag', () => {
  it.each([
    'proto/request-signing/v1',
    'proto/webhook-signing/v2',
    'PROTO/webhook-signing/v1',
    'proto/webhook-signing/v1 ',
    '',
  ])('[W12] refuses the tag %j', async (tag) => {
    expect(await codeOf({ params: { tag: `"${tag}"` } })).toBe('webhook_signature_tag_invalid');
  });

  it('[N1] expects the tag of the configured protocol', async () => {
    const params = { tag: '"adcp/webhook-signing/v1"' };
    const keys = [{ ...ED25519.publicJwk, adcp_use: 'request-signing' }];
    expect(await codeOf({ params }, undefined, rules({ protocol: 'adcp', keys }))).toBe('ok');
  });
});

describe('step 4, algorithm', () => {
  it.each(['rsa-pss-sha512', 'hmac-sha256', 'EdDSA', 'Ed25519', 'none', ''])('[W12] refuses %j', async (alg) => {
    expect(await codeOf({ params: { alg: `"${alg}"` } })).toBe('webhook_signature_alg_not_allowed');
  });

  it('[W12] refuses what this receiver does not allow', async () => {
    const onlyEd25519 = () => rules({ allowedAlgs: ['ed25519'] });
    expect(await codeOf({ key: ES256 }, undefined, onlyEd25519())).toBe('webhook_signature_alg_not_allowed');
    expect(await codeOf({ key: ED25519 }, undefined, onlyEd25519())).toBe('ok');
  });
});

describe('step 5, window', () => {
  it.each([
    [0, 300, 'ok'],
    [0, 1, 'ok'],
    [60, 360, 'ok'],
    [-360, -60, 'ok'],
    [61, 361, 'webhook_signature_window_invalid'],
    [-361, -61, 'webhook_signature_window_invalid'],
    [0, 301, 'webhook_signature_window_invalid'],
    [0, 0, 'webhook_signature_window_invalid'],
    [10, 5, 'webhook_signature_window_invalid'],
  ])('[W12] [C.limits.signature] from now%+d s to now%+d s: %s', async (from, to, code) => {
    const params = { created: String(NOW_SECONDS + from), expires: String(NOW_SECONDS + to) };
    expect(await codeOf({ params })).toBe(code);
  });

  it('[W12] refuses numbers no clock shows', async () => {
    const params = { created: '-999999999999999', expires: '999999999999999' };
    expect(await codeOf({ params })).toBe('webhook_signature_window_invalid');
  });
});

describe('step 6, components', () => {
  const five = ['@method', '@target-uri', '@authority', 'content-type', 'content-digest'];

  it.each(five)('[W12] refuses a signature that leaves out %s', async (left) => {
    const components = five.filter((name) => name !== left);
    expect(await codeOf({ components })).toBe('webhook_signature_components_incomplete');
  });

  it.each([
    ['one more', [...five, 'date']],
    ['another instead of one', ['@method', '@target-uri', '@authority', 'content-type', 'date']],
    ['one of another message', ['@method";req', '@target-uri', '@authority', 'content-type', 'content-digest']],
    ['none', []],
  ])('[W12] refuses a signature that covers %s: exactly the five count', async (_what, components) => {
    const code = await codeOf({ components });
    expect(['webhook_signature_components_incomplete', 'webhook_signature_header_malformed']).toContain(code);
    if (components.length !== 5 || components.includes('date'))
      expect(code).toBe('webhook_signature_components_incomplete');
  });

  it('[W12] refuses a covered digest that is not there', async () => {
    const tamper = withHeader('content-digest', undefined);
    expect(await codeOf({}, tamper)).toBe('webhook_signature_components_incomplete');
  });
});

describe('step 7, key', () => {
  it('[W12] refuses a key id that stands for no key', async () => {
    expect(await codeOf({ params: { keyid: '"nobody"' } })).toBe('webhook_signature_key_unknown');
  });

  it('[W12] refuses a key id that stands for two keys', async () => {
    const keys = [ED25519.publicJwk, { ...ES256.publicJwk, kid: 'key-1' }];
    expect(await codeOf({}, undefined, rules({ keys }))).toBe('webhook_signature_key_unknown');
  });
});

describe('step 8, purpose', () => {
  const refusals: [string, Jwk][] = [
    ['no use of the protocol', { proto_use: undefined }],
    ['another use of the protocol', { proto_use: 'governance-signing' }],
    ['a list of uses', { proto_use: ['request-signing'] }],
    ['its own protocol’s other use, whatever another says', { proto_use: 'other', adcp_use: 'request-signing' }],
    ['the use of a protocol nobody knows', { proto_use: undefined, other_use: 'request-signing' }],
    ['no use', { use: undefined }],
    ['use for encryption', { use: 'enc' }],
    ['no operations', { key_ops: undefined }],
    ['other operations', { key_ops: ['sign'] }],
    ['operations as a text', { key_ops: 'verify' }],
    ['another algorithm', { alg: 'ES256' }],
    ['another curve', { crv: 'P-256' }],
    ['another type', { kty: 'EC' }],
    ['a value that is no key', { x: 'AAAA' }],
    ['no value', { x: undefined }],
  ];

  it.each(refusals)('[W12] refuses a key with %s', async (_what, change) => {
    const keys = [{ ...ED25519.publicJwk, ...change }];
    expect(await codeOf({}, undefined, rules({ keys }))).toBe('webhook_signature_key_purpose_invalid');
  });

  it('[W12] refuses a signature by an algorithm that is not its key’s', async () => {
    const params = { alg: '"ecdsa-p256-sha256"' };
    expect(await codeOf({ params })).toBe('webhook_signature_key_purpose_invalid');
  });

  it('[W12] takes the deprecated use while the compatibility window is open', async () => {
    const keys = [{ ...ED25519.publicJwk, proto_use: 'webhook-signing' }];
    expect(await codeOf({}, undefined, rules({ keys }))).toBe('ok');
    expect(await codeOf({}, undefined, rules({ keys, acceptDeprecatedKeyUse: false }))).toBe(
      'webhook_signature_key_purpose_invalid',
    );
  });

  it('takes a key that says more than needed, or leaves its algorithm to its curve', async () => {
    const keys = [{ ...ED25519.publicJwk, key_ops: ['verify', 'encrypt'], alg: undefined, comment: 'x' }];
    expect(await codeOf({}, undefined, rules({ keys }))).toBe('ok');
  });
});

describe('step 9, standing', () => {
  it.each([
    ['good', 'ok'],
    ['revoked', 'webhook_signature_key_revoked'],
    ['stale', 'webhook_signature_revocation_stale'],
  ] as [KeyStanding, string][])('[W12] a key whose standing is %s: %s', async (standing, code) => {
    const revocation = { standingOf: () => Promise.resolve(standing) };
    expect(await codeOf({}, undefined, rules({ revocation }))).toBe(code);
  });

  it.each([
    [NOW_SECONDS + 1, 'ok'],
    [NOW_SECONDS, 'webhook_signature_key_revoked'],
    [NOW_SECONDS - 1, 'webhook_signature_key_revoked'],
  ])('[W12] a key that marks itself revoked from %i counts no more from then on', async (seconds, code) => {
    const keys = [{ ...ED25519.publicJwk, revoked_at: new Date(seconds * 1000).toISOString() }];
    expect(await codeOf({}, undefined, rules({ keys }))).toBe(code);
  });

  it.each(['yesterday', true, 5])('[W12] a mark of revocation that is no instant, %j, revokes', async (revokedAt) => {
    const keys = [{ ...ED25519.publicJwk, revoked_at: revokedAt }];
    expect(await codeOf({}, undefined, rules({ keys }))).toBe('webhook_signature_key_revoked');
  });

  it('[W12] a key that has used up its nonces is refused before its signature is looked at', async () => {
    const options = rules({ replay: memoryReplayStore(2) });
    const nonce = (letter: string) => ({ params: { nonce: `"${letter.repeat(21)}A"` } });
    expect(await codeOf(nonce('a'), undefined, options)).toBe('ok');
    expect(await codeOf(nonce('b'), undefined, options)).toBe('ok');
    const broken = withHeader('signature', 'sig1=:AAAA:');
    expect(await codeOf(nonce('c'), broken, options)).toBe('webhook_signature_rate_abuse');
    expect(await codeOf({ ...nonce('d'), key: ES256 }, undefined, options)).toBe('ok');
  });
});

describe('step 10, signature', () => {
  it.each([
    ['https://[::1/hook', 'buyer.example'],
    ['ftp://buyer.example/hooks/sales?seller=1', 'buyer.example'],
    ['https://other.example/hooks/sales?seller=1', 'buyer.example'],
    ['https://buyer.example/hooks/sales?seller=1', 'other.example'],
    ['https://buyer.example/hooks/sales?seller=1', 'buyer.example:8443'],
    ['https://buyer.example/hooks/sales?seller=1', 'user@buyer.example'],
    ['https://buyer.example/hooks/sales?seller=1', ''],
  ])('[W12] [W14] a URL %s with Host %s is malformed', async (url, host) => {
    const tamper = (request: Crafted) => {
      request.url = url;
      request.headers['host'] = host;
    };
    expect(await codeOf({}, tamper)).toBe('webhook_target_uri_malformed');
  });

  it('[W12] a pseudo-header that disagrees with Host is malformed', async () => {
    expect(await codeOf({}, withHeader(':authority', 'other.example'))).toBe('webhook_target_uri_malformed');
    expect(await codeOf({}, withHeader(':authority', 'buyer.example'))).toBe('ok');
  });

  it.each([
    ['HTTPS://BUYER.example:443/hooks/./sales?seller=1#top', 'buyer.EXAMPLE:443'],
    ['https://buyer.example/hooks/%73ales?seller=1', 'buyer.example'],
  ])('[W14] a URL in another spelling, %s, is the same', async (url, host) => {
    const tamper = (request: Crafted) => {
      request.url = url;
      request.headers['host'] = host;
    };
    expect(await codeOf({}, tamper)).toBe('ok');
  });

  it.each([
    [
      'another key’s signature',
      ({ headers }: Crafted) =>
        (headers['signature'] = craft({ key: { ...ES256, alg: 'ecdsa-p256-sha256' } }).headers['signature'] ?? ''),
    ],
    ['a shorter one', withHeader('signature', 'sig1=:AAAA:')],
    ['none between the colons', withHeader('signature', 'sig1=::')],
    ['another method', (request: Crafted) => (request.method = 'PUT')],
    ['the method in lower case', (request: Crafted) => (request.method = 'post')],
    ['another path', (request: Crafted) => (request.url = 'https://buyer.example/hooks/other?seller=1')],
    ['another query', (request: Crafted) => (request.url = 'https://buyer.example/hooks/sales?seller=2')],
    ['an escaped query', (request: Crafted) => (request.url = 'https://buyer.example/hooks/sales?%73eller=1')],
    ['http', (request: Crafted) => (request.url = 'http://buyer.example/hooks/sales?seller=1')],
    ['another charset', withHeader('content-type', 'application/json; charset=utf-8')],
  ] as [string, Tamper][])('[W12] refuses %s', async (_what, tamper) => {
    expect(await codeOf({}, tamper)).toBe('webhook_signature_invalid');
  });

  it('[W13] refuses an ES256 signature in DER', async () => {
    const tamper = ({ headers }: Crafted) => {
      const raw = Buffer.from(headers['signature']?.slice(6, -1) ?? '', 'base64url');
      const integer = (bytes: Buffer) => Buffer.concat([Buffer.from([2, 33, 0]), bytes]);
      const pair = Buffer.concat([integer(raw.subarray(0, 32)), integer(raw.subarray(32))]);
      headers['signature'] = `sig1=:${Buffer.concat([Buffer.from([48, pair.length]), pair]).toString('base64url')}:`;
    };
    expect(await codeOf({ key: ES256 }, tamper)).toBe('webhook_signature_invalid');
  });
});

describe('steps 11 to 14, content', () => {
  it('[W12] refuses another body under the signed digest', async () => {
    const tamper = (request: Crafted) => (request.rawBody = Buffer.from(BODY.replace('completed', 'failed')));
    expect(await codeOf({}, tamper)).toBe('webhook_signature_digest_mismatch');
  });

  it('[W12] [C.webhook.signatures.5] refuses the same JSON in other bytes', async () => {
    const tamper = (request: Crafted) => (request.rawBody = Buffer.from(BODY.replaceAll(':', ': ')));
    expect(await codeOf({}, tamper)).toBe('webhook_signature_digest_mismatch');
  });

  it('[W12] [C.webhook.signatures.7] refuses a nonce that was used before, until 60 s after it expired', async () => {
    const replay = memoryReplayStore();
    let now = NOW;
    const options = rules({ replay, now: () => now });
    expect(await codeOf({}, undefined, options)).toBe('ok');
    expect(await codeOf({}, undefined, options)).toBe('webhook_signature_replayed');
    now = NOW + 360_000;
    expect(await codeOf({}, undefined, options)).toBe('webhook_signature_replayed');
    now = NOW + 360_001;
    expect(await codeOf({}, undefined, options)).toBe('webhook_signature_window_invalid');
  });

  it('[W12] takes the same nonce of another key', async () => {
    const options = rules();
    expect(await codeOf({ key: ED25519 }, undefined, options)).toBe('ok');
    expect(await codeOf({ key: ES256 }, undefined, options)).toBe('ok');
  });

  it('[W12] lets only one of many copies at once pass', async () => {
    const options = rules();
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf({}, undefined, options)));
    expect(codes.filter((code) => code === 'ok')).toHaveLength(1);
    expect(codes.filter((code) => code === 'webhook_signature_replayed')).toHaveLength(19);
  });

  it('[W12] spends no nonce on a signature that is not good', async () => {
    const options = rules();
    expect(await codeOf({}, withHeader('signature', 'sig1=:AAAA:'), options)).toBe('webhook_signature_invalid');
    expect(await codeOf({}, undefined, options)).toBe('ok');
  });

  it('[W12] refuses a nonce that finds no room, although there was room when it was looked at', async () => {
    const replay: ReplayStore = { isFull: () => Promise.resolve(false), record: () => Promise.resolve('full') };
    expect(await codeOf({}, undefined, rules({ replay }))).toBe('webhook_signature_rate_abuse');
  });

  it.each(['{"a":1,"a":1}', '[{"b":{"a":1,"\\u0061":2}}]', '{"a":1', '', 'null x', '\ufeff{}'])(
    '[W12] refuses the signed body %j',
    async (body) => {
      expect(await codeOf({ body: Buffer.from(body) })).toBe('webhook_body_malformed');
    },
  );

  it('[W12] spends the nonce before it looks at the body', async () => {
    const options = rules();
    const body = Buffer.from('{"a":1,"a":2}');
    expect(await codeOf({ body }, undefined, options)).toBe('webhook_body_malformed');
    expect(await codeOf({ body }, undefined, options)).toBe('webhook_signature_replayed');
  });

  it('leaves the shape of the body to whoever reads it', async () => {
    expect(await codeOf({ body: Buffer.from('null') })).toBe('ok');
  });
});

describe('when a part of the verifier fails', () => {
  const fails = () => Promise.reject(new Error('down'));
  it.each([
    ['the resolver', { resolveKey: fails, replay: memoryReplayStore(), now: () => NOW }],
    ['the revocations', rules({ revocation: { standingOf: fails } })],
    ['the replay store at once', rules({ replay: { isFull: fails, record: fails } })],
    ['the replay store late', rules({ replay: { isFull: () => Promise.resolve(false), record: fails } })],
  ] as [string, SignedRules][])('%s: answers 503, so that the sender tries again', async (_what, options) => {
    expect(await verifySigned(craft(), options)).toEqual({
      ok: false,
      code: 'webhook_verifier_unavailable',
      status: 503,
      reason: 'down',
    });
  });
});
