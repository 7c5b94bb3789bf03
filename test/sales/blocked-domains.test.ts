import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import {
  BlockedDomain,
  BlockedDomainType,
  blockedDomainFinder,
} from '../../src/directory/blocked-domain/blocked-domain.ts';
import { normalizeDomain } from '../../src/directory/domain/normalize-domain.ts';
import { demoCatalog, demoFolder } from './support/demo-catalog.ts';

const json: unknown = JSON.parse(await readFile(join(demoFolder, 'blocked-domains.json'), 'utf8'));
const entries = z.array(BlockedDomain.extend({ source: z.url() })).parse(json);
const findBlocked = blockedDomainFinder(entries);

it('[R2] the shipped list names well over a hundred domains of every type, each with reason and source', () => {
  expect(entries.length).toBeGreaterThan(150);
  expect(new Set(entries.map(({ domain_type }) => domain_type))).toEqual(new Set(BlockedDomainType.options));
});

it('[R2] every blocked domain is in canonical form, and none is listed twice or below another', () => {
  const domains = entries.map(({ domain }) => domain);
  expect(domains.filter((domain) => normalizeDomain(domain)?.domain !== domain)).toEqual([]);
  expect(domains.filter((domain, i) => domains.indexOf(domain) < i)).toEqual([]);
  expect(domains.filter((domain) => domains.some((other) => domain.endsWith(`.${other}`)))).toEqual([]);
  expect(findBlocked('pagead2.googlesyndication.com')?.domain_type).toBe('ad_server');
});

it.each([
  ['admob.com', 'intermediary'],
  ['ads.microsoft.com', 'intermediary'],
  ['x1.edgekey.net', 'cdn'],
  ['px.moatpixel.com', 'tracker'],
])('[R2] %s, which the public registry blocks, is blocked as %s', (domain, type) => {
  expect(findBlocked(domain)?.domain_type).toBe(type);
});

// What the finding of the missing ones named, one by one.
it.each(
  [
    'admob.com googleadmanager.com fastly.net fastly.com cloudflare.com cloudflare.net edgekey.net edgesuite.net llnwd.net',
    'b-cdn.net mopub.com a9.com appnexus.com adnxs-simple.com indexexchange.com triplelift.com advertising.microsoft.com',
    'ads.microsoft.com microsoftadvertising.com akamaistream.net dpmsrvr.com adsymptotic.com moatpixel.com',
  ].flatMap((line) => line.split(' ')),
)('[R2] %s is blocked, and its entry says by which source', (domain) => {
  expect(findBlocked(domain)).toMatchObject({ domain, source: expect.stringMatching(/^https:/) as string });
});

it('no domain of the demo publisher is blocked', async () => {
  const { publisher } = await demoCatalog();
  expect(publisher.domains.filter((domain) => findBlocked(domain) !== undefined)).toEqual([]);
});
