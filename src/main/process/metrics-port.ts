import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { IntervalHistogram } from 'node:perf_hooks';
import { METRICS_TYPE } from '../../platform/metrics/metrics.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { Config } from '../config/config-shape.ts';
import { livenessOf, watchLoop } from '../health/loop-watch.ts';
import type { Readiness } from '../health/readiness-of.ts';
import { listen } from './listen.ts';
import type { Started } from './process.ts';
import { SAFE_HEADERS } from '../../platform/safe-headers.ts';

export interface MetricsPort extends Started {
  /** Where the metrics are. */
  url: string;
  /** Answers `/readyz` by this from now on; before, it says `starting`, and after `leave` that it is `draining`. */
  watch(readiness: () => Promise<Readiness>): void;
  /** Says that the process is about to end, and takes nothing more. */
  leave(): void;
}

/** How often the event loop is looked at. */
const LOOK_EVERY_MS = 20;

/**
 * Takes `METRICS_PORT` and answers `/metrics` there, and `/healthz` and `/readyz` for whoever watches a worker; undefined when it is not
 * set. `now` is what {@link watchLoop} goes by. @throws {Error} when it is taken.
 */
export async function openMetricsPort(
  { metricsPort, metricsHost }: Pick<Config, 'metricsPort' | 'metricsHost'>,
  metrics: Metrics,
  now?: () => number,
): Promise<MetricsPort | undefined> {
  if (metricsPort === undefined) return undefined;
  const listening = await listen(metricsHost, metricsPort, { setting: 'METRICS_PORT' });
  const loop = watchLoop(now);
  const stopLooking = [
    gaugeDelay(metrics, 'event_loop_lag_seconds', (delay) => delay.percentile(99)),
    gaugeDelay(metrics, 'event_loop_stall_seconds', (delay) => delay.max),
  ];
  const inState = (status: string): (() => Promise<Readiness>) => {
    return () => Promise.resolve({ isReady: false, states: { status } });
  };
  let isLeaving = false;
  let readiness = inState('starting');
  listening.answer((request, response) => {
    const [path] = (request.url ?? '').split('?');
    const tell = (code: number, told: object) => {
      const headers = { ...SAFE_HEADERS, 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
      response.writeHead(code, headers).end(JSON.stringify(told));
    };
    if (path === '/healthz' && request.method === 'GET') {
      const { code, told } = livenessOf(loop);
      tell(code, told);
      return;
    }
    if (path === '/readyz' && request.method === 'GET') {
      readiness().then(
        ({ isReady, states }) => {
          tell(isReady ? 200 : 503, states);
        },
        () => {
          tell(503, { status: 'unknown' });
        },
      );
      return;
    }
    if (path !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response
        .writeHead(404, { ...SAFE_HEADERS, 'Content-Type': 'text/plain' })
        .end('there are GET /metrics, GET /healthz and GET /readyz here\n');
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
    watch(by) {
      if (!isLeaving) readiness = by;
    },
    leave() {
      isLeaving = true;
      readiness = inState('draining');
    },
    async stop() {
      for (const stop of stopLooking) stop();
      loop.stop();
      await listening.stop();
    },
  };
}

/** A gauge of how late the event loop is, from one look to the next; `pick` says which nanoseconds. Answers what ends it. */
function gaugeDelay(
  metrics: Metrics,
  name: 'event_loop_lag_seconds' | 'event_loop_stall_seconds',
  pick: (delay: IntervalHistogram) => number,
): () => void {
  const delay = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS });
  delay.enable();
  metrics.gauge(name, () => {
    const value = delay.count === 0 ? 0 : Math.max(0, pick(delay) / 1e9 - LOOK_EVERY_MS / 1000);
    delay.reset();
    return [{ labels: {}, value }];
  });
  return () => delay.disable();
}
