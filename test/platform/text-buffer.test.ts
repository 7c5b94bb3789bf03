import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTextBuffer, jsonOfText } from '../../src/platform/text-buffer.ts';

describe('texts that long answers are made of', () => {
  it('are as JSON.stringify writes them, whatever is in them', () => {
    const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string());
    fc.assert(fc.property(texts, (text) => jsonOfText(text) === JSON.stringify(text)));
    for (let unit = 0; unit <= 0xffff; unit++) {
      const text = String.fromCharCode(unit);
      if (jsonOfText(text) !== JSON.stringify(text)) throw new Error(`U+${unit.toString(16)} is written otherwise`);
    }
  });

  it('are the bytes of all of them, one after the other, however many and long', () => {
    const lists = fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 40 });
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 3_000 }), (texts, times) => {
        const buffer = createTextBuffer();
        const repeated = texts.map((text) => text.repeat(times));
        for (const text of repeated) buffer.add(text);
        return buffer.bytes().equals(Buffer.from(repeated.join('')));
      }),
      { numRuns: 30 },
    );
    expect(createTextBuffer().bytes().length).toBe(0);
  });
});
