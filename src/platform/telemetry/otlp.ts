import { context, diag, DiagLogLevel } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../log.ts';
import { createSparingLog } from '../sparing-log.ts';
import { within } from '../within.ts';
import { recordSpans } from './spans.ts';

/** What a collector that does not answer may cost: one request, in milliseconds, and the end of the process. */
const EXPORT_WITHIN_MS = 5_000;
const STOP_WITHIN_MS = 2_000;

interface OtlpOptions {
  endpoint: string;
  version: string;
  trustsCallers: boolean;
  log: Logger;
}

/**
 * Records spans and sends them in batches. A collector that is away costs the spans that it would have had, and one line of the log a
 * minute for each reason.
 */
export function exportSpans({ endpoint, version, trustsCallers, log }: OtlpOptions): { stop(): Promise<void> } {
  const sparing = createSparingLog();
  const warn = (text: string): void => {
    // It is an error as JSON, with a stack that says nothing.
    const reason = reasonIn(text);
    sparing(reason, (repeated) => {
      log.warn({ event: 'traces_lost', reason, ...(repeated > 0 && { repeated }) }, 'traces are not collected');
    });
  };
  const quiet = (): void => undefined;
  diag.setLogger(
    { error: warn, warn, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: EXPORT_WITHIN_MS });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'media-buy-agent', 'service.version': version }),
    spanProcessors: [
      new BatchSpanProcessor(exporter, { scheduledDelayMillis: 1_000, exportTimeoutMillis: EXPORT_WITHIN_MS }),
    ],
  });
  recordSpans({ tracer: provider.getTracer('media-buy-agent', version), trustsCallers });
  return {
    async stop() {
      recordSpans(undefined);
      const left = provider.shutdown().catch((error: unknown) => {
        warn(String(error));
      });
      await within(STOP_WITHIN_MS, left, () => undefined);
      context.disable();
      diag.disable();
    },
  };
}

function reasonIn(text: string): string {
  try {
    const { name, message, code } = JSON.parse(text) as { name?: string; message?: string; code?: string };
    return [name, code, message]
      .filter((one) => one !== undefined && one !== '')
      .join(' ')
      .slice(0, 200);
  } catch {
    return text.slice(0, 200);
  }
}
