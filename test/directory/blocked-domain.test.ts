import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blockedDomainFinder, readBlockedDomains } from '../../src/directory/blocked-domain/blocked-domain.ts';

const entry = (domain: string) => ({
  domain,
  domain_type: 'tracker',
  blocked_reason: 'counts visits',
  source: 'its own pages',
});
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mba-blocked-'));
});
afterAll(() => rm(dir, { recursive: true }));

async function read(content: unknown) {
  const file = join(dir, 'blocked-domains.json');
  await writeFile(file, JSON.stringify(content));
  return readBlockedDomains(file);
}

describe('the list of blocked infrastructure', () => {
  it('[R2] blocks what it names and everything below, by the nearest entry, and nothing that merely ends alike', async () => {
    const find = blockedDomainFinder(
      await read([entry('track.example'), { ...entry('cdn.track.example'), domain_type: 'cdn' }]),
    );
    expect(find('track.example')?.domain_type).toBe('tracker');
    expect(find('a.b.track.example')?.domain_type).toBe('tracker');
    expect(find('x.cdn.track.example')?.domain_type).toBe('cdn');
    expect(find('backtrack.example')).toBeUndefined();
    expect(find('example')).toBeUndefined();
  });

  it('[R2] ships well over a hundred entries of every type, and blocks no public suffix', async () => {
    const shipped = await readBlockedDomains(join(import.meta.dirname, '..', '..', 'catalog', 'blocked-domains.json'));
    expect(shipped.length).toBeGreaterThan(120);
    expect(new Set(shipped.map((item) => item.domain)).size).toBe(shipped.length);
    expect(new Set(shipped.map((item) => item.domain_type)).size).toBe(4);
    const find = blockedDomainFinder(shipped);
    for (const domain of ['com', 'co.uk', 'nytimes.com', 'bbc.co.uk', 'example.com'])
      expect(find(domain)).toBeUndefined();
  });

  it.each([
    ['an unknown type', [{ ...entry('a.example'), domain_type: 'bank' }]],
    ['no reason', [{ ...entry('a.example'), blocked_reason: '' }]],
    ['a domain not in canonical form', [entry('WWW.a.example')]],
    ['no list', {}],
  ])('is refused with %s', async (_what, content) => {
    await expect(read(content)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
