import express from 'express';
import type { ErrorRequestHandler, Request, RequestHandler, Response, Router } from 'express';
import { ANYBODY, isAnybody } from '../directory/caller.ts';
import type { Caller } from '../directory/caller.ts';
import {
  API_KEY_HEADER,
  authenticateRequest,
  bearerChallenge,
  isWithoutCredential,
  PUBLIC_KEY_HEADER,
} from '../directory/credential/authentication.ts';
import type { Credentials } from '../directory/credential/authentication.ts';
import { watchCredentials } from '../directory/credential/credential-watch.ts';
import type { CredentialWatch, LookAgain } from '../directory/credential/credential-watch.ts';
import type { Budgets } from '../platform/budget/budgets.ts';
import type { Clock } from '../platform/clock.ts';
import { corsAt } from '../platform/cors.ts';
import { currentRequest, REQUEST_ID_HEADER } from '../platform/request-context.ts';
import type { McpExchange, ExchangeOptions } from './exchange.ts';
import { mcpFailure } from './failure.ts';
import { liveSignals } from './live-signals.ts';
import { readMessage } from './message-body.ts';
import { checkNames } from './own-names.ts';
import type { OwnNames } from './own-names.ts';
import { strangersMessage } from './strangers.ts';

export interface McpOptions extends ExchangeOptions {
  credentials: Credentials;
  /** Ends what waits when its credential opens nothing any more. */
  lookAgain: LookAgain;
  clock: Clock;
  /** Counts requests; absent: there is no end of them. */
  budgets?: Budgets | undefined;
  /** What this server may be called by, and from where. */
  names: OwnNames;
  /** Where the OAuth metadata of this resource are, for the challenge of a 401 (rule R13). */
  resourceMetadataUrl: () => string;
  /** How often the credentials behind open answers are looked at again, in milliseconds. Default 2,000. */
  lookAgainMs?: number;
  /** Ends every wait when it aborts, so that a server can stop. */
  stopping: AbortSignal;
}

/** With the look itself under the 3 s within which every process knows of an end. */
const LOOK_AGAIN_MS = 2_000;

const PATH = '/mcp';
const CORS = {
  methods: ['POST'],
  requestHeaders: [
    ...['Authorization', API_KEY_HEADER, PUBLIC_KEY_HEADER, 'Content-Type', 'Accept'],
    ...['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'],
  ],
  shownHeaders: ['WWW-Authenticate', 'Retry-After', REQUEST_ID_HEADER],
};

/** MCP over streamable HTTP: one endpoint, which remembers nothing of a client (rule D9). */
export function mcpRouter(options: McpOptions): Router {
  const { credentials, budgets, names, stopping, lookAgainMs = LOOK_AGAIN_MS, log, tools } = options;
  const callers = new WeakMap<Request, Caller>();
  const watch: CredentialWatch = watchCredentials({ ...options, everyMs: lookAgainMs });
  const signals = liveSignals({ stopping, watch });
  let exchange: Promise<McpExchange> | undefined;

  const challenge = ({ headers }: Request) => bearerChallenge(headers, options.resourceMetadataUrl());
  const isDiscovering = ({ headers }: Request): boolean =>
    tools.discovery.size > 0 && credentials.anonymous === undefined && isWithoutCredential(headers);
  const identify: RequestHandler = async (request, response, next) => {
    if (isDiscovering(request)) {
      await budgets?.draw('anonymous_requests', currentRequest()?.address ?? '');
      callers.set(request, ANYBODY);
      // With a credential they could call more (RFC 9110, section 11.6.1).
      response.setHeader('WWW-Authenticate', challenge(request));
      next();
      return;
    }
    const caller = await authenticateRequest(request.headers, credentials);
    await budgets?.draw('requests', caller.organization_id);
    callers.set(request, caller);
    next();
  };
  const answer: RequestHandler = async (request, response) => {
    const caller = callers.get(request);
    if (caller === undefined) throw new Error('the request has not been authenticated');
    const read = () => readMessage(request);
    const message = await (isAnybody(caller) ? strangersMessage(read, tools) : read());
    // Its library is a tenth of a start, which most servers do without.
    exchange ??= import('./exchange.ts').then(({ createExchange }) => createExchange(options));
    const answering = await exchange;
    const { gone, signal, close } = signals(caller, response);
    try {
      await answering({ caller, headers: mcpHeaders(request), message, gone, signal }, response);
    } finally {
      close();
    }
  };
  const refuse: ErrorRequestHandler = (thrown: unknown, request, response, next) => {
    if (response.headersSent) {
      next(thrown);
      return;
    }
    const { status, error } = mcpFailure(thrown, tools);
    if (status === 500) log.error({ err: thrown }, 'MCP request failed');
    if (status === 401) {
      response.setHeader('WWW-Authenticate', challenge(request));
    }
    const { retry_after } = error.data.error;
    if (retry_after !== undefined) response.setHeader('Retry-After', Math.ceil(retry_after));
    sendError(response, status, error);
  };

  const router = express.Router();
  router.use(PATH, (request, _response, next) => {
    checkNames(request.headers, names);
    next();
  });
  if (names.corsOrigins !== undefined) router.use(PATH, corsAt({ ...CORS, origins: names.corsOrigins }));
  router.post(PATH, identify, answer);
  router.all(PATH, (_request, response) => {
    const message = 'send each message by POST; there are no sessions, and no stream besides answers';
    response.setHeader('Allow', 'POST');
    sendError(response, 405, { code: -32_000, message });
  });
  router.use(PATH, refuse);
  return router;
}

/** What MCP itself reads of a request; credentials go no further than this. */
function mcpHeaders({ headers }: Request): Headers {
  const read = Object.entries(headers).filter(([name]) => /^(accept|content-type|mcp-.*)$/.test(name));
  return new Headers(read.map(([name, value]) => [name, String(value)]));
}

function sendError(response: Response, status: number, error: object): void {
  const text = JSON.stringify({ jsonrpc: '2.0', id: null, error });
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
  response.writeHead(status, headers).end(text);
}
