import { describe, expect, it } from 'vitest';
import { allowedPlaces, readPlace } from '../../../src/platform/outbound/allowed-places.ts';
import { checkUrl } from '../../../src/platform/outbound/url-guard.ts';
import { outbound } from './support/client.ts';

const named = (text: string) => allowedPlaces(text.split(',').flatMap((one) => readPlace(one) ?? []));
const reasonOf = (url: string, text?: string) => {
  const places = text === undefined ? {} : { places: named(text) };
  const verdict = checkUrl(url, { allowLoopback: false, ...places });
  return verdict.ok ? undefined : verdict.reason;
};

describe('[W16.ports] ports', () => {
  it.each([22, 25, 80, 6379, 9443])('%i of a public host are nobody’s to look at', (port) => {
    expect(reasonOf(`https://buyer.example:${port}/hook`)).toBe(`port ${port} is not among those that may be called`);
    expect(reasonOf(`https://8.8.8.8:${port}/hook`)).toBe(`port ${port} is not among those that may be called`);
  });

  it('443 and 8443 may be called, and others that are named', () => {
    for (const host of ['buyer.example', 'buyer.example:8443', '8.8.8.8', '8.8.8.8:8443'])
      expect([host, reasonOf(`https://${host}/hook`)]).toEqual([host, undefined]);
    expect(reasonOf('https://buyer.example:9443/', '*:9443')).toBeUndefined();
    expect(reasonOf('https://buyer.example:9444/', '*:9443')).toContain('port 9444');
  });

  it('a name is held to them by the addresses that it leads to, also where this machine may be called', async () => {
    const resolve = () => Promise.resolve([{ address: '8.8.8.8', family: 4 }]);
    const client = outbound({ allowLoopback: true, resolve });
    const result = await client.send({ url: 'https://buyer.example:22/', method: 'GET' });
    expect(result).toEqual({ kind: 'refused', reason: 'port 22 is not among those that may be called' });
  });
});

describe('[W16.ports] places that are named', () => {
  it('are subnets, at the usual ports or at their own, and nothing beside them', () => {
    const text = '10.20.0.0/16,10.9.9.9:9443,[fd00::]/8:9443';
    const passing = ['10.20.3.4', '10.20.3.4:8443', '10.9.9.9:9443', '[fd12::1]:9443'];
    for (const host of passing) expect([host, reasonOf(`https://${host}/`, text)]).toEqual([host, undefined]);
    for (const host of ['10.21.0.1', '10.9.9.9', '10.9.9.8:9443', '[fd12::1]', '[fe80::1]:9443', '169.254.169.254'])
      expect([host, reasonOf(`https://${host}/`, text)]).toEqual([host, expect.stringMatching(/ address$/)]);
    expect(reasonOf('https://10.20.3.4:22/', text)).toContain('private address');
    expect(reasonOf('http://10.20.3.4/', text)).toBe('url scheme is not https');
  });

  it('hold for what a name leads to, and one address elsewhere still spoils all', async () => {
    const places = named('10.20.0.0/16');
    const leadsTo = (...addresses: string[]) =>
      outbound({
        allowLoopback: false,
        places,
        resolve: () => Promise.resolve(addresses.map((address) => ({ address, family: 4 }))),
      }).send({ url: 'https://receiver.internal/', method: 'GET', connectTimeoutMs: 1, totalTimeoutMs: 1 });
    expect((await leadsTo('10.20.0.1')).kind).not.toBe('refused');
    expect(await leadsTo('10.20.0.1', '10.21.0.1')).toMatchObject({ kind: 'refused', reason: 'private address' });
  });

  it.each(['*', '*:0', '*/8:443', '10.0.0.0/33', 'fd00::/129', '10.0.0', 'buyer.example:443', '10.0.0.1:70000', ''])(
    '%j is none',
    (text) => {
      expect(readPlace(text)).toBeUndefined();
    },
  );
});
