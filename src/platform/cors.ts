import type { IncomingMessage, ServerResponse } from 'node:http';

/** Whose pages may call from a browser: all, or these origins (RFC 6454) exactly. */
export type CorsOrigins = '*' | readonly string[];

export interface CorsRules {
  origins: CorsOrigins;
  methods: readonly string[];
  /** That a page may send. */
  requestHeaders: readonly string[];
  /** That a page may read. */
  shownHeaders: readonly string[];
}

/** How long a browser may remember that it may call, in seconds. */
const MAX_AGE_S = 7_200;

/**
 * Lets the pages of these origins call (Fetch standard, CORS protocol), and answers what browsers ask before. Never with
 * credentials of the browser: callers show a key or a token of their own.
 */
export function corsAt({ origins, methods, requestHeaders, shownHeaders }: CorsRules) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    if (origins !== '*') response.appendHeader('Vary', 'Origin');
    const { origin, 'access-control-request-method': wanted } = request.headers;
    const isAllowed = origin !== undefined && (origins === '*' || origins.includes(origin));
    if (isAllowed) {
      response.setHeader('Access-Control-Allow-Origin', origins === '*' ? '*' : origin);
      response.setHeader('Access-Control-Expose-Headers', shownHeaders.join(', '));
    }
    if (request.method !== 'OPTIONS' || wanted === undefined) next();
    else if (isAllowed) allowCalls(response, methods, requestHeaders);
    else noContent(response);
  };
}

/** Answers what browsers ask before they call: with these methods, and these headers. */
export function allowCalls(response: ServerResponse, methods: readonly string[], headers: readonly string[]): void {
  response.setHeader('Access-Control-Allow-Methods', methods.join(', '));
  response.setHeader('Access-Control-Allow-Headers', headers.join(', '));
  response.setHeader('Access-Control-Max-Age', MAX_AGE_S);
  noContent(response);
}

function noContent(response: ServerResponse): void {
  response.statusCode = 204;
  response.end();
}
