import { isObject } from '../platform/json-object.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { strongestNamed } from '../webhooks/schemes/named-schemes.ts';

/** What a push configuration is called in 0.3: in JSON-RPC, and in protobuf as its JSON spells it. */
const CONFIGS = ['pushNotificationConfig', 'push_notification_config', 'pushNotification', 'push_notification'];
/** What may stand around it. */
const AROUND = ['configuration', 'config'];

/**
 * A push configuration of 0.3 lists the schemes that its receiver understands, of which 1.0, and so the SDK, has one: here
 * the strongest that is known is left, so that the SDK need not choose (rules W4, W5). Takes a request's parameters on any
 * binding; anything else is left as it is.
 */
export function withOneScheme<Params>(params: Params): Params {
  const withConfigs = (value: unknown) => withMembers(value, CONFIGS, oneScheme);
  return withMembers(withConfigs(params), AROUND, withConfigs) as Params;
}

/** An object with these members changed, where it has them. */
function withMembers(value: unknown, names: readonly string[], change: (member: unknown) => unknown): unknown {
  if (!isObject(value)) return value;
  const present = names.filter((name) => isObject(value[name]));
  return { ...value, ...Object.fromEntries(present.map((name) => [name, change(value[name])])) };
}

function oneScheme(config: unknown): unknown {
  const authentication = objectAt(objectAt(config)?.['authentication']);
  const schemes = authentication?.['schemes'];
  if (!Array.isArray(schemes) || schemes.length < 2) return config;
  const listed: unknown[] = schemes;
  const named = strongestNamed(listed.filter((scheme) => typeof scheme === 'string'));
  // Where none is known, the first is left to be refused.
  return { ...objectAt(config), authentication: { ...authentication, schemes: [named?.spelling ?? listed[0]] } };
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
