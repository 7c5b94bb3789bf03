import type { Counters } from '../../platform/metrics/metrics.ts';
import { currentTraceId, inSpan } from '../../platform/telemetry/spans.ts';
import type { AdServer } from './ad-server.ts';
import { isAdServerFault } from './faults.ts';

/**
 * The same ad server, whose calls are counted and timed: `ad_server_calls_total`, `ad_server_duration_seconds`. Within a trace each is a
 * span; what is asked all day long, without anybody having asked for it, begins none.
 */
export function countedAdServer(adServer: AdServer, counters: Counters): AdServer {
  async function counted<T>(op: string, call: () => Promise<T>, outcomeOf: (answer: T) => string = ok): Promise<T> {
    const startedAt = performance.now();
    let outcome = 'failed';
    try {
      const answer = await (currentTraceId() === undefined
        ? call()
        : inSpan(`ad_server ${op}`, { kind: 'client' }, call));
      outcome = outcomeOf(answer);
      return answer;
    } catch (error) {
      if (isAdServerFault(error)) outcome = error.name.toLowerCase();
      throw error;
    } finally {
      counters.add('ad_server_calls_total', { op, outcome });
      counters.observe('ad_server_duration_seconds', { op }, (performance.now() - startedAt) / 1000);
    }
  }
  const forecast = adServer.forecast?.bind(adServer);
  const inventory = adServer.inventory?.bind(adServer);
  return {
    describe: () => counted('describe', () => adServer.describe()),
    check: (order) => counted('check', () => adServer.check(order)),
    put: (order) =>
      counted(
        'put',
        () => adServer.put(order),
        ({ outcome }) => outcome,
      ),
    read: (media_buy_id) => counted('read', () => adServer.read(media_buy_id)),
    statements: (query) => counted('statements', () => adServer.statements(query)),
    putCreative: (creative) => counted('put_creative', () => adServer.putCreative(creative)),
    ...(forecast && { forecast: (query) => counted('forecast', () => forecast(query)) }),
    ...(inventory && { inventory: (cursor) => counted('inventory', () => inventory(cursor)) }),
  };
}

const ok = () => 'ok';
