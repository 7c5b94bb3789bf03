import { domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  normalizeDomain,
  normalizeHost,
  registrableDomain,
  withParents,
} from '../../../src/directory/domain/normalize-domain.ts';
import { INPUT_LIMITS } from '../../../src/platform/intake/input-limits.ts';

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,12}[a-z0-9])?$/).filter((text) => !text.startsWith('xn--'));
const suffix = fc.constantFrom('com', 'co.uk', 'de', 'example', 'com.au', 'io', 'github.io', 'news');
const unicodeLabel = fc.constantFrom('bücher', 'münchen', '例え', 'straße', 'пример', 'ñandú', 'faß', 'ελληνικά');
const domain = fc
  .tuple(fc.array(label, { minLength: 1, maxLength: 3 }), suffix)
  .map(([labels, tld]) => [...labels, tld].join('.'));
/** What a prefix is stripped from: a second one would stay, and a public suffix such as `br.com` keeps the first. */
const strippedOf = domain.filter((text) => !/^(?:www|m)\./.test(text) && registrableDomain(text) !== null);

describe('the domain normalizer [R1]', () => {
  it('[R1] changes nothing in its own result but one more prefix, for any text at all', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.webUrl(),
      domain,
      fc
        .tuple(fc.array(fc.constantFrom('www.', 'm.', 'www', 'm', '.', '。', '@', ':', '/', ' ')), domain)
        .map(([noise, text]) => noise.join('') + text),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const once = normalizeDomain(text);
        if (once === undefined) return;
        expect(normalizeHost(once.domain)).toBe(once.domain);
        const again = normalizeDomain(once.domain);
        if (again?.change === 'none') expect(again.domain).toBe(once.domain);
        else expect([`www.${again?.domain ?? ''}`, `m.${again?.domain ?? ''}`]).toContain(once.domain);
      }),
      { numRuns: 2000 },
    );
  });

  it('[R1] answers the same for every way to write one domain', () => {
    const ways = fc.record({
      scheme: fc.constantFrom('', 'http://', 'HTTPS://', '//', 'ftp://', 'android-app://'),
      user: fc.constantFrom('', 'user@', 'user:pass@', 'a@b@', ':@'),
      prefix: fc.constantFrom('', 'www.', 'WWW.', 'm.', 'M.', 'ｗｗｗ.'),
      port: fc.constantFrom('', ':443', ':8080', ':'),
      dots: fc.constantFrom('', '.', '...', '。'),
      rest: fc.constantFrom('', '/', '/a/b?c=d#e', '?q=www.other.com', '#x', '\\x', '/@user'),
      space: fc.constantFrom('', ' ', '\t\n', '\u00a0'),
      upper: fc.boolean(),
      dot: fc.constantFrom('.', '。', '．', '｡'),
    });
    fc.assert(
      fc.property(strippedOf, ways, (base, w) => {
        const canonical = normalizeDomain(base);
        const text = `${w.prefix}${base}`.replaceAll('.', w.dot);
        const written = `${w.space}${w.scheme}${w.user}${w.upper ? text.toUpperCase() : text}${w.dots}${w.port}${w.rest}${w.space}`;
        expect(normalizeDomain(written)?.domain).toBe(canonical?.domain);
      }),
      { numRuns: 2000 },
    );
  });

  it('[R1] answers the same for Unicode and punycode, composed and decomposed, in any case', () => {
    fc.assert(
      fc.property(unicodeLabel, suffix, (name, tld) => {
        const canonical = normalizeDomain(`${name}.${tld}`)?.domain ?? '';
        expect(canonical).toMatch(/^xn--/);
        for (const form of [
          canonical,
          domainToUnicode(canonical),
          `${name}.${tld}`.normalize('NFD'),
          canonical.toUpperCase(),
        ])
          expect(normalizeDomain(form)?.domain).toBe(canonical);
      }),
    );
  });

  it.each([
    ['example.com', 'example.com', 'none'],
    ['Example.COM', 'example.com', 'normalized'],
    ['www.example.com', 'example.com', 'www_stripped'],
    ['https://WWW.example.com/a', 'example.com', 'www_stripped'],
    ['m.example.com', 'example.com', 'm_stripped'],
    ['www.m.example.com', 'm.example.com', 'www_stripped'],
    ['m.www.example.com', 'www.example.com', 'm_stripped'],
    ['www.www.example.com', 'www.example.com', 'www_stripped'],
    ['m.m.example.com', 'm.example.com', 'm_stripped'],
    ['www.m.co', 'm.co', 'www_stripped'],
    ['sub.example.com', 'sub.example.com', 'none'],
    ['mobile.example.com', 'mobile.example.com', 'none'],
    ['www2.example.com', 'www2.example.com', 'none'],
    ['wwwexample.com', 'wwwexample.com', 'none'],
    ['www.co.uk', 'www.co.uk', 'none'],
    ['m.co', 'm.co', 'none'],
    ['www.com', 'www.com', 'none'],
    ['m.com.au', 'm.com.au', 'none'],
    ['www.github.io', 'www.github.io', 'none'],
    ['www.someone.github.io', 'someone.github.io', 'www_stripped'],
    ['www.bbc.co.uk', 'bbc.co.uk', 'www_stripped'],
    ['example.com.', 'example.com', 'normalized'],
    ['example.com:443', 'example.com', 'normalized'],
    ['user:pw@example.com', 'example.com', 'normalized'],
    ['ｅｘａｍｐｌｅ．ｃｏｍ', 'example.com', 'normalized'],
    ['bücher.de', 'xn--bcher-kva.de', 'normalized'],
    ['_dmarc.example.com', '_dmarc.example.com', 'none'],
    ['co.uk', 'co.uk', 'none'],
  ])('[R1] takes %s for %s (%s)', (input, canonical, change) => {
    expect(normalizeDomain(input)).toEqual({ domain: canonical, change });
  });

  it.each([
    '',
    ' ',
    '.',
    'com',
    'localhost',
    '192.0.2.1',
    'http://192.0.2.1/',
    '[2001:db8::1]',
    '0x7f.1',
    '1.2.3.4.5',
    'a..b.com',
    'exa mple.com',
    '-a.com',
    'a-.com',
    'a_b',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(127)}com`,
    'xn--\u0000.com',
    'xn--a.com',
    '*.example.com',
    'https://',
    '@',
    'x'.repeat(100_000),
  ])('[R1] finds no domain in %j', (input) => {
    expect(normalizeDomain(input)).toBeUndefined();
  });

  it('[R5] keeps prefixes when a host is looked up as it is', () => {
    expect(normalizeHost('https://WWW.Example.com/x')).toBe('www.example.com');
    expect(withParents('a.b.example.com')).toEqual(['a.b.example.com', 'b.example.com', 'example.com']);
  });
});

describe.each(['www.', 'm.'])('a name with %s as often as there is room', (prefix) => {
  it('[R1.once] loses one', () => {
    for (let i = 0; i < 100; i++) {
      const rest = `x${i}.co.uk`;
      const name = prefix.repeat(Math.floor((INPUT_LIMITS.domainLength - rest.length) / prefix.length)) + rest;
      expect(normalizeDomain(name)?.domain).toBe(name.slice(prefix.length));
    }
  });

  it('[R1.once] costs, in calls of string methods, no more than its length and a constant: one look-up, and no name of its own for each prefix', () => {
    for (let times = 1; times * prefix.length + 'x.co.uk'.length <= INPUT_LIMITS.domainLength; times++) {
      const name = `${prefix.repeat(times)}x.co.uk`;
      expect(callsOf(() => normalizeDomain(name))).toBeLessThanOrEqual(name.length + 60);
      expect(callsOf(() => normalizeDomain(`https://${name.toUpperCase()}/`))).toBeLessThanOrEqual(name.length + 90);
    }
  });
});

/** How many methods of strings are called, a character that is looked at being one. */
function callsOf(work: () => void): number {
  let calls = 0;
  const methods = Object.entries(Object.getOwnPropertyDescriptors(String.prototype)).filter(
    ([name, { value }]) => typeof value === 'function' && name !== 'constructor',
  );
  for (const [name, { value, ...how }] of methods)
    Object.defineProperty(String.prototype, name, {
      ...how,
      value(this: string, ...given: unknown[]): unknown {
        calls += 1;
        return (value as (...all: unknown[]) => unknown).apply(this, given);
      },
    });
  try {
    work();
  } finally {
    for (const [name, how] of methods) Object.defineProperty(String.prototype, name, how);
  }
  return calls;
}
