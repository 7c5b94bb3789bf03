import { chanceBy } from '../../support/chance.ts';
import type { Chance } from '../../support/chance.ts';
import { CHANGES, JOBS, READINGS } from './step.ts';
import type { BuyerStep, Fate, Link, Step } from './step.ts';

/** Things asked for lately that steps are about: so many buys, and so many requests. */
const RECENT_BUYS = 5;
const RECENT_ASKED = 8;
const CREATIVES = 5;

/** How often a step is of each kind: by turns for one process that a walk plays itself, or for workers that work by themselves. */
export type Pace = 'played' | 'working';

/** The steps of a walk, without end: the same for the same seed, whatever becomes of them. */
export function* chooseSteps(seed: string, pace: Pace): Generator<Step, never> {
  const chance = chanceBy(seed);
  const asked = { buys: 0, requests: 0 };
  for (;;) {
    const step = asked.buys === 0 ? aBuy(chance) : oneStep(chance, asked, pace);
    count(asked, step);
    yield step;
  }
}

interface Asked {
  buys: number;
  requests: number;
}

/** What a step asks for, the one in its fate included. */
function count(asked: Asked, step: Step): void {
  if (step.do === 'create') asked.buys += 1;
  if (step.do === 'create' || step.do === 'update' || step.do === 'sync') asked.requests += 1;
}

function oneStep(chance: Chance, asked: Asked, pace: Pace): Step {
  const kinds: readonly (readonly [number, () => Step])[] = [
    [6, () => aBuy(chance)],
    [18, () => anUpdate(chance, asked)],
    [5, () => aSync(chance, asked)],
    [3, () => ({ do: 'cancel_task', asked: recent(chance, asked.requests, RECENT_ASKED) })],
    [3, () => ({ do: 'ask_again', asked: recent(chance, asked.requests, RECENT_ASKED) })],
    [4, () => ({ do: 'read', what: oneOf(chance, READINGS), buy: aRecentBuy(chance, asked) })],
    [5, () => bySeller(chance, asked)],
    [9, () => atAdServer(chance, asked)],
    [
      pace === 'played' ? 10 : 0,
      () => ({ do: 'advance', seconds: oneOf(chance, [1, 5, 20, 60, 400, 1800, 3600, 14_400]) }),
    ],
    [pace === 'played' ? 38 : 0, () => someWork(chance, asked)],
  ];
  return weighted(chance, kinds)();
}

function aBuy(chance: Chance): BuyerStep {
  const isSoon = chance.between(1, 4) > 1;
  return {
    do: 'create',
    lines: chance.between(1, 2) as 1 | 2,
    isLarge: chance.between(1, 6) === 1,
    startsIn: isSoon ? 0 : chance.between(1, 8),
    hours: chance.between(25, 60),
    creative: chance.between(1, 5) === 1 ? null : chance.between(0, CREATIVES - 1),
    isTargeted: chance.between(1, 3) === 1,
    tells: chance.between(1, 3) > 1,
    mark: oneOf(chance, ['', '', '', '', '', ' sim-correct', ' sim-reject']),
  };
}

function anUpdate(chance: Chance, asked: Asked): BuyerStep {
  return {
    do: 'update',
    buy: aRecentBuy(chance, asked),
    change: oneOf(chance, CHANGES),
    line: chance.between(0, 1),
    amount: chance.between(1, 40_000),
    namesRevision: chance.between(1, 6) === 1,
  };
}

function aSync(chance: Chance, asked: Asked): BuyerStep {
  return {
    do: 'sync',
    creative: chance.between(0, CREATIVES - 1),
    mark: oneOf(chance, ['', '', '', '', ' sim-reject', ' sim-hold']),
    buy: chance.between(1, 3) === 1 ? null : aRecentBuy(chance, asked),
    isDry: chance.between(1, 10) === 1,
  };
}

function bySeller(chance: Chance, asked: Asked): Step {
  const buy = aRecentBuy(chance, asked);
  return weighted<Step>(chance, [
    [5, { do: 'approve', which: chance.between(0, 3) }],
    [2, { do: 'reject', which: chance.between(0, 3) }],
    [
      4,
      {
        do: 'decide_creative',
        creative: chance.between(0, CREATIVES - 1),
        to: oneOf(chance, ['approved', 'approved', 'rejected', 'suspended']),
      },
    ],
    [2, { do: 'give_up', buy, isForced: chance.between(1, 3) === 1 }],
    [2, { do: 'push', buy }],
    [2, { do: 'look', buy }],
  ]);
}

const LINKS: readonly Link[] = [
  'back',
  'back',
  'away',
  'loses_requests',
  'loses_answers',
  'loses_answers',
  'doubles',
  'delays',
  'delays',
  'misconfigured',
];

function atAdServer(chance: Chance, asked: Asked): Step {
  const buy = aRecentBuy(chance, asked);
  return weighted<Step>(chance, [
    [12, { do: 'link', to: oneOf(chance, LINKS), times: chance.between(1, 3) }],
    [3, { do: 'pending', seconds: oneOf(chance, [0, 0, 20, 600]) }],
    [3, { do: 'refuse', buy: oneOf(chance, [null, buy]) }],
    [3, { do: 'half_put', writes: chance.between(1, 6) }],
    [6, { do: 'late_put', which: chance.between(0, 3) }],
    [2, { do: 'lie', how: oneOf(chance, [null, null, 'negative', 'future', 'foreign', 'going_back']) }],
    [3, { do: 'trafficker', buy, action: oneOf(chance, ['pause', 'resume', 'edit', 'archive']) }],
  ]);
}

function someWork(chance: Chance, asked: Asked): Step {
  const fate = chance.between(1, 5) === 1 ? { fate: aFate(chance, asked) } : {};
  return weighted<Step>(chance, [
    [5, { do: 'turn', which: chance.between(0, 7), ...fate }],
    [4, { do: 'job', job: oneOf(chance, JOBS), ...fate }],
    [5, { do: 'all', ...fate }],
  ]);
}

function aFate(chance: Chance, asked: Asked): Fate {
  const at = chance.between(1, 3) === 1 ? ('put' as const) : ('write' as const);
  return {
    at,
    n: at === 'put' ? 1 : chance.between(1, 12),
    when: oneOf(chance, ['before', 'after']),
    then: chance.between(1, 2) === 1 ? 'dies' : meanwhile(chance, asked),
  };
}

/** What is done while a process holds still: nothing that is counted, so that ordinals follow from the steps alone. */
function meanwhile(chance: Chance, asked: Asked): Step {
  return weighted<Step>(chance, [
    [6, { do: 'cancel_task', asked: recent(chance, asked.requests, RECENT_ASKED) }],
    [4, { do: 'turn', which: chance.between(0, 7) }],
    [4, { do: 'job', job: oneOf(chance, JOBS) }],
    [2, { do: 'advance', seconds: oneOf(chance, [1, 60, 3600]) }],
    [3, bySeller(chance, asked)],
    [3, atAdServer(chance, asked)],
  ]);
}

function aRecentBuy(chance: Chance, asked: Asked): number {
  return recent(chance, asked.buys, RECENT_BUYS);
}

/** One of the last so many, by its number from 0. */
function recent(chance: Chance, made: number, atMost: number): number {
  return made - 1 - chance.between(0, Math.min(atMost, made) - 1);
}

function oneOf<T>(chance: Chance, things: readonly T[]): T {
  return things[chance.between(0, things.length - 1)] as T;
}

function weighted<T>(chance: Chance, things: readonly (readonly [number, T])[]): T {
  let left = chance.between(
    1,
    things.reduce((sum, [weight]) => sum + weight, 0),
  );
  for (const [weight, thing] of things) {
    left -= weight;
    if (left <= 0) return thing;
  }
  throw new Error('nothing to choose from');
}
