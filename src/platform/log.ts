import { pino } from 'pino';
import type { Logger } from 'pino';
import { currentRequest } from './request-context.ts';
import { currentTraceId } from './telemetry/spans.ts';

export type { Logger } from 'pino';

/**
 * Structured logs as JSON lines, to standard error so that standard output stays for people and programs. What is logged on behalf
 * of a request names it, and what is logged within a trace that one.
 */
export function createLogger(level: string): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, mixin: requestFields };
  return pino(options, pino.destination({ fd: 2, sync: true }));
}

/** What every line says of the request that it is about. */
export function requestFields(): { request_id?: string; trace_id?: string } {
  const request = currentRequest();
  const trace_id = currentTraceId();
  return { ...(request && { request_id: request.request_id }), ...(trace_id !== undefined && { trace_id }) };
}
