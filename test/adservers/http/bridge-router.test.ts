import { gzipSync } from 'node:zlib';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { BRIDGE_CALLS } from '../../../src/adservers/http/bridge-calls.ts';
import type { AdServer } from '../../../src/sales/ad-server/ad-server.ts';
import { mediaBuyId } from '../../support/ids.ts';
import { anOrder, aCreative } from './support/samples.ts';
import { serveBridge, TOKEN } from './support/bridge.ts';
import { keptAdServer } from './support/kept-ad-server.ts';

interface Sent {
  method?: string;
  path: string;
  body?: unknown;
  /** As it is, in place of `body`. */
  text?: string;
  token?: string | null;
}

/** Sends one request by plain `fetch`; the body of the answer as JSON. */
async function ask(url: string, { method = 'GET', path, body, text, token = TOKEN }: Sent) {
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(url + path, {
    method,
    ...(sent !== undefined && { body: sent }),
    headers: { ...(token !== null && { authorization: `Bearer ${token}` }) },
  });
  const { status, headers } = response;
  return { status, headers, body: (await response.json()) as Record<string, unknown> };
}

const refusal = (code: string, message: unknown = expect.any(String)) => ({ error: { code, message } });

describe('a call of the bridge', () => {
  it.each([null, 'wrong', TOKEN.slice(1), `${TOKEN}x`])(
    'with the token %s is 401 and told to nobody',
    async (token) => {
      const kept = keptAdServer();
      const url = await serveBridge(kept.adServer);
      for (const path of ['/v1/description', '/v1/nothing', '/v1/orders/mb_1']) {
        const answer = await ask(url, { path, token });
        expect([answer.status, answer.body]).toEqual([401, refusal('unauthorized')]);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      }
      expect(kept.calls).toEqual([]);
    },
  );

  it.each([
    ['no JSON', '{'],
    ['nothing', ''],
    ['null', 'null'],
    ['another thing', '{"media_buy_id":"mb_1"}'],
    ['a field too many', JSON.stringify({ ...anOrder('mb_1'), more: 1 })],
    ['a version of 0', JSON.stringify({ ...anOrder('mb_1'), version: 0 })],
  ])('with %s for an order is 400 and told to nobody', async (_what, text) => {
    const kept = keptAdServer();
    const url = await serveBridge(kept.adServer);
    for (const [method, path] of [
      ['PUT', '/v1/orders/mb_1'],
      ['POST', '/v1/orders/mb_1/check'],
    ] as const) {
      const answer = await ask(url, { method, path, text });
      expect([answer.status, answer.body]).toEqual([400, refusal('invalid_request')]);
    }
    expect(kept.calls).toEqual([]);
  });

  it('that is no UTF-8 is 400, and of which gzip is JSON is as good as plain', async () => {
    const kept = keptAdServer({ check: { outcome: 'unknown' } });
    const url = await serveBridge(kept.adServer);
    const post = async (body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
      const sent = { method: 'POST', body, headers: { authorization: `Bearer ${TOKEN}`, ...headers } };
      return (await fetch(`${url}/v1/orders/mb_1/check`, sent)).status;
    };
    const text = JSON.stringify({ ...anOrder('mb_1'), name: '?' });
    expect(await post(Uint8Array.from(Buffer.from(text)).map((byte) => (byte === 0x3f ? 0xff : byte)))).toBe(400);
    expect(await post(Uint8Array.from(gzipSync(text)))).toBe(400);
    expect(await post(Uint8Array.from(gzipSync(text)), { 'content-encoding': 'gzip' })).toBe(200);
  });

  it('names what does not fit', async () => {
    const url = await serveBridge(keptAdServer().adServer);
    const answer = await ask(url, {
      method: 'POST',
      path: '/v1/statements',
      body: { media_buy_ids: [], from: 'noon' },
    });
    expect(answer.body).toEqual(
      refusal('invalid_request', expect.stringMatching(/body\.media_buy_ids: .*; body\.from: /)),
    );
  });

  it('whose path names another than the body is 400', async () => {
    const kept = keptAdServer();
    const url = await serveBridge(kept.adServer);
    for (const [method, path, body] of [
      ['PUT', '/v1/orders/mb_2', anOrder('mb_1')],
      ['POST', '/v1/orders/mb_2/check', anOrder('mb_1')],
      ['PUT', '/v1/creatives/cr_2/1', aCreative('cr_1', 1)],
      ['PUT', '/v1/creatives/cr_1/2', aCreative('cr_1', 1)],
    ] as const) {
      const answer = await ask(url, { method, path, body });
      expect([answer.status, answer.body]).toEqual([400, refusal('invalid_request', expect.stringContaining('path'))]);
    }
    expect(kept.calls).toEqual([]);
  });

  it('with a body larger than allowed is 413', async () => {
    const url = await serveBridge(keptAdServer().adServer, { maxBodyBytes: 1_000 });
    const answer = await ask(url, { method: 'PUT', path: '/v1/orders/mb_1', body: 'x'.repeat(2_000) });
    expect([answer.status, answer.body]).toEqual([413, refusal('too_large')]);
  });

  it('of an unknown path is 404, and of another method 405 with those there are', async () => {
    const url = await serveBridge(keptAdServer().adServer);
    for (const path of ['/', '/v1', '/v1/orders', '/v1/orders/', '/v1/orders/a/b/c', '/v2/description']) {
      const answer = await ask(url, { path });
      expect([path, answer.status, answer.body]).toEqual([path, 404, refusal('not_found')]);
    }
    for (const [path, allowed] of [
      ['/v1/description', 'GET'],
      ['/v1/orders/mb_1', 'PUT, GET'],
      ['/v1/orders/mb_1/check', 'POST'],
      ['/v1/openapi.json', 'GET'],
    ] as const) {
      const answer = await ask(url, { method: 'DELETE', path });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, allowed]);
      expect(answer.body).toEqual(refusal('method_not_allowed'));
    }
  });

  it('whose path is not well encoded is 400', async () => {
    const answer = await ask(await serveBridge(keptAdServer().adServer), { path: '/v1/orders/%zz' });
    expect([answer.status, answer.body]).toEqual([400, refusal('invalid_request')]);
  });

  it('for what the ad server has not is 404', async () => {
    const { forecast: _forecast, inventory: _inventory, ...adServer } = keptAdServer().adServer;
    const url = await serveBridge(adServer satisfies AdServer);
    expect((await ask(url, { path: '/v1/inventory' })).status).toBe(404);
    expect((await ask(url, { method: 'POST', path: '/v1/forecast', body: {} })).status).toBe(404);
  });

  it('has the status of its outcome', async () => {
    const kept = keptAdServer();
    const url = await serveBridge(kept.adServer);
    const native = { order: '1', lines: {}, creatives: {} };
    const at = '2026-01-01T00:00:00.000Z';
    const reasons = [{ code: 'dates' as const, pointer: '/start', message: 'too early' }];
    for (const [status, answer] of [
      [200, { outcome: 'done', native, lines: [] }],
      [202, { outcome: 'pending', ask_again_at: at, waiting_for: 'person', note: 'n' }],
      [422, { outcome: 'refused', reasons }],
      [409, { outcome: 'stale', version: 4 }],
    ] as const) {
      kept.answers.put = structuredClone(answer) as never;
      const answered = await ask(url, { method: 'PUT', path: '/v1/orders/mb_1', body: anOrder('mb_1') });
      expect([answered.status, answered.body]).toEqual([status, answer]);
    }
    kept.answers.check = { outcome: 'refused', reasons };
    const checked = await ask(url, { method: 'POST', path: '/v1/orders/mb_1/check', body: anOrder('mb_1') });
    expect(checked.status).toBe(200);
    kept.answers.read = { found: false };
    const read = await ask(url, { path: '/v1/orders/%5Bmb%22%2F%5D' });
    expect([read.status, read.body]).toEqual([200, { found: false }]);
    expect(kept.calls.at(-1)?.told).toBe(mediaBuyId('[mb"/]'));
  });

  it('with two cursors is 400', async () => {
    const answer = await ask(await serveBridge(keptAdServer().adServer), { path: '/v1/inventory?cursor=a&cursor=b' });
    expect([answer.status, answer.body]).toEqual([
      400,
      refusal('invalid_request', expect.stringContaining('query.cursor')),
    ]);
  });
});

describe('/v1/openapi.json', () => {
  it('is a valid OpenAPI 3.1 document for anybody, and describes every call', async () => {
    const url = await serveBridge(keptAdServer().adServer);
    const { status, body } = await ask(url, { path: '/v1/openapi.json', token: null });
    expect(status).toBe(200);
    const result = await new Validator().validate(body);
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(body['webhooks']).toMatchObject({
      ring: { post: { operationId: 'ring', responses: { 202: {}, 404: {} } } },
    });
    const paths = body['paths'] as Record<string, Record<string, { operationId: string; responses: object }>>;
    for (const [name, { path, method, answers }] of Object.entries(BRIDGE_CALLS)) {
      const operation = paths[path]?.[method.toLowerCase()];
      expect(operation?.operationId).toBe(name);
      expect(Object.keys(operation?.responses ?? {})).toEqual(
        expect.arrayContaining([...Object.keys(answers), '400', '401']),
      );
    }
  });

  it('carries the bounds that validation enforces', async () => {
    const { body } = await ask(await serveBridge(keptAdServer().adServer), { path: '/v1/openapi.json' });
    expect(body).toMatchObject({
      components: { schemas: { AdOrder: { additionalProperties: false, properties: { version: { minimum: 1 } } } } },
    });
  });
});
