import { storedUrl } from '../../platform/crypto/sealed-url.ts';
import type { Registration } from '../../runtime/registration.ts';
import type { WebhookAuthentication } from './push-notification-config.ts';
import type { RegisterDependencies } from './register.ts';
import { askedScheme } from '../schemes/asked-scheme.ts';
import { strongestNamed, UNNAMED_MODE } from '../schemes/named-schemes.ts';
import { checkWebhookUrl, sealedFor } from './webhook-target.ts';

/** A webhook of a media buy, which outlasts the task that registers it: what its kinds have in common. */
export interface BuyChannelConfig {
  url: string;
  operation_id?: string | undefined;
  authentication?: WebhookAuthentication | undefined;
  token?: string | undefined;
}

/**
 * Checks a webhook of a media buy as a task's own is checked, and seals its secrets and its URL's query in place: the same configuration,
 * fit to be stored.
 * @throws {AppError} `INVALID_REQUEST` or `ADDRESS_REFUSED` with the field (rules W4, W16).
 */
export function sealBuyChannel<C extends BuyChannelConfig>(deps: RegisterDependencies, config: C, field: string): C {
  const { url, token, authentication } = config;
  checkWebhookUrl(url, `${field}.url`, deps);
  if (authentication) askedScheme(authentication, `${field}.authentication`, { ...deps, mutates: true });
  const seal = (text: string) => deps.sealer.seal(text, sealedFor(url));
  return {
    ...config,
    url: storedUrl(deps.sealer, url),
    ...(token !== undefined && { token: seal(token) }),
    ...(authentication?.credentials !== undefined && {
      authentication: { ...authentication, credentials: seal(authentication.credentials) },
    }),
  };
}

/**
 * The registration that a sealed configuration stands for. Its secrets stay sealed.
 * @throws {Error} when it asks for schemes of which none is known here: it is no webhook without authentication.
 */
export function buyChannel(sealed: BuyChannelConfig, registration_id: string, created_at: string): Registration {
  const { url, operation_id, token, authentication } = sealed;
  const named = authentication && strongestNamed(authentication.schemes);
  if (authentication && !named) throw new Error(`no webhook scheme is called ${authentication.schemes.join(' or ')}`);
  return {
    registration_id,
    channel: 'mcp',
    url,
    ...(operation_id !== undefined && { operation_id }),
    ...(token !== undefined && { sealed_token: token }),
    mode: named?.mode ?? UNNAMED_MODE,
    ...(authentication?.credentials !== undefined && { sealed_credentials: authentication.credentials }),
    ...(named && { scheme: named.spelling }),
    created_at,
  };
}
