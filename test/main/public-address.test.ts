import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { findingsAtPublicAddress } from '../../src/main/health/public-address.ts';
import { DAY_MS } from '../../src/platform/hours.ts';
import { outbound } from '../platform/outbound/support/client.ts';
import { selfSigned } from '../platform/outbound/support/certificate.ts';
import { closedPort, serveHttp, serveHttps } from '../platform/outbound/support/servers.ts';

const ENDS = Date.parse('2099-01-01T00:00:00Z');

describe('[O1] what doctor finds at the public address', () => {
  type Identity = ReturnType<typeof selfSigned>;
  const here = (isExpired = false) => selfSigned({ ipv4: ['127.0.0.1'] }, { isExpired });
  /** Findings at an address that answers so, as `part level`, and what is said of each. */
  async function found(
    answer: (publicUrl: string) => { status?: number; body: string },
    { identity, isTrusted = true, now = Date.now() }: { identity?: Identity; isTrusted?: boolean; now?: number } = {},
  ) {
    let publicUrl = '';
    const handler = (_request: unknown, response: ServerResponse): void => {
      const { status = 200, body } = answer(publicUrl);
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    };
    const server = identity === undefined ? await serveHttp(handler) : await serveHttps(identity, handler);
    publicUrl = server.origin;
    return findingsAt(publicUrl, identity !== undefined && isTrusted ? identity.cert : undefined, now);
  }
  const findingsAt = (publicUrl: string, ca?: string, now = Date.now()) =>
    findingsAtPublicAddress({
      ...{ publicUrl, now, outbound: outbound({ trustsUrls: true, ...(ca !== undefined && { ca }) }) },
      ...(ca !== undefined && { ca }),
    });
  const card = (publicUrl: string) => ({
    body: JSON.stringify({ supportedInterfaces: [{ url: `${publicUrl}/a2a/jsonrpc` }] }),
  });
  const levels = (findings: Awaited<ReturnType<typeof findingsAt>>) =>
    findings.map(({ part, level }) => `${part} ${level}`);

  it('is its card, and a certificate with days to go', async () => {
    const findings = await found(card, { identity: here() });
    expect(levels(findings)).toEqual(['agent card ok', 'certificate ok']);
    expect(findings[1]?.found).toMatch(/^that of 127\.0\.0\.1 is good for \d+ days$/);
    expect(levels(await found(card))).toEqual(['agent card ok']);
  });

  it('is a certificate that ends within 14 days', async () => {
    for (const [daysBefore, level] of [
      [14.1, 'ok'],
      [13.9, 'warning'],
    ] as const) {
      const [, certificate] = await found(card, { identity: here(), now: ENDS - daysBefore * DAY_MS });
      expect([daysBefore, certificate?.level]).toEqual([daysBefore, level]);
    }
  });

  it.each([
    ['has expired', here(true), true, /^that of 127\.0\.0\.1 is expired, \d+ days ago$/, /^renew it/],
    ['is of another name', selfSigned({ dns: ['other.example'] }), true, /is of another name$/, /name in PUBLIC_URL/],
    ['is signed by nobody', here(), false, /is untrusted$/, /whole chain/],
  ])('is a certificate that %s: an error with its remedy', async (_what, identity, isTrusted, said, remedy) => {
    const findings = await found(card, { identity, isTrusted });
    const certificate = findings.find(({ part }) => part === 'certificate');
    expect(certificate).toMatchObject({ level: 'error', found: expect.stringMatching(said) as string });
    expect(certificate?.advice).toMatch(remedy);
    // Why nobody who holds to certificates has the card is told once.
    expect(findings).toHaveLength(1);
  });

  it.each([
    ['another status', () => ({ status: 404, body: '{}' }), /answers 404/, /curl -sSi http/],
    ['no JSON', () => ({ body: '<html>' }), /no agent card/, /what else listens/],
    ['no card', () => ({ body: '{"supportedInterfaces":[]}' }), /no agent card/, /what else listens/],
    ['the card of another', () => card('https://other.example'), /another address/, /what else listens/],
  ])('is an error where there is %s', async (_what, answer, said, remedy) => {
    const [finding] = await found(answer);
    expect(finding).toMatchObject({ level: 'error', part: 'agent card' });
    expect(finding?.found).toMatch(said);
    expect(finding?.advice).toMatch(remedy);
  });

  it('is a warning where nothing answers from here, which says how to look from elsewhere', async () => {
    const url = `https://127.0.0.1:${await closedPort()}`;
    expect(await findingsAt(url)).toMatchObject([
      {
        ...{ part: 'agent card', level: 'warning', found: 'PUBLIC_URL does not answer from here: connection refused' },
        advice: expect.stringContaining(`curl -sS ${url}/.well-known/agent-card.json`) as string,
      },
    ]);
  });

  it('is an error where https is told and none is spoken', async () => {
    const server = await serveHttp((_request, response) => void response.end('plain'));
    const findings = await findingsAt(server.origin.replace('http:', 'https:'));
    expect(levels(findings)).toEqual(['certificate error']);
    expect(findings[0]?.found).toBe('no TLS is spoken at 127.0.0.1');
  });
});
