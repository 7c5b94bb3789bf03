import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSealedByFormer, sealAnew } from '../../../src/platform/crypto/sealed-values.ts';
import { isSameUrl, isUrlOpen, registeredUrl, storedUrl } from '../../../src/platform/crypto/sealed-url.ts';
import { sealer } from '../../../src/platform/crypto/sealer.ts';

const [FORMER, PRESENT] = ['the former secret of at least 32 letters', 'the present secret of at least 32 letters'];
const box = sealer(PRESENT);

describe('a stored URL [W11.sealed]', () => {
  it('shows origin and path, hides the rest, and opens to what was registered', () => {
    const rest = fc.string().map((text) => `?${text}`);
    fc.assert(
      fc.property(fc.option(rest, { nil: '' }), fc.constantFrom('', '#part', '#a?b'), (query, fragment) => {
        const url = `https://buyer.example/hooks/7${query}${fragment}`;
        const stored = storedUrl(box, url);
        expect(stored.split('?')[0]).toBe('https://buyer.example/hooks/7');
        expect(registeredUrl(box, stored)).toBe(url);
        expect(isUrlOpen(stored)).toBe(false);
      }),
    );
    expect(storedUrl(box, 'https://buyer.example/hook?key=planted')).not.toContain('planted');
    expect(storedUrl(box, 'https://buyer.example/hook')).toBe('https://buyer.example/hook');
  });

  it('of an older release is what it says, and a query that only looks sealed is sealed again', () => {
    const old = 'https://buyer.example/hook?key=planted';
    expect([registeredUrl(box, old), isUrlOpen(old)]).toEqual([old, true]);
    const odd = `https://buyer.example/hook?${box.seal('another text')}`;
    expect(registeredUrl(box, storedUrl(box, odd))).toBe(odd);
  });

  it('opens at no other place and without its key never to something else', () => {
    const [place, tail = ''] = storedUrl(box, 'https://buyer.example/hook?key=planted').split('?');
    expect(() => registeredUrl(box, `https://thief.example/hook?${tail}`)).toThrow();
    expect(() => registeredUrl(sealer(FORMER), `${place}?${tail}`)).toThrow('not configured');
  });

  it('is the same as another that was sealed apart, or never', () => {
    const [url, other] = ['https://buyer.example/hook?key=1', 'https://buyer.example/hook?key=2'];
    expect(isSameUrl(box, storedUrl(box, url), storedUrl(box, url))).toBe(true);
    expect(isSameUrl(box, storedUrl(box, url), url)).toBe(true);
    expect(isSameUrl(box, storedUrl(box, url), storedUrl(box, other))).toBe(false);
    expect(isSameUrl(box, storedUrl(box, url), 'https://buyer.example/hook')).toBe(false);
  });

  it('[S4] is sealed anew with what else a former secret sealed', () => {
    const url = 'https://buyer.example/hook?key=planted';
    const row = { list: [{ url: storedUrl(sealer(FORMER), url) }], other: storedUrl(box, url) };
    const both = sealer(PRESENT, [FORMER]);
    expect(isSealedByFormer(both, row)).toBe(true);
    const { value, stuck } = sealAnew(both, row, []);
    expect(stuck).toBe(0);
    expect(registeredUrl(box, value.list[0]?.url ?? '')).toBe(url);
    expect(value.other).toBe(row.other);
  });
});
