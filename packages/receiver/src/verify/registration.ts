import type { KeySource } from './verify-rules.ts';

/**
 * What a receiver agreed with a sender when it registered for webhooks, by mode. Each mode has its scheme in `schemes`.
 */
export interface Registrations {
  rfc9421: SignedRegistration;
  'hmac-sha256': HmacRegistration;
  bearer: BearerRegistration;
}

/** How the webhooks of one registration are authenticated: `rfc9421` unless it carried an `authentication` block. */
export type WebhookMode = keyof Registrations;

/** The mode is the registration's alone: nothing in a request can choose another (rule W12). */
export type Registration = Registrations[WebhookMode];

/** The registration of a mode, or of any of several. */
export type RegistrationOf<Mode extends WebhookMode> = { [M in Mode]: { mode: M } & Registrations[M] }[Mode];

/** Registered without an `authentication` block: signed by RFC 9421. */
export type SignedRegistration = KeySource & {
  mode: 'rfc9421';
  /** Who sends, for dedupe. Default: who publishes the key, as the resolver says, else `unnamed`. */
  sender?: string;
};

/** Registered with `authentication.schemes: ["HMAC-SHA256"]` (deprecated). */
export interface HmacRegistration {
  mode: 'hmac-sha256';
  sender: string;
  /** The shared secret, or several while one replaces another: 32 characters or more each (rule W4). */
  secret: string | readonly string[];
}

/** Registered with `authentication.schemes: ["Bearer"]` (deprecated): nothing protects the body. */
export interface BearerRegistration {
  mode: 'bearer';
  sender: string;
  /** The token, or several while one replaces another: 32 characters or more each (rule W4). */
  token: string | readonly string[];
}
