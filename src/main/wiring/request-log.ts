import type { Request, RequestHandler } from 'express';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { keepingRequest, requestIdFor, REQUEST_ID_HEADER, withRequest } from '../../platform/request-context.ts';
import { createFloodFilter } from '../../platform/security/flood-filter.ts';
import { addressKey } from '../../platform/client-address.ts';
import { answeredRoute, edgeOf } from './count-requests.ts';

export interface RequestLogOptions {
  log: Logger;
  clock: Clock;
  /** At which each request is logged. */
  level: RequestLogLevel;
}

/** A level of the log, or nothing at all. */
export type RequestLogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'silent';

/**
 * Gives every request an id, tells it to the caller, and logs what was answered: by the pattern of its route, since paths and
 * queries hold what strangers wrote and what opens doors. Of refused requests (4xx) one address has a few lines a minute, and each
 * line says how many were left out since the one before.
 */
export function requestLog({ log, clock, level }: RequestLogOptions): RequestHandler {
  const filter = createFloodFilter(clock);
  let leftOut = 0;
  return (request, response, next) => {
    const beganMs = performance.now();
    const request_id = requestIdFor(request.get(REQUEST_ID_HEADER), isPeerBelieved(request));
    const context = { request_id, address: request.ip ?? '', edge: edgeOf(request.path) };
    const traceparent = request.get('traceparent');
    response.setHeader(REQUEST_ID_HEADER, request_id);
    withRequest({ ...context, traceparent }, () => {
      if (level !== 'silent' && log.isLevelEnabled(level)) response.once('close', keepingRequest(answered));
      next();
    });

    function answered(): void {
      const { statusCode: status } = response;
      if (status >= 400 && status < 500 && !filter.passes(addressKey(context.address))) {
        leftOut += 1;
        return;
      }
      const ms = Math.round(performance.now() - beganMs);
      const left_out = leftOut === 0 ? undefined : leftOut;
      leftOut = 0;
      const line = { event: 'request', ...context, route: answeredRoute(request), status, ms, left_out };
      if (level !== 'silent') log[level](line, 'request');
    }
  };
}

/** Whether whoever is connected is a proxy of ours, as `TRUST_PROXY` says. */
function isPeerBelieved(request: Request): boolean {
  const believes = request.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return believes(request.socket.remoteAddress ?? '', 0);
}
