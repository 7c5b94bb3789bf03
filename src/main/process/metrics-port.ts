import { monitorEventLoopDelay } from 'node:perf_hooks';
import { METRICS_TYPE } from '../../platform/metrics/metrics.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { Config } from '../config/config.ts';
import { listen } from './listen.ts';
import type { Started } from './process.ts';
import { SAFE_HEADERS } from '../../platform/safe-headers.ts';

export interface MetricsPort extends Started {
  /** Where the metrics are. */
  url: string;
}

/** How often the event loop is looked at. */
const LOOK_EVERY_MS = 20;

/** Takes `METRICS_PORT` and answers `/metrics` there; undefined when it is not set. @throws {Error} when it is taken. */
export async function openMetricsPort(
  { metricsPort, metricsHost }: Pick<Config, 'metricsPort' | 'metricsHost'>,
  metrics: Metrics,
): Promise<MetricsPort | undefined> {
  if (metricsPort === undefined) return undefined;
  const listening = await listen(metricsHost, metricsPort, { setting: 'METRICS_PORT' });
  const lag = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS });
  lag.enable();
  metrics.gauge('event_loop_lag_seconds', () => {
    // What is measured is from one look to the next.
    const value = lag.count === 0 ? 0 : Math.max(0, lag.percentile(99) / 1e9 - LOOK_EVERY_MS / 1000);
    lag.reset();
    return [{ labels: {}, value }];
  });
  listening.answer((request, response) => {
    const [path] = (request.url ?? '').split('?');
    if (path !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404, { ...SAFE_HEADERS, 'Content-Type': 'text/plain' }).end('there is GET /metrics here\n');
      return;
    }
    metrics.text().then(
      (text) =>
        response
          .writeHead(200, { ...SAFE_HEADERS, 'Content-Type': METRICS_TYPE, 'Cache-Control': 'no-store' })
          .end(text),
      () => response.writeHead(500, SAFE_HEADERS).end(),
    );
  });
  return {
    url: `${listening.url}/metrics`,
    async stop() {
      lag.disable();
      await listening.stop();
    },
  };
}
