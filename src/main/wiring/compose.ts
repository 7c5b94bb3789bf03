import { apiKeys } from '../../directory/api-key/api-key.ts';
import { authenticator } from '../../directory/api-key/authenticator.ts';
import type { Authenticator } from '../../directory/api-key/authenticator.ts';
import { withReportsTouched } from '../../reporting/reports-touched.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { countedAdServer } from '../../sales/ad-server/counted.ts';
import { startStatRecorder } from '../../platform/stats/stat-recorder.ts';
import { createDescriber } from '../../sales/ad-order/describer.ts';
import { configOf } from '../../sales/catalog.ts';
import { createForcedArms } from '../../sales/fixture/forced-arms.ts';
import { createFixtures } from '../../sales/fixture/fixtures.ts';
import { TaskRuns } from '../../runtime/task-run.ts';
import type { TestedParts } from '../../tasks/tested-parts.ts';
import { watchLoop } from '../health/loop-watch.ts';
import type { LoopWatch } from '../health/loop-watch.ts';
import { opening } from '../process/closers.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/config-shape.ts';
import { addressBook } from '../process/known-address.ts';
import { openAdServer } from './ad-server.ts';
import type { OpenAdServer } from './ad-server.ts';
import { createAdServerWatch } from './ad-server-watch.ts';
import type { AdServerWatch } from './ad-server-watch.ts';
import { callSigner } from './call-signer.ts';
import { composeSales } from './sales.ts';
import type { Sales } from './sales.ts';
import { composeEngine } from './engine.ts';
import type { Engine } from './engine.ts';
import { readBusinessGauges } from './business-gauges.ts';
import { readGauges } from './gauges.ts';
import { openInfrastructure } from './infrastructure.ts';
import type { Infrastructure, InfrastructureOptions } from './infrastructure.ts';
import { composeNotifications } from './notifications.ts';
import type { Notifications } from './notifications.ts';

/** Everything a process of this product is made of, wired once. */
export interface Core extends Omit<Infrastructure, 'gate' | 'openGate'>, Notifications, Engine {
  /**
   * Whether `baseUrl` is still what buyers call it by: always with `PUBLIC_URL`; without, asked of the store each time,
   * and false until a server has said its address.
   */
  isNewestAddress(): Promise<boolean>;
  sales: Sales;
  /** Absent where no tests of the public protocol are served. */
  tested: TestedParts | undefined;
  adServerWatch: AdServerWatch;
  ringers: OpenAdServer['ringers'];
  authenticator: Authenticator;
  /** Whether this process is held up. */
  loop: LoopWatch;
  /** When it was composed, by `performance.now()`. */
  openedAtMs: number;
  /** Which store and queue are in use, for people. */
  inUse: { store: string; queue: string };
  /** Closes in the reverse order of opening. */
  close(): Promise<void>;
}

export interface ComposeOptions extends InfrastructureOptions {
  /** Where orders go; default: as the settings say. For tests whose ad server is not to be relied on. */
  adServer?: OpenAdServer;
  /** It writes what it counts each minute (default: it does not), for charts; for processes that have `metrics` to themselves. */
  keepsStats?: boolean;
  /** From 0 to 1, for what is spread in time; default: `Math.random`. For tests that are to happen again as they did. */
  chance?: () => number;
}

/** Opens the store and the queue, and wires what stands on them: each part from those before it. */
export function compose(options: ComposeOptions): Promise<Core> {
  return opening(async (closers) => {
    const infrastructure = await openInfrastructure(options, closers);
    const { config, baseUrl, store, clock, log, security, catalog } = infrastructure;
    const { openGate, suspensions, metrics } = infrastructure;
    const sign = callSigner(infrastructure);
    const uncounted = options.adServer ?? openAdServer(config, { store, clock, openGate, sign });
    closers.add(() => uncounted.close());
    const opened = { ...uncounted, adServer: countedAdServer(uncounted.adServer, metrics) };
    const tested = testedParts(infrastructure, opened);
    const { simSpeed } = config;
    const { id: ad_server_id, adServer } = opened;
    const describer = createDescriber(clock);
    const adServerWatch = createAdServerWatch({ adServer, describer, ad_server_id, catalog, simSpeed, clock, log });
    await adServerWatch.atStart();
    /** There are no tasks to wake before the engine is wired. */
    let wakeTask: Engine['wakeTask'] = () => Promise.resolve(false);
    const sales = composeSales({
      ...{ store, clock, log, catalog, simSpeed, describer, adServer: opened, counters: metrics },
      configOf: configOf(catalog, ad_server_id),
      ...(options.chance && { chance: options.chance }),
      creativeReviewMs: config.creativeReviewSeconds * 1000,
      wakeTask: (task_id) => wakeTask(task_id),
      onFlightProgress: (buy) => withReportsTouched(buy, toTimestamp(clock.now())),
    });
    const notifications = await composeNotifications(infrastructure, sales);
    await readGauges(infrastructure, notifications.webhooks);
    const engine = await composeEngine(infrastructure, { ...sales, tested }, notifications, closers);
    readBusinessGauges(infrastructure, sales, notifications.webhooks);
    wakeTask = engine.wakeTask;
    const auth = authenticator({ keys: store.collection(apiKeys), clock, log, security, suspensions });
    closers.add(() => auth.idle());
    if (options.keepsStats === true) {
      const stats = startStatRecorder({
        ...infrastructure,
        signed: () => notifications.webhooks.keys.signed(),
        countQueued: () => countQueued(infrastructure),
      });
      closers.add(() => stats.stop());
    }
    const book = addressBook(store);
    const loop = watchLoop();
    closers.add(() => {
      loop.stop();
    });
    return {
      ...infrastructure,
      ...notifications,
      ...engine,
      sales,
      tested,
      adServerWatch,
      ringers: opened.ringers,
      authenticator: auth,
      loop,
      isNewestAddress: async () => config.publicUrl !== undefined || (await book.read()) === baseUrl,
      openedAtMs: performance.now(),
      inUse: inUse(config),
      close: () => closers.close(),
    };
  });
}

/** What waits in all queues, or is due to. */
async function countQueued({ queues }: Pick<Infrastructure, 'queues'>): Promise<number> {
  return (await queues.looks()).reduce((sum, { jobs }) => sum + jobs.waiting, 0);
}

/** @throws {ConfigError} where tests are asked for and what is ordered is real. */
function testedParts(
  { config, store, catalog, clock }: Infrastructure,
  { steered }: OpenAdServer,
): TestedParts | undefined {
  if (!config.isTested) return undefined;
  if (steered !== undefined) {
    const runs = store.collection(TaskRuns);
    const forcedArms = createForcedArms(store, clock, async (task_id) => (await runs.get(task_id)) !== undefined);
    return { steered, fixtures: createFixtures(store, catalog), forcedArms };
  }
  throw new ConfigError([
    'COMPLIANCE_TESTING: only with the embedded simulator, never where orders go to an ad server',
  ]);
}

function inUse({ mongodbUrl, redisUrl, dataDir }: Config): Core['inUse'] {
  return {
    store: mongodbUrl === undefined ? `sqlite (${dataDir})` : 'mongodb',
    queue: redisUrl === undefined ? `private redis (${dataDir})` : 'redis',
  };
}
