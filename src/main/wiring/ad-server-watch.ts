import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { misfitsOf } from '../../sales/ad-server-fit.ts';
import type { FitParts } from '../../sales/ad-server-fit.ts';
import type { AdServer } from '../../sales/ad-server/ad-server.ts';
import type { Description } from '../../sales/ad-server/description.ts';
import { isAdServerFault, Unreachable } from '../../sales/ad-server/faults.ts';
import { problemLine } from '../../sales/catalog-file.ts';
import type { CatalogProblem } from '../../sales/catalog-file.ts';

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

export interface AdServerWatchOptions extends Omit<FitParts, 'description'> {
  adServer: Pick<AdServer, 'describe'>;
  clock: Clock;
  log: Logger;
  /** Default 10,000. */
  startWaitsMs?: number;
}

/** Holds the catalog and the settings against what the ad server says that it can do. */
export interface AdServerWatch {
  /**
   * To be asked before anything is sold; answers what it can do. An ad server that is away stops nothing: orders wait, and `lookDue` asks again.
   * @throws {AdServerMisfit} when it answers, and something does not fit.
   */
  atStart(): Promise<Description | undefined>;
  /** Asks once an hour, and sooner while there is no answer. What does not fit is logged as an error, once while it lasts. */
  lookDue(): Promise<void>;
}

/**
 * What does not fit, by what the ad server says now.
 * @throws {Unreachable} while it is away.
 */
export async function findMisfits(
  parts: Omit<FitParts, 'description'>,
  describe: () => Promise<Description>,
): Promise<CatalogProblem[]> {
  try {
    return misfitsOf({ ...parts, description: await describe() });
  } catch (error) {
    if (!isAdServerFault(error) || error instanceof Unreachable) throw error;
    return [problemOfFault(parts.ad_server_id, error)];
  }
}

export function createAdServerWatch(options: AdServerWatchOptions): AdServerWatch {
  const { adServer, ad_server_id, clock, log, startWaitsMs = START_WAITS_MS, ...parts } = options;
  /** Lines that have been told, and still hold. */
  let told = new Set<string>();
  let dueAtMs = 0;

  const look = (describe: () => Promise<Description>) => findMisfits({ ...parts, ad_server_id }, describe);

  return {
    async atStart() {
      try {
        let described: Description | undefined;
        const problems = await look(async () => (described = await inTime(adServer.describe(), startWaitsMs)));
        if (problems.length > 0) throw new AdServerMisfit(ad_server_id, problems);
        dueAtMs = clock.now() + CHECK_EVERY_MS;
        return described;
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        log.warn({ ad_server_id, err: error }, 'the ad server is away; orders wait until it answers');
        return undefined;
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

async function inTime<T>(answer: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Unreachable(`the ad server has not answered within ${ms} ms`, { sent: 'unknown' }));
    }, ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
