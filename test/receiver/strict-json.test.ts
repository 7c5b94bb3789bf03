import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasDuplicateName, parseStrictJson } from '#receiver/wire/strict-json';

describe('parseStrictJson', () => {
  it('[W12] takes any JSON whose names are unique, and gives its value', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary', maxDepth: 5 }), (json) => {
        expect(parseStrictJson(Buffer.from(json))).toEqual({ value: JSON.parse(json) as unknown });
      }),
    );
  });

  it('[W12] finds a name that comes twice, wherever it is put', () => {
    const nested = fc.tuple(fc.array(fc.constantFrom('object', 'array')), fc.string({ unit: 'binary' }), fc.json());
    fc.assert(
      fc.property(nested, ([path, name, value]) => {
        const quoted = JSON.stringify(name);
        let json = `{${quoted}:${value},"between":1,${quoted}:${value}}`;
        for (const kind of path) json = kind === 'array' ? `[1,${json}]` : `{"in":${json},"after":"}"}`;
        expect(parseStrictJson(Buffer.from(json))).toBeUndefined();
      }),
    );
  });

  it.each([
    '{"a":1,"a":1}',
    '{"a":1,"b":{"c":2},"a":3}',
    '{"a":1,"\\u0061":2}',
    '{"\\ud83d\\ude80":1,"🚀":2}',
    '{"a\\"b":1,"a\\u0022b":2}',
    '{"":1,"":2}',
    '{"__proto__":1,"__proto__":2}',
    ' { "a" : [ { "x" : 1 , "x" : 2 } ] } ',
    '{"a":"{","a":"}"}',
  ])('[W12] refuses %s', (json) => {
    expect(parseStrictJson(Buffer.from(json))).toBeUndefined();
  });

  it.each([
    '{"a":{"a":{"a":1}},"b":{"a":2}}',
    '[{"a":1},{"a":2}]',
    '{"a":"a","b":"a"}',
    '{"a":"\\"b\\":1","b":"{\\"a\\":1"}',
    '{"a":["a","a"],"b":[{"a":[]},{"a":{}}]}',
    '{"constructor":1,"__proto__":2,"toString":3}',
    '{"A":1,"a":2}',
    '"a"',
    'null',
    '{}',
  ])('[W12] takes %s', (json) => {
    expect(parseStrictJson(Buffer.from(json))).toEqual({ value: JSON.parse(json) as unknown });
  });

  it.each([
    ['no JSON', Buffer.from('{a:1}')],
    ['two values', Buffer.from('{}{}')],
    ['nothing', Buffer.alloc(0)],
    ['a byte-order mark', Buffer.from('\ufeff{}')],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
    ['broken UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22])],
    ['overlong UTF-8', Buffer.from([0x22, 0xc0, 0xa2, 0x22])],
  ])('[W12] refuses %s', (_what, bytes) => {
    expect(parseStrictJson(bytes)).toBeUndefined();
  });

  it.each([
    ['arrays', '['.repeat(500_000) + ']'.repeat(500_000)],
    ['objects', '{"a":'.repeat(150_000) + '1' + '}'.repeat(150_000)],
    ['one long string', `"${'\\\\'.repeat(500_000)}"`],
    ['many names', `{${Array.from({ length: 90_000 }, (_, i) => `"n${i}":0`).join(',')}}`],
  ])('[W12] reads 1 MB of %s without a stack overflow', (_what, json) => {
    expect(hasDuplicateName(json)).toBe(false);
  });
});
