import { setMaxListeners } from 'node:events';
import type { TaskId } from '../../platform/task-id.ts';
import { within } from '../../platform/within.ts';
import { createAttemptSlots } from './admission.ts';
import type { AttemptSlots } from './admission.ts';
import { deliveryOf, openCreate } from './create-delivery.ts';
import type { OutgoingEvent } from './create-delivery.ts';
import type { Delivery } from './delivery.ts';
import { attemptFirst } from './first-attempt.ts';
import type { FirstAttemptDependencies } from './first-attempt.ts';

/** The characters that the bodies of those on their way have together, at most. */
const MOST_CHARACTERS = 32 * 1024 * 1024;

/** Deliveries that are known to have had their first answer; the oldest is forgotten, and looked up. */
const MAX_ANSWERED = 10_000;

/**
 * The first attempts that a process makes straight from memory, of events that it has just written (rule W20): the row of the
 * delivery is inserted with what became of the attempt. Until it is there, the event stands in its task's row as one that is to be
 * told, and whoever finds it there makes the same key and bytes.
 */
export interface FirstAttempts {
  /** Makes them from now on, so many at once; `unproven`: of one organization to destinations that never answered. */
  open(most: number, unproven: number | undefined): void;
  /**
   * Begins the first attempt of an event that nobody else has begun to tell. Answers what resolves once its row is in the store;
   * undefined when there is no room, or none are made here: then the row comes first.
   */
  begin(event: OutgoingEvent): Promise<void> | undefined;
  /** The same of one that has begun and is not in the store yet. */
  underWay(delivery_id: string): Promise<void> | undefined;
  /** Has `close` wait for what follows from births. What fails is logged: the task's row owes it still. */
  afterwards(task_id: TaskId, work: Promise<void>): void;
  /** Begins none any more, waits so many milliseconds, then breaks off those on their way: their rows are stored, and queued. */
  close(graceMs: number): Promise<void>;
}

/** One on its way. */
interface UnderWay {
  /** Its row is in the store. */
  born: Promise<void>;
  /** The attempt is recorded, or left to the queue. */
  over: Promise<void>;
}

export function createFirstAttempts(deps: FirstAttemptDependencies): FirstAttempts {
  const underWay = new Map<string, UnderWay>();
  const answered = new Set<string>();
  const following = new Set<Promise<void>>();
  let slots: AttemptSlots | undefined;
  let breakOff = new AbortController();
  let room = 0;
  let characters = 0;

  function noteAnswered(delivery_id: string): void {
    if (answered.size >= MAX_ANSWERED) for (const oldest of answered) if (answered.delete(oldest)) break;
    answered.add(delivery_id);
  }

  function begin(row: Delivery, taken: AttemptSlots): UnderWay {
    const { delivery_id, follows } = row;
    let resolve = (): void => undefined;
    let reject: (error: unknown) => void = () => undefined;
    const born = new Promise<void>((...settle) => ([resolve, reject] = settle));
    const before = follows === undefined ? undefined : underWay.get(follows);
    // Who has begun it may have failed at something else, and wait for nothing.
    born.catch(() => undefined);
    const work = attemptFirst(deps, row, {
      ...{ slots: taken, signal: breakOff.signal, before: before?.over },
      isAnswered: (id) => answered.has(id),
      onAnswered: () => {
        noteAnswered(delivery_id);
      },
      onStored: () => {
        resolve();
      },
    });
    characters += row.body.length;
    const over = work.then(resolve, reject).finally(() => {
      characters -= row.body.length;
      underWay.delete(delivery_id);
    });
    const one: UnderWay = { born, over };
    underWay.set(delivery_id, one);
    return one;
  }

  return {
    open(most, unproven) {
      slots = createAttemptSlots(most, unproven);
      room = most;
      breakOff = new AbortController();
      // Each of them listens.
      setMaxListeners(0, breakOff.signal);
    },
    begin(event) {
      if (slots === undefined || underWay.size >= room || characters + event.body.length > MOST_CHARACTERS)
        return undefined;
      const span = openCreate(event);
      const { born } = begin(deliveryOf(deps, event, span), slots);
      const ended = (): void => {
        span.end();
      };
      born.then(ended, ended);
      return born;
    },
    underWay: (delivery_id) => underWay.get(delivery_id)?.born,
    afterwards(task_id, work) {
      const logged = work
        .catch((error: unknown) => {
          deps.log.warn({ task_id, err: error }, 'a webhook is not on record; the reconciler will see to it');
        })
        .finally(() => following.delete(logged));
      following.add(logged);
    },
    async close(graceMs) {
      slots = undefined;
      const all = () => Promise.all([...[...underWay.values()].map(({ over }) => over), ...following]);
      const { signal } = breakOff;
      await within(graceMs, all(), () => {
        breakOff.abort(new Error('the process is stopping'));
      });
      if (signal.aborted) await all();
      // What followed from the last of them.
      await Promise.all(following);
    },
  };
}
