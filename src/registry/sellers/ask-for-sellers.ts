import { findCheck, scheduleCheck, scheduledChecks } from '../../directory/scheduled-check/scheduled-check.ts';
import type { CheckDeps } from '../../directory/scheduled-check/scheduled-check.ts';
import { isOlderThan } from '../../directory/scheduled-check/grace.ts';
import { sellersJsonFiles, sellersJsonId } from '../../directory/seller/sellers-json-file.ts';
import { toTimestamp } from '../../platform/clock.ts';

/** An ads.txt that was read within this time is not read again for a crawl; in milliseconds. */
const FRESH_MS = 3_600_000;
/** How exactly it is known when a system was named last, in milliseconds. */
const NAMED_TO_MS = 24 * 3_600_000;

/**
 * Has a publisher's ads.txt read with a crawl of the publisher: from now on daily by itself, and now, unless it has been just now or
 * keeps failing. Nothing is fetched here.
 */
export async function askForAdsTxt(deps: CheckDeps, publisherDomain: string): Promise<void> {
  const known = await findCheck(deps, 'ads_txt', publisherDomain);
  if (known === undefined) {
    await scheduleCheck(deps, 'ads_txt', publisherDomain);
    return;
  }
  const nowMs = deps.clock.now();
  const now = toTimestamp(nowMs);
  await deps.store.collection(scheduledChecks).update(known.check_id, (row) => {
    const isResting = (row.failures ?? 0) > 0 || row.due_at <= now || !isOlderThan(FRESH_MS, row.last_tried_at, nowMs);
    return isResting ? undefined : { ...row, due_at: now };
  });
}

/** Has the sellers.json of ad systems read that an ads.txt names: daily, once for all that name it, as long as somebody does. */
export async function askForSystems(deps: CheckDeps, adSystems: readonly string[]): Promise<void> {
  const rows = deps.store.collection(sellersJsonFiles);
  const known = new Map((await rows.getMany(adSystems.map(sellersJsonId))).map((row) => [row.ad_system, row]));
  const nowMs = deps.clock.now();
  const named_at = toTimestamp(nowMs);
  for (const ad_system of adSystems) {
    const row = known.get(ad_system);
    if (row !== undefined && !isOlderThan(NAMED_TO_MS, row.named_at, nowMs)) continue;
    await scheduleCheck(deps, 'sellers_json', ad_system);
    await nameSystem(deps, ad_system, named_at);
  }
}

/** Notes that an ad system was named. */
export async function nameSystem(
  { store }: Pick<CheckDeps, 'store'>,
  ad_system: string,
  named_at: string,
): Promise<void> {
  const rows = store.collection(sellersJsonFiles);
  const file_id = sellersJsonId(ad_system);
  const { inserted } = await rows.insert({
    ...{ file_id, ad_system, named_at, started_at: null, seen_at: null, source_url: null, etag: null },
    ...{ facts: null, list: null, revision: 1 },
  });
  if (!inserted) await rows.update(file_id, (row) => (row.named_at < named_at ? { ...row, named_at } : undefined));
}
