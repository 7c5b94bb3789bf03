import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { scheduleCheck } from '../../directory/scheduled-check/scheduled-check.ts';
import { parseSeed } from '../../directory/seed/parse-seed.ts';
import { plantOnce, SEED_NAME } from '../../directory/seed/plant-once.ts';
import { settleOwnPublishers } from '../../directory/seed/settle-own.ts';
import type { RegistrySeed, SeedPublisher } from '../../directory/seed/seed.ts';
import type { Core } from './compose.ts';
import { ownPublishers } from './own-inventory.ts';

/** What stands in the seed's file for the agent's own address. */
const BASE_URL = '{base_url}';

/** After a failure, in milliseconds. */
const RETRY_MS = 5_000;

/**
 * Gives a fresh registry its first entries: those of `registry-seed.json`, and this house's own publishers, which
 * authorize this agent. Without the file there are only the latter. A step of every process's start, whichever comes first.
 * @param stop Ends it after the batch under way. @throws its reason.
 * @throws {AppError} `VALIDATION_ERROR` naming every bad entry.
 */
export async function seedRegistry(core: Core, stop?: AbortSignal): Promise<number> {
  const { baseUrl: base_url, catalog } = core;
  const text = await seedText(core);
  const own = ownPublishers(catalog, BASE_URL);
  const digest = createHash('sha256').update(text).update(JSON.stringify(own)).digest('hex');
  const at = (json: string, url: string) => JSON.parse(json.replaceAll(BASE_URL, url)) as unknown;
  const ownAt = (url: string) => at(JSON.stringify(own), url) as SeedPublisher[];
  const planted = await plantOnce(
    core,
    {
      ...{ digest, base_url },
      async read() {
        const { organizations, publishers } = await parseSeed(at(text, base_url));
        return { organizations, publishers: [...publishers, ...ownAt(base_url)] };
      },
      async readOwn(former) {
        const named = JSON.stringify(namingTheAgent(JSON.parse(text) as unknown));
        const [now, before] = [await parseSeed(at(named, base_url)), await parseSeed(at(named, former))];
        const withOwn = (seed: RegistrySeed, url: string) => ({
          ...seed,
          publishers: [...seed.publishers, ...ownAt(url)],
        });
        return { now: withOwn(now, base_url), before: withOwn(before, former) };
      },
    },
    stop,
  );
  await settleOwnPublishers(core, { base_url, publishers: ownAt(base_url) }, SEED_NAME);
  await scheduleCheck(core, 'badges', base_url);
  return planted;
}

/** The same beside other work, tried again until it is over; a seed that is wrong is logged, and fails servers. */
export async function keepSeeding(core: Core, stop: AbortSignal): Promise<void> {
  let isOver = false;
  while (!isOver) {
    isOver = await seedRegistry(core, stop).then(
      () => true,
      async (error: unknown) => {
        if (stop.aborted) return true;
        core.log.warn({ err: error }, 'the registry could not be given its first entries; trying again');
        await delay(RETRY_MS, undefined, { signal: stop }).catch(() => undefined);
        return stop.aborted;
      },
    );
  }
}

async function seedText({ config }: Pick<Core, 'config'>): Promise<string> {
  return readFile(join(config.catalogDir, 'registry-seed.json'), 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '{"organizations":[],"publishers":[]}';
    throw error;
  });
}

/** The entries of a seed that name the agent itself. */
function namingTheAgent(json: unknown): unknown {
  const { organizations, publishers } = json as Record<'organizations' | 'publishers', unknown[]>;
  const naming = (entries: unknown[]) => entries.filter((entry) => JSON.stringify(entry).includes(BASE_URL));
  return { organizations: naming(organizations), publishers: naming(publishers) };
}
