import type { ProtocolNames } from '../../platform/protocol-name.ts';
import type { SigningKey } from '../signing/signing-key.ts';

/**
 * What a sender does for webhooks of one mode. The kind of secret it proves with decides what it is given: `sign` sees
 * that secret and no other.
 */
export type Scheme = SigningKeyScheme | CredentialsScheme;

/** What a scheme says of itself, whatever it proves with. */
interface NamedOnTheWire {
  /**
   * What a buyer calls it in `authentication`, and what the agent advertises. In a task's input it is spelled just so,
   * in an A2A configuration in any case. Null when no buyer names it.
   */
  wireName: string | null;
  /** Whether it is deprecated: the agent says so where it advertises it. */
  legacy: boolean;
  /** Why it is not to be had for this task, in words for the buyer; undefined where it is. */
  unavailable(policy: SchemePolicy): string | undefined;
}

/** Proves with the agent's own key: a registration of it has no credentials. */
export interface SigningKeyScheme extends NamedOnTheWire {
  secret: 'signing-key';
  /** The headers that prove one attempt. */
  sign(attempt: UnsignedAttempt, key: SigningKey): Record<string, string>;
}

/** Proves with credentials that the buyer sent when it registered; they are stored sealed. */
export interface CredentialsScheme extends NamedOnTheWire {
  secret: 'credentials';
  /** Credentials come with the name of what they are for. */
  wireName: string;
  /** Why these credentials will not do, in words that do not hold them; undefined where they will. */
  credentialsFault(credentials: string): string | undefined;
  /** The headers that prove one attempt. */
  sign(attempt: UnsignedAttempt, credentials: string): Record<string, string>;
}

/** What an installation allows, and what it is asked for. */
export interface SchemePolicy {
  /** Whether the callbacks tell of something that changes what the buyer has. */
  mutates: boolean;
  /** `ALLOW_LEGACY_BEARER`. */
  allowLegacyBearer: boolean;
}

/** One attempt as it will be sent, `POST`ed as `application/json`. */
export interface UnsignedAttempt {
  url: string;
  /** The exact bytes. */
  body: Uint8Array;
  /** Milliseconds since the epoch. */
  now: number;
  names: ProtocolNames;
}
