import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readTraceparent, traceIdOf, writeTraceparent } from '../../../src/platform/telemetry/traceparent.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

it('a traceparent is read as it was written', () => {
  const id = (digits: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`));
  const isSome = (text: string) => !/^0+$/.test(text);
  const place = fc.record({
    ...{ traceId: id(32).filter(isSome), spanId: id(16).filter(isSome), isSampled: fc.boolean() },
  });
  fc.assert(
    fc.property(place, (one) => {
      expect(readTraceparent(writeTraceparent(one))).toEqual(one);
    }),
  );
});

it('one of a later version is read by what every version has', () => {
  const read = { traceId: TRACE, spanId: SPAN, isSampled: true };
  expect(readTraceparent(`01-${TRACE}-${SPAN}-03-what-comes-later`)).toEqual(read);
  expect(traceIdOf(`00-${TRACE}-${SPAN}-00`)).toBe(TRACE);
});

it.each([
  ['nothing', undefined],
  ['an empty text', ''],
  ['the version that there is none of', `ff-${TRACE}-${SPAN}-01`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['a text too short', `00-${TRACE}-${SPAN}`],
  ['flags with more behind them', `00-${TRACE}-${SPAN}-011`],
  ['a text too long', `00-${TRACE}-${SPAN}-01-${'x'.repeat(200)}`],
  ['another header', 'b3: 1'],
])('%s is none', (_what, text) => {
  expect(readTraceparent(text)).toBeUndefined();
  expect(traceIdOf(text)).toBeUndefined();
});
