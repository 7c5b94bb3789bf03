import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Context, Span, SpanContext, Tracer } from '@opentelemetry/api';
import { AppError } from '../errors.ts';
import { currentRequest } from '../request-context.ts';
import { readTraceparent, writeTraceparent } from './traceparent.ts';

/** What a span is in its trace: who answers, who works, who hands on, who takes up, or who calls others. */
type Kind = 'server' | 'internal' | 'producer' | 'consumer' | 'client';

interface SpanOptions {
  /** Default: `internal`. */
  kind?: Kind;
  /** Asked for only where somebody records. */
  attributes?: () => Attributes;
  /** The `traceparent` of the span above, or an empty text for none; default: the one under way. */
  parent?: string | undefined;
  /** `traceparent`s of what led to it and is not above it. */
  links?: readonly (string | undefined)[];
}

/** A piece of work under way, as a trace tells it. Never ended, it is never told. */
export interface OpenSpan {
  /** For what continues it elsewhere; undefined where nothing is recorded. */
  readonly traceparent: string | undefined;
  note(attributes: Attributes): void;
  /** Says that it went wrong: by the code or name of the error, or a word, since messages may hold what is a buyer's. */
  fail(error: unknown): void;
  /** Does `work` as a part of it. */
  run<T>(work: () => T): T;
  end(): void;
}

/** What spans are when nobody collects them. */
const OFF: OpenSpan = {
  traceparent: undefined,
  note: () => undefined,
  fail: () => undefined,
  run: (work) => work(),
  end: () => undefined,
};

const KINDS: Record<Kind, SpanKind> = {
  server: SpanKind.SERVER,
  internal: SpanKind.INTERNAL,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
};

interface Recorder {
  tracer: Tracer;
  /** Whether a caller's trace goes on here; else it is only linked to. */
  trustsCallers: boolean;
}

let recorder: Recorder | undefined;

/** Has spans recorded from now on; undefined: not any more. */
export function recordSpans(by: Recorder | undefined): void {
  recorder = by;
}

/** Begins a span; whoever begins it ends it. */
export function openSpan(
  name: string,
  { kind = 'internal', attributes, parent, links = [] }: SpanOptions = {},
): OpenSpan {
  if (recorder === undefined) return OFF;
  const above = parent === undefined ? context.active() : contextOf(parent);
  const linked = links.flatMap((link) => remoteOf(link) ?? []).map((of) => ({ context: of }));
  const told = { kind: KINDS[kind], attributes: attributes?.() ?? {}, links: linked };
  return opened(recorder.tracer.startSpan(name, told, above), above);
}

/** Begins the span of a request that somebody has made of us. */
export function openServerSpan(name: string, attributes: () => Attributes): OpenSpan {
  if (recorder === undefined) return OFF;
  const { traceparent, request_id } = currentRequest() ?? {};
  const parent = recorder.trustsCallers ? traceparent : undefined;
  return openSpan(name, {
    kind: 'server',
    attributes: () => ({ ...attributes(), ...(request_id !== undefined && { request_id }) }),
    parent: parent ?? '',
    links: parent === undefined ? [traceparent] : [],
  });
}

/** Does work as a span of its own; a throw is noted and passes. */
export function inSpan<T>(name: string, options: SpanOptions, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  return wholly(openSpan(name, options), work);
}

/** Answers a request that somebody has made of us as a span of its own; a throw is noted and passes. */
export function inServerSpan<T>(
  name: string,
  attributes: () => Attributes,
  work: (span: OpenSpan) => Promise<T>,
): Promise<T> {
  return wholly(openServerSpan(name, attributes), work);
}

async function wholly<T>(span: OpenSpan, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  if (span === OFF) return work(span);
  try {
    return await span.run(() => work(span));
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Where something belongs whose context stands in a row: below the span under way where that is of the same trace, else below the
 * row's own, linked to what is under way. A row without one goes by what is under way.
 */
export function belonging(stored: string | undefined): Pick<SpanOptions, 'parent' | 'links'> {
  const now = activeSpan();
  if (stored === undefined || now?.traceId === readTraceparent(stored)?.traceId) return {};
  return { parent: stored, links: [now && traceparentOf(now)] };
}

/** The id of the trace that this code works in, if anybody records it. */
export function currentTraceId(): string | undefined {
  return activeSpan()?.traceId;
}

function activeSpan(): SpanContext | undefined {
  return recorder === undefined ? undefined : trace.getSpanContext(context.active());
}

function opened(span: Span, above: Context): OpenSpan {
  return {
    traceparent: span.isRecording() ? traceparentOf(span.spanContext()) : undefined,
    note: (attributes) => void span.setAttributes(attributes),
    fail: (error) => {
      span.setAttribute('error.type', kindOf(error)).setStatus({ code: SpanStatusCode.ERROR });
    },
    run: (work) => context.with(trace.setSpan(above, span), work),
    end: () => {
      span.end();
    },
  };
}

function kindOf(error: unknown): string {
  if (error instanceof AppError) return error.code;
  if (error instanceof Error) return error.name;
  return typeof error === 'string' ? error : 'unknown';
}

function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return writeTraceparent({ traceId, spanId, isSampled: (traceFlags & 1) === 1 });
}

function contextOf(traceparent: string): Context {
  const remote = remoteOf(traceparent);
  return remote === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
}

function remoteOf(traceparent: string | undefined): SpanContext | undefined {
  const place = readTraceparent(traceparent);
  if (place === undefined) return undefined;
  const { traceId, spanId, isSampled } = place;
  return { traceId, spanId, traceFlags: isSampled ? 1 : 0, isRemote: true };
}
