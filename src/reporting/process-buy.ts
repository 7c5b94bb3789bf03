import { fromTimestamp, toTimestamp } from '../platform/clock.ts';
import type { Impairment } from '../sales/impairment/impairment.ts';
import type { MediaBuyId } from '../sales/media-buy/media-buy-id.ts';
import type { ReportingDependencies } from './dependencies.ts';
import { untoldImpairments } from './impairment-notification.ts';
import { nextImpairments, silence } from './next-impairments.ts';
import { nextReport } from './next-report.ts';
import type { BuySchedule, Unsent } from './schedule.ts';

/** How long a process that looks at a buy is believed to be alive after its last write. */
const LEASE_MS = 15_000;

/**
 * Enqueues everything that one buy's webhooks are owed now, one step after the other. Of several processes one at a time
 * does it; killed anywhere, another goes on from the last write, and nothing is sent twice or left out.
 * @param isDue Whether to begin, asked of the row as it stands.
 */
export async function processBuy(
  deps: ReportingDependencies,
  media_buy_id: MediaBuyId,
  isDue: (row: BuySchedule) => boolean,
): Promise<void> {
  const lease_id = deps.ids.newId();
  let row = await claim(deps, media_buy_id, lease_id, isDue);
  while (row !== undefined) {
    const seen: BuySchedule = row;
    const { changes, isLast } = await nextChanges(deps, seen);
    row = await write(deps, seen, lease_id, changes, isLast);
  }
}

/** Takes the row, unless another process has it. A lease longer than one can be was given before the clock was set back. */
async function claim(
  { schedules, clock }: ReportingDependencies,
  media_buy_id: MediaBuyId,
  lease_id: string,
  isDue: (row: BuySchedule) => boolean,
): Promise<BuySchedule | undefined> {
  const nowMs = clock.now();
  const outcome = await schedules.update(media_buy_id, (row) => {
    const leftMs = row.leased_until === null ? 0 : fromTimestamp(row.leased_until) - nowMs;
    const isFree = leftMs <= 0 || leftMs > LEASE_MS;
    const leased_until = toTimestamp(nowMs + LEASE_MS);
    return isFree && isDue(row) ? { ...row, lease_id, leased_until, due_at: leased_until } : undefined;
  });
  return outcome?.changed === true ? outcome.row : undefined;
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
  return { changes: { due_at: toTimestamp(next.restUntilMs) }, isLast: true };
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
 * Writes a step onto the row as it was seen. Answers the row to go on with: as written, or as another writer, such as
 * a request that changes the webhooks, has left it meanwhile; undefined when this look is over.
 */
async function write(
  { schedules, clock }: ReportingDependencies,
  seen: BuySchedule,
  lease_id: string,
  changes: Partial<BuySchedule>,
  isLast: boolean,
): Promise<BuySchedule | undefined> {
  const leased_until = toTimestamp(clock.now() + LEASE_MS);
  const lease = isLast ? { lease_id: null, leased_until: null } : { leased_until, due_at: leased_until };
  const outcome = await schedules.update(seen.media_buy_id, (row) =>
    row.lease_id === lease_id && row.revision === seen.revision ? { ...row, ...lease, ...changes } : undefined,
  );
  if (outcome === undefined || (outcome.changed && isLast)) return undefined;
  return outcome.changed || outcome.row.lease_id === lease_id ? outcome.row : undefined;
}
