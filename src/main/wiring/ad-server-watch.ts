import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { within } from '../../platform/within.ts';
import { misfitsOf } from '../../sales/ad-server-fit.ts';
import type { FitParts } from '../../sales/ad-server-fit.ts';
import type { AdServer } from '../../sales/ad-server/ad-server.ts';
import type { Description } from '../../sales/ad-server/description.ts';
import { createDescriber } from '../../sales/ad-order/describer.ts';
import type { Describer } from '../../sales/ad-order/describer.ts';
import { isAdServerFault, Unreachable } from '../../sales/ad-server/faults.ts';
import type { InventoryItem } from '../../sales/ad-server/inventory.ts';
import { configOf } from '../../sales/catalog.ts';
import { problemLine } from '../../sales/catalog-file.ts';
import type { CatalogProblem } from '../../sales/catalog-file.ts';
import { allInventory, nameInventory } from '../../sales/inventory-fit.ts';

/** How long a start waits for an ad server to say what it can do, in milliseconds. */
const START_WAITS_MS = 10_000;
const CHECK_EVERY_MS = 3_600_000;
/** How soon one that did not answer is asked again. */
const ASK_AGAIN_MS = 15_000;

/** What an ad server cannot do of what is promised, or why it says nothing that can be believed; a line each. */
export class AdServerMisfit extends Error {
  readonly problems: readonly CatalogProblem[];
  constructor(ad_server_id: string, problems: readonly CatalogProblem[]) {
    const count = `${problems.length} ${problems.length === 1 ? 'thing does' : 'things do'}`;
    super(`${count} not fit ad server ${ad_server_id}\n${problems.map((one) => `  ${problemLine(one)}`).join('\n')}`);
    this.name = 'AdServerMisfit';
    this.problems = problems;
  }
}

/** What is promised. */
type PromisedParts = Omit<FitParts, 'description' | 'inventory'>;

/** What of an ad server tells what it can do. */
export type AskedAdServer = Pick<AdServer, 'describe' | 'inventory'>;

export interface AdServerWatchOptions extends PromisedParts {
  adServer: AskedAdServer;
  /** Learns what it answers. */
  describer?: Describer;
  clock: Clock;
  log: Logger;
  /** Default 10,000. */
  startWaitsMs?: number;
}

/** Holds the catalog and the settings against what the ad server says that it can do. */
export interface AdServerWatch {
  /**
   * To be asked before anything is sold. An ad server that is away stops nothing: orders wait, and `lookDue` asks again.
   * @throws {AdServerMisfit} when it answers, and something does not fit.
   */
  atStart(): Promise<void>;
  /** Asks once an hour, and sooner while there is no answer. What does not fit is logged as an error, once while it lasts. */
  lookDue(): Promise<void>;
}

/**
 * What does not fit, by what the ad server says now.
 * @throws {Unreachable} while it is away.
 */
export async function findMisfits(parts: PromisedParts, adServer: AskedAdServer): Promise<CatalogProblem[]> {
  try {
    const description = await adServer.describe();
    const inventory = await inventoryFor(parts, description, adServer);
    return misfitsOf({ ...parts, description, ...(inventory && { inventory }) });
  } catch (error) {
    if (!isAdServerFault(error) || error instanceof Unreachable) throw error;
    return [problemOfFault(parts.ad_server_id, error)];
  }
}

/** What the ad server has, where the catalog names any of it and the ad server tells. */
async function inventoryFor(
  { catalog, ad_server_id }: PromisedParts,
  { inventory, product_config_schema }: Description,
  adServer: AskedAdServer,
): Promise<InventoryItem[] | undefined> {
  if (!inventory || adServer.inventory === undefined) return undefined;
  const configs = [...catalog.products.keys()].map(configOf(catalog, ad_server_id));
  if (!nameInventory(product_config_schema, configs)) return undefined;
  return allInventory((cursor) => adServer.inventory?.(cursor) ?? Promise.resolve({ items: [] }));
}

export function createAdServerWatch(options: AdServerWatchOptions): AdServerWatch {
  const { adServer, ad_server_id, clock, log, startWaitsMs = START_WAITS_MS, ...parts } = options;
  const { describer = createDescriber(clock), ...promised } = parts;
  /** Lines that have been told, and still hold. */
  let told = new Set<string>();
  let dueAtMs = 0;

  const look = (describe: () => Promise<Description>) =>
    findMisfits({ ...promised, ad_server_id }, { ...adServer, describe: () => describer.renew(describe) });

  return {
    async atStart() {
      try {
        const problems = await look(() => inTime(adServer.describe(), startWaitsMs));
        if (problems.length > 0) throw new AdServerMisfit(ad_server_id, problems);
        dueAtMs = clock.now() + CHECK_EVERY_MS;
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        log.warn({ ad_server_id, err: error }, 'the ad server is away; orders wait until it answers');
      }
    },
    async lookDue() {
      if (clock.now() < dueAtMs) return;
      dueAtMs = clock.now() + ASK_AGAIN_MS;
      try {
        const lines = (await look(() => adServer.describe())).map(problemLine);
        dueAtMs = clock.now() + CHECK_EVERY_MS;
        for (const problem of lines.filter((line) => !told.has(line))) {
          log.error({ ad_server_id, problem }, 'alarm: the ad server cannot do what is promised');
        }
        told = new Set(lines);
      } catch (error) {
        // That it is away is the breaker's to tell.
        if (!(error instanceof Unreachable)) throw error;
      }
    },
  };
}

/** An answer that says nothing which can be believed, as a problem of what leads there. */
function problemOfFault(ad_server_id: string, fault: Error): CatalogProblem {
  const remedy = 'check its address and its token, AD_SERVER_URL and AD_SERVER_TOKEN or what AD_SERVERS_FILE says';
  return { file: 'settings', path: `ad server ${ad_server_id}`, message: `${fault.message}; ${remedy}` };
}

function inTime<T>(answer: Promise<T>, ms: number): Promise<T> {
  return within(ms, answer, () => {
    throw new Unreachable(`the ad server has not answered within ${ms} ms`, { sent: 'unknown' });
  });
}
