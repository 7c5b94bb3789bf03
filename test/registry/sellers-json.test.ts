import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonInSlices } from '../../src/platform/intake/parse-json-in-slices.ts';
import { sortedInSlices } from '../../src/platform/sorted-in-slices.ts';
import { CONFIRMATIONS, confirmationOf } from '../../src/registry/sellers/confirm.ts';
import type { ConfirmationCode } from '../../src/registry/sellers/confirm.ts';
import { parseSellersJson } from '../../src/registry/sellers/parse-sellers-json.ts';
import type { SellersJson } from '../../src/registry/sellers/parse-sellers-json.ts';

async function parse(json: unknown): Promise<SellersJson> {
  const said = await parseSellersJson(Buffer.from(JSON.stringify(json)));
  if ('reason' in said) throw new Error(said.reason);
  return said;
}

describe('sellers.json', () => {
  it('[R15.sellers] reads what the norm has, bounded, in any common spelling', async () => {
    const { sellers, facts } = await parse({
      ...{ contact_email: 'a@a.example', contact_address: 'Road 1\nTown', version: 1.0 },
      identifiers: [{ name: 'TAG-ID', value: '28cb65e5bbc0bd5f' }, { name: '' }, 'x'],
      sellers: [
        { seller_id: '1', seller_type: 'PUBLISHER', name: 'News', domain: 'News.Example', is_confidential: 0 },
        { seller_id: 2, seller_type: 'intermediary', domain: 'https://www.net.example/', is_passthrough: 1 },
        { seller_id: ' 3 ', seller_type: 'BOTH', is_confidential: '1', comment: 'kept out' },
        { seller_id: '4', seller_type: 'SELLER', domain: 'no domain', name: 'x'.repeat(500) },
      ],
    });
    expect(facts).toEqual({
      ...{ version: '1', contact_email: 'a@a.example', contact_address: 'Road 1 Town' },
      identifiers: [{ name: 'TAG-ID', value: '28cb65e5bbc0bd5f' }],
      ...{ bad_entries: 0, problems: [], is_cut: false },
    });
    expect(sellers).toEqual([
      { seller_id: '1', seller_type: 'PUBLISHER', name: 'News', domain: 'news.example' },
      { seller_id: '2', seller_type: 'INTERMEDIARY', domain: 'net.example', is_passthrough: true },
      { seller_id: '3', seller_type: 'BOTH', is_confidential: true },
      { seller_id: '4', seller_type: null, name: 'x'.repeat(200) },
    ]);
  });

  it('[R15.sellers] leaves out entries without an id or with one that came before, and tells which', async () => {
    const { sellers, facts } = await parse({
      sellers: [{ name: 'x' }, { seller_id: '1' }, { seller_id: 1, name: 'again' }, 7, null, { seller_id: '1 2' }],
    });
    expect(sellers).toHaveLength(1);
    expect(facts).toMatchObject({ bad_entries: 5 });
    expect(facts.problems.slice(0, 2)).toEqual([
      'sellers[0] has no usable seller_id',
      'sellers[2] has the seller_id of one before it',
    ]);
  });

  it.each([
    ['[]', 'body is not json'],
    ['<html>', 'body is not json'],
    ['{"seller": []}', 'the file has no list sellers'],
    ['{"sellers": {}}', 'the file has no list sellers'],
  ])('[R15.sellers] says of %j why it is none', async (text, reason) => {
    expect(await parseSellersJson(Buffer.from(text))).toEqual({ reason });
  });

  it('[R15.sellers] reads as many sellers as it may and no more, lets others have their turn, and says that it cut', async () => {
    const MOST = 20_000;
    const all = Array.from({ length: MOST + 1 }, (_, n) => `{"seller_id":"${n}"}`);
    const bytes = Buffer.from(`{"sellers":[${all.join()}]}`);
    let turns = 0;
    const others = setInterval(() => turns++, 0);
    const said = await parseSellersJson(bytes, { most: MOST });
    clearInterval(others);
    expect(turns).toBeGreaterThan(0);
    expect(said).toMatchObject({ facts: { is_cut: true } });
    expect((said as SellersJson).sellers.length).toBe(MOST);
  });

  it('[R15.sellers] reads the whole sellers of a text that ends anywhere', async () => {
    const text = JSON.stringify({ version: '1.0', sellers: [1, 2, 3].map((n) => ({ seller_id: `s${n}`, name: 'é' })) });
    const bytes = Buffer.from(text);
    for (let end = 0; end < bytes.length; end++) {
      const said = await parseSellersJson(bytes.subarray(0, end), { isCut: true });
      const whole = bytes.subarray(0, end).toString().split('},').length - 1 + (end > bytes.indexOf(']') ? 1 : 0);
      const isListed = end > text.indexOf('[');
      if (isListed) expect(said).toMatchObject({ facts: { version: '1.0', is_cut: true } });
      else expect(said).toEqual({ reason: 'the file has no list sellers' });
      if (isListed) expect((said as SellersJson).sellers.length).toBeGreaterThanOrEqual(whole);
    }
  });
});

it('[R15.sellers] reads of a JSON text that is cut a part of what the whole says, and nothing else', async () => {
  const value = fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())));
  await fc.assert(
    fc.asyncProperty(value, fc.nat(), async (whole, at) => {
      const bytes = Buffer.from(JSON.stringify(whole));
      const part = await parseJsonInSlices(bytes.subarray(0, at % (bytes.length + 1)), { isCut: true });
      const read = JSON.parse(JSON.stringify(whole)) as Record<string, unknown>;
      for (const [key, known] of Object.entries(part)) {
        const said = read[key];
        expect(Array.isArray(known) && Array.isArray(said) ? said.slice(0, known.length) : said).toEqual(known);
      }
    }),
    { numRuns: 100 },
  );
});

it('[R15.sellers] sorts long lists in slices as `sort` does, stable', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(50), { maxLength: 5000, size: 'max' }), async (numbers) => {
      const items = numbers.map((number, at) => ({ number, at }));
      const compare = (a: { number: number }, b: { number: number }) => a.number - b.number;
      expect(await sortedInSlices(items, compare)).toEqual([...items].sort(compare));
    }),
    { numRuns: 10 },
  );
});

describe('an account of an ads.txt in a sellers.json', () => {
  const managers = [
    { domain: 'manager.example', country: null, no_agents: false },
    { domain: 'german.example', country: 'DE', no_agents: true },
  ];
  const owner = { publisher_domain: 'news.example', owner_domain: 'owner.example', managers };

  it.each<['DIRECT' | 'RESELLER', string | null, string | undefined, ConfirmationCode]>([
    ['DIRECT', 'PUBLISHER', 'news.example', 'own_account'],
    ['DIRECT', 'PUBLISHER', 'shop.news.example', 'own_account'],
    ['DIRECT', 'PUBLISHER', 'owner.example', 'own_account'],
    ['DIRECT', 'BOTH', 'owner.example', 'own_account'],
    ['DIRECT', 'PUBLISHER', 'manager.example', 'account_of_manager'],
    ['DIRECT', 'INTERMEDIARY', 'manager.example', 'account_of_manager'],
    ['DIRECT', 'BOTH', 'german.example', 'account_of_manager'],
    ['DIRECT', 'PUBLISHER', 'other.example', 'another_owner'],
    ['DIRECT', 'BOTH', 'other.example', 'another_owner'],
    ['DIRECT', 'PUBLISHER', undefined, 'no_domain'],
    ['DIRECT', 'INTERMEDIARY', 'other.example', 'intermediary_as_direct'],
    ['DIRECT', 'INTERMEDIARY', 'news.example', 'intermediary_as_direct'],
    ['DIRECT', 'INTERMEDIARY', undefined, 'intermediary_as_direct'],
    ['DIRECT', null, 'news.example', 'no_seller_type'],
    ['RESELLER', 'INTERMEDIARY', 'other.example', 'reseller_account'],
    ['RESELLER', 'BOTH', undefined, 'reseller_account'],
    ['RESELLER', 'PUBLISHER', 'news.example', 'publisher_as_reseller'],
    ['RESELLER', 'PUBLISHER', 'other.example', 'publisher_as_reseller'],
    ['RESELLER', null, undefined, 'no_seller_type'],
  ])('[R15.sellers] %s, of type %s and domain %s: %s', (relationship, seller_type, domain, code) => {
    const seller = { seller_type: seller_type as 'BOTH' | null, ...(domain !== undefined && { domain }) };
    expect(confirmationOf({ relationship }, owner, seller)).toBe(code);
    expect(confirmationOf({ relationship }, owner, { ...seller, is_confidential: true })).toBe('hidden_owner');
  });

  it('[R15.sellers] knows no owner besides the publisher where the ads.txt names none', () => {
    const bare = { publisher_domain: 'news.co.uk', owner_domain: null, managers: [] };
    const of = (domain: string) =>
      CONFIRMATIONS[confirmationOf({ relationship: 'DIRECT' }, bare, { seller_type: 'PUBLISHER', domain })][0];
    expect([of('news.co.uk'), of('owner.co.uk')]).toEqual(['confirmed', 'contradicted']);
  });
});
