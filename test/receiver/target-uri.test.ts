import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalTargetUri } from '#receiver/wire/target-uri';

describe('canonicalTargetUri', () => {
  it.each([
    ['scheme lower case', 'HTTPS://b.example/p', 'https://b.example/p'],
    ['host lower case', 'https://B.Example/p', 'https://b.example/p'],
    ['IDN to A-labels', 'https://bücher.example/p', 'https://xn--bcher-kva.example/p'],
    ['IDN folded before it is encoded', 'https://BÜCHER.Example/p', 'https://xn--bcher-kva.example/p'],
    ['IDN without transitional mapping', 'https://straße.example/', 'https://xn--strae-oqa.example/'],
    ['full-width letters', 'https://ｂ.example/p', 'https://b.example/p'],
    ['IPv6 in lower case, in its brackets', 'https://[2001:DB8::1]/p', 'https://[2001:db8::1]/p'],
    ['IPv6 with a port', 'https://[::1]:8443/p', 'https://[::1]:8443/p'],
    ['numbers that mean an IPv4 address', 'https://0x7f.1/p', 'https://127.0.0.1/p'],
    ['the dot of the root dropped', 'https://b.example./p', 'https://b.example/p'],
    ['the dot of the root dropped before a port', 'https://B.example.:443/p', 'https://b.example/p'],
    ['a full-width dot of the root dropped', 'https://b.example。/p', 'https://b.example/p'],
    ['userinfo dropped', 'https://user:pass@b.example/p', 'https://b.example/p'],
    ['userinfo with an @ dropped', 'https://a@c:d@b.example/p', 'https://b.example/p'],
    ['default port of https dropped', 'https://b.example:443/p', 'https://b.example/p'],
    ['default port of http dropped', 'http://b.example:80/p', 'http://b.example/p'],
    ['empty port dropped', 'https://b.example:/p', 'https://b.example/p'],
    ['port without leading zeros', 'https://b.example:08443/p', 'https://b.example:8443/p'],
    ['another scheme’s default port kept', 'https://b.example:80/p', 'https://b.example:80/p'],
    ['fragment dropped', 'https://b.example/p?q#f?/', 'https://b.example/p?q'],
    ['one dot', 'https://b.example/a/./b', 'https://b.example/a/b'],
    ['two dots', 'https://b.example/a/b/../c', 'https://b.example/a/c'],
    ['dots at the end', 'https://b.example/a/b/..', 'https://b.example/a/'],
    ['one dot at the end', 'https://b.example/a/.', 'https://b.example/a/'],
    ['more dots than segments', 'https://b.example/../../a', 'https://b.example/a'],
    ['nothing but dots', 'https://b.example/..', 'https://b.example/'],
    ['escaped dots are dots', 'https://b.example/a/%2e%2E/b', 'https://b.example/b'],
    ['names that begin with a dot kept', 'https://b.example/.well-known/...', 'https://b.example/.well-known/...'],
    ['slashes kept', 'https://b.example/a//b', 'https://b.example/a//b'],
    ['slashes kept beside a dot', 'https://b.example/a/.//b', 'https://b.example/a//b'],
    ['an empty segment is a segment', 'https://b.example/a//../b', 'https://b.example/a/b'],
    ['empty path', 'https://b.example', 'https://b.example/'],
    ['empty path before a query', 'https://b.example?x=1', 'https://b.example/?x=1'],
    ['escapes upper case', 'https://b.example/a%2fb', 'https://b.example/a%2Fb'],
    ['reserved characters stay escaped', 'https://b.example/a%3Ab%3Fc', 'https://b.example/a%3Ab%3Fc'],
    ['unreserved characters decoded', 'https://b.example/%7E%41%2d%5f%30', 'https://b.example/~A-_0'],
    ['an escaped percent sign stays', 'https://b.example/%2541', 'https://b.example/%2541'],
    ['query byte for byte', "https://b.example/p?b=2&a=%7e&c='+{x}|/../", "https://b.example/p?b=2&a=%7e&c='+{x}|/../"],
    ['empty query kept', 'https://b.example/p?', 'https://b.example/p?'],
    ['braces and quotes in the path kept', "https://b.example/{id}'", "https://b.example/{id}'"],
  ])('[W14] %s', (_rule, url, uri) => {
    expect(canonicalTargetUri(url)?.uri).toBe(uri);
  });

  it('[W14] takes origin, authority and request target from the same form', () => {
    expect(canonicalTargetUri('HTTPS://u@B.example:8443/a/../b?c')).toEqual({
      uri: 'https://b.example:8443/b?c',
      authority: 'b.example:8443',
      origin: 'https://b.example:8443',
      path: '/b?c',
    });
  });

  it.each([
    ['two dots at the end of the host', 'https://b.example../p'],
    ['an empty label', 'https://b..example/p'],
    ['an empty first label', 'https://.b.example/p'],
    ['a host that is a dot', 'https://./p'],
    ['a port without a host', 'https://:443/p'],
    ['userinfo without a host', 'https://user@/p'],
    ['no authority', 'https:///p'],
    ['no slashes', 'https:b.example/p'],
    ['no scheme', 'b.example/p'],
    ['another scheme', 'ftp://b.example/p'],
    ['an open bracket', 'https://[::1/p'],
    ['text after a bracket', 'https://[::1]x/p'],
    ['IPv6 without brackets', 'https://fe80::1/p'],
    ['an IPv6 zone', 'https://[fe80::1%25eth0]/p'],
    ['brackets around something else', 'https://[b.example]/p'],
    ['a port that is too large', 'https://b.example:65536/p'],
    ['a port that is no number', 'https://b.example:44a/p'],
    ['an escaped host', 'https://b%2Eexample/p'],
    ['a host that no name can be', 'https://b<c.example/p'],
    ['a wrong A-label', 'https://xn--a/p'],
    ['a wrong IPv4 number', 'https://1.2.3.256/p'],
    ['white space in the host', 'https://b .example/p'],
    ['white space in the path', 'https://b.example/a b'],
    ['a tab', 'https://b.example/a\tb'],
    ['a line end', 'https://b.example/a\n'],
    ['a backslash', 'https://b.example\\@c.example/p'],
    ['a backslash in the userinfo', 'https://b.example\\:x@c.example/p'],
    ['a backslash in the path', 'https://b.example/a\\b'],
    ['a broken escape', 'https://b.example/%4'],
    ['a broken escape in the middle', 'https://b.example/%zz/a'],
    ['letters beyond ASCII in the path', 'https://b.example/é'],
    ['letters beyond ASCII in the query', 'https://b.example/p?é'],
    ['nothing', ''],
    ['8193 characters', `https://b.example/${'a'.repeat(8193 - 18)}`],
  ])('[W14] has no form for %s', (_what, url) => {
    expect(canonicalTargetUri(url)).toBeUndefined();
  });

  it('[W14] applied twice changes nothing more', () => {
    const url = fc.oneof(
      fc.tuple(fc.webPath(), fc.webQueryParameters()).map(([path, query]) => `https://b.example${path}?${query}`),
      fc
        .array(fc.constantFrom('/', '.', '..', '%2e', '%7E', '%2f', '%25', '41', 'a', 'B', ':', '@', '?', '#', '{'))
        .map((parts) => `https://User@B.example:443/${parts.join('')}`),
    );
    fc.assert(
      fc.property(url, (given) => {
        const once = canonicalTargetUri(given);
        if (once === undefined) return;
        expect(canonicalTargetUri(once.uri)).toEqual(once);
        expect(once.origin + once.path).toBe(once.uri);
      }),
      { numRuns: 200 },
    );
  });

  it('answers for any text at all', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string({ unit: 'binary' }).map((text) => `https://${text}`),
        ),
        (text) => {
          const found = canonicalTargetUri(text);
          expect(found === undefined || /^https?:\/\/[!-~]+$/.test(found.uri)).toBe(true);
        },
      ),
    );
  });
});
