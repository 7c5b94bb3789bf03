import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowedPlaces } from '../../../src/platform/outbound/allowed-places.ts';
import { checkUrl } from '../../../src/platform/outbound/url-guard.ts';

const verdictOn = (url: string, allowLoopback: boolean): string => {
  const verdict = checkUrl(url, { allowLoopback });
  return verdict.ok ? 'ok' : verdict.reason;
};

const NOT_HTTPS = 'url scheme is not https';
const MALFORMED = 'url is not absolute or not well-formed';
const REWRITTEN = 'url has white space, control characters or backslashes';
const NO_NAME = 'url host is not a well-formed name';

/** The same verdict whether or not loopback is allowed. */
const ROWS: readonly (readonly [url: string, verdict: string])[] = [
  ['https://buyer.example/hook?a=1', 'ok'],
  ['HTTPS://BUYER.EXAMPLE', 'ok'],
  ['https://buyer.example.:8443/', 'ok'],
  ['https://münchen.example/', 'ok'],
  ['https://ex_ample.example/', 'ok'],
  ['https://8.8.8.8/', 'ok'],
  ['https://134744072/', 'ok'],
  ['https://[2606:4700:4700::1111]:8443/', 'ok'],
  ['https://[::ffff:8.8.8.8]/', 'ok'],
  ['https://buyer.example:443/', 'ok'],
  ['https://buyer.example:0/', 'url port is 0'],
  ['https://buyer.example:65536/', MALFORMED],
  ['https://buyer.example:-1/', MALFORMED],
  ['ftp://buyer.example/', NOT_HTTPS],
  ['ws://127.0.0.1/', NOT_HTTPS],
  ['file:///etc/passwd', MALFORMED],
  ['gopher://127.0.0.1:6379/_x', NOT_HTTPS],
  ['data:text/plain,x', MALFORMED],
  ['javascript:alert(1)', MALFORMED],
  ['buyer.example/hook', MALFORMED],
  ['//buyer.example/hook', MALFORMED],
  ['https:buyer.example', MALFORMED],
  ['https:///buyer.example', MALFORMED],
  ['https://', MALFORMED],
  ['', MALFORMED],
  ['https://user@buyer.example/', 'url has userinfo'],
  ['https://user:pass@buyer.example/', 'url has userinfo'],
  ['https://:pass@buyer.example/', 'url has userinfo'],
  ['https://buyer.example@127.0.0.1/', 'url has userinfo'],
  ['https://buyer.example%40127.0.0.1/', MALFORMED],
  ['https://buyer.example\\@127.0.0.1/', REWRITTEN],
  ['https://127.0.\t0.1/', REWRITTEN],
  ['https://buyer.example/a b', REWRITTEN],
  ['\u0000https://buyer.example/', REWRITTEN],
  ['https://buyer.example/\r\nhost: evil', REWRITTEN],
  [`https://buyer.example/${'a'.repeat(8192)}`, 'url is too long'],
  ['https://a..example/', NO_NAME],
  ['https://buyer.example../', NO_NAME],
  [`https://${'a'.repeat(64)}.example/`, NO_NAME],
  ['https://1.2.3.4.5/', MALFORMED],
  ['https://256.0.0.1/', MALFORMED],
  ['https://[fe80::1%25eth0]/', MALFORMED],
  ['https://[fe80::1%eth0]/', MALFORMED],
  ['https://[fe80::1]/', 'link-local address'],
  ['https://10.0.0.1/', 'private address'],
  ['https://10.1/', 'private address'],
  ['https://0xa000001/', 'private address'],
  ['https://0300.0250.0.1/', 'private address'],
  ['https://192.168.257/', 'private address'],
  ['https://169.254.169.254/latest/meta-data/', 'cloud metadata address'],
  ['https://2852039166/', 'cloud metadata address'],
  ['https://0xa9.0xfe.0xa9.0xfe/', 'cloud metadata address'],
  ['https://0251.0376.0251.0376/', 'cloud metadata address'],
  ['https://[fd00:ec2::254]/', 'cloud metadata address'],
  ['https://[::ffff:169.254.169.254]/', 'embedded cloud metadata address'],
  ['https://0/', 'unspecified address'],
  ['https://0.0.0.0/', 'unspecified address'],
  ['https://[::]/', 'unspecified address'],
  ['https://[::ffff:127.0.0.1]/', 'embedded loopback address'],
  ['https://[0:0:0:0:0:ffff:7f00:1]/', 'embedded loopback address'],
  ['https://[::127.0.0.1]/', 'embedded loopback address'],
  ['https://[64:ff9b::127.0.0.1]/', 'embedded loopback address'],
  ['https://[2002:7f00:1::]/', 'embedded loopback address'],
  ['http://buyer.example@localhost/', 'url has userinfo'],
  ['http://8.8.8.8/', NOT_HTTPS],
  ['http://[2606:4700::1]/', NOT_HTTPS],
  ['http://10.0.0.1/', 'private address'],
];

/** Spellings of this machine: refused, and allowed where loopback is. */
const LOOPBACK: readonly string[] = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '017700000001',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.01',
  '%31%32%37.0.0.1',
  '127。0。0。1',
  '①②⑦.⓪.⓪.①',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'localhost%2e',
  'l%6fcalhost',
  'ｌｏｃａｌｈｏｓｔ',
  'buyer.localhost',
];

describe('the URL guard', () => {
  it.each(ROWS)('[W16] %j: %s', (url, verdict) => {
    expect(verdictOn(url, false)).toBe(verdict);
    expect(verdictOn(url, true)).toBe(verdict);
  });

  it.each(LOOPBACK)('[W16] %s is this machine, open only where loopback is allowed', (host) => {
    expect(verdictOn(`https://${host}:8443/`, false)).toBe('loopback address');
    expect(verdictOn(`http://${host}:8080/`, false)).toBe('loopback address');
    for (const scheme of ['http', 'https']) {
      const verdict = checkUrl(`${scheme}://${host}:8443/`, { allowLoopback: true });
      expect(verdict).toMatchObject({ ok: true, target: { isThisMachine: true, isLoopbackOnly: true } });
    }
  });

  it('[W16] refuses http to a name, and leaves it to the connection where loopback is allowed', () => {
    expect(verdictOn('http://buyer.example/', false)).toBe(NOT_HTTPS);
    expect(checkUrl('http://buyer.example/', { allowLoopback: true })).toMatchObject({
      ok: true,
      target: { isThisMachine: false, isLoopbackOnly: true },
    });
  });

  it.each([1, 22, 25, 53, 465, 587, 993, 2049, 6000, 6667, 10080])(
    '[W16.ports] refuses port %i of anybody else, where loopback is allowed, too',
    (port) => {
      const why = `port ${port} is not among those that may be called`;
      for (const host of ['buyer.example', '8.8.8.8'])
        for (const allowLoopback of [false, true])
          expect(verdictOn(`https://${host}:${port}/`, allowLoopback)).toBe(why);
      expect(verdictOn(`http://buyer.example:${port}/`, true)).toBe(why);
      for (const host of ['127.0.0.1', '[::1]', 'localhost'])
        expect(verdictOn(`http://${host}:${port}/`, true)).toBe('ok');
    },
  );

  it('[W16.ports] refuses of a name, where loopback is allowed, no port but those that fetch refuses by itself', async () => {
    const refused = Array.from({ length: 65_535 }, (_, i) => i + 1).filter(
      (port) => !checkUrl(`http://buyer.example:${port}/`, { allowLoopback: true }).ok,
    );
    expect(refused).toHaveLength(82);
    const cause = (port: number) =>
      fetch(`http://127.0.0.1:${port}/`).catch((error: unknown) => ((error as Error).cause as Error).message);
    expect(new Set(await Promise.all(refused.map(cause)))).toEqual(new Set(['bad port']));
  });

  it('[W16.ports] leaves a port to the operator, who may name any', () => {
    const places = allowedPlaces([{ port: 6000 }]);
    expect(checkUrl('https://buyer.example:6000/', { allowLoopback: false, places }).ok).toBe(true);
    expect(checkUrl('http://ad-server.internal:6000/', { allowLoopback: false, trustsUrls: true }).ok).toBe(true);
  });

  it('takes a URL apart for connecting, without its fragment and the dot at the end of its host', () => {
    expect(checkUrl('https://Bücher.Example.:8443/a/../b?x=%7e#frag', { allowLoopback: false })).toEqual({
      ok: true,
      target: {
        href: 'https://xn--bcher-kva.example.:8443/b?x=%7e',
        origin: 'https://xn--bcher-kva.example.:8443',
        path: '/b?x=%7e',
        host: 'xn--bcher-kva.example',
        isLiteral: false,
        port: 8443,
        isSecure: true,
        isThisMachine: false,
        isLoopbackOnly: false,
      },
    });
  });

  it.each(['http://10.1.2.3:8070/', 'http://ad-server.internal/v1', 'https://192.168.0.9/', 'http://[fd00::1]/'])(
    'lets %s through where URLs are the operator’s own settings, and nowhere else',
    (url) => {
      expect(checkUrl(url, { allowLoopback: false, trustsUrls: true })).toMatchObject({
        ok: true,
        target: { isLoopbackOnly: false },
      });
      if (url !== 'http://ad-server.internal/v1') expect(checkUrl(url, { allowLoopback: true }).ok).toBe(false);
      else expect(checkUrl(url, { allowLoopback: true })).toMatchObject({ ok: true, target: { isLoopbackOnly: true } });
      for (const form of ['ftp://ad-server.internal/', 'http://user@ad-server.internal/', 'ad-server.internal']) {
        expect(checkUrl(form, { allowLoopback: true, trustsUrls: true }).ok).toBe(false);
      }
    },
  );

  it('[W16] has a verdict on any string, and lets none through that is not https to an allowed host', () => {
    const mangled = fc
      .tuple(
        fc.constantFrom('https://', 'http://', 'HTTPS://', ''),
        fc.string(),
        fc.webUrl({ validSchemes: ['https'] }),
      )
      .map(([scheme, noise, url]) => scheme + noise + url);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl({ withFragments: true }), mangled), (text) => {
        const verdict = checkUrl(text, { allowLoopback: false });
        if (verdict.ok) expect(new URL(text)).toMatchObject({ protocol: 'https:', username: '', password: '' });
        else expect(verdict.reason).toMatch(/^(url |[a-zA-Z- ]+ address$)/);
      }),
      { numRuns: 200 },
    );
  });
});
