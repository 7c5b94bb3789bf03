import { isObject } from '../platform/json-object.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { strongestNamed } from '../webhooks/schemes/named-schemes.ts';
import type { JsonRpcRequest } from './jsonrpc-envelope.ts';

/**
 * A push configuration of 0.3 lists schemes of which 1.0, and so the SDK, has one: here the one that is served best is
 * left, so that the SDK need not choose (rule W4).
 */
export function withOneScheme(request: JsonRpcRequest): JsonRpcRequest {
  const params = objectAt(request.params);
  const configuration = objectAt(params?.['configuration']);
  const atSend = objectAt(configuration?.['pushNotificationConfig']);
  const alone = objectAt(params?.['pushNotificationConfig']);
  if (atSend !== undefined) {
    const pushNotificationConfig = oneScheme(atSend);
    return { ...request, params: { ...params, configuration: { ...configuration, pushNotificationConfig } } };
  }
  return alone === undefined
    ? request
    : { ...request, params: { ...params, pushNotificationConfig: oneScheme(alone) } };
}

function oneScheme(config: JsonObject): JsonObject {
  const authentication = objectAt(config['authentication']);
  const schemes = authentication?.['schemes'];
  if (!Array.isArray(schemes) || schemes.length < 2) return config;
  const listed: unknown[] = schemes;
  const named = strongestNamed(listed.filter((scheme) => typeof scheme === 'string'));
  // Where none is known, the first is left to be refused.
  return { ...config, authentication: { ...authentication, schemes: [named?.spelling ?? listed[0]] } };
}

/** `final` says in 0.3 that no event follows: so it does too when a stream ends because the agent asks its caller. */
export function withTrueFinal<Event extends { result?: unknown }>(event: Event, method: string): Event {
  const result = objectAt(event.result);
  const state = objectAt(result?.['status'])?.['state'];
  if (method !== 'message/stream' || result?.['kind'] !== 'status-update') return event;
  return state === 'input-required' || state === 'auth-required'
    ? { ...event, result: { ...result, final: true } }
    : event;
}

function objectAt(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}
