import { createServer, request as requestHttp } from 'node:http';
import { connect } from 'node:net';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { agentKeys, boundedFetchJson, createReceiver, memoryInbox, memoryReplayStore } from '#receiver';
import type { Receiver, ReceiverOptions, Registration, ResolveKey, WebhookOutcome } from '#receiver';
import { protocolNames } from '../../src/platform/protocol-name.ts';
import { signHmac } from '../../src/webhooks/signing/hmac.ts';
import { signRequest } from '../../src/webhooks/signing/http-signature.ts';
import { until } from '../support/until.ts';
import { ED25519, ES256, NAMES } from './craft.ts';
import { listen, openReceivingApp, PATH, PUBLIC_URL, statusEvent } from './receiving-app.ts';

const SECRET = 'a shared secret of forty characters, yes';

describe('a verified webhook', () => {
  it.each([ED25519, ES256])('reaches the handler as one event with its bytes and its sender: $alg', async (key) => {
    const app = await openReceivingApp();
    const event = statusEvent();
    const response = await app.deliver(event, key);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ received: true, outcome: 'handled' });
    expect(app.received).toHaveLength(1);
    expect(app.received[0]).toMatchObject({
      event: { format: 'mcp', task_id: event['task_id'], status: 'completed', result: { media_buy_id: 'mb_1' } },
      sender: 'https://sales.example',
      raw: { json: event },
    });
    expect(Buffer.from(app.received[0]?.raw.body ?? []).toString()).toBe(JSON.stringify(event));
    expect(app.outcomes).toEqual([
      {
        outcome: 'handled',
        status: 200,
        sender: 'https://sales.example',
        keyid: key.kid,
        operation_id: 'op-1',
        task_id: event['task_id'],
        idempotency_key: event['idempotency_key'],
      },
    ]);
  });

  it('[W12] may have 1 MB', async () => {
    const app = await openReceivingApp();
    expect((await app.deliver(JSON.stringify(statusEvent()).padEnd(1_048_576))).status).toBe(200);
    expect(app.received).toHaveLength(1);
  });

  it('[C.events.5] may be an A2A body of either generation', async () => {
    const app = await openReceivingApp();
    const task = { id: 't1', contextId: 'c1', artifacts: [{ parts: [{ data: { a: 1 } }] }] };
    await app.deliver({ kind: 'task', ...task, status: { state: 'completed' } });
    await app.deliver({ task: { ...task, id: 't2', status: { state: 'TASK_STATE_COMPLETED' } } });
    expect(app.received.map(({ event }) => [event.format, event.status, event.result])).toEqual([
      ['a2a', 'completed', { a: 1 }],
      ['a2a', 'completed', { a: 1 }],
    ]);
  });

  it('without an event in it is answered 400: the sender must not repeat it', async () => {
    const app = await openReceivingApp();
    const bodies: [unknown, string][] = [
      [[], 'webhook_body_not_an_object'],
      [null, 'webhook_body_not_an_object'],
      [{ task_id: 't', status: 'completed' }, 'webhook_idempotency_key_missing'],
      [{ task_id: 't', status: 'active', idempotency_key: 'k' }, 'webhook_status_unknown'],
      [{ task: { id: 't', status: { state: 'TASK_STATE_ACTIVE' } } }, 'webhook_status_unknown'],
    ];
    for (const [body, error] of bodies) {
      const response = await app.deliver(body);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ error });
    }
    expect(app.received).toEqual([]);
  });
});

describe('a webhook that is refused', () => {
  it('[W12] [C.webhook.signatures.6] by the checklist is answered 401, with the code in WWW-Authenticate and nothing more', async () => {
    const app = await openReceivingApp();
    const body = JSON.stringify(statusEvent());
    const headers = signRequest({
      url: PUBLIC_URL + PATH,
      body: Buffer.from(body),
      key: ED25519,
      now: Date.now(),
      names: NAMES,
    });
    const response = await app.post(`${body} `, headers);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Signature error="webhook_signature_digest_mismatch"');
    expect(await response.json()).toEqual({ error: 'webhook_signature_digest_mismatch' });
    expect(app.outcomes).toEqual([{ outcome: 'refused', status: 401, code: 'webhook_signature_digest_mismatch' }]);
    expect(app.received).toEqual([]);
  });

  it('[W12] [W13] without any signature is answered 401', async () => {
    const app = await openReceivingApp();
    const response = await app.post('{}', { 'content-type': 'application/json' });
    expect(response.headers.get('www-authenticate')).toBe('Signature error="webhook_signature_header_malformed"');
  });

  it('[W12] when it comes twice in the same bytes and headers is a replay', async () => {
    const app = await openReceivingApp();
    const body = JSON.stringify(statusEvent());
    const headers = signRequest({
      url: PUBLIC_URL + PATH,
      body: Buffer.from(body),
      key: ED25519,
      now: Date.now(),
      names: NAMES,
    });
    expect((await app.post(body, headers)).status).toBe(200);
    const again = await app.post(body, headers);
    expect(again.headers.get('www-authenticate')).toBe('Signature error="webhook_signature_replayed"');
  });

  it.each(['text/plain', 'application/a2a+json', 'multipart/form-data; boundary=x'])(
    '[W12] [C.errors.content-type] for its content type %s is answered 415 before its signature is looked at',
    async (contentType) => {
      const app = await openReceivingApp();
      const response = await app.post('{}', { 'content-type': contentType });
      expect(response.status).toBe(415);
      expect(response.headers.get('www-authenticate')).toBeNull();
    },
  );

  it('[W12] [C.errors.too-large] with a body of 1 MB and one byte is answered 413 before its signature is looked at', async () => {
    const app = await openReceivingApp();
    const response = await app.post(Buffer.alloc(1_048_577, ' '), { 'content-type': 'application/json' });
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({ error: 'webhook_body_too_large' });
  });

  it('[W12] with a chunked body that does not say how long it is, is answered 413 when it passes 1 MB', async () => {
    const app = await openReceivingApp();
    const status = await new Promise((resolve, reject) => {
      const outgoing = requestHttp(app.url + PATH, { method: 'POST', headers: { 'content-type': 'application/json' } });
      outgoing.on('response', (response) => {
        resolve(response.statusCode);
        response.resume();
        outgoing.destroy();
      });
      outgoing.on('error', reject);
      const write = (left: number): void => {
        if (left === 0 || outgoing.destroyed) return;
        outgoing.write(Buffer.alloc(65_536, ' '), () => {
          write(left - 1);
        });
      };
      write(17);
    });
    expect(status).toBe(413);
    expect(app.outcomes).toMatchObject([{ outcome: 'refused', status: 413 }]);
  });

  it('leaves the connection fit for the next one, whether its body was read or not', async () => {
    const app = await openReceivingApp();
    const unread = `POST ${PATH} HTTP/1.1\r\nHost: b\r\nContent-Type: text/plain\r\nContent-Length: 200000\r\n\r\n`;
    const last = `POST ${PATH} HTTP/1.1\r\nHost: b\r\nContent-Type: application/json\r\nContent-Length: 2\r\n`;
    const answer = await rawExchange(app.url, `${unread}${'x'.repeat(200_000)}${last}Connection: close\r\n\r\n{}`);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 415', 'HTTP/1.1 401']);
  });

  it('[W12] with two content types is answered 415', async () => {
    const app = await openReceivingApp();
    const answer = await rawExchange(
      app.url,
      `POST ${PATH} HTTP/1.1\r\nHost: b\r\nContent-Type: application/json\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 415 /);
  });

  it('[W12] signed in another mode than the registered one is answered 401 webhook_mode_mismatch', async () => {
    const app = await openReceivingApp();
    const body = Buffer.from(JSON.stringify(statusEvent()));
    const hmac = {
      'content-type': 'application/json',
      ...signHmac({ body, secret: SECRET, now: Date.now(), names: NAMES }),
    };
    const response = await app.post(body, hmac);
    expect(response.headers.get('www-authenticate')).toBe('Signature error="webhook_mode_mismatch"');
  });

  it('whose sender goes away in mid-body harms nobody', async () => {
    const app = await openReceivingApp();
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nHost: b\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a`,
      () => {
        socket.destroy();
      },
    );
    await until(() => app.outcomes.length === 1);
    expect(app.outcomes).toMatchObject([{ outcome: 'failed' }]);
    expect((await app.deliver(statusEvent())).status).toBe(200);
  });
});

describe('the URL that was signed', () => {
  async function sign(app: { url: string }, url: string, host?: string): Promise<number> {
    const body = Buffer.from(JSON.stringify(statusEvent()));
    const headers = signRequest({ url, body, key: ED25519, now: Date.now(), names: NAMES });
    return new Promise((resolve, reject) => {
      requestHttp(
        app.url + PATH,
        { method: 'POST', headers: { ...headers, ...(host !== undefined && { host }) } },
        (response) => {
          resolve(response.resume().statusCode ?? 0);
        },
      )
        .on('error', reject)
        .end(body);
    });
  }

  it('[W12] [W14] behind a proxy is the configured origin with the request target, whatever Host says', async () => {
    const app = await openReceivingApp({ publicUrl: 'https://Buyer.example:443/' });
    expect(await sign(app, PUBLIC_URL + PATH, 'internal:8080')).toBe(200);
    expect(await sign(app, `https://other.example${PATH}`, 'other.example')).toBe(401);
  });

  it('[W12] may be worked out per request', async () => {
    const app = await openReceivingApp({
      publicUrl: ({ url }) => `https://shop.example/prefix${new URL(url).pathname}`,
    });
    expect(await sign(app, `https://shop.example/prefix${PATH}`)).toBe(200);
    expect(await sign(app, `https://shop.example${PATH}`)).toBe(401);
  });

  it.each(['https://buyer.example/path', 'buyer.example', 'https://buyer.example/?', ''])(
    'cannot be configured as %j',
    async (publicUrl) => {
      await expect(openReceivingApp({ publicUrl })).rejects.toThrow(RangeError);
    },
  );
});

describe('the receiver’s own URLs', () => {
  const origins = [PUBLIC_URL, 'https://shop.example'];
  const post = async (receiver: Receiver, signedFor: string, host: string): Promise<Response> => {
    const body = Buffer.from(JSON.stringify(statusEvent()));
    const headers = signRequest({ url: signedFor + PATH, body, key: ED25519, now: Date.now(), names: NAMES });
    return receiver.fetch(
      new Request(`http://10.0.0.1${PATH}`, { method: 'POST', body, headers: { ...headers, host } }),
    );
  };
  const open = (publicUrl: ReceiverOptions['publicUrl'], outcomes: WebhookOutcome[] = []) =>
    createReceiver({
      publicUrl,
      registration: { mode: 'rfc9421', jwks: { keys: [ED25519.publicJwk] } },
      replay: memoryReplayStore(),
      inbox: memoryInbox(),
      onEvent: () => undefined,
      onOutcome: (outcome) => outcomes.push(outcome),
    });

  it('[W12] keep out what was signed for another receiver and sent with its name in Host', async () => {
    for (const publicUrl of [PUBLIC_URL, origins]) {
      const answer = await post(open(publicUrl), 'https://ann.example', 'ann.example');
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringMatching(/webhook_(signature_invalid|target_uri_malformed)/),
      ]);
    }
  });

  it('may be several, of which Host names one', async () => {
    const outcomes: WebhookOutcome[] = [];
    const receiver = open(origins, outcomes);
    expect((await post(receiver, 'https://shop.example', 'SHOP.example:443')).status).toBe(200);
    expect((await post(receiver, PUBLIC_URL, 'buyer.example')).status).toBe(200);
    expect((await post(receiver, PUBLIC_URL, 'shop.example')).status).toBe(401);
    expect((await post(receiver, 'https://other.example', 'other.example')).status).toBe(401);
    expect(outcomes.at(-1)).toMatchObject({ reason: 'Host names none of publicUrl' });
  });

  it('must be given', () => {
    for (const none of [[], undefined, null, [PUBLIC_URL, '']]) {
      expect(() => open(none as unknown as string[])).toThrow(RangeError);
    }
  });
});

describe('registrations', () => {
  it('are found per request, and none is answered 404', async () => {
    const registration = ({ url }: Request): Promise<Registration | undefined> =>
      Promise.resolve(
        new URL(url).pathname === PATH ? { mode: 'rfc9421', jwks: { keys: [ED25519.publicJwk] } } : undefined,
      );
    const app = await openReceivingApp({ registration });
    expect((await app.deliver(statusEvent())).status).toBe(200);
    expect(app.received[0]?.sender).toBe('unnamed');
    expect((await fetch(`${app.url}/other`, { method: 'POST', body: '{}' })).status).toBe(404);
  });

  it('that cannot be looked up are answered 500, and the sender tries again', async () => {
    const app = await openReceivingApp({ registration: () => Promise.reject(new Error('down')) });
    expect((await app.deliver(statusEvent())).status).toBe(500);
    expect(app.outcomes).toMatchObject([{ outcome: 'failed', error: new Error('down') }]);
  });

  it('[W12] [C.webhook.signatures.6] find keys through brand.json over HTTP, and name the agent as the sender', async () => {
    const operator = await listen(
      createServer((request, response) => {
        const agentUrl = `http://${request.headers.host ?? ''}/a2a`;
        if (request.url === '/.well-known/brand.json') response.end(JSON.stringify({ agents: [{ url: agentUrl }] }));
        else if (request.url === '/.well-known/jwks.json') response.end(JSON.stringify({ keys: [ED25519.publicJwk] }));
        else response.writeHead(404).end();
      }),
    );
    const resolveKey = agentKeys({ agentUrl: `${operator}/a2a`, fetchJson: boundedFetchJson({ allowLoopback: true }) });
    const app = await openReceivingApp({ registration: { mode: 'rfc9421', resolveKey } });
    expect((await app.deliver(statusEvent())).status).toBe(200);
    expect(app.received[0]?.sender).toBe(`${operator}/a2a`);
    const unknown = await app.deliver(statusEvent(), ES256);
    expect(unknown.headers.get('www-authenticate')).toBe('Signature error="webhook_signature_key_unknown"');
  });

  it('that fail to answer in the verifier are answered 503, and the sender tries again', async () => {
    const resolveKey = () => Promise.reject(new Error('down'));
    const app = await openReceivingApp({ registration: { mode: 'rfc9421', resolveKey } });
    const response = await app.deliver(statusEvent());
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(app.outcomes).toMatchObject([{ code: 'webhook_verifier_unavailable', reason: 'down' }]);
  });

  it('[W16] hand a fetch that checks addresses to whatever looks keys up, under an adapter for Node', async () => {
    const handed: unknown[] = [];
    const resolveKey: ResolveKey = (_keyid, surroundings) => {
      handed.push(surroundings?.fetchJson);
      return { jwk: ED25519.publicJwk };
    };
    const app = await openReceivingApp({ registration: { mode: 'rfc9421', resolveKey } });
    expect((await app.deliver(statusEvent())).status).toBe(200);
    expect(handed).toEqual([expect.any(Function)]);
  });

  it('whose keys are not found say why to the receiver, and to the sender the code alone', async () => {
    const resolveKey = agentKeys({ agentUrl: 'https://sales.example/x', fetchJson: () => answers({ agents: [] }) });
    const app = await openReceivingApp({ registration: { mode: 'rfc9421', resolveKey } });
    const response = await app.deliver(statusEvent());
    expect([response.status, await response.json()]).toEqual([401, { error: 'webhook_signature_key_unknown' }]);
    expect(app.outcomes).toMatchObject([
      { reason: expect.stringContaining('does not list https://sales.example/x; it lists no agent') as string },
    ]);
  });

  it('of a weak secret throw when the receiver is made', async () => {
    for (const secret of ['', 'short']) {
      const registration = { mode: 'hmac-sha256', secret, sender: 's' } as const;
      await expect(openReceivingApp({ registration })).rejects.toThrow(RangeError);
    }
  });
});

describe('operations', () => {
  it('that are not expected are answered 404 and never handled', async () => {
    const asked: unknown[] = [];
    const expects = (operation_id: string | undefined) => {
      asked.push(operation_id);
      return operation_id === 'op-1';
    };
    const app = await openReceivingApp({ expects });
    expect((await app.deliver(statusEvent())).status).toBe(200);
    const other = await app.deliver(statusEvent({ operation_id: 'op-of-ann' }));
    expect([other.status, await other.json()]).toEqual([404, { error: 'unexpected' }]);
    expect(asked).toEqual(['op-1', 'op-of-ann']);
    expect(app.received).toHaveLength(1);
    expect(app.outcomes.at(-1)).toMatchObject({ outcome: 'unexpected', operation_id: 'op-of-ann' });
  });
});

describe('legacy registrations', () => {
  const body = Buffer.from(JSON.stringify(statusEvent()));
  const json = { 'content-type': 'application/json' };
  const code = (response: Response) => response.headers.get('www-authenticate');

  it('[C.webhook.hmac] verify HMAC over the exact bytes', async () => {
    const app = await openReceivingApp({ registration: { mode: 'hmac-sha256', secret: [SECRET], sender: 'seller' } });
    const signed = { ...json, ...signHmac({ body, secret: SECRET, now: Date.now(), names: NAMES }) };
    expect((await app.post(body, signed)).status).toBe(200);
    expect(app.received[0]?.sender).toBe('seller');
    expect(code(await app.post(`${body.toString()} `, signed))).toBe('Signature error="webhook_signature_invalid"');
    expect(code(await app.post(body, json))).toBe('Signature error="webhook_signature_header_malformed"');
    const old = { ...json, ...signHmac({ body, secret: SECRET, now: Date.now() - 310_000, names: NAMES }) };
    expect(code(await app.post(body, old))).toBe('Signature error="webhook_signature_window_invalid"');
  });

  it('[N1] use the headers of the configured protocol', async () => {
    const names = protocolNames('adcp');
    const app = await openReceivingApp({
      protocol: 'adcp',
      registration: { mode: 'hmac-sha256', secret: SECRET, sender: 'seller' },
    });
    expect(
      (await app.post(body, { ...json, ...signHmac({ body, secret: SECRET, now: Date.now(), names }) })).status,
    ).toBe(200);
  });

  it('[W12] refuse a body with duplicate keys, after its proof', async () => {
    const app = await openReceivingApp({ registration: { mode: 'hmac-sha256', secret: SECRET, sender: 'seller' } });
    const twice = Buffer.from('{"idempotency_key":"k","idempotency_key":"l"}');
    const signed = { ...json, ...signHmac({ body: twice, secret: SECRET, now: Date.now(), names: NAMES }) };
    expect(code(await app.post(twice, signed))).toBe('Signature error="webhook_body_malformed"');
  });

  it('[C.webhook.bearer] verify Bearer', async () => {
    const app = await openReceivingApp({
      registration: { mode: 'bearer', token: SECRET.replaceAll(' ', '-'), sender: 'seller' },
    });
    const bearer = (token: string) => ({ ...json, authorization: `Bearer ${token}` });
    expect((await app.post(body, bearer(SECRET.replaceAll(' ', '-')))).status).toBe(200);
    expect(code(await app.post(body, bearer('wrong')))).toBe('Signature error="webhook_signature_invalid"');
    expect(code(await app.post(body, json))).toBe('Signature error="webhook_signature_header_malformed"');
  });

  it.each([
    { mode: 'hmac-sha256', secret: SECRET, sender: 'seller' },
    { mode: 'bearer', token: SECRET, sender: 'seller' },
  ] satisfies Registration[])('[W12] refuse a signature by RFC 9421: $mode', async (registration) => {
    const app = await openReceivingApp({ registration });
    expect(code(await app.deliver(statusEvent()))).toBe('Signature error="webhook_mode_mismatch"');
  });

  it('[W12] refuse each other’s proof', async () => {
    const app = await openReceivingApp({ registration: { mode: 'hmac-sha256', secret: SECRET, sender: 'seller' } });
    expect(code(await app.post(body, { ...json, authorization: 'Bearer x' }))).toBe(
      'Signature error="webhook_mode_mismatch"',
    );
  });
});

describe('mounting', () => {
  it('behind a parser that has eaten the bytes fails loudly instead of verifying other bytes', async () => {
    const app = await openReceivingApp({ before: express.json() });
    const response = await app.deliver(statusEvent());
    const message = 'mount the receiver before any body parser';
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      error: 'body_already_parsed',
      message: expect.stringContaining(message) as string,
    });
    expect(app.outcomes[0]?.reason).toContain(message);
  });

  it('behind express.raw() takes the bytes it read', async () => {
    const app = await openReceivingApp({ before: express.raw({ type: '*/*', limit: '3mb' }) });
    expect((await app.deliver(statusEvent())).status).toBe(200);
    expect((await app.deliver(JSON.stringify(statusEvent()).padEnd(1_048_577))).status).toBe(413);
  });
});

function answers(json: unknown): Promise<{ status: number; json: unknown }> {
  return Promise.resolve({ status: 200, json });
}

/** Writes these bytes on a connection of their own and gives what comes back until it is closed. */
async function rawExchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  let answer = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) answer += chunk.toString();
  return answer;
}
