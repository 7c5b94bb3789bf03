import { describe, expect, it } from 'vitest';
import { commitProtocol } from './commit-protocol.ts';
import type { Mistake, Scenario } from './commit-protocol.ts';
import { explore } from './explore.ts';

/**
 * The protocol of docs/decisions/0018-commit-protocol.md, every state of it: turns that are doubled, late or dead, puts and
 * answers that are lost, doubled and out of order, refusals, cancels, stops.
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

  it('does so with two updates and a pause', () => {
    const tasks = { update_1: 'update', update_2: 'update', pause: 'pause' } as const;
    expect(explore(commitProtocol({ tasks, refusals: 1, losses: 0, puts: 2 })).fault).toBeUndefined();
  });
});

describe('the check', () => {
  const updates = { update_1: 'update', update_2: 'update', pause: 'pause' } as const;
  const create = { create: 'create', pause: 'pause' } as const;
  const MISTAKES: Record<Mistake, { tasks: Scenario['tasks']; what: string }> = {
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
  };

  it.each(Object.entries(MISTAKES) as [Mistake, (typeof MISTAKES)[Mistake]][])(
    'finds it when %s',
    (mistake, { tasks, what }) => {
      expect(explore(commitProtocol({ tasks, ...ONE_OF_EACH, mistake })).fault?.what).toBe(what);
    },
  );
});
