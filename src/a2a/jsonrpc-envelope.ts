import { isLegacyJsonRpcMethod, isV1JsonRpcMethod } from '@a2a-js/sdk/compat/v0_3';
import type { Wire } from './call.ts';
import { ProtocolError } from './failure.ts';

export type JsonRpcId = string | number | null;

/** A JSON-RPC request whose envelope is right; `params` are still as sent. */
export interface JsonRpcRequest extends Record<string, unknown> {
  jsonrpc: '2.0';
  id: JsonRpcId;
  method: string;
  params?: unknown;
}

/** The id to answer a request with, whatever else is wrong with it. */
export function idOf(body: unknown): JsonRpcId {
  if (typeof body !== 'object' || body === null || !('id' in body)) return null;
  return isId(body.id) ? body.id : null;
}

/**
 * Checks the envelope (JSON-RPC 2.0 section 4). Batches are not part of A2A; a notification is answered like a call.
 * @throws {ProtocolError}
 */
export function checkEnvelope(body: unknown): JsonRpcRequest {
  if (Array.isArray(body)) throw refusal('send one request at a time; batches are not part of A2A');
  if (typeof body !== 'object' || body === null) throw refusal('send a JSON-RPC 2.0 request object');
  const { jsonrpc, method, id = null } = body as Record<string, unknown>;
  if (jsonrpc !== '2.0') throw refusal('jsonrpc: send "2.0"', 'jsonrpc');
  if (typeof method !== 'string' || method === '') throw refusal('method: send the name of a method', 'method');
  if (!isId(id)) throw refusal('id: send a string or a whole number', 'id');
  return { ...body, jsonrpc: '2.0', method, id };
}

function isId(id: unknown): id is JsonRpcId {
  return id === null || typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id));
}

/**
 * The wire generation of a request. Without an `A2A-Version` header it is 0.3, unless the method is one of 1.0 alone.
 * @throws {ProtocolError} `VERSION_NOT_SUPPORTED`.
 */
export function wireOf(versionHeader: string | undefined, method: string): Wire {
  const version = versionHeader?.trim() ?? '';
  if (version === '') return isV1JsonRpcMethod(method) && !isLegacyJsonRpcMethod(method) ? '1.0' : '0.3';
  const [, major = '', minor = '0'] = /^(\d+)(?:\.(\d+))?(?:\.\d+)?$/.exec(version) ?? [];
  if (major === '1' && minor === '0') return '1.0';
  if (major === '0' && minor === '3') return '0.3';
  throw new ProtocolError(
    'VERSION_NOT_SUPPORTED',
    `A2A version ${JSON.stringify(version.slice(0, 20))} is not spoken here; use 1.0 or 0.3`,
    { field: 'A2A-Version' },
  );
}

/**
 * @throws {ProtocolError} `METHOD_NOT_FOUND` for what this generation does not have. The SDK would look at the params first.
 */
export function checkMethod(method: string, wire: Wire): void {
  // The SDK takes what every object has, such as toString, for methods too; none is written like one of A2A.
  const isKnown =
    wire === '1.0'
      ? /^[A-Z]/.test(method) && isV1JsonRpcMethod(method)
      : method.includes('/') && isLegacyJsonRpcMethod(method);
  if (!isKnown) throw new ProtocolError('METHOD_NOT_FOUND', `A2A ${wire} has no such method`, { field: 'method' });
}

function refusal(message: string, field?: string): ProtocolError {
  return new ProtocolError('INVALID_REQUEST', message, field === undefined ? {} : { field });
}
