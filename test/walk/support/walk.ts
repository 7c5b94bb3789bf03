import { toTimestamp } from '../../../src/platform/clock.ts';
import type { StoreKind } from '../../support/stores.ts';
import { buyOf, takeBuyerStep } from './buyer-steps.ts';
import { chooseSteps } from './choose-steps.ts';
import { rest, runOut } from './rest.ts';
import type { Say } from './rest.ts';
import { takeAdServerStep, takeSellerStep } from './seller-steps.ts';
import { words } from './step.ts';
import type { Step } from './step.ts';
import { beginWalk, buysOf, hold } from './world.ts';
import type { Walk } from './world.ts';
import { work } from './work-steps.ts';

/** After so many steps everything is brought to rest, and all that was done is looked at. */
const REST_EVERY = 120;
/** So many of the last steps are told when an invariant does not hold. */
const LAST = 40;

export interface WalkOptions {
  store: StoreKind;
  seed: string;
  steps: number;
  /** Told of every step in a line. */
  onStep?: (line: string) => void;
  /** Ends the walk early, at a rest. */
  isTimeOver?: () => boolean;
}

/** What a walk has come to, for people: so that one that did nothing is seen. */
export interface Walked {
  steps: number;
  tasks: Record<string, number>;
  buys: Record<string, number>;
  arrivals: number;
}

/**
 * Walks at random, the same way for the same seed, and holds everything to the invariants.
 * @throws {Error} with the invariant, how to walk so again, and the last steps.
 */
export async function walk(options: WalkOptions): Promise<Walked> {
  const { store, seed, steps, onStep = () => undefined } = options;
  const last: string[] = [];
  const say = (line: string) => {
    last.push(line);
    if (last.length > LAST) last.shift();
    onStep(line);
  };
  const one = await beginWalk(store, seed);
  let n = 0;
  try {
    for (const step of chooseSteps(seed, 'played')) {
      if (n === steps) break;
      n += 1;
      one.ledger.begin(!('fate' in step));
      const begun = `${String(n).padStart(4)} ${words(step)}`;
      const outcome = await takeStep(one, step, say).catch((error: unknown) => {
        say(`${begun} -> ${String(error)}`);
        throw error;
      });
      say(`${begun} -> ${outcome}`);
      hold(one);
      if (n % REST_EVERY === 0 && n < steps) {
        await rest(one, say);
        if (options.isTimeOver?.() === true) break;
      }
    }
    await rest(one, say);
    await runOut(one, say);
    return tally(one, n);
  } catch (error) {
    const again = `npm run walk -- --seed ${seed} --steps ${steps}${store === 'sqlite' ? '' : ` --store ${store}`}`;
    throw new Error(
      `after step ${n}: ${String(error)}\nto walk so again: ${again}\n\n${last.join('\n')}\n\n${storyOf(one, String(error))}`,
      {
        cause: error,
      },
    );
  } finally {
    await one.agent.close();
  }
}

async function takeStep(one: Walk, step: Step, say: Say): Promise<string> {
  const { agent, ledger, buyer, trafficked } = one;
  switch (step.do) {
    case 'create':
    case 'update':
    case 'sync':
    case 'cancel_task':
    case 'ask_again':
    case 'read':
      return takeBuyerStep(buyer, step);
    case 'approve':
    case 'reject':
    case 'decide_creative':
    case 'give_up':
    case 'push':
    case 'look':
      return takeSellerStep(agent, buyer, step);
    case 'advance':
      agent.clock.advance(step.seconds * 1000);
      return toTimestamp(agent.clock.now());
    case 'turn':
    case 'job':
    case 'all': {
      const { fate } = step;
      if (fate === undefined) return work(agent, ledger, buyer, step);
      let outcome = '';
      const meanwhile = async () => {
        if (fate.then !== 'dies') say(`     | ${words(fate.then)} -> ${await takeStep(one, fate.then, say)}`);
      };
      const how = await agent.fates.under(fate, meanwhile, async () => {
        outcome = await work(agent, ledger, buyer, step);
      });
      return how === 'died' ? 'died' : outcome;
    }
    default: {
      if (step.do === 'trafficker') trafficked.add(buyOf(buyer, step.buy)?.media_buy_id ?? '');
      return takeAdServerStep(agent, buyer, step);
    }
  }
}

function tally(one: Walk, steps: number): Walked {
  const count = (words: readonly string[]) =>
    Object.fromEntries(
      [...new Set(words)].sort().map((word) => [word, words.filter((other) => other === word).length]),
    );
  const buys = buysOf(one);
  return {
    steps,
    tasks: count(one.ledger.tasks.all().map(({ task_type, state }) => `${task_type} ${state}`)),
    buys: count(buys.map(({ status }) => status)),
    arrivals: buys.reduce((sum, { media_buy_id }) => sum + one.ledger.arrivals.taken(media_buy_id).length, 0),
  };
}

/** The life of the buy that an error names, and of its order at the ad server. */
function storyOf({ ledger, agent }: Walk, error: string): string {
  const [id = ''] = /mb_[0-9a-f]{32}/.exec(error) ?? /(?<=pkg_)[0-9a-f]{32}/.exec(error) ?? [];
  const buy = ledger.buys.last(id.startsWith('mb_') ? id : `mb_${id}`);
  if (buy === undefined) return '';
  const { media_buy_id, start_time, end_time, history, packages } = buy;
  const events = history.map(({ at, action, to_status, note }) => `${at} ${action}, is ${to_status}: ${note ?? ''}`);
  const orders = ledger.arrivals.taken(media_buy_id).map(({ atMs, version, state, lines }) => {
    const said = lines.map((line) => `${line.state} with ${line.creatives.length} creatives of ${line.budget_minor}`);
    return `${toTimestamp(atMs)} version ${version} is ${state}: ${said.join('; ')}`;
  });
  const { native_writes } = agent.adServer.simulator.controls.calls();
  const writes = native_writes.filter((write) => write.media_buy_id === media_buy_id);
  const made = writes.map(
    ({ at, kind, package_id, version }) => `${at} ${kind} ${package_id ?? ''} of ${version ?? '?'}`,
  );
  const now = packages.map(({ package_id, creative_ids }) => `${package_id}: ${creative_ids.join()}`);
  return [
    `${media_buy_id} from ${start_time} to ${end_time}`,
    ...now,
    ...events,
    'taken by the ad server:',
    ...orders,
    'written there:',
    ...made,
  ].join('\n');
}
