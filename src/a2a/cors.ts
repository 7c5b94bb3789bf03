import type { RequestHandler } from 'express';
import { API_KEY_HEADER, PUBLIC_KEY_HEADER } from '../directory/credential/authentication.ts';
import { allowCalls, corsAt } from '../platform/cors.ts';
import type { CorsOrigins } from '../platform/cors.ts';
import { REQUEST_ID_HEADER } from '../platform/request-context.ts';
import { EXTENSION_HEADERS } from './extensions.ts';

const REQUEST_HEADERS = [
  'Authorization',
  API_KEY_HEADER,
  PUBLIC_KEY_HEADER,
  'Content-Type',
  'A2A-Version',
  ...EXTENSION_HEADERS,
];
const SHOWN_HEADERS = ['WWW-Authenticate', 'Retry-After', ...EXTENSION_HEADERS, REQUEST_ID_HEADER];

/** Lets the pages of these origins call over HTTP; see {@link corsAt}. */
export function cors(origins: CorsOrigins): RequestHandler {
  const methods = ['GET', 'POST', 'DELETE'];
  return corsAt({ origins, methods, requestHeaders: REQUEST_HEADERS, shownHeaders: SHOWN_HEADERS });
}

/** Answers what browsers ask before they read a card with a version header; cards are for everybody. */
export const cardPreflight: RequestHandler = (_request, response) => {
  response.setHeader('Access-Control-Allow-Origin', '*');
  allowCalls(response, ['GET'], ['A2A-Version', 'If-None-Match']);
};
