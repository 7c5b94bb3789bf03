import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { HOUR_MS } from '../../platform/hours.ts';
import type { AdOrder } from '../ad-server/ad-order.ts';
import { Broken, Misconfigured, Unreachable } from '../ad-server/faults.ts';
import type { PutAnswer } from '../ad-server/put-answer.ts';
import { blankAdOrderRow } from './ad-order-row.ts';
import type { AdOrderRow, OrderFault } from './ad-order-row.ts';
import type { CourierDependencies } from './courier-dependencies.ts';
import { lookEveryMs } from './look-pace.ts';

type ToldOrder = Pick<AdOrder, 'media_buy_id' | 'ad_server_id' | 'version'>;
type NoteDependencies = Pick<CourierDependencies, 'adOrders' | 'clock' | 'log'>;

/** Notes that the answer to an order is not known, and says so in the log; answers how many times in a row. */
export async function noteFault(deps: NoteDependencies, order: ToldOrder, error: unknown): Promise<number> {
  const { media_buy_id, version } = order;
  const last_fault: OrderFault = { at: toTimestamp(deps.clock.now()), kind: kindOf(error), message: wordsOf(error) };
  const row = await change(deps, order, (stored) => ({ ...stored, faults: stored.faults + 1, last_fault }));
  const isAlarm = last_fault.kind !== 'unreachable';
  deps.log[isAlarm ? 'error' : 'warn'](
    { err: error, media_buy_id, version, faults: row.faults },
    last_fault.kind === 'refused' ? 'a stop was refused, and is told again' : 'an order was not answered',
  );
  return row.faults;
}

/** Notes what the ad server answered beside its decision. Writes nothing where nothing is new. */
export async function noteAnswer(deps: NoteDependencies, order: AdOrder, answer: PutAnswer): Promise<void> {
  const at = toTimestamp(deps.clock.now());
  await change(deps, order, (stored) => {
    // A stop that is refused may have to be told again, later each time.
    const isRefusedStop = answer.outcome === 'refused' && ['paused', 'ended'].includes(order.state);
    const settledRow = { ...stored, faults: isRefusedStop ? stored.faults : 0, last_fault: null };
    if (answer.outcome === 'pending') {
      const last_fault: OrderFault = { at, kind: 'pending', message: `${answer.waiting_for}: ${answer.note}` };
      return { ...settledRow, last_fault, native: answer.native ?? stored.native };
    }
    if (answer.outcome !== 'done') return settledRow;
    const { native } = answer;
    if (order.state === 'ended')
      return { ...settledRow, native, look_due_at: null, differences: [], drift_since: null };
    // Whether a new version undoes what a person has done there, only a look can tell.
    const isDrift = (stored.drift_since ?? null) !== null;
    const look_due_at = isDrift ? at : (stored.look_due_at ?? toTimestamp(deps.clock.now() + HOUR_MS));
    return { ...settledRow, native, look_due_at };
  });
}

async function change(
  { adOrders, clock }: NoteDependencies,
  { media_buy_id, ad_server_id, version }: ToldOrder,
  how: (row: AdOrderRow) => AdOrderRow,
): Promise<AdOrderRow> {
  // Of a first version there is none yet, as a rule.
  for (let isFirst = version === 1; ; isFirst = false) {
    if (isFirst || (await adOrders.get(media_buy_id)) === undefined) {
      const look_due_at = toTimestamp(clock.now() + (await lookEveryMs({ adOrders, clock }, 1)));
      const first = how(blankAdOrderRow({ media_buy_id, ad_server_id }, look_due_at));
      if ((await adOrders.insert(first)).inserted) return first;
    }
    const outcome = await adOrders.update(media_buy_id, (row) => {
      const next = how(row);
      return canonicalJson(next) === canonicalJson(row) ? undefined : next;
    });
    if (outcome !== undefined) return outcome.row;
  }
}

function kindOf(error: unknown): OrderFault['kind'] {
  if (error instanceof AppError) return 'refused';
  if (error instanceof Unreachable) return 'unreachable';
  if (error instanceof Misconfigured) return 'misconfigured';
  return error instanceof Broken ? 'broken' : 'internal';
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}
