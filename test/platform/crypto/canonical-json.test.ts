import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/platform/crypto/canonical-json.ts';

describe('the canonical form of JSON (RFC 8785)', () => {
  it('sorts members by UTF-16 code units, as in the example of RFC 8785 section 3.2.3', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\u{1f600}': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    const names = Object.keys(JSON.parse(canonicalJson(value)) as object);
    const written = [...canonicalJson(value).matchAll(/"((?:[^"\\]|\\.)*)":/g)].map(([, name]) => name);
    expect(written).toEqual(['\\r', '1', '\u0080', '\u00f6', '\u20ac', '\u{1f600}', '\ufb33']);
    expect(names).toHaveLength(7);
  });

  it.each([
    [333333333.33333329, '333333333.3333333'],
    [1e30, '1e+30'],
    [4.5, '4.5'],
    [2e-3, '0.002'],
    [1e-27, '1e-27'],
    [-0, '0'],
    [9007199254740993, '9007199254740992'],
  ])('writes the number %d as ECMAScript does', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('escapes strings as little as JSON allows', () => {
    expect(canonicalJson('\u20ac$\u000f\nA\'B"\\\\"/')).toBe('"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"');
  });

  it('leaves out members without a value, and keeps the places of a list', () => {
    expect(canonicalJson({ b: undefined, a: null, c: [undefined, 1] })).toBe('{"a":null,"c":[null,1]}');
  });

  it('says the same of the same value, in whatever order it was written, and loses nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reversed(value))).toBe(text);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it.each([[NaN], [Infinity], [() => 1], [Symbol('x')], [{ deep: [1n] }]])('refuses what JSON cannot hold', (value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });
});

/** The same value with the members of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}
