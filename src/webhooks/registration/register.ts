import { toTimestamp } from '../../platform/clock.ts';
import type { Clock, Ids } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { storedUrl } from '../../platform/crypto/sealed-url.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';
import { parseInput } from '../../platform/validation.ts';
import type { RegistrationRequest } from '../../runtime/notifier.ts';
import type { Registration } from '../../runtime/registration.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import { A2aPushConfig, PushNotificationConfig } from './push-notification-config.ts';
import { askedScheme } from '../schemes/asked-scheme.ts';
import type { AskedAuthentication } from '../schemes/asked-scheme.ts';
import { UNNAMED_MODE } from '../schemes/named-schemes.ts';
import { checkWebhookUrl, sealedFor } from './webhook-target.ts';
import type { WebhookPlaces } from './webhook-target.ts';

export interface RegisterDependencies extends WebhookPlaces {
  sealer: Sealer;
  clock: Clock;
  ids: Ids;
  /** `ALLOW_LEGACY_BEARER`. */
  allowLegacyBearer: boolean;
}

/**
 * Makes a registration of either channel storable: its URL checked, its secrets sealed for that URL alone.
 * @throws {AppError} `INVALID_REQUEST`, `VALIDATION_ERROR` or `ADDRESS_REFUSED` with the field (rules W2, W3, W4, W5,
 * W16).
 */
export function registerWebhook(
  deps: RegisterDependencies,
  request: RegistrationRequest,
  definition: TaskDefinition,
): Registration {
  const { field } = request;
  if (definition.mode === 'inline') {
    throw new AppError('INVALID_REQUEST', `${field}: ${definition.name} is answered at once and never notifies`, {
      field,
      suggestion: `leave ${field} out`,
    });
  }
  const asked = request.channel === 'mcp' ? askedByInput(request.config, field) : askedByA2a(request.config, field);
  checkWebhookUrl(asked.url, `${field}.url`, deps);
  if (request.channel === 'a2a' && asked.token !== undefined && !isHeaderText(asked.token)) {
    throw new AppError('INVALID_REQUEST', `${field}.token: it is sent in a header, so send visible ASCII`, {
      field: `${field}.token`,
    });
  }
  const named =
    asked.authentication &&
    askedScheme(asked.authentication, `${field}.authentication`, { ...deps, mutates: definition.mutates });
  const seal = (text: string) => deps.sealer.seal(text, sealedFor(asked.url));
  return {
    registration_id: asked.id ?? deps.ids.newId(),
    channel: request.channel,
    ...(request.channel === 'a2a' && { wire: request.wire }),
    url: storedUrl(deps.sealer, asked.url),
    ...(asked.operation_id !== undefined && { operation_id: asked.operation_id }),
    ...(asked.token !== undefined && { sealed_token: seal(asked.token) }),
    mode: named?.mode ?? UNNAMED_MODE,
    ...(named?.credentials !== undefined && { sealed_credentials: seal(named.credentials) }),
    ...(named && { scheme: named.scheme }),
    created_at: toTimestamp(deps.clock.now()),
  };
}

interface Asked {
  id?: string | undefined;
  url: string;
  operation_id?: string;
  token?: string | undefined;
  authentication?: AskedAuthentication | undefined;
}

function askedByInput(config: unknown, field: string): Asked {
  return parseInput(PushNotificationConfig, config, [field]);
}

function askedByA2a(config: unknown, field: string): Asked {
  const { id, url, token, authentication } = parseInput(A2aPushConfig, config, [field]);
  const schemes = [...(authentication?.schemes ?? []), ...(authentication?.scheme ? [authentication.scheme] : [])];
  const isAsked = schemes.length > 0 || authentication?.credentials !== undefined;
  return { id, url, token, ...(isAsked && { authentication: { schemes, credentials: authentication?.credentials } }) };
}

/** Text that a header carries unchanged. */
function isHeaderText(text: string): boolean {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(text);
}
