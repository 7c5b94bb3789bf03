import { openReceiver, status } from '../../webhooks/support/open-receiver.ts';
import type { Receiver } from '../../webhooks/support/open-receiver.ts';
import { until } from '../../support/until.ts';

/** A span as a collector is told of it. */
export interface ToldSpan {
  traceId: string;
  spanId: string;
  /** Absent in the first of a trace. */
  parentSpanId?: string;
  name: string;
  kind: number;
  facts: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
}

/** The numbers that OTLP has for kinds. */
export const KIND = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const;

/** What takes spans in, over real HTTP as OTLP's JSON. */
export interface Collector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  endpoint: string;
  spans(): ToldSpan[];
  /** Resolves with the spans of this name once there are so many. */
  told(name: string, count?: number): Promise<ToldSpan[]>;
  /** Where its requests came to. */
  paths(): string[];
  close: Receiver['close'];
}

interface Otlp {
  resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[];
}

interface OtlpSpan extends Omit<ToldSpan, 'facts' | 'links'> {
  attributes: { key: string; value: Record<string, unknown> }[];
  links?: ToldSpan['links'];
}

export async function openCollector(): Promise<Collector> {
  const receiver = await openReceiver(status(200));
  const spans = () => receiver.received.flatMap(({ body }) => spansIn(body as unknown as Otlp));
  return {
    endpoint: receiver.url(''),
    spans,
    told: (name, count = 1) =>
      until(() => {
        const found = spans().filter((span) => span.name === name);
        return found.length >= count && found;
      }, 60_000),
    paths: () => receiver.received.map(({ path }) => path),
    close: () => receiver.close(),
  };
}

function spansIn({ resourceSpans }: Otlp): ToldSpan[] {
  const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  return spans.map(({ attributes, links = [], ...span }) => ({
    ...span,
    links,
    facts: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
  }));
}
