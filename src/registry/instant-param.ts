import { instantField } from '../platform/instant.ts';

/** A date-time in a query or a body. A `+` that came unescaped in a query is a blank by then, which is told. */
export function instantParam() {
  return instantField(({ input }) =>
    typeof input === 'string' && /\d \d\d:?\d\d$/.test(input)
      ? 'send the offset with its sign: in a query, a + is written %2B'
      : 'send a date-time with an offset, such as 2026-06-30T00:00:00Z',
  );
}
