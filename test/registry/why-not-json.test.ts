import fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstFault, whyNotJson } from '../../src/registry/crawl/why-not-json.ts';

it.each([
  ['{\n  "a": [1, 2],\n}', 'body is not json: see line 3, column 1'],
  ['<html></html>', 'body is not json: see line 1, column 1'],
  ['{"a": 1', 'body is not json: it ends too early, see line 1, column 8'],
  ['{"a": "x\n"}', 'body is not json: see line 1, column 7'],
  ["{'a': 1}", 'body is not json: see line 1, column 2'],
  ['[01]', 'body is not json: see line 1, column 3'],
  [' \n', 'body is not json: it is empty'],
])('[R15.validate] says of %j where it stops being JSON', (text, why) => {
  expect(whyNotJson(Buffer.from(text))).toBe(why);
});

it('[R15.validate] says of what is compressed, or in another encoding, that it is no UTF-8', () => {
  const why = 'body is not json: it is no text in UTF-8';
  expect(whyNotJson(Buffer.from([0x1f, 0x8b, 0x08]))).toBe(why);
  expect(whyNotJson(Buffer.from('\ufeff{}', 'utf16le'))).toBe(why);
});

it('[R15.validate] finds a fault in what JSON.parse refuses, and in nothing else', () => {
  const edited = fc.tuple(
    fc.json(),
    fc.nat(),
    fc.constantFrom('', ',', ']', '}', '"', ':', '0', '-', 'e', '\\', ' ', '\n'),
  );
  fc.assert(
    fc.property(edited, fc.boolean(), ([json, place, put], isReplaced) => {
      const at = place % (json.length + 1);
      const text = json.slice(0, at) + put + json.slice(isReplaced ? at + 1 : at);
      expect(firstFault(text) === undefined).toBe(isJson(text));
    }),
    { numRuns: 2_000 },
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
