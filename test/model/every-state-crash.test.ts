import { expect, it } from 'vitest';
import { commitProtocol } from './commit-protocol.ts';
import type { Scenario } from './commit-protocol.ts';
import { explore } from './explore.ts';

/** Scenarios of `commit-protocol.test.ts` that take too long to be gone through with every run. */
const LARGE: Record<string, Scenario> = {
  'two updates and a pause': {
    ...{ tasks: { update_1: 'update', update_2: 'update', pause: 'pause' }, refusals: 1, losses: 0, puts: 2 },
  },
  'an update and the end of its flight, given up at any time': {
    ...{ tasks: { update: 'update' }, refusals: 2, losses: 1, puts: 2 },
    ...{ refusesStops: true, flightEnds: true, givesUp: 'by force' },
  },
  'an update and a pause, given up by force': {
    ...{ tasks: { update: 'update', pause: 'pause' }, refusals: 1, losses: 0, puts: 2 },
    ...{ refusesStops: true, givesUp: 'by force' },
  },
  'an update, a pause and the end of the flight': {
    ...{ tasks: { update: 'update', pause: 'pause' }, refusals: 1, losses: 0, puts: 2 },
    ...{ refusesStops: true, flightEnds: true },
  },
  'a create and a pause, given up': {
    ...{ tasks: { create: 'create', pause: 'pause' }, refusals: 1, losses: 0, puts: 2 },
    ...{ refusesStops: true, givesUp: 'once confirmed' },
  },
};

it.each(Object.entries(LARGE))('the commit protocol tells the truth in every state of %s', (_, scenario) => {
  const { states, fault } = explore(commitProtocol(scenario));
  expect(fault).toBeUndefined();
  expect(states).toBeGreaterThan(20_000);
});
