import { describe, expect, it } from 'vitest';
import { commitProtocol } from './commit-protocol.ts';
import type { Mistake, Scenario } from './commit-protocol.ts';
import { explore, follow } from './explore.ts';

/**
 * The protocol of docs/decisions/0019-commit-protocol.md, every state of it: turns that are doubled, late or dead, puts and
 * answers that are lost, doubled and out of order, refusals, cancels, stops, flights that end, orders that are given up.
 */
const ONE_OF_EACH = { refusals: 1, losses: 1, puts: 2 };

const SCENARIOS: Record<string, Scenario['tasks']> = {
  'two updates': { update_1: 'update', update_2: 'update' },
  'an update and a pause': { update: 'update', pause: 'pause' },
  'an update and the end': { update: 'update', end: 'end' },
  'a pause and the end': { pause: 'pause', end: 'end' },
  'a create': { create: 'create' },
  'a create and an update': { create: 'create', update: 'update' },
  'a create and a pause': { create: 'create', pause: 'pause' },
  'a create and the end': { create: 'create', end: 'end' },
};

describe('the commit protocol', () => {
  it.each(Object.entries(SCENARIOS))('tells the truth in every state of %s, and always comes to an end', (_, tasks) => {
    const { states, fault } = explore(commitProtocol({ tasks, ...ONE_OF_EACH }));
    expect(fault).toBeUndefined();
    expect(states).toBeGreaterThan(500);
  });
});

/** Small ones; `every-state-crash.test.ts` has the large ones. */
const REFUSED_STOPS: Record<string, Scenario> = {
  'an update and a pause': { tasks: { update: 'update', pause: 'pause' }, refusals: 2, losses: 0, puts: 2 },
  'an update and the end': { tasks: { update: 'update', end: 'end' }, refusals: 2, losses: 0, puts: 2 },
  'an update and the end of the flight': { tasks: { update: 'update' }, ...ONE_OF_EACH, flightEnds: true },
  'an update that is given up': { tasks: { update: 'update' }, ...ONE_OF_EACH, givesUp: 'by force' },
  'a create that is given up': { tasks: { create: 'create' }, refusals: 1, losses: 0, puts: 2, givesUp: 'by force' },
};

describe('the commit protocol, where pauses and ends are refused, too,', () => {
  it.each(Object.entries(REFUSED_STOPS))('tells the truth in every state of %s', (_, scenario) => {
    const { states, fault } = explore(commitProtocol({ ...scenario, refusesStops: true }));
    expect(fault).toBeUndefined();
    expect(states).toBeGreaterThan(500);
  });
});

describe('the first draft, which kept the last refusal alone,', () => {
  const draft: Scenario = { tasks: { one: 'update', two: 'update' }, refusals: 2, losses: 0, puts: 1 };
  /** Two turns of one task: the second opens the change again that was refused, and told so, once another's refusal came. */
  const trace = [
    ...['one: turn begins', 'one: commits', 'two: turn begins', 'two: commits'],
    ...[
      'one: opens its change',
      'put 2 is sent',
      'put 2 is refused',
      'refused of 2 is heard',
      'one: ends by its verdict',
    ],
    ...['two: opens its change', 'put 3 is sent', 'put 3 is refused', 'refused of 3 is heard'],
    ...['one: opens its change', 'put 4 is sent', 'put 4 is done'],
  ];

  it('makes a change that it has told to have failed', () => {
    const model = commitProtocol({ ...draft, mistake: 'only the last refusal is kept' });
    expect(follow(model, trace)).toEqual({ fault: 'one has failed, and the ad server holds it' });
  });

  it('is not what is kept: with a verdict for each task the late turn opens nothing', () => {
    expect(follow(commitProtocol(draft), trace)).toEqual({ refused: 'one: opens its change' });
    expect(follow(commitProtocol(draft), trace.slice(0, -3))).toEqual({ fault: undefined });
  });
});

describe('the check', () => {
  const update = { update: 'update' } as const;
  const updates = { update_1: 'update', update_2: 'update', pause: 'pause' } as const;
  const create = { create: 'create', pause: 'pause' } as const;
  const MISTAKES: Record<Mistake, Pick<Scenario, 'tasks'> & Partial<Scenario> & { what: string }> = {
    'a task is canceled though it is committed': { tasks: updates, what: 'update_1 was canceled, and took effect' },
    'the ad server takes any version': { tasks: updates, what: 'nothing is open, and buy and ad server differ' },
    'one verdict is kept': { tasks: updates, what: 'update_1 holds twice' },
    'an answer counts for whatever is open': { tasks: updates, what: 'nothing is open, and buy and ad server differ' },
    'a stop is planned over the open change': { tasks: updates, what: 'update_1 holds twice' },
    'an open change is not planned anew after a stop': {
      tasks: updates,
      what: 'update_1 is completed, and the ad server does not hold it',
    },
    'no tombstone for a canceled create': { tasks: create, what: 'a canceled create still holds' },
    'a create commits after its first running': { tasks: create, what: 'create was canceled, and took effect' },
    'only the last refusal is kept': {
      ...{ tasks: { update_1: 'update', update_2: 'update' }, refusals: 2, losses: 0 },
      what: 'update_1 has failed, and the ad server holds it',
    },
    'a stop that is refused is always dropped': {
      ...{ tasks: update, refusals: 2, refusesStops: true, givesUp: 'once confirmed' },
      what: 'nothing is open, and buy and ad server differ',
    },
    'an end that is refused is not told again': {
      ...{ tasks: update, flightEnds: true, refusesStops: true },
      what: 'the buy is over, and the ad server has not ended it',
    },
    'tasks fail when their order is given up, before its end is confirmed': {
      ...{ tasks: update, givesUp: 'once confirmed' },
      what: 'update has failed, and the ad server holds it',
    },
    'tasks fail without effect when their order is given up by force': {
      ...{ tasks: update, givesUp: 'by force' },
      what: 'update has failed, and the ad server holds it',
    },
    'an order that is given up by force is not ended': {
      ...{ tasks: update, givesUp: 'by force' },
      what: 'the buy is over, and the ad server has not ended it',
    },
    'an end that is refused gives the order up': {
      ...{ tasks: update, refusesStops: true, givesUp: 'once confirmed' },
      what: 'update has failed, and the ad server holds it',
    },
  };

  it.each(Object.entries(MISTAKES) as [Mistake, (typeof MISTAKES)[Mistake]][])(
    'finds it when %s',
    (mistake, { what, ...scenario }) => {
      expect(explore(commitProtocol({ ...ONE_OF_EACH, ...scenario, mistake })).fault?.what).toBe(what);
    },
  );
});
