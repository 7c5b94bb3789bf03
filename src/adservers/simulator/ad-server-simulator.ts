import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { DAY_MS } from '../../platform/hours.ts';
import type { Store } from '../../platform/store/collection.ts';
import type { AdLine, AdOrder } from '../../sales/ad-server/ad-order.ts';
import type { AdServer } from '../../sales/ad-server/ad-server.ts';
import { Broken, isAdServerFault, Unreachable } from '../../sales/ad-server/faults.ts';
import type { CheckAnswer, PutAnswer } from '../../sales/ad-server/put-answer.ts';
import { troubleIn } from './simulated-trouble.ts';
import { createFlightClock } from '../../sales/flight/flight-clock.ts';
import { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import type { SimulatorCalls, SimulatorControl } from './controls.ts';
import { createCreativeShelf } from './creatives.ts';
import { countsLagMs, describeSimulator, impressionsPerDay, inventoryOf } from './description.ts';
import type { SimulatorAbilities } from './description.ts';
import { heldOf } from './line-states.ts';
import { decidedRecords, asNativeWrites } from './decided-records.ts';
import { createOrderRecords } from './order-records.ts';
import { blankRecord } from './order-row.ts';
import type { AdOrderRecord } from './order-row.ts';
import { effectiveAt } from './played-order.ts';
import { decidePending, takeTurn } from './put-turn.ts';
import type { PutRules, Turn } from './put-turn.ts';
import { reasonsAgainst } from './refusal.ts';
import { stateOrders } from './statements.ts';
import { spoiled } from './statement-lies.ts';
import { createSteering } from './steering.ts';
import { restateHour, showAsReviewed, traffick } from './trafficking.ts';

/** How often an order with `sim-fail` in a name breaks down. */
const FAILURES = 2;

export interface AdServerSimulatorDependencies {
  store: Store;
  clock: Clock;
  /** How many times faster than the wall clock it plays flights, each from when its buy was made; default 1. */
  clockSpeed?: number;
  /** `together` (default): a put is one write. `one_by_one`: so is each of its steps, and a stop between them leaves half. */
  nativeWrites?: 'together' | 'one_by_one';
  abilities?: SimulatorAbilities;
  /** What all chance is drawn from. */
  seed?: string;
}

/** How tests and people steer the simulated ad server, and see what was asked of it. */
export interface SimulatorControls {
  /** Carries out what is the simulator's of a control; what is about HTTP is for whoever serves it. */
  take(control: SimulatorControl): Promise<void>;
  calls(): SimulatorCalls;
  /** A line as it stands natively, and as a person would see it there; nothing where there is none. */
  look(media_buy_id: string, package_id: string): Promise<AdLine | undefined>;
  /** Moves the flight of an order ahead of its clock, in milliseconds; never back. Answers whether there is such an order. */
  moveAhead(media_buy_id: string, aheadMs: number): Promise<boolean>;
  /** Its wall clock, in milliseconds since the epoch. */
  now(): number;
}

/**
 * The ad server that costs nobody anything (`docs/decisions/0023-simulator-by-version.md`): keeps orders durably and delivers
 * them hour by hour, the same for the same orders, versions, instants and seed. Asks the store for its collections, so make it
 * before `Store.prepare`. Instants of `ask_again_at` are the wall clock's, all others the flight's.
 */
export function createAdServerSimulator(
  dependencies: AdServerSimulatorDependencies,
): AdServer & { controls: SimulatorControls } {
  const { store, clock, clockSpeed = 1, nativeWrites = 'together', seed = 'northlight' } = dependencies;
  const { abilities = {} } = dependencies;
  const steering = createSteering(clock);
  const shelf = createCreativeShelf(store, steering);
  const flightClock = createFlightClock({ now: () => steering.now() }, clockSpeed);
  const flightAt: PutRules['flightAt'] = (record, wallMs) => flightClock.at(record, wallMs);
  const lagMs = countsLagMs(abilities);
  const timing = () => ({ nowMs: steering.now(), flightAt, seed, lagMs });
  const records = decidedRecords(createOrderRecords(store), timing, (writes) => {
    steering.wrote(writes);
  });

  async function rulesFor(order: AdOrder): Promise<PutRules> {
    return {
      ...timing(),
      isTogether: nativeWrites === 'together',
      refusal: steering.refusalOf(order),
      pendingForMs: steering.pendingForMs(),
      unapproved: await shelf.unapprovedOf(order),
    };
  }

  /** Breaks down as a name of the order asks for, twice in all, and before anything else. */
  async function failAsTold(order: AdOrder): Promise<void> {
    if (!troubleIn([order.name, ...order.lines.map(({ name }) => name)]).includes('fail')) return;
    let isFailing = false as boolean;
    await records.write(order.media_buy_id, (stored) => {
      const record = stored ?? blankRecord(order);
      isFailing = record.failures < FAILURES;
      return isFailing ? { ...record, failures: record.failures + 1 } : undefined;
    });
    if (isFailing) throw new Unreachable('the simulated ad server fails, as it was told to', { sent: 'unknown' });
  }

  async function put(order: AdOrder): Promise<PutAnswer> {
    const { media_buy_id, version } = order;
    await failAsTold(order);
    const rules = await rulesFor(order);
    for (;;) {
      let turn: Turn = { steps: [] };
      let isStopped = false as boolean;
      await records.write(media_buy_id, (stored) => {
        turn = takeTurn(stored, order, { ...rules, ...timing() });
        isStopped = steering.stops(turn.steps.length);
        return isStopped ? undefined : turn.record;
      });
      if (isStopped) throw new Unreachable('the simulated ad server stopped, as it was told to', { sent: 'unknown' });
      steering.wrote(asNativeWrites(turn.steps, media_buy_id, version));
      if (turn.answer === 'broken') throw new Broken(`version ${version} was put before, as another order`);
      if (turn.answer !== undefined) return turn.answer;
    }
  }

  async function check(order: AdOrder): Promise<CheckAnswer> {
    const rules = await rulesFor(order);
    const stored = await records.get(order.media_buy_id);
    const record = stored === undefined ? blankRecord(order) : decidePending(stored, rules).record;
    const { last } = record;
    if (last !== null && order.version < last.version) return { outcome: 'unknown' };
    if (last?.version === order.version && last.digest === order.digest && last.outcome !== 'making') {
      if (last.outcome === 'refused') return { outcome: 'refused', reasons: last.reasons ?? [] };
      return { outcome: last.outcome === 'done' ? 'done' : 'unknown' };
    }
    if (rules.pendingForMs > 0) return { outcome: 'unknown' };
    const atMs = effectiveAt(record, flightAt(record, rules.nowMs));
    const reasons = [...rules.refusal, ...reasonsAgainst(record, order, atMs, lagMs)];
    return reasons.length > 0 ? { outcome: 'refused', reasons } : { outcome: 'done' };
  }

  const noted = createNotes((call) => {
    steering.called(call);
  });
  return {
    describe: () => noted({ method: 'describe' }, () => Promise.resolve(describeSimulator(clockSpeed, abilities))),
    check: (order) => noted(of('check', order), () => check(order)),
    put: (order) => noted(of('put', order), () => put(order)),
    read: (media_buy_id) =>
      noted({ method: 'read', media_buy_id }, async () => {
        const record = await records.write(media_buy_id, () => undefined);
        return record === undefined ? { found: false } : heldOf(record, flightAt(record, steering.now()), lagMs);
      }),
    statements: (query) =>
      noted({ method: 'statements' }, async () => {
        const statement = await stateOrders(records, query, timing());
        const lie = steering.lie();
        return lie === null ? statement : spoiled(statement, lie);
      }),
    putCreative: (creative) => {
      const { creative_id, version } = creative;
      return noted({ method: 'putCreative', creative_id, version }, async () => {
        const answer = await shelf.upload(creative);
        if (answer !== undefined) return answer;
        throw new Unreachable('the simulated ad server stopped, as it was told to', { sent: 'unknown' });
      });
    },
    forecast: ({ lines }) =>
      noted({ method: 'forecast' }, () => {
        const available = lines.reduce((sum, line) => sum + availableFor(line), 0);
        return Promise.resolve({ available, as_of: toTimestamp(steering.now()) });
      }),
    inventory: () => noted({ method: 'inventory' }, () => Promise.resolve({ items: inventoryOf(abilities) })),
    controls: {
      async take(control) {
        steering.take(control);
        const flightNow = (record: AdOrderRecord) => flightAt(record, steering.now());
        if (control.trafficker !== undefined) await traffick(records, control.trafficker, flightNow);
        if (control.restate !== undefined) await restateHour(records, control.restate);
        if (control.review === undefined) return;
        await shelf.review(control.review);
        await showAsReviewed(records, control.review, flightNow);
      },
      calls: () => steering.calls(),
      async look(media_buy_id, package_id) {
        const record = await records.get(MediaBuyId.parse(media_buy_id));
        const line = record?.native?.lines.find((native) => native.package_id === package_id);
        if (line === undefined) return undefined;
        const { seed: _seed, by_hand: _byHand, had_creatives: _had, state, ...rest } = line;
        return { ...rest, state: state === 'idle' ? 'paused' : state };
      },
      async moveAhead(media_buy_id, aheadMs) {
        const moved = await records.write(MediaBuyId.parse(media_buy_id), (record) =>
          record === undefined || (record.flight_ahead_ms ?? 0) >= aheadMs
            ? undefined
            : { ...record, flight_ahead_ms: aheadMs },
        );
        return moved !== undefined;
      },
      now: () => steering.now(),
    },
  };
}

type NotedCall = Omit<SimulatorCalls['calls'][number], 'at' | 'outcome'>;

/** Notes down every call with how it was answered. */
function createNotes(called: (call: NotedCall & { outcome: string }) => void) {
  return async <T extends object>(call: NotedCall, answer: () => Promise<T>): Promise<T> => {
    try {
      const given = await answer();
      called({ ...call, outcome: outcomeOf(given) });
      return given;
    } catch (error) {
      called({ ...call, outcome: isAdServerFault(error) ? error.name : 'Error' });
      throw error;
    }
  };
}

function outcomeOf(given: object): string {
  if ('outcome' in given) return String(given.outcome);
  return 'verdict' in given ? String(given.verdict) : 'answered';
}

function of(method: 'put' | 'check', { media_buy_id, version }: AdOrder): NotedCall {
  return { method, media_buy_id, version };
}

/** What the line's product has to give in its flight. */
function availableFor(line: AdLine): number {
  const days = Math.max(0, fromTimestamp(line.end) - fromTimestamp(line.start)) / DAY_MS;
  return Math.floor(impressionsPerDay(line) * days);
}
