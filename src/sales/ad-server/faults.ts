/**
 * Why an ad server's answer is not known. A fault never ends a task: the order is told again (P1 of the port makes that
 * safe).
 */
export type AdServerFault = Unreachable | Misconfigured | Broken;

/** No answer, or one that says to come again: transport, time-out, HTTP 408, 425, 429 and 5xx. */
export class Unreachable extends Error {
  /** `no`: the request has surely had no effect. */
  readonly sent: 'no' | 'unknown';
  /** Not before this instant, in milliseconds since the epoch, where the ad server has said so. */
  readonly retryAtMs: number | undefined;
  constructor(
    message: string,
    { sent, retryAtMs, cause }: { sent: 'no' | 'unknown'; retryAtMs?: number; cause?: unknown },
  ) {
    super(message, { cause });
    this.name = 'Unreachable';
    this.sent = sent;
    this.retryAtMs = retryAtMs;
  }
}

/** The seller's own configuration is refused: HTTP 401 and 403, or a network that does not exist. A person must mend it. */
export class Misconfigured extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'Misconfigured';
  }
}

/** The answer breaks the protocol: its shape, or another order under a version that was taken before. A person must look. */
export class Broken extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'Broken';
  }
}

/** Whether something thrown says that an ad server's answer is not known. */
export function isAdServerFault(error: unknown): error is AdServerFault {
  return error instanceof Unreachable || error instanceof Misconfigured || error instanceof Broken;
}
