import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from '../../platform/log.ts';
import { createLeases, LeaseRows } from '../../platform/store/lease.ts';
import type { FeedDeps } from '../feed/publish.ts';
import { takeBackFormer, plantSeed } from './plant-seed.ts';
import { SeedMarks } from './seed-mark.ts';
import type { SeedBatch, SeedMark } from './seed-mark.ts';
import type { RegistrySeed } from './seed.ts';
import { tidyBatch } from './tidy-batch.ts';

export interface PlantDeps extends FeedDeps {
  log: Logger;
}

/** What an installation begins with. */
export interface Seed {
  /** Of all of it, before the agent's address is put in. */
  digest: string;
  /** The agent's address. */
  base_url: string;
  /** Asked only where something is to be planted. @throws {AppError} naming every bad entry. */
  read(): Promise<RegistrySeed>;
  /** The entries that name the agent, with its address and with another one. */
  readOwn(base_url: string): Promise<{ now: RegistrySeed; before: RegistrySeed }>;
}

/** Of the one note that there is. */
export const SEED_NAME = 'registry';

/** Entries of one batch; between two, what has been planted is noted. */
const BATCH = 500;

/**
 * Plants a seed, as one of any number of processes that start at once: one plants, the others wait for it. Costs one read
 * where that is over. A process that is killed leaves a note of how far it came, from which the next goes on. What has been
 * changed since stays changed; an agent with a new address is followed there. Answers how many rows went in.
 * @param stop Ends it after the batch under way. @throws the reason of `stop`.
 */
export async function plantOnce(deps: PlantDeps, seed: Seed, stop?: AbortSignal): Promise<number> {
  const marks = deps.store.collection(SeedMarks);
  if (isPlanted(await marks.get(SEED_NAME), seed)) return 0;
  const leases = createLeases(() => deps.store.collection(LeaseRows), deps.clock);
  const plant = async (signal: AbortSignal) => {
    const mark = await marks.get(SEED_NAME);
    if (isPlanted(mark, seed)) return 0;
    return mark?.is_done === true && mark.digest === seed.digest
      ? follow(deps, seed, mark, signal)
      : plantAll(deps, seed, mark, signal);
  };
  return leases.hold(`seed/${SEED_NAME}`, plant, stop);
}

function isPlanted(mark: SeedMark | undefined, { digest, base_url }: Seed): boolean {
  return mark?.is_done === true && mark.digest === digest && mark.base_url === base_url;
}

/** All of it, from where the one before was stopped. */
async function plantAll(deps: PlantDeps, seed: Seed, mark: SeedMark | undefined, signal: AbortSignal): Promise<number> {
  const { digest, base_url } = seed;
  const isSame = mark?.digest === digest && mark.base_url === base_url && !mark.is_done;
  const whole = await seed.read();
  const all = whole.organizations.length + whole.publishers.length;
  let entries = isSame ? Math.min(mark.entries, all) : 0;
  let planted = 0;
  if (mark?.is_done === false && mark.batch !== undefined) await tidyBatch(deps, mark.batch);
  if (mark !== undefined && mark.base_url !== base_url) await leave(deps, seed, mark.base_url);
  // From here on something may name the agent by this address.
  const batches = inBatches(behind(whole, entries));
  const noteOf = (next: number) => ({ digest, base_url, entries, is_done: false, batch: namesIn(batches[next]) });
  if (!isSame || mark.batch === undefined) await note(deps, noteOf(0));
  for (const [i, batch] of batches.entries()) {
    signal.throwIfAborted();
    planted += await plantSeed(deps, batch, seed.base_url);
    entries += batch.organizations.length + batch.publishers.length;
    await note(deps, noteOf(i + 1));
    await nextTurn();
  }
  await note(deps, { digest, base_url, entries, is_done: true });
  deps.log.info({ planted, entries }, 'the registry has its first entries');
  return planted;
}

/** The agent has another address: only what names it. */
async function follow(deps: PlantDeps, seed: Seed, mark: SeedMark, signal: AbortSignal): Promise<number> {
  await leave(deps, seed, mark.base_url);
  const { now } = await seed.readOwn(mark.base_url);
  const { digest } = mark;
  await note(deps, { digest, base_url: seed.base_url, entries: 0, is_done: false });
  let planted = 0;
  for (const batch of inBatches(now)) {
    signal.throwIfAborted();
    planted += await plantSeed(deps, batch, seed.base_url);
  }
  await note(deps, { digest, base_url: seed.base_url, entries: mark.entries, is_done: true });
  return planted;
}

/** Takes back what the entries said of the agent under its former address. */
async function leave(deps: PlantDeps, seed: Seed, former: string): Promise<void> {
  const { now, before } = await seed.readOwn(former);
  await takeBackFormer(deps, now, before);
}

async function note(
  { store }: PlantDeps,
  { batch, ...rest }: Omit<SeedMark, 'name' | 'revision' | 'batch' | 'own'> & { batch?: SeedBatch | undefined },
): Promise<void> {
  const mark = { ...rest, ...(batch && { batch }) };
  const marks = store.collection(SeedMarks);
  const { inserted } = await marks.insert({ name: SEED_NAME, ...mark, revision: 1 });
  if (inserted) return;
  await marks.update(SEED_NAME, ({ batch: _former, ...row }) => ({ ...row, ...mark }));
}

function namesIn(batch: RegistrySeed | undefined): SeedBatch | undefined {
  return (
    batch && {
      organization_ids: batch.organizations.map(({ organization_id }) => organization_id),
      publisher_domains: batch.publishers.map(({ publisher_domain }) => publisher_domain),
    }
  );
}

/** What comes behind so many entries. */
function behind({ organizations, publishers }: RegistrySeed, entries: number): RegistrySeed {
  return {
    organizations: organizations.slice(entries),
    publishers: publishers.slice(Math.max(0, entries - organizations.length)),
  };
}

/** Organizations first: publishers may authorize their agents. */
function inBatches({ organizations, publishers }: RegistrySeed): RegistrySeed[] {
  return [
    ...slices(organizations).map((some) => ({ organizations: some, publishers: [] })),
    ...slices(publishers).map((some) => ({ organizations: [], publishers: some })),
  ];
}

function slices<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / BATCH) }, (_, i) => all.slice(i * BATCH, (i + 1) * BATCH));
}
