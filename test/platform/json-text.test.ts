import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactJson, scanJson } from '../../src/platform/json-scan.ts';
import { apart, together, verbatim, verbatimText, withTexts, writeJson } from '../../src/platform/json-text.ts';
import { jsonTokens, spaced } from '../support/json-tokens.ts';

const compactOf = (tokens: readonly string[]) => tokens.join('');

describe('compactJson', () => {
  it('[W19] drops the white space between tokens, and nothing else', () => {
    fc.assert(
      fc.property(jsonTokens, fc.infiniteStream(spaced), (tokens, spaces) => {
        const text = tokens.map((token) => token + (spaces.next().value as string)).join('');
        expect(compactJson((spaces.next().value as string) + text)).toBe(compactOf(tokens));
      }),
    );
  });
});

describe('scanJson', () => {
  /** Every member of a parsed value with its path, in the order in which members end. */
  function membersOf(value: unknown, path: (string | number)[] = []): [string, unknown][] {
    if (typeof value !== 'object' || value === null) return [];
    if (Array.isArray(value)) return value.flatMap((item, index) => membersOf(item, [...path, index]));
    return Object.entries(value).flatMap(([key, member]): [string, unknown][] => [
      ...membersOf(member, [...path, key]),
      [JSON.stringify([...path, key]), member],
    ]);
  }

  it('finds every member of an object, and its text', () => {
    fc.assert(
      fc.property(jsonTokens, (tokens) => {
        const text = tokens.join(' ');
        const found: [string, unknown][] = [];
        scanJson(text, {
          member(path, start, end) {
            found.push([JSON.stringify(path), JSON.parse(text.slice(start, end))]);
          },
          repeated(path) {
            throw new Error(`${JSON.stringify(path)} stands once`);
          },
        });
        expect(new Map(found)).toEqual(new Map(membersOf(JSON.parse(text))));
      }),
    );
  });

  it('[W19] finds keys that stand twice, however they are written', () => {
    const paths: string[] = [];
    scanJson('{"a":1,"b":[{"c":{}, "\\u0063":2}],"a":{"a":1},"d":{"a":1},"":0,"":0}', {
      repeated: (path) => paths.push(JSON.stringify(path)),
    });
    expect(paths).toEqual(['["b",0,"c"]', '["a"]', '[""]']);
  });

  it('ends for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('{}[]",:\\ 1a')) }), (text) => {
        try {
          scanJson(text, { member: () => undefined, repeated: () => undefined });
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
        }
      }),
    );
  });

  it('takes time in proportion to the text, also where a text is nothing but brackets, keys or escapes', () => {
    const texts = [
      '['.repeat(400_000) + ']'.repeat(400_000),
      `{${Array.from({ length: 100_000 }, (_, i) => `"${i}":0`).join()}}`,
      JSON.stringify({ context: '"'.repeat(400_000) }),
    ];
    for (const text of texts) {
      let members = 0;
      scanJson(text, { member: () => members++, repeated: () => undefined });
      expect(members).toBe(text.startsWith('[') ? 0 : Object.keys(JSON.parse(text) as object).length);
      expect(compactJson(text)).toBe(text);
    }
  });
});

describe('a verbatim text', () => {
  it('[W19] comes out of any value as it was written', () => {
    fc.assert(
      fc.property(jsonTokens, fc.jsonValue(), (tokens, beside) => {
        const text = compactOf(tokens);
        const value = { beside, list: [verbatim(text), beside], text: verbatim(text) };
        const beside_ = JSON.stringify(beside);
        const written = `{"beside":${beside_},"list":[${text},${beside_}],"text":${text}}`;
        expect(writeJson(value)).toBe(written);
        expect(withTexts(JSON.stringify(value))).toBe(written);
        const { value: stored, texts } = apart(value);
        expect(JSON.stringify(stored)).not.toContain('json ');
        expect(writeJson(together(stored, texts))).toBe(written);
      }),
    );
  });

  it('is none that somebody could write', () => {
    const forged = `json ${'0'.repeat(36)} {"a":1}`;
    expect(verbatimText(forged)).toBeUndefined();
    expect(writeJson({ forged })).toBe(JSON.stringify({ forged }));
    expect(apart({ forged })).toEqual({ value: { forged } });
  });

  it('[W19] whose place is gone is left out', () => {
    expect(together({ a: [1] }, [{ path: ['a', 1, 'b'], text: '1' }])).toEqual({ a: [1] });
  });
});
