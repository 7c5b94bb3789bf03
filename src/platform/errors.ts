/** How a caller should react to an error (rule B12). */
export type Recovery = 'transient' | 'correctable' | 'terminal';

/**
 * Every error code the agent can emit, in one closed list (rule B12), with what a caller can do about it.
 * Each wire maps all of them with `satisfies Record<ErrorCode, …>`, so a new code compiles only once every wire has
 * a place for it.
 */
export const ERROR_RECOVERY = {
  INVALID_REQUEST: 'correctable',
  VALIDATION_ERROR: 'correctable',
  VERSION_UNSUPPORTED: 'correctable',
  UNAUTHORIZED: 'correctable',
  FORBIDDEN: 'correctable',
  NOT_FOUND: 'correctable',
  TASK_NOT_FOUND: 'correctable',
  PRODUCT_NOT_FOUND: 'correctable',
  PRICING_OPTION_NOT_FOUND: 'correctable',
  FORMAT_NOT_FOUND: 'correctable',
  MEDIA_BUY_NOT_FOUND: 'correctable',
  PACKAGE_NOT_FOUND: 'correctable',
  CREATIVE_NOT_FOUND: 'correctable',
  PROPOSAL_NOT_FOUND: 'correctable',
  CONFLICT: 'correctable',
  IDEMPOTENCY_CONFLICT: 'correctable',
  /** The key stood for a request so long ago that its answer is no longer repeated. */
  IDEMPOTENCY_EXPIRED: 'correctable',
  IDEMPOTENCY_IN_FLIGHT: 'transient',
  INVALID_STATE: 'correctable',
  CURSOR_EXPIRED: 'correctable',
  ACCOUNT_NOT_FOUND: 'terminal',
  ACCOUNT_SETUP_REQUIRED: 'correctable',
  ACCOUNT_PAYMENT_REQUIRED: 'terminal',
  ACCOUNT_SUSPENDED: 'terminal',
  TERMS_REJECTED: 'correctable',
  /** Several ways to say the same say different things. */
  CONFLICTING_SELECTORS: 'correctable',
  NOT_CANCELLABLE: 'terminal',
  BUDGET_TOO_LOW: 'correctable',
  /** Above what the seller lets this buyer's open media buys come to together. */
  BUDGET_EXCEEDED: 'correctable',
  UNSUPPORTED_GRANULARITY: 'correctable',
  UNSUPPORTED_FEATURE: 'correctable',
  CREATIVE_IN_USE: 'correctable',
  APPROVAL_REJECTED: 'terminal',
  AD_SERVER_REJECTED: 'correctable',
  UNSUPPORTED_TASK: 'correctable',
  ADDRESS_REFUSED: 'correctable',
  PAYLOAD_TOO_LARGE: 'correctable',
  UNSUPPORTED_MEDIA_TYPE: 'correctable',
  RATE_LIMITED: 'transient',
  TIMEOUT: 'transient',
  SERVICE_UNAVAILABLE: 'transient',
  INTERNAL_ERROR: 'transient',
} as const satisfies Record<string, Recovery>;

/** A code of the closed list {@link ERROR_RECOVERY}. */
export type ErrorCode = keyof typeof ERROR_RECOVERY;

/** One problem of a request: where (RFC 6901 pointer into the input) and what. */
export interface Issue {
  pointer: string;
  message: string;
}

/** One thing wrong with a request: where in it, what, and how to mend it; with the code that it has when it is the only one. */
export interface Problem {
  code: ErrorCode;
  path: readonly PropertyKey[];
  message: string;
  suggestion?: string;
  details?: Record<string, unknown>;
}

/** What may accompany an error; all of it is shown to the caller, so never a secret. */
export interface ErrorDetails {
  /** Path of the offending input in dotted form, such as `packages[1].product_id`. */
  field?: string;
  /** What to send instead. */
  suggestion?: string;
  /** Seconds to wait before trying again. */
  retry_after?: number;
  /** Every problem found, when there may be several. */
  issues?: Issue[];
  /** Further facts by name, such as the id of an existing media buy. */
  details?: Record<string, unknown>;
}

/** The error body for tasks (rules C.errors.body, B12). */
export interface ErrorBody extends ErrorDetails {
  code: ErrorCode;
  message: string;
  recovery: Recovery;
}

/**
 * An error the caller should learn of. Anything else thrown is a fault: it is logged, retried where work is queued,
 * and shown as `INTERNAL_ERROR` with nothing of its text.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  /** What it was made of, where it is the refusal of a request; see `refusalOf`. */
  readonly problems: readonly Problem[];

  constructor(
    code: ErrorCode,
    message: string,
    details: ErrorDetails & { cause?: unknown; problems?: readonly Problem[] } = {},
  ) {
    const { cause, problems = [], ...shown } = details;
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'AppError';
    this.code = code;
    this.details = shown;
    this.problems = problems;
  }

  /** The wire form of this error. */
  toBody(): ErrorBody {
    return { code: this.code, message: this.message, recovery: ERROR_RECOVERY[this.code], ...this.details };
  }
}

/** The refusal of one input that could be sent otherwise: `field` is its path, `message` says what to send. */
export function invalidRequest(field: string, message: string): AppError {
  return new AppError('INVALID_REQUEST', `${field}: ${message}`, { field });
}

/** What anything thrown is shown as: an {@link AppError} as it is, a fault as a bare `INTERNAL_ERROR`. */
export function knownError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError('INTERNAL_ERROR', 'the agent failed to handle this request; try again');
}
