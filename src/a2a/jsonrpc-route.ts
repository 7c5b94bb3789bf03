import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { Response } from 'express';
import type { Caller } from '../directory/caller.ts';
import { writeJson } from '../platform/json-text.ts';
import type { Logger } from '../platform/log.ts';
import { newCall } from './call.ts';
import type { A2aCall, Wire } from './call.ts';
import { readiness } from '../platform/readiness.ts';
import { beginEventStream, eventText } from './event-stream.ts';
import { checkEnvelope, checkMethod, idOf, wireOf } from './jsonrpc-envelope.ts';
import type { JsonRpcRequest } from './jsonrpc-envelope.ts';
import { failureBehind, jsonRpcError } from './jsonrpc-error.ts';
import { extensionsOf } from './extensions.ts';
import { failureOf, ProtocolError } from './failure.ts';
import { legacyExtendedCard } from './legacy-extended-card.ts';
import { withOneScheme, withTrueFinal } from './legacy-wire.ts';
import type { OpenCalls } from './open-calls.ts';

export interface JsonRpcDependencies {
  handler: A2ARequestHandler;
  calls: OpenCalls;
  log: Logger;
  heartbeatMs: number;
}

export interface JsonRpcRoute {
  answer(body: unknown, versionHeader: string | undefined, caller: Caller, response: Response): Promise<void>;
  refuse(error: unknown, body: unknown, versionHeader: string | undefined, response: Response): void;
}

/** One JSON-RPC answer, or one event of a stream. */
interface RpcMessage {
  result?: unknown;
  error?: unknown;
}

type RefusedRequest = Pick<JsonRpcRequest, 'id' | 'method'>;

/** What a client of theirs reads is an event stream, whatever the answer (A2A 1.0.1, section 9.4.2). */
const STREAMING_METHODS: ReadonlySet<string> = new Set([
  ...['SendStreamingMessage', 'SubscribeToTask'],
  ...['message/stream', 'tasks/resubscribe'],
]);

/** Who is no caller, may not, sends too much or too often learns it by the status, which proxies and clients look at first. */
const STATUSES_OF_ANY_METHOD: ReadonlySet<number> = new Set([401, 403, 413, 429]);

const EXTENDED_CARD_03 = 'agent/getAuthenticatedExtendedCard';

type RpcStream = AsyncGenerator<RpcMessage, void, undefined>;

/** JSON-RPC over HTTP for both wire generations: the SDK's transports between an envelope check and our own errors. */
export function jsonRpcRoute({ handler, calls, log, heartbeatMs }: JsonRpcDependencies): JsonRpcRoute {
  const transports = {
    '1.0': new JsonRpcTransportHandler(handler),
    '0.3': new LegacyJsonRpcTransportHandler(handler),
  } as const;

  async function answer(
    body: unknown,
    versionHeader: string | undefined,
    caller: Caller,
    response: Response,
  ): Promise<void> {
    const envelope = checkEnvelope(body);
    const wire = wireOf(versionHeader, envelope.method);
    checkMethod(envelope.method, wire);
    const request = wire === '0.3' ? { ...envelope, params: withOneScheme(envelope.params) } : envelope;
    const [signal, ready] = [() => calls.signal(response), readiness(response)];
    const call = newCall({ caller, wire, binding: 'JSONRPC', signal, ready, extensions: extensionsOf(response.req) });
    if (wire === '0.3' && request.method === EXTENDED_CARD_03) {
      const result = await legacyExtendedCard(handler, call);
      sendJson(response, 200, { jsonrpc: '2.0', id: request.id, result });
      return;
    }
    const context = new ServerCallContext({ user: call, requestedVersion: wire });
    const answered = await transports[wire].handle(request, context);
    if (Symbol.asyncIterator in answered) await stream(answered, request, call, response);
    else if (answered.error === undefined) sendJson(response, 200, answered);
    else refuseCall(response, call.wire, request, failureBehind(call, answered.error));
  }

  async function stream(events: RpcStream, request: JsonRpcRequest, call: A2aCall, response: Response): Promise<void> {
    try {
      const first = await events.next();
      beginEventStream(response, heartbeatMs);
      for (let next = first; !next.done; next = await events.next()) {
        const event = call.wire === '0.3' ? withTrueFinal(next.value, request.method) : next.value;
        response.write(eventText(event));
      }
    } catch (thrown) {
      const error = failureBehind(call, thrown);
      if (response.headersSent) endStream(response, call.wire, request, error);
      else refuseCall(response, call.wire, request, error);
      return;
    }
    if (call.failure === undefined) response.end();
    else endStream(response, call.wire, request, call.failure);
  }

  /** Refuses a call: one of a streaming method by a stream of one event, since its clients look for events alone. */
  function refuseCall(response: Response, wire: Wire, { id, method }: RefusedRequest, error: unknown): void {
    if (!STREAMING_METHODS.has(method) || STATUSES_OF_ANY_METHOD.has(failureOf(error).status)) {
      sendError(response, wire, id, error);
      return;
    }
    sayWhenToRetry(response, error);
    beginEventStream(response, heartbeatMs);
    endStream(response, wire, { id }, error);
  }

  function endStream(response: Response, wire: Wire, { id }: Pick<RefusedRequest, 'id'>, error: unknown): void {
    note(error);
    response.end(eventText(errorMessage(id, error, wire), 'error'));
  }

  function sendError(
    response: Response,
    wire: Wire,
    id: JsonRpcRequest['id'],
    error: unknown,
    httpStatus?: number,
  ): void {
    const { rpcStatus = 200 } = failureOf(error);
    note(error);
    sayWhenToRetry(response, error);
    sendJson(response, httpStatus ?? rpcStatus, errorMessage(id, error, wire));
  }

  function note(error: unknown): void {
    if (failureOf(error).body.code === 'INTERNAL_ERROR') log.error({ err: error }, 'A2A request failed');
  }

  return {
    answer,
    refuse(error, body, versionHeader, response) {
      // The body itself is of a wrong type here; a part of a message that is so is an answer like any other.
      const wire = wireOfRefusal(body, versionHeader);
      if (failureOf(error).reason === 'CONTENT_TYPE_NOT_SUPPORTED') sendError(response, wire, idOf(body), error, 415);
      else refuseCall(response, wire, { id: idOf(body), method: methodOf(body) }, error);
    },
  };
}

/** Express would hash every answer for an entity tag that no client of JSON-RPC asks for. */
function sendJson(response: Response, status: number, value: unknown): void {
  // As a text it goes out together with the head, in one write.
  const text = writeJson(value);
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
  response.writeHead(status, headers).end(text);
}

function sayWhenToRetry(response: Response, error: unknown): void {
  const { retry_after } = failureOf(error).body;
  if (retry_after !== undefined) response.setHeader('Retry-After', Math.ceil(retry_after));
}

function errorMessage(id: JsonRpcRequest['id'], error: unknown, wire: Wire) {
  return { jsonrpc: '2.0', id, error: jsonRpcError(error, wire) };
}

function methodOf(body: unknown): string {
  const method = typeof body === 'object' && body !== null && 'method' in body ? body.method : undefined;
  return typeof method === 'string' ? method : '';
}

/** The generation in which to refuse a request that may not say a known one. */
function wireOfRefusal(body: unknown, versionHeader: string | undefined): Wire {
  try {
    return wireOf(versionHeader, methodOf(body));
  } catch (error) {
    if (error instanceof ProtocolError) return '1.0';
    throw error;
  }
}
