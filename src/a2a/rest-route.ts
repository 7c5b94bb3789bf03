import { restHandler } from '@a2a-js/sdk/server/express';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import express from 'express';
import type { Request, RequestHandler, Response, Router } from 'express';
import type { Caller } from '../directory/caller.ts';
import { withTexts, writeJson } from '../platform/json-text.ts';
import type { Logger } from '../platform/log.ts';
import { newCall } from './call.ts';
import type { A2aCall, Wire } from './call.ts';
import { readiness } from '../platform/readiness.ts';
import { keepAlive } from './event-stream.ts';
import { extensionsOf } from './extensions.ts';
import { failureOf, ProtocolError } from './failure.ts';
import type { Failure } from './failure.ts';
import { wireOf } from './jsonrpc-envelope.ts';
import { failureBehind } from './jsonrpc-error.ts';
import { legacyExtendedCard } from './legacy-extended-card.ts';
import { legacyPushBody } from './legacy-push-body.ts';
import { withOneScheme } from './legacy-wire.ts';
import type { OpenCalls } from './open-calls.ts';
import { errorIn, failureBody } from './rest-error.ts';
import { otherMethods } from './rest-methods.ts';
import { tellEnd } from './rest-stream-end.ts';

export interface RestDependencies {
  handler: A2ARequestHandler;
  calls: OpenCalls;
  log: Logger;
  heartbeatMs: number;
  callerOf: (request: Request) => Caller;
}

export interface RestRoute {
  router: Router;
  refuse(error: unknown, request: Request, response: Response): void;
}

/**
 * HTTP+JSON for both wire generations, 0.3 below `/v1`: the SDK's routes. Their answers pass through here, so that
 * errors are our own, quiet streams stay alive, and the request handler learns when the client has gone.
 */
export function restRoute({ handler, calls, log, heartbeatMs, callerOf }: RestDependencies): RestRoute {
  const known = new WeakMap<Request, A2aCall>();

  const accompany: RequestHandler = (request, response, next) => {
    const wire = restWire(request);
    request.headers['a2a-version'] = wire;
    if (wire === '0.3') request.body = withOneScheme<unknown>(legacyBody(request));
    const [signal, ready] = [() => calls.signal(response), readiness(response)];
    const call = newCall({
      caller: callerOf(request),
      wire,
      binding: 'HTTP+JSON',
      signal,
      ready,
      extensions: extensionsOf(request),
    });
    known.set(request, call);
    answerWith200(response);
    const send = (body: unknown) => {
      if (response.get('Content-Type') === undefined) response.type('application/json');
      return response.send(writeJson(body));
    };
    writeTexts(response);
    tellEnd(response, () => call.failure && failureBody(failureOf(call.failure), wire));
    response.json = (body: unknown) => {
      if (response.statusCode < 400) return send(body);
      sendError(failureBehind(call, errorIn(body)), wire, response, send);
      return response;
    };
    const flush = response.flushHeaders.bind(response);
    response.flushHeaders = () => {
      flush();
      keepAlive(response, heartbeatMs);
    };
    next();
  };

  function sendError(error: unknown, wire: Wire, response: Response, send: (body: unknown) => unknown): void {
    const failure = failureOf(error);
    if (failure.body.code === 'INTERNAL_ERROR') log.error({ err: error }, 'A2A request failed');
    sendFailure(failure, wire, response, send);
  }

  function sendFailure(failure: Failure, wire: Wire, response: Response, send: (body: unknown) => unknown): void {
    const { retry_after } = failure.body;
    if (retry_after !== undefined) response.setHeader('Retry-After', Math.ceil(retry_after));
    response.status(failure.status).setHeader('Content-Type', 'application/json');
    send(failureBody(failure, wire));
  }

  const onlyItsMethods: RequestHandler = (request, response, next) => {
    const methods = otherMethods(request);
    if (methods === undefined) {
      next();
      return;
    }
    response.setHeader('Allow', methods.join(', '));
    const text = `${request.method} is no method of this place; use ${methods.join(' or ')}`;
    const failure = { ...failureOf(new ProtocolError('METHOD_NOT_FOUND', text)), status: 405 };
    sendFailure(failure, isLegacyPath(request) ? '0.3' : '1.0', response, express.response.json.bind(response));
  };

  const cardOf03: RequestHandler = async (request, response, next) => {
    const call = callOfRequest(request);
    if (call.wire === '0.3') response.json(await legacyExtendedCard(handler, call));
    else next();
  };

  const router = express.Router();
  router.use(accompany);
  router.use(onlyItsMethods);
  router.get(['/v1/card', '/extendedAgentCard'], cardOf03);
  router.use(
    restHandler({
      requestHandler: handler,
      userBuilder: (request) => Promise.resolve(callOfRequest(request)),
      legacyCompat: { enabled: true },
    }),
  );
  router.use(() => {
    throw new ProtocolError('METHOD_NOT_FOUND', 'there is no such A2A operation');
  });

  function callOfRequest(request: Request): A2aCall {
    const call = known.get(request);
    if (call === undefined) throw new Error('the request was not accompanied');
    return call;
  }

  return {
    router,
    refuse(error, request, response) {
      const wire = isLegacyPath(request) ? '0.3' : '1.0';
      const told = error instanceof URIError ? new ProtocolError('INVALID_REQUEST', BAD_PATH) : error;
      sendError(told, wire, response, express.response.json.bind(response));
    },
  };
}

/** Of percent-escapes that stand for nothing. */
const BAD_PATH = 'the path is not well-formed: check its percent-escapes';

/**
 * `google.api.http` knows one status for what went well, 200, and `{}` for what is empty; the SDK says 201 and 204, which
 * clients of other makers take for errors.
 */
function answerWith200(response: Response): void {
  const [status, end] = [response.status.bind(response), response.end.bind(response) as () => Response];
  response.status = (code) => {
    if (code === 204) response.end = () => ((response.end = end), response.json({}));
    return status(code === 201 || code === 204 ? 200 : code);
  };
}

/** The SDK writes the events of a stream itself. */
function writeTexts(response: Response): void {
  const write = response.write.bind(response) as (chunk: unknown, ...rest: unknown[]) => boolean;
  response.write = (chunk: unknown, ...rest: unknown[]) =>
    write(typeof chunk === 'string' ? withTexts(chunk) : chunk, ...rest);
}

/** The body of a request of 0.3; that of a new push configuration in the form that the SDK reads. */
function legacyBody({ method, path, body }: Request): unknown {
  const [, taskId] = method === 'POST' ? (/^\/v1\/tasks\/([^/:]+)\/pushNotificationConfigs$/.exec(path) ?? []) : [];
  // A path that cannot be decoded is refused by whoever routes it.
  return taskId === undefined || /%(?![\da-f]{2})/i.test(taskId) ? (body as unknown) : legacyPushBody(body, taskId);
}

/** Without a version header the path tells. @throws {ProtocolError} `VERSION_NOT_SUPPORTED`. */
function restWire(request: Request): Wire {
  const header = request.get('A2A-Version') ?? '';
  return header.trim() === '' ? (isLegacyPath(request) ? '0.3' : '1.0') : wireOf(header, '');
}

function isLegacyPath({ path }: Request): boolean {
  return path.startsWith('/v1/');
}
