import { describe, expect, it } from 'vitest';
import { canTransition, isInterrupted, isTerminal, TaskState } from '../../src/runtime/states.ts';

const ALL = TaskState.options;
const TERMINAL = ['completed', 'failed', 'canceled', 'rejected'];

/** Rule T1, as it is written; `working` may also follow itself, as progress. */
const LEGAL: Record<string, readonly string[]> = {
  start: ALL,
  submitted: ['working', 'input-required', 'auth-required', ...TERMINAL],
  working: ['working', 'input-required', 'auth-required', 'completed', 'failed', 'canceled'],
  'input-required': ['working', 'submitted', ...TERMINAL],
  'auth-required': ['working', 'submitted', ...TERMINAL],
};

describe('[T1] the moves of a task', () => {
  const pairs = (['start', ...ALL] as const).flatMap((from) => ALL.map((to) => [from, to] as const));

  it.each(pairs)('%s → %s is as the table says', (from, to) => {
    expect(canTransition(from, to)).toBe((LEGAL[from] ?? []).includes(to));
  });

  it.each(ALL)('%s is terminal exactly when nothing may follow it', (state) => {
    expect(isTerminal(state)).toBe(TERMINAL.includes(state));
    expect(isInterrupted(state)).toBe(state.endsWith('-required'));
  });
});
