import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { AdCreative, AdLine, AdOrder } from '../../sales/ad-server/ad-order.ts';
import type { AdServer } from '../../sales/ad-server/ad-server.ts';
import type { Description } from '../../sales/ad-server/description.ts';
import type { Held } from '../../sales/ad-server/held.ts';
import type { PutAnswer } from '../../sales/ad-server/put-answer.ts';
import { checkedAdServer } from './checked-ad-server.ts';
import { CannotStage, demand, demandEqual } from './demand.ts';
import type { PortRule } from './demand.ts';
import { sampleCreative, sampleOrder, sealed } from './sample-order.ts';
import type { KitTerms } from './sample-order.ts';
import type { World, WorldClock } from './world.ts';

/** What the kit is run over. */
export interface KitSubject {
  /** A caller's way to the ad server; called again, that of a second process to the same ad server. */
  open: () => AdServer | Promise<AdServer>;
  world?: World;
  clock?: WorldClock;
  terms?: KitTerms;
}

export type FoundOrder = Extract<Held, { found: true }>;
type DoneAnswer = Extract<PutAnswer, { outcome: 'done' }>;

/** How often something that is not decided yet is asked again. */
const MOST_QUESTIONS = 100;

/** One case's way to the ad server, with the steps that most cases take. */
export interface Stage {
  /** Answers and faults are checked for their shape. */
  adServer: AdServer;
  /** Unchecked: for calls that die. */
  raw: AdServer;
  description: Description;
  terms: KitTerms;
  world: World;
  nowMs: () => number;
  /** Another process's way to the same ad server. */
  openAnother: () => Promise<AdServer>;
  /** Lets so much of the flights pass. */
  pass: (ms: number) => Promise<void>;
  /** What time it is in the order's flight. */
  flightMs: (order: Pick<AdOrder, 'created_at'>) => number;
  /** A creative that the ad server has and lets run. */
  approvedCreative: (changes?: Partial<AdCreative>) => Promise<AdLine['creatives'][number]>;
  /** Version 1 of a new order, with one approved creative on each line; not put yet. */
  newOrder: (options?: { lines?: number; changes?: Partial<AdOrder> }) => Promise<AdOrder>;
  /** Puts until it is decided, and demands `done`. */
  putDone: (order: AdOrder, adServer?: AdServer) => Promise<DoneAnswer>;
  /** Puts until it is decided. */
  putDecided: (order: AdOrder, adServer?: AdServer) => Promise<Exclude<PutAnswer, { outcome: 'pending' }>>;
  /** Demands that this order holds, whole and as it was put. */
  holds: (order: AdOrder, rule: PortRule, adServer?: AdServer) => Promise<FoundOrder>;
}

export async function setStage({ open, world = {}, clock, terms = {} }: KitSubject): Promise<Stage> {
  const raw = await open();
  const adServer = checkedAdServer(raw);
  const description = await adServer.describe();
  const nowMs = () => clock?.now() ?? Date.now();
  const deliver = world.deliver?.bind(world) ?? clock?.advance?.bind(clock);

  const pass: Stage['pass'] = async (ms) => {
    if (deliver === undefined) throw new CannotStage('time can not be made to pass');
    await deliver(Math.ceil(ms / description.clock_speed));
  };
  const waitUntil = async (instant: string) => {
    const ms = Math.max(1, fromTimestamp(instant) - nowMs());
    if (deliver !== undefined) await deliver(ms);
    else if (ms <= 60_000) await new Promise((resolve) => setTimeout(resolve, ms));
    else throw new CannotStage(`nothing is decided before ${instant}, and time can not be made to pass`);
  };
  const putDecided: Stage['putDecided'] = async (order, by = adServer) => {
    for (let question = 1; question <= MOST_QUESTIONS; question += 1) {
      const answer = await by.put(order);
      if (answer.outcome !== 'pending') return answer;
      await waitUntil(answer.ask_again_at);
    }
    throw new CannotStage(`the order is still pending after it was asked ${MOST_QUESTIONS} times`);
  };
  const putDone: Stage['putDone'] = async (order, by) => {
    const answer = await putDecided(order, by);
    demand(answer.outcome === 'done', 'port', `version ${order.version} to be done`, answer);
    const packages = order.lines.map(({ package_id }) => package_id);
    if (order.state !== 'ended') {
      demandEqual(Object.keys(answer.native.lines).sort(), packages.toSorted(), 'port', 'a native id of each line');
    }
    return answer;
  };
  const approvedCreative: Stage['approvedCreative'] = async (changes = {}) => {
    const creative = { ...sampleCreative(description, terms), ...changes };
    const { creative_id, version } = creative;
    if (!description.uploads_creatives) return { creative_id, version };
    for (let question = 1; question <= MOST_QUESTIONS; question += 1) {
      const answer = await adServer.putCreative(creative);
      if (answer.verdict === 'approved') return { creative_id, version };
      demand(answer.verdict === 'undecided', 'port', 'the sample creative to be taken; give others as terms', answer);
      if (world.review === undefined) await waitUntil(answer.ask_again_at);
      else await world.review({ creative_id, verdict: 'approved' });
    }
    throw new CannotStage('no creative is ever approved');
  };
  const holds: Stage['holds'] = async (order, rule, by = adServer) => {
    const held = await by.read(order.media_buy_id);
    demand(held.found, rule, `version ${order.version} to be held`, held);
    demand(held.version === order.version || held.version === undefined, rule, `version ${order.version}`, held);
    const states = order.state === 'held' ? ['held', 'draft'] : [order.state];
    demand(states.includes(held.state), rule, `the state ${states.join(' or ')}`, held);
    const packages = order.lines.map(({ package_id }) => package_id).sort();
    const lines = held.lines.map(({ package_id }) => package_id).sort();
    demandEqual(lines, packages, rule, 'one line a package');
    demandEqual(held.differences, [], rule, 'no differences from what was put');
    return held;
  };

  return {
    ...{ adServer, raw, description, terms, world, nowMs, pass, putDecided, putDone, approvedCreative, holds },
    openAnother: async () => checkedAdServer(await open()),
    flightMs: ({ created_at }) => {
      const createdMs = fromTimestamp(created_at);
      return createdMs + (nowMs() - createdMs) * description.clock_speed;
    },
    newOrder: async ({ lines = 1, changes = {} } = {}) => {
      const creatives = [await approvedCreative()];
      const order = sampleOrder(description, terms, { nowMs: nowMs(), creatives, lines });
      return sealed({ ...order, ...changes }, 1);
    },
  };
}

/** An instant of a flight as the port writes it. */
export function at(ms: number): string {
  return toTimestamp(Math.floor(ms));
}
