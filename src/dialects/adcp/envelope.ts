import { z } from 'zod';
import type { JsonObject } from '../../platform/json-object.ts';
import type { Served } from './release.ts';

/** Fields that any public request may carry around those of its task. */
export const EnvelopeFields = z.looseObject({
  adcp_version: z.unknown().optional(),
  adcp_major_version: z.unknown().optional(),
  context: z.unknown().optional(),
  idempotency_key: z.unknown().optional(),
  push_notification_config: z.unknown().optional(),
});

/** Two requests that differ in these alone are the same request, besides what {@link requestHash} leaves out itself. */
const NOT_OF_THE_REQUEST = ['adcp_version', 'adcp_major_version', 'governance_context', 'context_id'];

/** What makes two public requests the same. Pure. */
export function essenceOf(request: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(request).filter(([key]) => !NOT_OF_THE_REQUEST.includes(key)));
}

/** What is told around any answer. */
export interface Around {
  served: Served;
  /** The `context` of the request that is answered. */
  context?: unknown;
  /** This answer repeats an earlier one. */
  replayed?: boolean;
  /** What the task's answer has no place for. */
  leavesOut?: NoPlaceFor;
}

/** What answers are told around them, as far as some have no place for it. */
export type NoPlaceFor = readonly ('adcp_version' | 'status')[];

/** An answer with what the protocol wants around it; a status of its own stands. Pure. */
export function enveloped(
  answer: JsonObject,
  { served, context, replayed = false, leavesOut = [] }: Around,
): JsonObject {
  return {
    ...(!leavesOut.includes('status') && { status: 'completed' }),
    ...answer,
    ...(!leavesOut.includes('adcp_version') && { adcp_version: served.alias ?? served.release }),
    ...(replayed && { replayed }),
    ...(context !== undefined && { context }),
  };
}
