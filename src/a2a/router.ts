import express from 'express';
import type { ErrorRequestHandler, Request, RequestHandler, Response, Router } from 'express';
import type { Caller } from '../directory/caller.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import type { ProtocolNames } from '../platform/protocol-name.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { authenticateRequest, challenge } from './authentication.ts';
import type { Credentials } from './authentication.ts';
import { buildAgentCard } from './card/agent-card.ts';
import { cardRoute } from './card/card-route.ts';
import type { AgentIdentity } from './card/identity.ts';
import { failureOf } from './failure.ts';
import type { Invocation } from './invocation.ts';
import { jsonBody } from './json-body.ts';
import { jsonRpcRoute } from './jsonrpc-route.ts';
import { MESSAGE_LIMITS } from './message-check.ts';
import { requestHandler } from './request-handler.ts';

export interface A2aOptions {
  runtime: Runtime;
  credentials: Credentials;
  names: ProtocolNames;
  log: Logger;
  clock: Clock;
  /** `agent-card/identity.json`. */
  identity: AgentIdentity;
  /** The agent's own version. */
  version: string;
  /** What buyers call this agent by, without a slash at the end; asked for when the card is first served. */
  baseUrl: () => string;
  /** Where the OAuth metadata of this resource are, for the challenge of a 401 (decisions R13). */
  resourceMetadataUrl?: () => string;
  /** Reads a message of text alone, such as a brief; undefined: it asks for nothing known. */
  fromText?: (text: string) => Invocation | undefined;
  limits?: Partial<A2aLimits>;
}

export interface A2aLimits {
  /** Largest request body in bytes, after decompression. Default 1 MiB. */
  bodyBytes: number;
  /** Most parts of one message. Default 100. */
  messageParts: number;
  /** How long a send may wait for the task's end, in milliseconds. Default 25,000. */
  waitCapMs: number;
}

const LIMITS: A2aLimits = { bodyBytes: 1_048_576, messageParts: MESSAGE_LIMITS.parts, waitCapMs: 25_000 };

/** Everything of A2A that is HTTP: the card at its well-known paths, and JSON-RPC at `/a2a/jsonrpc`. */
export function a2aRouter(options: A2aOptions): Router {
  const limits = { ...LIMITS, ...options.limits };
  const card = lazily(() =>
    buildAgentCard({ ...options, tasks: [...options.runtime.tasks.values()], baseUrl: options.baseUrl() }),
  );
  const handler = requestHandler({
    runtime: options.runtime,
    card,
    waitCapMs: limits.waitCapMs,
    limits: { ...MESSAGE_LIMITS, parts: limits.messageParts },
    ...(options.fromText && { fromText: options.fromText }),
  });
  const rpc = jsonRpcRoute({ handler, log: options.log });
  const refused: ErrorRequestHandler = (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    if (failureOf(error).status === 401) {
      response.setHeader('WWW-Authenticate', challenge(request.headers, options.resourceMetadataUrl?.()));
    }
    rpc.refuse(error, request.body, request.get(VERSION_HEADER), response);
  };
  const router = express.Router();
  router.get(['/.well-known/agent-card.json', '/.well-known/agent.json'], cardRoute(card, options.clock.now()));
  router.post(
    '/a2a/jsonrpc',
    identify(options),
    jsonBody(limits.bodyBytes),
    (request: Request, response: Response) =>
      rpc.answer(request.body, request.get(VERSION_HEADER), callerOf(request), response),
    refused,
  );
  return router;
}

const VERSION_HEADER = 'A2A-Version';

const callers = new WeakMap<Request, Caller>();

function identify({ credentials }: A2aOptions): RequestHandler {
  return async (request, _response, next) => {
    callers.set(request, await authenticateRequest(request.headers, credentials));
    next();
  };
}

function callerOf(request: Request): Caller {
  const caller = callers.get(request);
  if (caller === undefined) throw new Error('the request has not been authenticated');
  return caller;
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
