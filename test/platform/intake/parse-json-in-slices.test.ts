import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJsonInSlices } from '../../../src/platform/intake/parse-json-in-slices.ts';

const parse = (text: string, levels = 1) => parseJsonInSlices(Buffer.from(text), { levels });

it('[R15.scope] reads of an object what JSON.parse reads', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 2), async (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      for (const levels of [1, 2, 3]) expect(await parse(text, levels)).toEqual(JSON.parse(text));
    }),
  );
});

it('[R15.scope] keeps odd keys and takes the last of two', async () => {
  const text = '\ufeff {"__proto__": {"a": [1]}, "l" : [ ] , "x":1,"x":[{"y":"]}\\""},2] }\n';
  const read = await parse(text);
  expect(Object.keys(read)).toEqual(['__proto__', 'l', 'x']);
  expect(read['x']).toEqual([{ y: ']}"' }, 2]);
});

it.each([
  '',
  '[]',
  '1',
  '{',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{"a":[1,]}',
  '{"a":[1 2]}',
  '{"a":1}x',
  '{"a":tru}',
  '{a:1}',
  '{"a":[}]}',
  '{"a":"',
  '{"a":{"b":1}',
  '{"a":{"b":1,}}',
  '{"a":{"b":1}}}',
])('[R15.scope] refuses %j as JSON.parse does, or as no object', async (text) => {
  for (const levels of [1, 2]) await expect(parse(text, levels)).rejects.toThrow('body is not json');
});

it('[R15.scope] refuses what is not UTF-8, and one value too large to be parsed in one go', async () => {
  await expect(parseJsonInSlices(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).rejects.toThrow('not json');
  const inner = `{"a":["${'x'.repeat(1_000_000)}","${'x'.repeat(100_000)}"]}`;
  await expect(parse(`{"file":${inner}}`)).rejects.toThrow('1 MiB');
  // Of an object that is read a member at a time none of its members may be, whatever they come to.
  expect(await parse(`{"file":${inner}}`, 2)).toEqual({ file: JSON.parse(inner) as unknown });
  await expect(parse(`{"file":{"a":["${'x'.repeat(1_100_000)}"]}}`, 2)).rejects.toThrow('1 MiB');
});
