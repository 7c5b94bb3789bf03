import { HEARD_WITHIN_MS } from '../../platform/queue/worker-beats.ts';
import { createSparingLog } from '../../platform/sparing-log.ts';
import type { Core } from './compose.ts';

/** Says so often that this process works, in milliseconds. */
const EVERY_MS = HEARD_WITHIN_MS / 3;

/** Says that this process works, until stopped; for whoever wants to know whether anybody does (`/readyz`, `agent doctor`). */
export function startBeats({ queues, ids, log }: Pick<Core, 'queues' | 'ids' | 'log'>): { stop(): void } {
  const name = ids.newId();
  const sparing = createSparingLog();
  const noted = (saying: Promise<void>) => {
    saying.catch((error: unknown) => {
      sparing('beat', (repeated) => {
        log.warn({ repeated, err: error }, 'whether this worker works could not be said; it does');
      });
    });
  };
  noted(queues.beats.beat(name));
  const timer = setInterval(() => {
    noted(queues.beats.beat(name));
  }, EVERY_MS).unref();
  return {
    stop() {
      clearInterval(timer);
      noted(queues.beats.end(name));
    },
  };
}
