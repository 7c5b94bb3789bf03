import type { TaskDefinition } from './task-definition.ts';
import type { Registration } from './registration.ts';
import type { TaskRun } from './task-run.ts';

/** A webhook registration as it was asked for, by the channel it came through. */
export type RegistrationRequest =
  | { channel: 'mcp'; config: unknown; field: string }
  | { channel: 'a2a'; wire: '0.3' | '1.0'; config: unknown; field: string };

/**
 * Tells the outside what became of a task. The runtime owns this interface and `webhooks` implements it: the one
 * inversion of the ladder.
 */
export interface Notifier {
  /**
   * Checks a registration and makes it storable, with its secrets sealed.
   * @throws {AppError} `INVALID_REQUEST` or `ADDRESS_REFUSED` naming the field (rules W2, W3, W4).
   */
  register(request: RegistrationRequest, definition: TaskDefinition): Promise<Registration>;
  /**
   * Records the deliveries of every event after `run.notified_sequence`, once each however often it is called, and
   * queues them; ends what is pending for `run.endings`. When it has resolved, all of that is in the store.
   */
  notify(run: TaskRun): Promise<void>;
}
