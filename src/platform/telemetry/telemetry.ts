import type { Logger } from '../log.ts';

interface TelemetryOptions {
  /** Of a collector of OTLP over HTTP, without `/v1/traces`; undefined: nothing is recorded, and nothing loaded. */
  endpoint: string | undefined;
  /** Of this program, for whoever looks at traces of several. */
  version: string;
  /** Whether a caller's trace goes on here; else it is only linked to. */
  trustsCallers: boolean;
  log: Logger;
}

/** Those who record spans in this process; they share one exporter. */
let users = 0;
let exporting: Promise<{ stop(): Promise<void> }> | undefined;

/** Sends spans to a collector until it is stopped, which sends what is left. Several in a process share the first one's collector. */
export async function startTelemetry({ endpoint, ...options }: TelemetryOptions): Promise<{ stop(): Promise<void> }> {
  if (endpoint === undefined) return { stop: () => Promise.resolve() };
  users++;
  exporting ??= import('./otlp.ts').then(({ exportSpans }) => exportSpans({ endpoint, ...options }));
  const exporter = await exporting;
  let isStopped = false;
  return {
    async stop() {
      if (isStopped) return;
      isStopped = true;
      if (--users > 0) return;
      exporting = undefined;
      await exporter.stop();
    },
  };
}
