import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { eachAtOnce } from '../../platform/each-at-once.ts';
import { HOUR_MS } from '../../platform/hours.ts';
import type { AdServer } from '../ad-server/ad-server.ts';
import type { Held } from '../ad-server/held.ts';
import { holdingOf } from '../media-buy/holding.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { isTerminalBuy } from '../media-buy/transitions.ts';
import type { AdOrderRow } from './ad-order-row.ts';
import type { CourierDependencies } from './courier-dependencies.ts';
import { ORDERS_AT_ONCE } from './courier-dependencies.ts';
import { isGivenUp } from './given-up.ts';
import { endWaiting } from './end-waiting.ts';
import { hasOpen } from './open.ts';
import { lookEveryMs } from './look-pace.ts';
import { nextTryMs } from './patience.ts';

/** Looks taken in one go. */
const BATCH = 200;
/** Whoever takes a look has it for so long, which is longer than a call may last. */
const TAKEN_MS = 45_000;
/** At most this share of the time is left off by chance, so that what was looked at together does not stay so. */
const JITTER = 0.1;
/** As after the fourth fault of an order in a row: a look is not urgent. */
const PATIENCE = 4;

export interface OrderLookDependencies extends Pick<
  CourierDependencies,
  'mediaBuys' | 'adOrders' | 'breaker' | 'clock' | 'log' | 'chance' | 'wakeTask'
> {
  /** Behind its breaker; see `guarded`. */
  adServer: Pick<AdServer, 'read'>;
  /** Looks again at what impairs a buy. */
  recheck: (media_buy_id: MediaBuyId) => Promise<unknown>;
}

/**
 * Reads at the ad server every order that is due for it, none while it cannot be reached: what people have done there is noted
 * and told, never undone. Any number of processes may do it. Answers how many.
 */
export async function lookDue(deps: OrderLookDependencies): Promise<number> {
  const { adOrders, breaker, clock, log } = deps;
  if (await breaker.isOpen()) return 0;
  const look_due_at = { gt: '', lte: toTimestamp(clock.now()) };
  const sort = { field: 'look_due_at', direction: 'asc' } as const;
  const { rows } = await adOrders.find({ where: { look_due_at }, sort, limit: BATCH });
  await eachAtOnce(rows, ORDERS_AT_ONCE, async ({ media_buy_id }) => {
    if (await breaker.isOpen()) return;
    await lookAtOrder(deps, media_buy_id, { ifDue: true }).catch((error: unknown) => {
      log.warn({ err: error, media_buy_id }, 'an order could not be looked at; trying again');
    });
  });
  return rows.length;
}

/**
 * Reads one order now, and notes what it finds. Answers the row as noted; undefined when there is none, or another looks.
 * @throws what the ad server's `read` throws; it is looked at again then.
 */
export async function lookAtOrder(
  deps: OrderLookDependencies,
  media_buy_id: MediaBuyId,
  { ifDue = false }: { ifDue?: boolean } = {},
): Promise<AdOrderRow | undefined> {
  const { adOrders, mediaBuys, adServer, clock, chance } = deps;
  const claimed = await adOrders.update(media_buy_id, (row) => {
    const now = toTimestamp(clock.now());
    if (ifDue && (row.look_due_at === null || row.look_due_at > now)) return undefined;
    return { ...row, look_due_at: toTimestamp(clock.now() + TAKEN_MS) };
  });
  if (claimed?.changed !== true) return undefined;
  const buy = await mediaBuys.get(media_buy_id);
  if (buy === undefined || isOver(buy)) return adOrders.replace({ ...claimed.row, look_due_at: null });
  let held: Held;
  try {
    held = await adServer.read(media_buy_id);
  } catch (fault) {
    const look_due_at = toTimestamp(nextTryMs(fault, PATIENCE, clock.now(), chance()));
    await adOrders.replace({ ...claimed.row, look_due_at });
    throw fault;
  }
  const note = noteOf(claimed.row, buy, held, { ...deps, everyMs: await lookEveryMs(deps) });
  const noted = await writeNote(adOrders, claimed.row, note);
  if (!held.found && isGivenUp(buy)) await endWaiting(deps, media_buy_id, true);
  if (noted !== undefined && [...claimed.row.lines, ...noted.lines].some((line) => line.by_hand))
    await deps.recheck(media_buy_id);
  return noted;
}

/** What was told meanwhile is looked at once more; a ring keeps its own look, and nothing of this one is lost by it. */
async function writeNote(
  adOrders: OrderLookDependencies['adOrders'],
  claimed: AdOrderRow,
  note: AdOrderRow,
): Promise<AdOrderRow | undefined> {
  const written = await adOrders.replace(note);
  if (written !== undefined) return written;
  const beside = await adOrders.update(claimed.media_buy_id, (now) => {
    if (canonicalJson({ ...now, ...NOT_RUNG }) !== canonicalJson({ ...claimed, ...NOT_RUNG })) return undefined;
    const { look_due_at, rung_at = null } = now;
    return { ...note, rung_at, look_due_at: look_due_at === claimed.look_due_at ? note.look_due_at : look_due_at };
  });
  return beside?.changed === true ? beside.row : undefined;
}

const NOT_RUNG = { look_due_at: null, rung_at: null, revision: 0 } as const;

function isOver(buy: MediaBuy): boolean {
  return isTerminalBuy(buy.status) && !hasOpen(buy);
}

function noteOf(
  row: AdOrderRow,
  buy: MediaBuy,
  held: Held,
  { clock, chance, everyMs }: Pick<OrderLookDependencies, 'clock' | 'chance'> & { everyMs: number },
): AdOrderRow {
  const at = toTimestamp(clock.now());
  const differences = differencesOf(buy, held);
  const lines = held.found ? held.lines : [];
  const isDrift = differences.length > 0 || lines.some(({ by_hand }) => by_hand);
  return {
    ...row,
    ...{ native: held.found ? held.native : row.native, lines, differences },
    drift_since: isDrift ? (row.drift_since ?? at) : null,
    looked_at: at,
    // What stands otherwise is somebody's to mend, and looked at until it is.
    look_due_at: toTimestamp(clock.now() + Math.round((isDrift ? HOUR_MS : everyMs) * (1 - JITTER * chance()))),
  };
}

/** Where what is held is not what was told last; while an answer is awaited, only what the ad server says of it by itself. */
function differencesOf(buy: MediaBuy, held: Held): AdOrderRow['differences'] {
  const own = held.found
    ? held.differences.map(({ pointer, ours = null, theirs = null }) => ({ pointer, ours, theirs }))
    : [];
  const told = buy.ad_version === undefined || hasOpen(buy) ? null : holdingOf(buy);
  if (told === null || told.state === 'ended') return own;
  if (!held.found) return [{ pointer: '', ours: { version: told.version, state: told.state }, theirs: null }];
  const { version = told.version, state } = held;
  return [
    ...(version === told.version ? [] : [{ pointer: '/version', ours: told.version, theirs: version }]),
    ...(state === 'ended' || state === 'refused' ? [{ pointer: '/state', ours: told.state, theirs: state }] : []),
    ...own,
  ];
}
