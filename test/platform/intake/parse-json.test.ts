import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INPUT_LIMITS } from '../../../src/platform/intake/input-limits.ts';
import { InputRefusal } from '../../../src/platform/intake/input-refusal.ts';
import { ANY_SHAPE } from '../../../src/platform/intake/json-shape.ts';
import { checkStructure } from '../../../src/platform/intake/check-structure.ts';
import { parseForm } from '../../../src/platform/intake/parse-form.ts';
import { parseJson } from '../../../src/platform/intake/parse-json.ts';

const { depth, members, allMembers, elements, values } = INPUT_LIMITS;

function refusalOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(InputRefusal);
    return (error as InputRefusal).message;
  }
}

const refusal = (text: string | Buffer, rules = {}) => refusalOf(() => parseJson(Buffer.from(text), rules));
const listOf = (count: number, one = '1') => `[${Array.from({ length: count }, () => one).join(',')}]`;
const objectOf = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',')}}`;

describe('JSON from outside', () => {
  it.each([
    ['levels', '['.repeat(depth) + ']'.repeat(depth), '['.repeat(depth + 1) + ']'.repeat(depth + 1), /deeper than 64/],
    ['levels of objects', nested(depth), nested(depth + 1), /deeper than 64/],
    ['members', objectOf(members), objectOf(members + 1), /^an object has at most 1000 members$/],
    ['elements', listOf(elements), listOf(elements + 1), /^an array has at most 20000 elements$/],
    [
      'members of all objects',
      listOf(allMembers / members, objectOf(members)),
      listOf(allMembers / members + 1, objectOf(members)),
      /all objects of the body together/,
    ],
    ['values', listOf(90, listOf(1_000)), listOf(101, listOf(1_000)), new RegExp(`more than ${values} values`)],
  ])('[S1] is taken up to the limit of %s, and no further', (_what, most, more, told) => {
    expect(refusal(most)).toBeUndefined();
    expect(refusal(more)).toMatch(told);
  });

  it('[S1] is refused with the place of what is too much', () => {
    const inner = objectOf(members + 1);
    expect(refusal(`{"a":1,"packages":[{},{"x\\ny":[[],${inner}]}]}`)).toBe(
      'packages[1].x\ny[1]: an object has at most 1000 members',
    );
    expect(refusal(`{"list":${listOf(elements + 1)}}`)).toBe('list: an array has at most 20000 elements');
    const shape = { ...ANY_SHAPE, textBytes: 10 };
    expect(refusal('{"a":["0123456789","0123456789a"]}', { shape })).toBe('a[1]: a text has at most 10 bytes');
    expect(refusal('{"a":{"0123456789a":1}}', { shape })).toBe('a: a text has at most 10 bytes');
  });

  it('[S1] keeps every key, __proto__ too', () => {
    const { value } = parseJson(Buffer.from('{"__proto__":{"a":1},"b":[{"__proto__":2}]}'));
    expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1},"b":[{"__proto__":2}]}');
    expect(Object.hasOwn(value as object, '__proto__')).toBe(true);
  });

  it('is counted by what it holds, not by what stands in its texts', () => {
    const text = JSON.stringify({ 'a,{[': '"[{,'.repeat(20_000), b: '\\"'.repeat(20_000) });
    expect(parseJson(Buffer.from(text)).text).toBe(text);
  });

  it.each([
    ['nothing', ''],
    ['half an object', '{"a":'],
    ['two documents', '{}{}'],
    ['a byte order mark', '\ufeff{}'],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0xc0, 0x22])],
    ['too many closed brackets', ']]]]}}'],
  ])('is refused as no JSON: %s', (_what, text) => {
    expect(refusal(text)).toBe('the body is not valid JSON in UTF-8');
  });

  it('is refused, where it is stored, for text that no store keeps', () => {
    for (const text of ['"\\ud800"', '{"\\udc00":1}', '["a\\u0000b"]']) {
      expect(refusal(text, { isStored: true })).toMatch(/surrogate/);
      expect(refusal(text)).toBeUndefined();
    }
    expect(refusal('"\\ud83d\\ude00"', { isStored: true })).toBeUndefined();
  });

  it('[S1] is what JSON.parse makes of it, or refused: whatever it is', () => {
    const anything = fc.oneof(
      fc.json({ maxDepth: 6 }),
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^[[\]{}",:\\0-9a ]{0,40}$/),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const taken = refusal(text) === undefined;
        let parsed: { value: unknown } | undefined;
        try {
          parsed = { value: JSON.parse(Buffer.from(text).toString('utf8')) as unknown };
        } catch {
          // None.
        }
        expect(taken).toBe(parsed !== undefined);
        if (taken) expect(parseJson(Buffer.from(text)).value).toEqual(parsed?.value);
      }),
      { seed: 1, numRuns: 100 },
    );
  });
});

describe('a decoded value', () => {
  it('[S1] is held to the same limits', () => {
    const check = (value: unknown) =>
      refusalOf(() => {
        checkStructure(value, { ...ANY_SHAPE, textBytes: 10 });
      });
    const levels = (count: number) => JSON.parse('['.repeat(count) + ']'.repeat(count)) as unknown;
    expect(check(levels(depth))).toBeUndefined();
    expect(check(levels(depth + 1))).toMatch(/deeper/);
    expect(check(JSON.parse(objectOf(members)))).toBeUndefined();
    expect(check(JSON.parse(objectOf(members + 1)))).toMatch(/members/);
    expect(check(JSON.parse(listOf(26, objectOf(members))))).toMatch(/all objects/);
    expect(check(JSON.parse(listOf(elements + 1)))).toMatch(/elements/);
    expect(check(JSON.parse(listOf(101, listOf(1_000))))).toMatch(/values/);
    expect(check(['ééééé'])).toBeUndefined();
    expect(check({ ééééé0: 1 })).toMatch(/at most 10 bytes/);
    expect(check(['a\u0000'])).toMatch(/U\+0000/);
    expect(check(Buffer.alloc(100_000))).toBeUndefined();
  });
});

describe('a form', () => {
  it('has each field by its name, and all values of one that is sent again', () => {
    expect(parseForm(Buffer.from('a=1&b=x%20y+z&a=2&__proto__=3&c'))).toEqual(
      Object.fromEntries([
        ['a', ['1', '2']],
        ['b', 'x y z'],
        ['__proto__', '3'],
        ['c', ''],
      ]),
    );
    expect(parseForm(Buffer.alloc(0))).toEqual({});
  });

  it('[S1] has at most 20 fields, in UTF-8', () => {
    const fields = (count: number) => Buffer.from(Array.from({ length: count }, (_, i) => `f${i}=1`).join('&'));
    expect(Object.keys(parseForm(fields(20)))).toHaveLength(20);
    expect(refusalOf(() => parseForm(fields(21)))).toMatch(/at most 20 fields/);
    expect(refusalOf(() => parseForm(Buffer.from([0x61, 0x3d, 0xff])))).toMatch(/UTF-8/);
  });
});

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
}
