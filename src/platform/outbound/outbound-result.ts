import type { ConnectPhase } from './connect.ts';
import type { ConnectionFailure } from './failure.ts';

/** How far a request came: waiting for a free connection, making one, awaiting the response's head, reading its body. */
export type Phase = 'queue' | ConnectPhase | 'response' | 'body';

/** Milliseconds spent per phase; 0 for a phase that was not needed, such as the first three on a reused connection. */
export interface Timings {
  dns_ms: number;
  connect_ms: number;
  tls_ms: number;
  /** From handing the request to the connection until the head of the response was read. */
  first_byte_ms: number;
  total_ms: number;
}

/** How far an attempt came, whatever its end. */
export interface Progress {
  /** The IP address connected to, or asked the proxy for; absent when no connection was made, or only the proxy knows it. */
  address?: string;
  /** The connection had served an earlier request. */
  reused: boolean;
  timings: Timings;
}

export interface ResponseResult extends Progress {
  kind: 'response';
  status: number;
  /** Names in lower case; repeated fields joined by `, `. */
  headers: Record<string, string>;
  /** The bytes as they came, not decoded, cut at the bound. */
  body: Buffer;
  truncated: boolean;
}

/** The URL or address guard forbids it (rule W16); nothing was sent. `reason` names the rule. */
export interface RefusedResult {
  kind: 'refused';
  reason: string;
}

export interface TimeoutResult extends Progress {
  kind: 'timeout';
  /** Where the time ran out. */
  phase: Phase;
  /** Present when the head of a response had come. */
  status?: number;
}

export interface ConnectionErrorResult extends Progress {
  kind: 'connection_error';
  reason: ConnectionFailure;
  /** Present when the head of a response had come. */
  status?: number;
}

/** What became of one request. Network outcomes are answers, never exceptions. */
export type OutboundResult = ResponseResult | RefusedResult | TimeoutResult | ConnectionErrorResult;
