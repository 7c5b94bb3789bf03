import { AppError } from '../../platform/errors.ts';

/** The errors of the controller in the public protocol, which are part of its answers. */
export type ControllerCode =
  'INVALID_TRANSITION' | 'INVALID_STATE' | 'NOT_FOUND' | 'UNKNOWN_SCENARIO' | 'INVALID_PARAMS' | 'FORBIDDEN';

/** Ends a scenario that cannot be played, with nothing changed. */
export class ControllerRefusal extends Error {
  readonly code: ControllerCode;
  readonly currentState: string | undefined;

  constructor(code: ControllerCode, detail: string, currentState?: string) {
    super(detail);
    this.name = 'ControllerRefusal';
    this.code = code;
    this.currentState = currentState;
  }
}

/** What a state table refuses, as the controller tells it; all else is thrown on. */
export function asTransitionRefusal(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  if (error.code !== 'INVALID_STATE' && error.code !== 'NOT_CANCELLABLE') throw error;
  const { status } = (error.details.details ?? {}) as { status?: string };
  throw new ControllerRefusal('INVALID_TRANSITION', error.message, status);
}
