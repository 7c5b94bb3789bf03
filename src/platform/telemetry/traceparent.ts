/** A place in a trace, as the W3C's `traceparent` says it. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;

/** What a `traceparent` says; `isSampled`: whoever wrote it records its trace. */
export interface TracePlace {
  traceId: string;
  spanId: string;
  isSampled: boolean;
}

/** Reads a `traceparent`; undefined for anything else, and for a text that is too long to be one. */
export function readTraceparent(text: string | undefined): TracePlace | undefined {
  const [, traceId, spanId, flags] = (text === undefined || text.length > 200 ? null : TRACEPARENT.exec(text)) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, isSampled: (parseInt(flags, 16) & 1) === 1 };
}

/** The id of the trace that a row belongs to, if it says so. */
export function traceIdOf(traceparent: string | undefined): string | undefined {
  return readTraceparent(traceparent)?.traceId;
}

/** Writes one, in the version that everybody reads. */
export function writeTraceparent({ traceId, spanId, isSampled }: TracePlace): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}
