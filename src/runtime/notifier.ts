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
   * Sees to it that the deliveries of every event after `run.notified_sequence` come to be, once each however often it is
   * called; ends what is pending for `run.endings`. See {@link EventTelling} for when all of that is in the store.
   */
  notify(run: TaskRun, telling?: EventTelling): Promise<void>;
}

/** How a run's events are told. */
export interface EventTelling {
  /** The run is as this process has just written it, with one event more: nobody else has begun to tell that one. */
  isNew?: boolean;
  /**
   * Called once all of it is in the store: before `notify` resolves, or later where a first attempt is on its way. Never
   * called when something of it failed: then it is owed still.
   */
  told?: () => void | Promise<void>;
}
