import type { ErrorRequestHandler } from 'express';
import type { Logger } from '../../platform/log.ts';
import { Broken, Misconfigured, Unreachable } from '../../sales/ad-server/faults.ts';

/** A request that the bridge refuses by itself: a status of its own, with a code and a sentence. */
export class BridgeRefusal extends Error {
  readonly status: number;
  readonly code: string;
  /** Further facts by name. */
  readonly details: Readonly<Record<string, unknown>>;
  constructor(status: number, code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'BridgeRefusal';
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/**
 * Answers whatever was thrown. Faults come out at the other side as the same: `Broken` is 400, `Misconfigured` 403,
 * `Unreachable` 503. What is nobody's mistake but ours is 500, logged, and told to nobody.
 */
export function bridgeErrors({ log, now }: { log: Logger; now: () => number }): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const { status, code, message, details } = refusalOf(error);
    if (status === 401) response.set('WWW-Authenticate', 'Bearer');
    if (status === 500 && !(error instanceof BridgeRefusal))
      log.error({ err: error, path: request.path }, 'a call of the ad server bridge failed');
    if (error instanceof Unreachable && error.retryAtMs !== undefined)
      response.set('Retry-After', String(Math.max(0, Math.ceil((error.retryAtMs - now()) / 1000))));
    response
      .set('Cache-Control', 'no-store')
      .status(status)
      .json({ error: { code, message, ...(Object.keys(details).length > 0 && { details }) } });
  };
}

function refusalOf(error: unknown): BridgeRefusal {
  if (error instanceof BridgeRefusal) return error;
  if (error instanceof Broken) return new BridgeRefusal(400, 'broken', error.message);
  if (error instanceof Misconfigured) return new BridgeRefusal(403, 'misconfigured', error.message);
  if (error instanceof Unreachable) return new BridgeRefusal(503, 'unavailable', error.message);
  if (error instanceof URIError && 'status' in error && error.status === 400)
    return new BridgeRefusal(400, 'invalid_request', 'the path is not well encoded');
  return new BridgeRefusal(500, 'internal_error', 'the ad server failed to handle this request');
}
