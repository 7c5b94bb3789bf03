import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/** The request under way, for whatever is logged or refused on its behalf. */
export interface RequestContext {
  /** Told to the caller as {@link REQUEST_ID_HEADER}. */
  request_id: string;
  /** Where it came from, as far as configured proxies are believed. */
  address: string;
  /** Which wire it came by, such as `a2a`; one of a few. */
  edge: string;
  /** The name of the operator who makes it, once their credential has been checked. */
  operator?: string;
  /** Which trace it says that it belongs to; anybody may say so. */
  traceparent?: string | undefined;
}

/** The header, and over gRPC the metadata key, that carries a request's id. */
export const REQUEST_ID_HEADER = 'X-Request-Id';

const underWay = new AsyncLocalStorage<RequestContext>();

/** Runs `work`, and all that it begins, as part of a request. */
export function withRequest<T>(context: RequestContext, work: () => T): T {
  return underWay.run(context, work);
}

/** The request that this code works for; undefined in jobs, at the start, and wherever nobody waits for an answer. */
export function currentRequest(): RequestContext | undefined {
  return underWay.getStore();
}

/** `callback` as part of the present request, whoever calls it later: events of a socket belong to no request. */
export function keepingRequest<A extends unknown[]>(callback: (...args: A) => void): (...args: A) => void {
  const context = underWay.getStore();
  if (context === undefined) return callback;
  return (...args) => {
    underWay.run(context, callback, ...args);
  };
}

/**
 * An id for a request: the one that came with it where whoever sent it is believed and it is 8 to 128 of letters, digits and
 * `_ . : = -`; else a random one.
 */
export function requestIdFor(given: string | undefined, isBelieved: boolean): string {
  return isBelieved && given !== undefined && /^[\w.:=-]{8,128}$/.test(given) ? given : randomUUID();
}
