import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { scheduleCheck } from '../../directory/scheduled-check/scheduled-check.ts';
import { parseSeed } from '../../directory/seed/parse-seed.ts';
import { plantOnce, SEED_NAME } from '../../directory/seed/plant-once.ts';
import { settleOwnPublishers } from '../../directory/seed/settle-own.ts';
import type { RegistrySeed, SeedPublisher } from '../../directory/seed/seed.ts';
import { mapInSlices } from '../../platform/in-slices.ts';
import { parseJsonInSlices } from '../../platform/intake/parse-json-in-slices.ts';
import type { Core } from './compose.ts';
import { ownPublishers } from './own-inventory.ts';

/** What stands in the seed's file for the agent's own address. */
const BASE_URL = '{base_url}';

/** Where in the folder of the catalog it stands; it may be missing. */
export const SEED_FILE = 'registry-seed.json';

const HASHED_AT_ONCE_BYTES = 1_048_576;

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
  const bytes = await seedBytes(core);
  const own = JSON.stringify(ownPublishers(catalog, BASE_URL));
  const digest = await digestOf(bytes, own);
  const ownAt = (url: string) => JSON.parse(own.replaceAll(BASE_URL, url)) as SeedPublisher[];
  const planted = await plantOnce(
    core,
    {
      ...{ digest, base_url },
      async read() {
        const { organizations, publishers } = await parseSeed(await jsonOf(naming(bytes, base_url)));
        return { organizations, publishers: [...publishers, ...ownAt(base_url)] };
      },
      async readOwn(former) {
        const named = JSON.stringify(await namingTheAgent(await jsonOf(bytes)));
        const at = (url: string) => parseSeed(JSON.parse(named.replaceAll(BASE_URL, url)));
        const [now, before] = [await at(base_url), await at(former)];
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

async function seedBytes({ config }: Pick<Core, 'config'>): Promise<Buffer> {
  return readFile(join(config.catalogDir, SEED_FILE)).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.from('{"organizations":[],"publishers":[]}');
    throw error;
  });
}

/** Of both, a piece at a time. */
async function digestOf(bytes: Buffer, own: string): Promise<string> {
  const digest = createHash('sha256');
  for (let at = 0; at < bytes.length; at += HASHED_AT_ONCE_BYTES) {
    digest.update(bytes.subarray(at, at + HASHED_AT_ONCE_BYTES));
    await nextTurn();
  }
  return digest.update(own).digest('hex');
}

/** The file with the agent's address in it. */
function naming(bytes: Buffer, url: string): Buffer {
  const pieces: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(BASE_URL); at >= 0; at = bytes.indexOf(BASE_URL, from)) {
    pieces.push(bytes.subarray(from, at), Buffer.from(url));
    from = at + BASE_URL.length;
  }
  return from === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(from)]);
}

/** An entry at a time. @throws {SyntaxError} that says what is wrong with it. */
async function jsonOf(bytes: Buffer): Promise<unknown> {
  return parseJsonInSlices(bytes).catch(() => JSON.parse(bytes.toString('utf8')) as unknown);
}

/** The entries of a seed that name the agent itself. */
async function namingTheAgent(json: unknown): Promise<unknown> {
  const { organizations, publishers } = json as Record<'organizations' | 'publishers', unknown[]>;
  const those = async (entries: unknown[]) =>
    (await mapInSlices(entries, (entry) => (JSON.stringify(entry).includes(BASE_URL) ? [entry] : []))).flat();
  return { organizations: await those(organizations), publishers: await those(publishers) };
}
