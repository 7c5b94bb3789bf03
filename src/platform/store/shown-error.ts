import { AppError, knownError } from '../errors.ts';
import { StoreUnavailableError } from './collection.ts';

/**
 * What a caller who waits is shown of anything thrown: besides {@link knownError}, when to come back where the store does
 * not answer. Queued work does not ask here: to it that is a fault like any other, and tried again.
 */
export function shownError(error: unknown): AppError {
  return error instanceof StoreUnavailableError ? STORE_AWAY : knownError(error);
}

const STORE_AWAY = new AppError('SERVICE_UNAVAILABLE', 'the agent cannot reach its store; try again', {
  retry_after: 5,
});
