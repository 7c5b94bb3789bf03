import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { AttemptResult } from '../delivery/attempt.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { receiverId } from '../delivery/receiver-id.ts';
import { ANSWER_RETENTION_MS } from './receiver-answer.ts';
import type { ReceiverAnswer } from './receiver-answer.ts';

/** Of one organization's receiver a process keeps no more than one answer in so many milliseconds. */
const EVERY_MS = 10_000;

/** Receivers whose last write a process remembers. */
const MOST_REMEMBERED = 5_000;

/** Answers of so many organizations are shown for one destination. */
const MOST_SHOWN = 20;

type Of = Pick<Delivery, 'organization_id' | 'destination'>;

/** The last failed answer of each organization's receivers (rule W8.answers). */
export interface LastAnswers {
  /** Keeps what an attempt was answered, if that failed: in the background, and without it where it cannot be kept. */
  note(delivery: Delivery, made: Pick<AttemptResult, 'attempt' | 'failedAnswer'>): void;
  /** The one of this organization alone. */
  last(of: Of): Promise<ReceiverAnswer | undefined>;
  /** Those of all organizations, the newest first. */
  at(destination: string): Promise<ReceiverAnswer[]>;
  /** Resolves when what was noted is kept. */
  idle(): Promise<void>;
}

export interface LastAnswersDependencies {
  answers: Collection<ReceiverAnswer>;
  clock: Clock;
  log: Logger;
  /** Default: they are. Else none is kept, and none that was kept before is shown. */
  keepsAnswers?: boolean | undefined;
}

export function createLastAnswers({ answers, clock, log, keepsAnswers = true }: LastAnswersDependencies): LastAnswers {
  const keptAt = new Map<string, number>();
  const underWay = new Set<Promise<void>>();

  async function keep(answer_id: string, delivery: Delivery, made: Parameters<LastAnswers['note']>[1]): Promise<void> {
    const { organization_id, destination, delivery_id } = delivery;
    const { started_at: answered_at, http_status_code } = made.attempt;
    try {
      const said = await made.failedAnswer?.();
      if (said === undefined || http_status_code === undefined) return;
      const expires_at = toTimestamp(clock.now() + ANSWER_RETENTION_MS);
      const now = { answer_id, organization_id, destination, delivery_id, answered_at, http_status_code, ...said };
      const found = await answers.update(answer_id, (row) =>
        row.answered_at > answered_at ? undefined : { ...row, ...now, expires_at },
      );
      if (found === undefined) await answers.insert({ ...now, expires_at, revision: 1 });
    } catch (error) {
      keptAt.delete(answer_id);
      log.warn({ err: error, delivery_id, destination }, 'what a receiver answered is not kept');
    }
  }

  /** Whether it is to be kept now; then no other is for a while. */
  function isDue(answer_id: string): boolean {
    const now = clock.now();
    const since = now - (keptAt.get(answer_id) ?? -Infinity);
    if (since >= 0 && since < EVERY_MS) return false;
    if (keptAt.size >= MOST_REMEMBERED) keptAt.clear();
    keptAt.set(answer_id, now);
    return true;
  }

  return {
    note(delivery, made) {
      if (!keepsAnswers || made.failedAnswer === undefined) return;
      const answer_id = receiverId(delivery);
      if (!isDue(answer_id)) return;
      const keeping: Promise<void> = keep(answer_id, delivery, made).finally(() => underWay.delete(keeping));
      underWay.add(keeping);
    },
    async last(of) {
      if (!keepsAnswers) return undefined;
      const [row] = await answers.getMany([receiverId(of)], { skipUnreadable: true });
      return row;
    },
    async at(destination) {
      if (!keepsAnswers) return [];
      const newest = { field: 'answered_at', direction: 'desc' } as const;
      return (await answers.find({ where: { destination }, sort: newest, limit: MOST_SHOWN })).rows;
    },
    async idle() {
      await Promise.all(underWay);
    },
  };
}
