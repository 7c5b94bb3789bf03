import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { toTimestamp } from '../../../src/platform/clock.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import type { CollectionSpec, Store } from '../../../src/platform/store/collection.ts';
import { AppError } from '../../../src/platform/errors.ts';
import type { Notifier } from '../../../src/runtime/notifier.ts';

const ToldRow = z.strictObject({
  delivery_id: z.string(),
  revision: z.int(),
  task_id: z.string(),
  sequence: z.int(),
  state: z.string(),
  /** Random: tells whether the first copy stood. */
  mark: z.string(),
});
export type Told = z.infer<typeof ToldRow>;

/** The deliveries that a notifier has made, each under an id of its event and registration. */
export const Told: CollectionSpec<Told> = {
  name: 'told',
  key: 'delivery_id',
  schema: ToldRow,
  indexes: [{ name: 'by_task', fields: ['task_id'] }],
};

export interface RecordingNotifier extends Notifier {
  /** While true, it fails as one whose store is away. */
  isFailing: boolean;
}

/** The runtime's port over real rows: one row per event and registration, made once, of statuses but `submitted`. */
export function recordingNotifier(store: Store, clock: Clock): RecordingNotifier {
  const rows = store.collection(Told);
  const notifier: RecordingNotifier = {
    isFailing: false,
    register({ channel, config }, definition) {
      if (definition.mode === 'inline') throw new AppError('INVALID_REQUEST', 'it never notifies');
      const { url } = config as { url: string };
      return Promise.resolve({
        ...{ channel, url, registration_id: randomUUID(), mode: 'rfc9421' as const },
        created_at: toTimestamp(clock.now()),
      });
    },
    async notify(run, { told } = {}) {
      if (notifier.isFailing) throw new Error('the store is away');
      const live = run.registrations.filter(({ ended_at }) => ended_at === undefined);
      const news = run.events.filter(({ sequence }) => sequence > run.notified_sequence);
      const made = news.flatMap((event) => {
        if (event.kind !== 'status' || event.state === 'submitted') return [];
        const { sequence, state } = event;
        const { task_id } = run;
        return live.map(({ registration_id }) => ({
          ...{ delivery_id: `${task_id}-${sequence}-${registration_id}`, revision: 1, task_id, sequence, state },
          mark: randomUUID(),
        }));
      });
      if (made.length > 0) await rows.insertMany(made);
      await told?.();
    },
  };
  return notifier;
}
