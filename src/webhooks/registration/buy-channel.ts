import { registeredUrl, storedUrl } from '../../platform/crypto/sealed-url.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';
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
 * @param field Where it stands in the input; '' for the whole of it.
 * @throws {AppError} `INVALID_REQUEST` or `ADDRESS_REFUSED` with the field (rules W4, W16).
 */
export function sealBuyChannel<C extends BuyChannelConfig>(deps: RegisterDependencies, config: C, field: string): C {
  const { url, token, authentication } = config;
  const at = field === '' ? '' : `${field}.`;
  checkWebhookUrl(url, `${at}url`, deps);
  if (authentication) askedScheme(authentication, `${at}authentication`, { ...deps, mutates: true });
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

/** The configuration that was sealed, with its secrets open. @throws {Error} when the key that sealed them is not at hand. */
export function openBuyChannel<C extends BuyChannelConfig>(sealer: Sealer, sealed: C): C {
  const { token, authentication } = sealed;
  const url = registeredUrl(sealer, sealed.url);
  const open = (text: string) => sealer.open(text, sealedFor(url));
  return {
    ...sealed,
    url,
    ...(token !== undefined && { token: open(token) }),
    ...(authentication?.credentials !== undefined && {
      authentication: { ...authentication, credentials: open(authentication.credentials) },
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
