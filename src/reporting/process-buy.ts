import { fromTimestamp, toTimestamp } from '../platform/clock.ts';
import type { Impairment } from '../sales/impairment/impairment.ts';
import { canonicalJson } from '../platform/crypto/canonical-json.ts';
import type { MediaBuyId } from '../sales/media-buy/media-buy-id.ts';
import type { ReportingDependencies } from './dependencies.ts';
import { untoldImpairments } from './impairment-notification.ts';
import { nextImpairments, silence } from './next-impairments.ts';
import { nextReport } from './next-report.ts';
import type { BuySchedule, Unsent } from './schedule.ts';

/** How long a process that sends what a buy's webhooks are owed is believed to be alive after its last write. */
const LEASE_MS = 15_000;

/**
 * Enqueues everything that one buy's webhooks are owed now, one step after the other. Killed anywhere, another process goes on from
 * the last write, and nothing is sent twice or left out. A look that finds nothing to send takes no lease: it is one write.
 * @param isDue Whether to begin, asked of the row as it stands.
 */
export async function processBuy(
  deps: ReportingDependencies,
  media_buy_id: MediaBuyId,
  isDue: (row: BuySchedule) => boolean,
): Promise<void> {
  const lease_id = deps.ids.newId();
  const first = await deps.schedules.get(media_buy_id);
  let row = first !== undefined && isFree(first, deps.clock.now()) && isDue(first) ? first : undefined;
  while (row !== undefined) {
    const seen: BuySchedule = row;
    row = await write(deps, seen, lease_id, await nextWrite(deps, seen));
  }
}

/** Whether no other process sends. A lease longer than one can be was given before the clock was set back. */
function isFree({ leased_until }: BuySchedule, nowMs: number): boolean {
  const leftMs = leased_until === null ? 0 : fromTimestamp(leased_until) - nowMs;
  return leftMs <= 0 || leftMs > LEASE_MS;
}

/** The next steps as far as they go in one write: what is to be sent is stored before it is. */
async function nextWrite(deps: ReportingDependencies, seen: BuySchedule): Promise<Changes> {
  for (let changes: Partial<BuySchedule> = {}; ;) {
    const step = await nextChanges(deps, { ...seen, ...changes });
    changes = { ...changes, ...step.changes };
    if (step.isLast || (step.changes.unsent ?? []).length > 0) return { changes, isLast: step.isLast };
  }
}

interface Changes {
  changes: Partial<BuySchedule>;
  isLast: boolean;
}

async function nextChanges(deps: ReportingDependencies, row: BuySchedule): Promise<Changes> {
  if (row.unsent.length > 0) {
    await send(deps, row.unsent);
    return { changes: { unsent: [] }, isLast: false };
  }
  const over = { changes: { due_at: null }, isLast: true };
  const buy = await deps.mediaBuys.get(row.media_buy_id);
  if (buy === undefined || row.ended_at !== null) {
    await silence(deps, await untoldImpairments(deps.impairments, row.media_buy_id));
    return over;
  }
  const changes = await nextImpairments(deps, row, buy);
  if (changes !== undefined) return { changes, isLast: false };
  const next = await nextReport(deps, row, buy);
  if ('changes' in next) return { changes: next.changes, isLast: false };
  return { changes: { due_at: next.restUntilMs === null ? null : toTimestamp(next.restUntilMs) }, isLast: true };
}

/** Makes the deliveries, once each however often, and then notes which states of impairments have been told. */
async function send({ webhooks, impairments, log }: ReportingDependencies, unsent: readonly Unsent[]): Promise<void> {
  await webhooks.enqueue(unsent.map(({ news }) => news));
  for (const { news, impairment } of unsent) {
    const { subject_id, event, sequence, timestamp } = news;
    log.info({ media_buy_id: subject_id, event, sequence }, 'notification of a media buy enqueued');
    if (impairment === undefined) continue;
    await impairments.update(impairment.impairment_id, (row) => withTold(row, impairment.revision, timestamp));
  }
}

function withTold(row: Impairment, revision: number, told_at: string): Impairment | undefined {
  return row.revision === revision ? { ...row, untold_since: null, told_at } : undefined;
}

/**
 * Writes steps onto the row as it was seen. Answers the row to go on with: as written, or as another writer, such as
 * a request that changes the webhooks, has left it meanwhile; undefined when this look is over. What is to be sent is in hand
 * until the write after it.
 */
async function write(
  { schedules, clock }: ReportingDependencies,
  seen: BuySchedule,
  lease_id: string,
  { changes, isLast }: Changes,
): Promise<BuySchedule | undefined> {
  const leased_until = toTimestamp(clock.now() + LEASE_MS);
  const lease = isLast ? { lease_id: null, leased_until: null } : { lease_id, leased_until, due_at: leased_until };
  const next: BuySchedule = { ...seen, ...lease, ...changes };
  if (canonicalJson(next) === canonicalJson(seen)) return undefined;
  const outcome = await schedules.update(seen.media_buy_id, (row) =>
    row.revision === seen.revision ? next : undefined,
  );
  if (outcome === undefined || (outcome.changed && isLast)) return undefined;
  return outcome.changed || outcome.row.lease_id === lease_id ? outcome.row : undefined;
}
