import { z } from 'zod';

/** The states of a task (rules C.states.tasks, T1). */
export const TaskState = z.enum([
  'submitted',
  'working',
  'input-required',
  'auth-required',
  'completed',
  'failed',
  'canceled',
  'rejected',
]);
export type TaskState = z.infer<typeof TaskState>;

/** Those that no transition leaves. */
export const TERMINAL_STATES = ['completed', 'failed', 'canceled', 'rejected'] as const satisfies TaskState[];
const INTERRUPTED = ['input-required', 'auth-required'] as const satisfies TaskState[];

/** Which states each state may move to (rule T1). Staying put is a transition only for `working`: progress. */
export const TRANSITIONS: Readonly<Record<TaskState | 'start', readonly TaskState[]>> = {
  start: TaskState.options,
  submitted: ['working', ...INTERRUPTED, ...TERMINAL_STATES],
  working: ['working', ...INTERRUPTED, 'completed', 'failed', 'canceled'],
  'input-required': ['working', 'submitted', ...TERMINAL_STATES],
  'auth-required': ['working', 'submitted', ...TERMINAL_STATES],
  completed: [],
  failed: [],
  canceled: [],
  rejected: [],
};

/** A frozen state: no transition leaves it. */
export function isTerminal(state: TaskState): boolean {
  return TRANSITIONS[state].length === 0;
}

/** A state in which the agent waits for the caller. */
export function isInterrupted(state: TaskState): boolean {
  return state === 'input-required' || state === 'auth-required';
}

export function canTransition(from: TaskState | 'start', to: TaskState): boolean {
  return TRANSITIONS[from].includes(to);
}
