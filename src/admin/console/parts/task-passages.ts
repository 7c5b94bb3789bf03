import type { TaskInFullView } from '../../operator/tasks/operations.ts';
import type { DeliveryView } from '../../../webhooks/operator.ts';
import { isOpen } from '../../../sales/approval/approval.ts';
import { isTerminal } from '../../../runtime/states.ts';
import { pageOfId } from './words.tsx';

/** Something that a task went through, from what is on record alone. */
export interface Passage {
  what: 'asked' | 'state' | 'output' | 'committed' | 'fault' | 'approval' | 'question' | 'webhook';
  at: string;
  /** When it was over: `at` itself of what took no time; null: it goes on. */
  until: string | null;
  /** How it stands, or how it ended. */
  state?: string;
  words: string;
  /** Its page, below `/admin`. */
  to?: string;
}

/** Of what begins in the same instant, what leads to the other comes first. */
const ORDER: readonly Passage['what'][] = [
  ...(['asked', 'state', 'output', 'committed', 'fault', 'approval', 'question', 'webhook'] as const),
];

/**
 * What a task went through, in order: states, waits for people, faults, and the webhooks that told of it. Nobody writes down when a turn
 * begins and ends; a fault has the turn that it broke down in. Pure.
 */
export function passagesOf(task: TaskInFullView, deliveries: readonly DeliveryView[]): Passage[] {
  const { created_at, committed_at } = task;
  const passages: Passage[] = [
    { what: 'asked', at: created_at, until: created_at, words: 'the buyer asked' },
    ...told(task),
    ...(committed_at === null
      ? []
      : [moment('committed', committed_at, 'from here on it could not be canceled any more')]),
    ...task.fault_log.map(({ at, turn, message }) => moment('fault', at, `turn ${turn}: ${message}`)),
    ...task.approvals.flatMap(waits),
    ...deliveries.map(sent),
  ];
  return passages.sort((a, b) => compared(a.at, b.at) || ORDER.indexOf(a.what) - ORDER.indexOf(b.what));
}

function moment(what: Passage['what'], at: string, words: string): Passage {
  return { what, at, until: at, words };
}

/** A state lasts until the next; one that is an end takes no time. */
function told({ events }: TaskInFullView): Passage[] {
  return events.map(({ at, state, message, sequence }, i) => {
    const words = `${sequence}. ${message}`;
    if (state === undefined) return moment('output', at, words);
    const next = events.slice(i + 1).find((event) => event.state !== undefined);
    return { what: 'state', at, until: isTerminal(state) ? at : (next?.at ?? null), state, words };
  });
}

function waits({ approval_id, status, requested_at, decided_at, questions }: TaskInFullView['approvals'][number]) {
  const to = pageOfId('/approvals', approval_id);
  const approval: Passage = {
    ...{ what: 'approval', at: requested_at, state: status, words: 'a person at the seller was asked', to },
    until: decided_at ?? (isOpen({ status }) ? null : requested_at),
  };
  const asked = questions.map(({ asked_at, answered_at }): Passage => ({
    ...{ what: 'question', at: asked_at, words: 'the buyer was asked a question', to },
    // Of a question that was never answered nothing says when it ended.
    until: answered_at ?? (isOpen({ status }) ? null : asked_at),
  }));
  return [approval, ...asked];
}

/** A webhook is over once it is taken, given up or ended: the last that was written of it. */
function sent({ delivery_id, event, destination, state, attempts, created_at, updated_at }: DeliveryView): Passage {
  const tries = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`;
  return {
    ...{ what: 'webhook', at: created_at, until: state === 'pending' ? null : updated_at, state },
    ...{ words: `${event}, to ${destination}: ${tries}`, to: pageOfId('/webhooks', delivery_id) },
  };
}

function compared(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Where a bar begins and how long it is, of {@link LANE}. */
export interface Bar {
  from: number;
  length: number;
}

/** The length of the whole, from the first instant to the last, or to now where something goes on. */
export const LANE = 1_000;
/** A moment is drawn as wide as can be seen. */
const LEAST = 8;

/** The bars of passages, all by one scale. Pure. */
export function barsOf(passages: readonly Passage[], nowMs: number): Bar[] {
  const spans = passages.map(({ at, until }) => {
    const fromMs = Date.parse(at);
    return { fromMs, untilMs: Math.max(fromMs, until === null ? nowMs : Date.parse(until)) };
  });
  const firstMs = Math.min(...spans.map(({ fromMs }) => fromMs));
  const wholeMs = Math.max(1, Math.max(...spans.map(({ untilMs }) => untilMs)) - firstMs);
  const placeOf = (ms: number) => Math.round(((ms - firstMs) / wholeMs) * LANE);
  return spans.map(({ fromMs, untilMs }) => {
    const length = Math.max(LEAST, placeOf(untilMs) - placeOf(fromMs));
    return { from: Math.min(placeOf(fromMs), LANE - length), length };
  });
}
