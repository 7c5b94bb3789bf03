import type { RequestHandler, Response } from 'express';
import { REQUEST_ID_HEADER } from '../platform/request-context.ts';
import { API_KEY_HEADER, PUBLIC_KEY_HEADER } from './authentication.ts';
import { EXTENSION_HEADERS } from './extensions.ts';

/** Whose pages may call from a browser: all, or these origins (RFC 6454) exactly. */
export type CorsOrigins = '*' | readonly string[];

/** How long a browser may remember that it may call, in seconds. */
const MAX_AGE_S = 7_200;

const REQUEST_HEADERS = [
  'Authorization',
  API_KEY_HEADER,
  PUBLIC_KEY_HEADER,
  'Content-Type',
  'A2A-Version',
  ...EXTENSION_HEADERS,
];
const SHOWN_HEADERS = ['WWW-Authenticate', 'Retry-After', ...EXTENSION_HEADERS, REQUEST_ID_HEADER];

/**
 * Lets the pages of these origins call (Fetch standard, CORS protocol), and answers what browsers ask before. Never with
 * credentials of the browser: callers show a key or a token of their own.
 */
export function cors(origins: CorsOrigins): RequestHandler {
  return (request, response, next) => {
    if (origins !== '*') response.vary('Origin');
    const origin = request.get('Origin');
    const isAllowed = origin !== undefined && (origins === '*' || origins.includes(origin));
    if (isAllowed) {
      response.setHeader('Access-Control-Allow-Origin', origins === '*' ? '*' : origin);
      response.setHeader('Access-Control-Expose-Headers', SHOWN_HEADERS.join(', '));
    }
    if (request.method !== 'OPTIONS' || request.get('Access-Control-Request-Method') === undefined) next();
    else if (isAllowed) allow(response, ['GET', 'POST', 'DELETE'], REQUEST_HEADERS);
    else response.status(204).end();
  };
}

/** Answers what browsers ask before they read a card with a version header; cards are for everybody. */
export const cardPreflight: RequestHandler = (_request, response) => {
  response.setHeader('Access-Control-Allow-Origin', '*');
  allow(response, ['GET'], ['A2A-Version', 'If-None-Match']);
};

function allow(response: Response, methods: readonly string[], headers: readonly string[]): void {
  response.setHeader('Access-Control-Allow-Methods', methods.join(', '));
  response.setHeader('Access-Control-Allow-Headers', headers.join(', '));
  response.setHeader('Access-Control-Max-Age', MAX_AGE_S);
  response.status(204).end();
}
