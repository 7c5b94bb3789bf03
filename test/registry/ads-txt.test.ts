import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AdsTxtFacts } from '../../src/directory/seller/ads-txt-file.ts';
import { recordKey } from '../../src/directory/seller/ads-txt-file.ts';
import { MAX_LINES, MAX_SYSTEMS, parseAdsTxt } from '../../src/registry/sellers/parse-ads-txt.ts';

const parse = (text: string, isCut = false) => parseAdsTxt(Buffer.from(text), isCut);

/** Records as `system account RELATIONSHIP certification`, and of the facts those that are said. */
interface Said {
  records?: string[];
  facts?: Partial<AdsTxtFacts>;
}

const DIRECT = 'a.example 1 DIRECT';
const bad = (why: string, line = 1): Partial<AdsTxtFacts> => ({ bad_lines: 1, problems: [`line ${line}: ${why}`] });
const OK = '\na.example,1,DIRECT';
const FIRST = 'its first field is not the domain of an ad system';
const SECOND = 'its second field is not an account of 1 to 200 characters';
const THIRD = 'its third field is neither DIRECT nor RESELLER';
const FEW = 'it is no record: it has fewer than three fields';

const TABLE: [text: string, said: Said][] = [
  ['a.example, 1, DIRECT', { records: [DIRECT], facts: { bad_lines: 0, problems: [], systems: ['a.example'] } }],
  ['a.example, 1, DIRECT, f08c47fec0942fa0', { records: [`${DIRECT} f08c47fec0942fa0`] }],
  ['a.example,1,direct', { records: [DIRECT] }],
  ['a.example\t,\t1\t,\tReseller', { records: ['a.example 1 RESELLER'] }],
  ['  A.Example , pub-123 , DIRECT  ', { records: ['a.example pub-123 DIRECT'] }],
  ['www.a.example, 1, DIRECT', { records: [DIRECT] }],
  ['\ufeffa.example, 1, DIRECT', { records: [DIRECT] }],
  ['a.example, 1, DIRECT\r\nb.example, 2, RESELLER\r\n', { records: [DIRECT, 'b.example 2 RESELLER'] }],
  ['a.example, 1, DIRECT\rb.example, 2, RESELLER', { records: [DIRECT, 'b.example 2 RESELLER'] }],
  ['# ads\n\n  \na.example, 1, DIRECT # ours, DIRECT', { records: [DIRECT], facts: { bad_lines: 0 } }],
  ['#a.example, 1, DIRECT', { records: [], facts: { bad_lines: 0 } }],
  ['a.example, 1, DIRECT; x=1, y', { records: [DIRECT] }],
  ['a.example, 1, DIRECT, abc ;ext;more', { records: [`${DIRECT} abc`] }],
  ['a.example, 1, DIRECT, abc, fifth', { records: [`${DIRECT} abc`] }],
  ['a.example, 1, DIRECT, not an id', { records: [DIRECT], facts: { bad_lines: 0 } }],
  ['a.example, 1, DIRECT,', { records: [DIRECT], facts: { bad_lines: 0 } }],
  ['a.example,1,DIRECT\na.example,1,DIRECT,abc', { records: [DIRECT], facts: { bad_lines: 0 } }],
  ['a.example,1,DIRECT\na.example,1,RESELLER', { records: [DIRECT, 'a.example 1 RESELLER'] }],
  ['a.example,Ab,DIRECT\na.example,aB,DIRECT', { records: ['a.example Ab DIRECT', 'a.example aB DIRECT'] }],
  ['placeholder.example.com, placeholder, DIRECT, placeholder', { records: [], facts: { systems_count: 0 } }],
  ['', { records: [], facts: { bad_lines: 0 } }],
  [`https://a.example/, 1, DIRECT${OK}`, { records: [DIRECT], facts: bad(FIRST) }],
  [`127.0.0.1, 1, DIRECT${OK}`, { records: [DIRECT], facts: bad(FIRST) }],
  [`localhost, 1, DIRECT${OK}`, { records: [DIRECT], facts: bad(FIRST) }],
  [`, 1, DIRECT${OK}`, { records: [DIRECT], facts: bad(FIRST) }],
  [`a.example, , DIRECT${OK}`, { records: [DIRECT], facts: bad(SECOND) }],
  [`a.example, 1 2, DIRECT${OK}`, { records: [DIRECT], facts: bad(SECOND) }],
  [`a.example, ${'1'.repeat(201)}, DIRECT${OK}`, { records: [DIRECT], facts: bad(SECOND) }],
  [`a.example, 1, BOTH${OK}`, { records: [DIRECT], facts: bad(THIRD) }],
  [`a.example, 1, DIRECT RESELLER${OK}`, { records: [DIRECT], facts: bad(THIRD) }],
  [`a.example, 1${OK}`, { records: [DIRECT], facts: bad(FEW) }],
  [`a.example 1 DIRECT${OK}`, { records: [DIRECT], facts: bad(FEW) }],
  [`a.example,1,DIRECT\n${'x'.repeat(2_001)}`, { facts: bad('it has more than 2000 characters', 2) }],
  ['OWNERDOMAIN=Owner.example', { records: [], facts: { owner_domain: 'owner.example', bad_lines: 0 } }],
  ['ownerdomain = one.example\nOWNERDOMAIN=two.example', { facts: { owner_domain: 'one.example', bad_lines: 0 } }],
  ['OWNERDOMAIN=https://owner.example\nOWNERDOMAIN=b.example', { facts: { owner_domain: 'b.example', bad_lines: 1 } }],
  [
    'MANAGERDOMAIN=a.example\nMANAGERDOMAIN=b.example,us #noagents\nMANAGERDOMAIN=c.example',
    {
      facts: {
        managers: [
          { domain: 'c.example', country: null, no_agents: false },
          { domain: 'b.example', country: 'US', no_agents: true },
        ],
      },
    },
  ],
  [
    `MANAGERDOMAIN=b.example,UK${OK}`,
    { facts: { managers: [], ...bad('MANAGERDOMAIN is for a country that is none of ISO 3166-1') } },
  ],
  [
    'CONTACT=ads@a.example\nCONTACT=https://a.example/?a=b,c',
    { facts: { contacts: ['ads@a.example', 'https://a.example/?a=b,c'] } },
  ],
  ['CONTACT=\nCONTACT=x', { facts: { contacts: ['x'], ...bad('CONTACT is empty') } }],
  ['SUBDOMAIN=www.News.a.example\nsubdomain=nothing', { facts: { subdomains: ['www.news.a.example'], bad_lines: 1 } }],
  ['INVENTORYPARTNERDOMAIN=p.example', { facts: { inventory_partner_domains: ['p.example'] } }],
  [`FUTURE=x${OK}`, { records: [DIRECT], facts: bad('it is no variable of ads.txt 1.1') }],
  // A record whose account has an equals sign is no variable.
  ['a.example, k=v, DIRECT', { records: ['a.example k=v DIRECT'], facts: { bad_lines: 0 } }],
];

describe('ads.txt', () => {
  it.each(TABLE)('[R15.sellers] reads %j', async (text, { records, facts = {} }) => {
    const said = await parse(text);
    const shown = said?.records.map((one) => [recordKey(one), one.certification_id ?? []].flat().join(' '));
    if (records !== undefined) expect(shown).toEqual(records);
    expect(said?.facts).toMatchObject({ ...facts });
  });

  it.each(['<!doctype html>\n<html lang="en">', '{"error": "no such page"}', 'Not found', 'FUTURE=x'])(
    '[R15.sellers] takes %j for no ads.txt',
    async (text) => {
      expect(await parse(text)).toBeUndefined();
    },
  );

  it('[R15.sellers] names the first 20 bad lines, counts all, and follows the first 200 ad systems', async () => {
    const systems = Array.from({ length: MAX_SYSTEMS + 1 }, (_, n) => `s${n}.example,1,DIRECT`);
    const said = await parse([...systems, ...Array.from({ length: 30 }, () => 'bad')].join('\n'));
    expect(said?.facts).toMatchObject({ bad_lines: 30, systems_count: MAX_SYSTEMS + 1 });
    expect(said?.facts.problems).toHaveLength(20);
    expect(said?.facts.problems[19]).toBe(`line ${MAX_SYSTEMS + 21}: ${FEW}`);
    expect(said?.facts.systems).toEqual(systems.slice(0, MAX_SYSTEMS).map((line) => line.split(',')[0]));
  });

  it('[R15.sellers] reads 65,536 lines and no more, lets others have their turn, and says that it cut', async () => {
    const lines = Array.from({ length: MAX_LINES + 1 }, (_, n) => `a.example,${n},DIRECT`);
    let turns = 0;
    const others = setInterval(() => turns++, 0);
    const said = await parse(lines.join('\n'));
    clearInterval(others);
    expect(turns).toBeGreaterThan(0);
    expect([said?.records.length, said?.facts.is_cut]).toEqual([MAX_LINES, true]);
    const whole = await parse(lines.slice(1).join('\n'));
    expect([whole?.records.length, whole?.facts.is_cut]).toEqual([MAX_LINES, false]);
  });

  it('[R15.sellers] leaves out the last line of a file that was cut: it may not be whole', async () => {
    const said = await parse('a.example,1,DIRECT\na.example,12,DIRECT', true);
    expect([said?.records.length, said?.facts.is_cut]).toEqual([1, true]);
  });

  it('[R15.sellers] reads what was written, whatever stands around it, and never fails', async () => {
    const host = fc.constantFrom('a.example', 'b.a.example', 'c-d.example', 'xn--bcher-kva.example');
    const record = fc.record({
      ...{ ad_system: host, seller_id: fc.constantFrom('1', 'pub-1', 'aB', 'a=b', 'é') },
      relationship: fc.constantFrom('DIRECT', 'RESELLER'),
    });
    const space = fc.constantFrom('', ' ', '\t');
    const tail = fc.constantFrom('', ';ext', ' # DIRECT', ',cert', ', cert ; a=b # c');
    const noise = fc.constantFrom('', '# a.example,1,DIRECT', 'garbage', '=', ',,', '\u0000', ',,DIRECT', '\u2028');
    const line = fc.tuple(record, space, space, tail, noise);
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 20 }), fc.constantFrom('\n', '\r\n', '\r'), async (lines, end) => {
        const text = lines.map(
          ([{ ad_system, seller_id, relationship }, a, b, after, other]) =>
            `${other}${end}${a}${ad_system}${b},${a}${seller_id}${b},${relationship}${after}`,
        );
        const said = await parse(text.join(end));
        const keys = new Set(lines.map(([one]) => recordKey(one)));
        expect(said?.records.map(recordKey)).toEqual([...keys]);
      }),
      { numRuns: 50 },
    );
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), fc.string({ unit: 'binary' }), async (bytes, text) => {
        await parseAdsTxt(bytes);
        const said = await parse(text);
        for (const one of said?.records ?? []) expect(recordKey(one).split(' ')).toHaveLength(3);
      }),
      { numRuns: 100 },
    );
  });
});
