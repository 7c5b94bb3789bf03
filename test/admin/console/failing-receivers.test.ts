import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutbound } from '../../../src/platform/outbound/outbound-client.ts';
import type { Outbound } from '../../../src/platform/outbound/outbound-client.ts';
import { openGate } from '../../../src/webhooks/delivery/admission.ts';
import { Deliveries, Delivery } from '../../../src/webhooks/delivery/delivery.ts';
import { attemptJob } from '../../../src/webhooks/delivery/queue-deliveries.ts';
import { createWebhooks } from '../../../src/webhooks/webhooks.ts';
import type { Webhooks } from '../../../src/webhooks/webhooks.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { selfSigned } from '../../platform/outbound/support/certificate.ts';
import { bundle } from '../../support/bundle.ts';
import { freePort } from '../../support/free-port.ts';
import { LONG_MS } from '../../support/until.ts';
import { withMoreTime } from '../../support/with-more-time.ts';
import { organizationId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { openReceiver, status } from '../../webhooks/support/open-receiver.ts';
import type { Receiver } from '../../webhooks/support/open-receiver.ts';
import { textOf, visitorOf } from './support/visitor.ts';
import type { Visitor } from './support/visitor.ts';

const BUYER = organizationId('org_demo_buyer');
const CHALLENGE = 'Signature error="webhook_signature_digest_mismatch"';

describeOnStores('a webhook’s page on %s', (kind) => {
  const timeouts = { connectTimeoutMs: LONG_MS, totalTimeoutMs: LONG_MS };
  let agent: TestAgent;
  let outbound: Outbound;
  let webhooks: Webhooks;
  let receiver: Receiver;
  let tls: ReturnType<typeof createTlsServer>;
  let refusedUrl: string;
  let viewer: Visitor;
  let portalCookie: string;
  let folder: string;
  beforeAll(async () => {
    receiver = await openReceiver();
    tls = createTlsServer(selfSigned({ ipv4: ['127.0.0.1'] })).listen(0, '127.0.0.1');
    await once(tls, 'listening');
    refusedUrl = `http://127.0.0.1:${await freePort()}/hook`;
    agent = await startTestAgent(kind, { working: false });
    const { core, baseUrl } = agent;
    outbound = createOutbound({
      allowLoopback: true,
      resolve: () => Promise.resolve([{ address: '10.0.0.7', family: 4 }]),
    });
    webhooks = createWebhooks({
      ...core,
      // Nothing spares a receiver that fails, one case after the other.
      ...{ outbound, gate: openGate, allowLoopback: true, allowLegacyBearer: false },
      identity: { publicBaseUrl: baseUrl, name: 'Seller' },
      timeouts,
    });
    viewer = await visitorOf(agent, 'viewer');
    const signedIn = await fetch(`${baseUrl}/portal/sign-in`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ api_key: agent.apiKey }),
      redirect: 'manual',
    });
    portalCookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    folder = await mkdtemp(join(tmpdir(), 'verify-'));
    const npx = `#!/bin/sh\nshift\nexec '${process.execPath}' '${await bundle('src/main/agent.ts')}' "$@"\n`;
    await writeFile(join(folder, 'npx'), npx);
    await chmod(join(folder, 'npx'), 0o755);
  });
  afterAll(async () => {
    await agent.stop();
    await outbound.close();
    await receiver.close();
    tls.close();
    await rm(folder, { recursive: true });
  });

  /** An event that was sent once to there. */
  async function attempted(url: string, body = '{"said":"an event"}'): Promise<Delivery> {
    const task_id = `t-${randomUUID()}`;
    await webhooks.send([
      {
        ...{ organization_id: BUYER, task_id, task_type: 'create_media_buy', subject_id: null, sequence: 2 },
        ...{ event: 'working', target: { registration_id: randomUUID(), url, mode: 'rfc9421' } },
        ...{ idempotency_key: randomUUID(), body },
      },
    ]);
    const rows = agent.core.store.collection(Deliveries);
    const [made] = (await rows.find({ where: { task_id } })).rows;
    if (made === undefined) throw new Error('no delivery was made');
    await webhooks.attempt(attemptJob(made).data, new AbortController().signal);
    return (await rows.get(made.delivery_id)) ?? made;
  }

  const pageOf = async ({ delivery_id }: Delivery) =>
    (await viewer.get(`/webhooks/${encodeURIComponent(delivery_id)}`)).html;
  const portalPageOf = async ({ delivery_id }: Delivery) => {
    const to = `${agent.baseUrl}/portal/deliveries/${encodeURIComponent(delivery_id)}`;
    return (await fetch(to, { headers: { cookie: portalCookie } })).text();
  };

  const CASES: readonly {
    receiver: string;
    url: () => string;
    answer?: Receiver['answer'];
    cause: string;
    remedy: string;
  }[] = [
    {
      receiver: 'refuses the connection',
      url: () => refusedUrl,
      cause: 'connection refused',
      remedy: 'start the receiver, or correct the port',
    },
    {
      receiver: 'has a certificate that nobody trusts',
      url: () => `https://127.0.0.1:${(tls.address() as AddressInfo).port}/hook`,
      cause: 'tls certificate invalid',
      remedy: 'serve one that browsers trust',
    },
    {
      receiver: 'speaks no TLS',
      url: () => receiver.url().replace('http:', 'https:'),
      cause: 'tls handshake failed',
      remedy: 'serve TLS 1.2 or 1.3 on that port',
    },
    {
      receiver: 'blames the signature by 401',
      url: () => receiver.url(),
      answer: status(401, { 'www-authenticate': CHALLENGE }),
      cause: '401, webhook_signature_digest_mismatch',
      remedy: 'take the digest over the raw bytes of the body',
    },
    {
      receiver: 'answers 500',
      url: () => receiver.url(),
      answer: status(500),
      cause: '500, receiver failed',
      remedy: 'its own log says why it failed',
    },
    {
      receiver: 'answers 410',
      url: () => receiver.url(),
      answer: status(410),
      cause: '410, receiver is gone for good',
      remedy: 'register again',
    },
    {
      receiver: 'never answers',
      url: () => receiver.url(),
      answer: () => undefined,
      cause: 'timed out waiting for the answer',
      remedy: 'answer 2xx within 15 seconds',
    },
    {
      receiver: 'resolves to a private address',
      url: () => 'https://hooks.private.test/hook',
      cause: 'address refused: private address',
      remedy: 'use one that is public',
    },
  ];

  it.each(CASES)(
    '[O1.pages] of a receiver that $receiver names cause and remedy, with the row’s figures',
    async ({ url, answer = status(204), cause, remedy }) => {
      receiver.answer = answer;
      const isOfTime = cause.startsWith('timed out');
      const inTime = (ms: number): Promise<Delivery> => {
        timeouts.totalTimeoutMs = isOfTime ? ms : LONG_MS;
        return attempted(url());
      };
      const row = await withMoreTime(inTime, ({ attempts: [made] }) => !isOfTime || made?.error_message === cause);
      const attempt = row.attempts[0];
      const [html, portal] = [await pageOf(row), await portalPageOf(row)];
      for (const page of [html, portal]) {
        const note = wordsOf(/<p class="note">(.*?)<\/p>/s.exec(page)?.[1] ?? '');
        expect(note).toContain(`The last attempt: ${cause}. At the receiver: `);
        expect(note).toContain(remedy);
        expect(
          cellsOf(page, 'Attempts, oldest first')
            .map(({ text }) => text)
            .slice(2),
        ).toEqual([
          ...[attempt?.status.replace('_', ' '), String(attempt?.http_status_code ?? '')],
          ...[attempt?.signature_error ?? attempt?.error_message, attempt?.address ?? ''],
          ...(['dns_ms', 'connect_ms', 'tls_ms', 'first_byte_ms', 'total_ms'] as const).map((phase) =>
            attempt?.timings === undefined ? '' : `${Math.round(attempt.timings[phase])} ms`,
          ),
          attempt?.kid ?? '',
        ]);
        expect(cellsOf(page, 'Attempts, oldest first')[1]?.html).toContain(`datetime="${attempt?.started_at ?? ''}"`);
        expect(page).toContain(row.next_attempt_at ?? row.created_at);
        expect(wordsOf(page)).toContain(row.state);
      }
    },
  );

  it('[O1.pages] a receiver that refuses our signature is in trouble wherever it stands, and its page says what to do', async () => {
    const refusing = await openReceiver(status(401, { 'www-authenticate': CHALLENGE }));
    const { destination } = await attempted(refusing.url());
    await refusing.close();
    for (const path of ['/webhooks/receivers', '']) {
      const { html } = await viewer.get(path);
      const row = [...html.matchAll(/<tr[^>]*>.*?<\/tr>/gs)].find(([one]) =>
        one.includes(encodeURIComponent(destination)),
      );
      expect([path, wordsOf(row?.[0] ?? '')]).toEqual([path, expect.stringContaining('refusing')]);
    }
    const page = wordsOf((await viewer.get(`/webhooks/receivers/${encodeURIComponent(destination)}`)).html);
    expect(page).toContain('Staterefusing');
    expect(page).toContain('A 401 is no failure in a row');
    expect(page).toContain('The last attempt: 401, webhook_signature_digest_mismatch. At the receiver: ');
    expect(page).toContain('take the digest over the raw bytes of the body');
  });

  it('[O1.pages] names its buyer, and leads to where what waits is sent once the receiver is mended', async () => {
    receiver.answer = status(500);
    const row = await attempted(receiver.url());
    const before = await pageOf(row);
    const page = `/webhooks/receivers/${encodeURIComponent(row.destination)}`;
    expect(wordsOf(before)).toContain('BuyerDemo Buyer org_demo_buyer');
    expect(before).toContain(`<a href="/admin${page}">its page</a>`);
    expect(wordsOf(before)).toContain('its page says what it answered of late, where that is kept, and sends');
    const operator = await visitorOf(agent, 'operator');
    expect((await operator.get(`/webhooks/${encodeURIComponent(row.delivery_id)}`)).html).toContain('>Attempt now<');
    const { status: sent } = await operator.send(await operator.form(page, 'Send what waits now'));
    expect(sent).toBe(303);
    const now = await agent.core.store.collection(Deliveries).get(row.delivery_id);
    expect(Date.parse(now?.next_attempt_at ?? '')).toBeLessThan(Date.parse(row.next_attempt_at ?? ''));
  });

  it('[O1.lists] webhooks are listed by how their last attempt was answered, of all, of a buyer, or to a receiver', async () => {
    const to = `http://127.0.0.1:${await freePort()}`;
    receiver.answer = status(500);
    const failed = await attempted(receiver.url());
    receiver.answer = status(404);
    const refused = await attempted(receiver.url());
    const nowhere = await attempted(`${to}/hook`);
    const listed = async (query: string) => {
      const { body } = await operate(agent, 'GET', `/webhooks/deliveries?${query}`);
      return (body['deliveries'] as { delivery_id: string }[]).map(({ delivery_id }) => delivery_id);
    };
    for (const more of [
      '',
      `&organization_id=${BUYER}`,
      `&destination=${failed.destination}`,
      '&from=2020-01-01T00:00:00Z',
    ]) {
      const [of5, of4] = [await listed(`answer=5xx${more}`), await listed(`answer=4xx${more}`)];
      expect([more, of5.includes(failed.delivery_id), of5.includes(refused.delivery_id)]).toEqual([more, true, false]);
      expect([more, of4.includes(failed.delivery_id), of4[0]]).toEqual([more, false, refused.delivery_id]);
    }
    expect(await listed(`answer=none&destination=${to}`)).toEqual([nowhere.delivery_id]);
    expect(await listed(`answer=none&destination=${to}&state=exhausted`)).toEqual([]);
    const page = await viewer.get(`/webhooks?answer=none&destination=${encodeURIComponent(to)}`);
    expect(page.html).toContain('<option value="none" selected>none came</option>');
    expect(page.html).toContain(encodeURIComponent(nowhere.delivery_id));
    // Once it is taken, it is in none of these indexes.
    receiver.answer = status(204);
    await operate(agent, 'POST', `/webhooks/deliveries/${encodeURIComponent(failed.delivery_id)}/resend`);
    await webhooks.attempt(attemptJob(failed).data, new AbortController().signal);
    expect(await listed('answer=5xx')).not.toContain(failed.delivery_id);
    expect((await listed('answer=2xx'))[0]).toBe(failed.delivery_id);
    const row = await agent.core.store.collection(Deliveries).get(failed.delivery_id);
    expect([row?.attempts.length, row?.last_answer, row?.has_failed]).toEqual([2, undefined, undefined]);
  });

  it('[W8.answers] shows what the receiver said when it failed, to the operator and in the portal, as text and nothing else', async () => {
    const failing = await openReceiver((response) =>
      response.writeHead(500).end('<img src=x>\u202e\u001b[31m\u0000 out of disk'),
    );
    const [first, second] = [await attempted(failing.url()), await attempted(failing.url())];
    await failing.close();
    const receiverPage = (await viewer.get(`/webhooks/receivers/${encodeURIComponent(first.destination)}`)).html;
    for (const html of [await pageOf(first), await portalPageOf(first), receiverPage]) {
      expect(html).toContain('&#60;img src=x&#62;');
      expect(html).not.toMatch(/<img|[\u202e\u001b\0]/);
      expect(wordsOf(html)).toContain('out of disk');
    }
    expect(cellsOf(receiverPage, 'Its own words')[0]?.text).toContain('Demo Buyer');
    for (const html of [await pageOf(second), await portalPageOf(second)]) {
      expect(wordsOf(html)).toContain('to another webhook: ');
      expect(html).toContain(`/${encodeURIComponent(first.delivery_id)}"`);
    }
  });

  describe('a receiver’s last 24 hours', () => {
    const HOUR = 3_600_000;
    let made = 0;
    /** A webhook to there of so long ago, with attempts so long after it, in milliseconds. */
    const rowOf = (
      destination: string,
      state: Delivery['state'],
      agoMs: number,
      attempts: readonly { afterMs: number; tookMs: number; code?: number }[] = [],
    ) =>
      Delivery.parse({
        ...{ delivery_id: `figures-${(made += 1)}`, task_id: `figures-${made}`, organization_id: BUYER, sequence: 1 },
        ...{
          task_type: 'create_media_buy',
          subject_id: null,
          event: 'working',
          registration_id: 'wh',
          mode: 'rfc9421',
        },
        ...{ url: `${destination}/hook`, destination, idempotency_key: 'key', body: '{}', is_body_sealed: false },
        ...{ state, next_attempt_at: null, created_at: at(agoMs), updated_at: at(agoMs), revision: 1 },
        expires_at: at(-HOUR),
        attempts: attempts.map(({ afterMs, tookMs, code }, i) => ({
          ...{ attempt: i + 1, started_at: at(agoMs - afterMs) },
          ...(code === undefined ? { status: 'timeout' } : { status: code < 300 ? 'success' : 'failed' }),
          ...(code !== undefined && { http_status_code: code }),
          timings: { dns_ms: 0, connect_ms: 1, tls_ms: 0, first_byte_ms: 1, total_ms: tookMs },
        })),
      });
    const nowMs = Date.now();
    const at = (agoMs: number) => new Date(nowMs - agoMs).toISOString();
    const insert = (rows: Delivery[]) => agent.core.store.collection(Deliveries).insertMany(rows);

    const figuresOf = async (destination: string) =>
      (await operate(agent, 'GET', `/webhooks/destinations/${encodeURIComponent(destination)}`)).body['last_24_hours'];

    const listed = async (destination: string, query = '?figures=true') => {
      const { body } = await operate(agent, 'GET', `/webhooks/destinations${query}`);
      return (body['destinations'] as { destination: string }[]).find((one) => one.destination === destination);
    };

    it('[O1.pages] are counted from its newest webhooks: delivered, failed, how long they took, and its last answer', async () => {
      const destination = 'https://figures.example';
      await insert([
        // 100, 200, and so on up to 2,000 ms, the second of two attempts each.
        ...Array.from({ length: 20 }, (_, i) =>
          rowOf(destination, 'delivered', HOUR + i, [
            { afterMs: 10, tookMs: 5, code: 500 },
            { afterMs: 60 + 100 * i, tookMs: 40, code: 204 },
          ]),
        ),
        rowOf(destination, 'rejected', 2 * HOUR, [{ afterMs: 9, tookMs: 9, code: 404 }]),
        rowOf(destination, 'gone', 2 * HOUR, [{ afterMs: 9, tookMs: 9, code: 410 }]),
        rowOf(destination, 'exhausted', 23 * HOUR, [{ afterMs: 9, tookMs: 9 }]),
        // Neither well nor badly over, too old, and somebody else's.
        rowOf(destination, 'ended', HOUR),
        rowOf(destination, 'pending', 3 * HOUR, [{ afterMs: 3 * HOUR - 60_000, tookMs: 7, code: 503 }]),
        rowOf(destination, 'rejected', 25 * HOUR, [{ afterMs: 9, tookMs: 9, code: 404 }]),
        rowOf('https://other.example', 'rejected', HOUR, [{ afterMs: 9, tookMs: 9, code: 404 }]),
      ]);
      expect(await figuresOf(destination)).toMatchObject({
        ...{ is_cut: false, delivered: 20, failed: 3, success_percent: 86.9, p50_ms: 1_000, p95_ms: 1_900 },
        last_attempt: { started_at: at(60_000), status: 'failed', http_status_code: 503 },
      });
      const { destinations } = (await operate(agent, 'GET', '/webhooks/destinations')).body as {
        destinations: { destination: string; waiting: number; last_attempt: object | null }[];
      };
      expect(destinations.find((one) => one.destination === destination)).toMatchObject({
        ...{ waiting: 1, last_attempt: { started_at: at(60_000), http_status_code: 503 } },
      });
      // In the list the same, where it is asked for: whoever counts what is wrong reads no webhooks for it.
      expect(await listed(destination, '')).toMatchObject({ buyers: [], last_24_hours: null });
      expect(await listed(destination)).toMatchObject({
        buyers: [{ organization_id: BUYER }],
        last_attempt: { started_at: at(60_000), http_status_code: 503 },
        last_24_hours: { is_cut: false, delivered: 20, failed: 3, success_percent: 86.9, p50_ms: 1_000, p95_ms: 1_900 },
      });
      const shown = wordsOf((await viewer.get('/webhooks/receivers')).html);
      expect(shown).toMatch(/StateWaitingFailingSuccess of 50p50p95Last answer/);
      expect(shown).toMatch(/ok1086\.9 %1 s1\.9 s503 failed\d+ minutes? ago/);
      const { html } = await viewer.get(`/webhooks/receivers/${encodeURIComponent(destination)}`);
      expect(wordsOf(html)).toContain(
        'Delivered20Failed for good3Success86.9 %Half are there within1 s95 of 100 within1.9 sLast answer503 failed',
      );
    });

    it('[O1.pages] are of its newest 1,000 webhooks where there are more, and say so', async () => {
      const destination = 'https://busy.example';
      const taken = [{ afterMs: 10, tookMs: 40, code: 200 }];
      await insert(Array.from({ length: 1_000 }, (_, i) => rowOf(destination, 'delivered', HOUR + i, taken)));
      const all = { delivered: 1_000, failed: 0, success_percent: 100, p50_ms: 50, p95_ms: 50 };
      expect(await figuresOf(destination)).toMatchObject({ is_cut: false, ...all });
      await insert([rowOf(destination, 'rejected', 2 * HOUR)]);
      expect(await figuresOf(destination)).toMatchObject({ is_cut: true, ...all });
      const { html } = await viewer.get(`/webhooks/receivers/${encodeURIComponent(destination)}`);
      expect(wordsOf(html)).toContain('Of the newest 1,000 webhooks alone: there are more.');
      // Among others it is looked at no further than its newest 50, whatever waits.
      await insert([
        rowOf(destination, 'rejected', HOUR - 1),
        rowOf(destination, 'pending', 5 * HOUR, [{ afterMs: 9, tookMs: 9, code: 500 }]),
      ]);
      expect(await listed(destination)).toMatchObject({
        ...{ waiting: 1, last_attempt: { started_at: at(HOUR - 10), http_status_code: 200 } },
        last_24_hours: { is_cut: true, delivered: 49, failed: 1, success_percent: 98, p50_ms: 50, p95_ms: 50 },
      });
    });

    it('are empty of one that has been sent nothing', async () => {
      expect(await figuresOf('https://nobody.example')).toMatchObject({
        ...{ is_cut: false, delivered: 0, failed: 0, success_percent: null, p50_ms: null, p95_ms: null },
        last_attempt: null,
      });
    });
  });

  describe('verify it yourself', () => {
    /** Runs a command of the page in a shell, as whoever has copied it; answers its exit status. */
    const run = (command: string) =>
      new Promise<number>((resolve) => {
        const env = { PATH: [folder, process.env['PATH']].join(delimiter) };
        const child = execFile('sh', ['-c', command], { cwd: folder, env });
        child.on('exit', (code) => {
          resolve(code ?? -1);
        });
      });
    const commandOn = (page: string) =>
      textOf(unescaped(/<pre tabindex="0" id="verify">(.*?)<\/pre>/s.exec(page)?.[1] ?? ''));

    it('[O1.verify] the command that is copied as a whole verifies signature, bytes and headers that are shown, and no others', async () => {
      receiver.answer = status(500);
      const row = await attempted(receiver.url(), `{"said":"it's \\\\ \\"so\\" \u202e 100% é\\n"}`);
      const command = commandOn(await pageOf(row));
      expect(command).toBe(commandOn(await portalPageOf(row)));
      const got = receiver.request();
      for (const name of ['signature-input', 'signature', 'content-digest'])
        expect(command).toContain(String(got.headers[name]));
      expect(await run(command)).toBe(0);
      for (const [from, to] of [
        ['said', 'Said'],
        [';nonce="', ';nonce="A'],
      ] as const) {
        expect(command).toContain(from);
        expect([from, await run(command.replace(from, to))]).not.toEqual([from, 0]);
      }
    });

    it('[O1.verify] where part of the URL is not shown it compares the digest, and says so', async () => {
      receiver.answer = status(500);
      const row = await attempted(receiver.url('/hook?secret=1'));
      for (const page of [await pageOf(row), await portalPageOf(row)]) {
        const command = commandOn(page);
        expect(page).not.toContain('secret=1');
        expect(wordsOf(page)).toContain('this compares the digest');
        expect(await run(command)).toBe(0);
        expect(await run(command.replace('an event', 'an Event'))).toBe(1);
      }
    });
  });
});

/** The cells of the first row of a table. */
function cellsOf(html: string, caption: string): { html: string; text: string }[] {
  const table = html.slice(html.indexOf(caption));
  const row = /<tbody[^>]*>.*?<tr[^>]*>(.*?)<\/tr>/s.exec(table)?.[1] ?? '';
  return [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => ({ html: cell, text: wordsOf(cell) }));
}

function wordsOf(html: string): string {
  return textOf(unescaped(html.replaceAll(/<[^>]*>/g, '')));
}

function unescaped(html: string): string {
  return html.replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"');
}
