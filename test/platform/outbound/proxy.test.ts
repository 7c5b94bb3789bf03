import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { createSecurityLog } from '../../../src/platform/security/security-log.ts';
import { noCounters } from '../../../src/platform/metrics/metrics.ts';
import { isOfProxy } from '../../../src/platform/outbound/failure.ts';
import { allowedPlaces, readPlace } from '../../../src/platform/outbound/allowed-places.ts';
import { readProxy } from '../../../src/platform/outbound/proxy.ts';
import type { OutboundOptions } from '../../../src/platform/outbound/outbound-client.ts';
import { withMoreTime } from '../../support/with-more-time.ts';
import { selfSigned } from './support/certificate.ts';
import { answersInTurn, outbound } from './support/client.ts';
import { serveProxy } from './support/egress-proxy.ts';
import type { EgressProxy } from './support/egress-proxy.ts';
import { closedPort, serveHttps } from './support/servers.ts';

const identity = selfSigned({ dns: ['buyer.example'], ipv4: ['127.0.0.1'] });
const PUBLIC = ['93.184.216.34'];
const SECRET = 'planted-in-the-proxy-s-url';
const HOOK = { url: 'https://buyer.example/hook', method: 'POST', body: '{}' } as const;

/** A receiver that only a proxy reaches, since nobody else is at its address. */
async function behindProxy(options: Partial<OutboundOptions> = {}, addresses = PUBLIC) {
  const names: unknown[] = [];
  const server = await serveHttps(identity, (request, response) => {
    names.push(request.headers.host, (request.socket as unknown as { servername: unknown }).servername);
    response.end('ok');
  });
  const egress = await serveProxy(server.port);
  const { resolve, asked } = answersInTurn(addresses);
  const client = (given: Partial<OutboundOptions> = {}) =>
    outbound({
      ...{ allowLoopback: false, resolve, ca: identity.cert, proxy: egress.proxy({}, `agent:${SECRET}@`) },
      ...options,
      ...given,
    });
  return { server, egress, client, lookedUp: asked, names };
}

const authorities = ({ asked }: EgressProxy) => asked.map(({ authority }) => authority);

describe('[W16.proxy] https through the operator’s proxy', () => {
  it('is asked for the checked address, and still meant for the name: SNI, certificate and Host', async () => {
    const { egress, client, names } = await behindProxy();
    const way = client();
    const first = await way.send(HOOK);
    expect(first).toMatchObject({ kind: 'response', status: 200, address: '93.184.216.34', reused: false });
    expect(await way.send(HOOK)).toMatchObject({ kind: 'response', status: 200, reused: true });
    const authorization = `Basic ${Buffer.from(`agent:${SECRET}`).toString('base64')}`;
    expect(egress.asked).toEqual([{ authority: '93.184.216.34:443', authorization }]);
    expect(names).toEqual(['buyer.example', 'buyer.example', 'buyer.example', 'buyer.example']);
    const other = await client({ resolve: answersInTurn(PUBLIC).resolve }).send({
      ...HOOK,
      url: 'https://other.example/',
    });
    expect(other).toMatchObject({ kind: 'connection_error', reason: 'tls certificate invalid' });
  });

  it('fetches documents, too, and goes to other ports and IPv6 addresses by their own rules', async () => {
    const { egress, client } = await behindProxy({}, ['2606:2800:220:1:248:1893:25c8:1946', '93.184.216.34']);
    egress.refuses = (authority) => (authority.startsWith('[') ? undefined : 503);
    const fetched = await client().fetchBytes('https://buyer.example:8443/keys', { maxBytes: 100 });
    expect(fetched).toMatchObject({ kind: 'response', status: 200, address: '2606:2800:220:1:248:1893:25c8:1946' });
    expect(authorities(egress)).toEqual(['93.184.216.34:8443', '[2606:2800:220:1:248:1893:25c8:1946]:8443']);
    expect(await client().send({ ...HOOK, url: 'https://buyer.example:22/' })).toMatchObject({ kind: 'refused' });
    expect(egress.asked).toHaveLength(2);
  });

  it.each([
    ['a name that leads to a private address', 'https://buyer.example/', ['10.0.0.7']],
    ['a name one of whose addresses is private', 'https://buyer.example/', ['93.184.216.34', '10.0.0.7']],
    ['a private address', 'https://10.0.0.7/', PUBLIC],
    ['this machine', 'https://localhost/', PUBLIC],
    ['a cloud’s metadata', 'https://buyer.example/', ['169.254.169.254']],
    ['plain http', 'http://buyer.example/', PUBLIC],
  ])('[W16] is never asked for %s', async (_what, url, addresses) => {
    const { egress, client } = await behindProxy({}, addresses);
    expect(await client().send({ ...HOOK, url })).toMatchObject({ kind: 'refused' });
    expect(egress.asked).toEqual([]);
  });

  it('is not asked for loopback where that is allowed, nor for networks that the operator named', async () => {
    const { server, egress, client } = await behindProxy();
    const loopback = client({ allowLoopback: true });
    expect(await loopback.send({ ...HOOK, url: `https://127.0.0.1:${server.port}/` })).toMatchObject({ status: 200 });
    const places = allowedPlaces([readPlace(`127.0.0.0/8:${server.port}`) ?? {}]);
    const named = client({ places, resolve: answersInTurn(['127.0.0.1']).resolve });
    expect(await named.send({ ...HOOK, url: `https://buyer.example:${server.port}/` })).toMatchObject({ status: 200 });
    expect(egress.asked).toEqual([]);
  });

  it('[S4.operator-addresses] takes what is public of the operator’s own, and nothing in networks of its own', async () => {
    const { server, egress, client } = await behindProxy();
    const own = client({ trustsUrls: true });
    expect(await own.send(HOOK)).toMatchObject({ status: 200 });
    const inside = client({ trustsUrls: true, resolve: answersInTurn(['127.0.0.1']).resolve });
    expect(await inside.send({ ...HOOK, url: `https://buyer.example:${server.port}/` })).toMatchObject({ status: 200 });
    expect(authorities(egress)).toEqual(['93.184.216.34:443']);
  });

  it('may itself be spoken to over TLS', async () => {
    const { server, client } = await behindProxy();
    const egress = await serveProxy(server.port, identity);
    expect(await client({ proxy: egress.proxy() }).send(HOOK)).toMatchObject({ kind: 'response', status: 200 });
    expect(egress.asked).toEqual([{ authority: '93.184.216.34:443', authorization: undefined }]);
    const untrusted = selfSigned({ ipv4: ['127.0.0.1'] });
    const other = await serveProxy(server.port, untrusted);
    expect(await client({ proxy: other.proxy() }).send(HOOK)).toMatchObject({ reason: 'proxy unreachable' });
  });
});

describe('[W16.proxy] a proxy that looks names up', () => {
  it('is asked for names, which nobody here looks up; addresses and ports are judged here still', async () => {
    const { egress, client, lookedUp } = await behindProxy();
    const way = client({ proxy: egress.proxy({ resolvesNames: true }) });
    const sent = await way.send(HOOK);
    expect(sent).toMatchObject({ kind: 'response', status: 200 });
    expect(sent).not.toHaveProperty('address');
    for (const url of [
      'https://10.0.0.7/',
      'https://localhost/',
      'https://buyer.example:9443/',
      'http://buyer.example/',
    ])
      expect(await way.send({ ...HOOK, url }), url).toMatchObject({ kind: 'refused' });
    const loopback = client({ proxy: egress.proxy({ resolvesNames: true }), allowLoopback: true });
    expect(await loopback.send({ ...HOOK, url: 'https://buyer.example:9443/' })).toMatchObject({ kind: 'refused' });
    expect(authorities(egress)).toEqual(['buyer.example:443']);
    expect(lookedUp).toEqual([]);
  });

  it('[S4.operator-addresses] leaves alone what the operator has in networks of its own', async () => {
    const { server, egress, client } = await behindProxy();
    const proxy = egress.proxy({ resolvesNames: true });
    const own = client({ proxy, trustsUrls: true, resolve: answersInTurn(['127.0.0.1']).resolve });
    expect(await own.send({ ...HOOK, url: `https://buyer.example:${server.port}/` })).toMatchObject({ status: 200 });
    const unknown = client({ proxy, trustsUrls: true, resolve: () => Promise.reject(new Error('no such name')) });
    expect(await unknown.send(HOOK)).toMatchObject({ status: 200 });
    expect(authorities(egress)).toEqual(['buyer.example:443']);
  });
});

describe('[W16.proxy] a proxy that fails', () => {
  it.each([
    [407, 'proxy refused our credentials'],
    [403, 'proxy refused the destination'],
    [502, 'proxy failed'],
    [503, 'proxy failed'],
    ['SSH-2.0-OpenSSH_9.6\r\n\r\n', 'proxy failed'],
    ['', 'proxy failed'],
    ['x'.repeat(20_000), 'proxy failed'],
  ] as const)('is told as such, in words of ours and without its credentials: %s', async (answer, reason) => {
    const { egress, client } = await behindProxy();
    egress.refuses = () => answer;
    const result = await client().send(HOOK);
    expect(result).toMatchObject({ kind: 'connection_error', reason });
    expect(isOfProxy(reason)).toBe(true);
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });

  it('is told as such when it is not there, and a way that hangs behind it as that of the receiver', async () => {
    const { egress, client } = await behindProxy();
    const away = { ...egress.proxy(), port: await closedPort() };
    expect(await client({ proxy: away }).send(HOOK)).toMatchObject({ reason: 'proxy unreachable' });
    egress.refuses = () => null;
    const hanging = await withMoreTime(
      (connectTimeoutMs) => client().send({ ...HOOK, connectTimeoutMs, totalTimeoutMs: 600_000 }),
      (result) => result.kind !== 'timeout' || result.phase === 'connect',
    );
    expect(hanging).toMatchObject({ kind: 'timeout', phase: 'connect' });
    const unknown = { ...egress.proxy(), host: 'proxy.example' };
    const resolve = answersInTurn(PUBLIC, []).resolve;
    expect(await client({ proxy: unknown, resolve }).send(HOOK)).toMatchObject({ reason: 'proxy unreachable' });
  });

  it('puts refused addresses on record, and nothing of the proxy', async () => {
    const { client } = await behindProxy({}, ['10.0.0.7']);
    const lines: string[] = [];
    const log = pino({ level: 'debug' }, { write: (line) => lines.push(line) });
    const security = createSecurityLog({ log, counters: noCounters, clock: systemClock });
    await client({ security }).send(HOOK);
    security.close();
    expect(lines.join('')).toContain('address.refused');
    expect(lines.join('')).not.toContain(SECRET);
  });
});

describe('[W16.proxy] the setting', () => {
  it.each([
    ['http://proxy.example:3128', { host: 'proxy.example', port: 3128, isSecure: false }],
    ['https://proxy.example', { host: 'proxy.example', port: 443, isSecure: true }],
    ['http://[fd00::1]:3128/', { host: 'fd00::1', port: 3128, isSecure: false }],
    [
      'http://a%40b:c%3Ad@10.0.0.1:1',
      { host: '10.0.0.1', port: 1, isSecure: false, authorization: `Basic ${btoa('a@b:c:d')}` },
    ],
  ])('%s is read', (text, proxy) => {
    expect(readProxy(text)).toEqual(proxy);
  });

  it.each([
    'proxy.example:3128',
    'socks5://proxy.example',
    'http://proxy.example/path',
    'http://p?x',
    'http://%zz@p',
    '',
  ])('%s is not', (text) => {
    expect(readProxy(text)).toBeUndefined();
  });
});
