import type { Registration } from '../runtime/registration.ts';
import type { WebhookAuthentication } from './push-notification-config.ts';
import type { RegisterDependencies } from './register.ts';
import { legacyMode } from './webhook-mode.ts';
import { checkWebhookUrl, sealedFor } from './webhook-target.ts';

/** A webhook of a media buy, which outlasts the task that registers it: what its kinds have in common. */
export interface BuyChannelConfig {
  url: string;
  operation_id?: string | undefined;
  authentication?: WebhookAuthentication | undefined;
  token?: string | undefined;
}

/**
 * Checks a webhook of a media buy as a task's own is checked, and seals its secrets in place: the same configuration,
 * fit to be stored.
 * @throws {AppError} `INVALID_REQUEST` or `ADDRESS_REFUSED` with the field (rules W4, W16).
 */
export function sealBuyChannel<C extends BuyChannelConfig>(deps: RegisterDependencies, config: C, field: string): C {
  const { url, token, authentication } = config;
  checkWebhookUrl(url, `${field}.url`, deps);
  if (authentication) legacyMode(authentication, `${field}.authentication`, { ...deps, mutates: true });
  const seal = (text: string) => deps.sealer.seal(text, sealedFor(url));
  return {
    ...config,
    ...(token !== undefined && { token: seal(token) }),
    ...(authentication && {
      authentication: { ...authentication, credentials: seal(authentication.credentials) },
    }),
  };
}

/** The registration that a sealed configuration stands for. Its secrets stay sealed. */
export function buyChannel(sealed: BuyChannelConfig, registration_id: string, created_at: string): Registration {
  const { url, operation_id, token, authentication } = sealed;
  const scheme = authentication?.schemes.find((name) => name === 'HMAC-SHA256') ?? authentication?.schemes[0];
  return {
    registration_id,
    channel: 'mcp',
    url,
    ...(operation_id !== undefined && { operation_id }),
    ...(token !== undefined && { sealed_token: token }),
    mode: scheme === undefined ? 'rfc9421' : scheme === 'HMAC-SHA256' ? 'hmac-sha256' : 'bearer',
    ...(authentication && { sealed_credentials: authentication.credentials }),
    ...(scheme !== undefined && { scheme }),
    created_at,
  };
}
