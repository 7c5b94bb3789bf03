import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { Response } from 'express';
import type { Caller } from '../directory/caller.ts';
import { AppError } from '../platform/errors.ts';
import type { Logger } from '../platform/log.ts';
import { newCall } from './call.ts';
import type { Call, Wire } from './call.ts';
import { A2A_REASONS, errorDetails, failureOf, ProtocolError } from './failure.ts';
import { checkEnvelope, idOf, wireOf } from './jsonrpc-envelope.ts';
import type { JsonRpcId } from './jsonrpc-envelope.ts';
import { goneSignal } from './gone-signal.ts';

export interface JsonRpcDependencies {
  handler: A2ARequestHandler;
  log: Logger;
}

export interface JsonRpcRoute {
  answer(body: unknown, versionHeader: string | undefined, caller: Caller, response: Response): Promise<void>;
  refuse(error: unknown, body: unknown, versionHeader: string | undefined, response: Response): void;
}

/** JSON-RPC over HTTP for both wire generations: the SDK's transports between an envelope check and our own errors. */
export function jsonRpcRoute({ handler, log }: JsonRpcDependencies): JsonRpcRoute {
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
    const request = checkEnvelope(body);
    const wire = wireOf(versionHeader, request.method);
    const call = newCall({ caller, wire, binding: 'JSONRPC', signal: goneSignal(response) });
    const context = new ServerCallContext({ user: call, requestedVersion: wire });
    const answered = await transports[wire].handle(request, context);
    if (Symbol.asyncIterator in answered) throw new ProtocolError('UNSUPPORTED_OPERATION', 'streaming is not offered');
    if (answered.error === undefined) response.json(answered);
    else sendError(response, wire, request.id, failed(call, answered.error));
  }

  function sendError(response: Response, wire: Wire, id: JsonRpcId, error: unknown): void {
    const failure = failureOf(error);
    if (failure.body.code === 'INTERNAL_ERROR') log.error({ err: error }, 'A2A request failed');
    const { retry_after } = failure.body;
    if (retry_after !== undefined) response.setHeader('Retry-After', Math.ceil(retry_after));
    response.status(failure.rpcStatus ?? 200).json({ jsonrpc: '2.0', id, error: jsonRpcError(error, wire) });
  }

  return {
    answer,
    refuse(error, body, versionHeader, response) {
      sendError(response, wireOfRefusal(body, versionHeader), idOf(body), error);
    },
  };
}

/** The error member of a JSON-RPC answer. */
export function jsonRpcError(error: unknown, wire: Wire): { code: number; message: string; data: unknown } {
  const failure = failureOf(error);
  const data = wire === '0.3' ? { error: failure.body } : errorDetails(failure);
  return { code: A2A_REASONS[failure.reason], message: failure.body.message, data };
}

/** What went wrong: what the handler threw, or what the SDK refused before it. */
function failed(call: Call, shown: unknown): unknown {
  if (call.failure !== undefined) return call.failure;
  const { code, message } = shown as { code: number; message: string };
  const known = (Object.keys(A2A_REASONS) as (keyof typeof A2A_REASONS)[]).find((name) => A2A_REASONS[name] === code);
  if (known !== undefined && known !== 'INTERNAL_ERROR') {
    return new ProtocolError(known, message, known === 'TASK_NOT_FOUND' ? { code: 'TASK_NOT_FOUND' } : {});
  }
  if (call.entered) return new Error(message);
  return new AppError('INVALID_REQUEST', 'the params do not have the form that this method needs', { field: 'params' });
}

function wireOfRefusal(body: unknown, versionHeader: string | undefined): Wire {
  const method = typeof body === 'object' && body !== null && 'method' in body ? body.method : undefined;
  try {
    return wireOf(versionHeader, typeof method === 'string' ? method : '');
  } catch (error) {
    if (error instanceof ProtocolError) return '1.0';
    throw error;
  }
}
