/** The names that webhooks take from the protocol's name (rule N1). */
export interface WebhookNames {
  /** The `tag` parameter of a webhook signature (rule C.webhook.signatures.3). */
  readonly webhookSignatureTag: string;
  /** The JWK field that says what a key is for (rule C.webhook.signatures.1). */
  readonly keyUseField: string;
  /** Legacy HMAC header with the signature (rule C.webhook.hmac). */
  readonly hmacSignatureHeader: string;
  /** Legacy HMAC header with the Unix seconds that were signed. */
  readonly hmacTimestampHeader: string;
}

/** The protocol's name unless another is given. */
export const DEFAULT_PROTOCOL = 'proto';

/** Where keys say what they are for in either public namespace, whichever of them a sender publishes its keys in. */
export const PUBLIC_KEY_USE_FIELDS: readonly string[] = [DEFAULT_PROTOCOL, 'adcp'].map(keyUseField);

const NAME_SHAPE = /^[a-z][a-z0-9-]{0,31}$/;

/**
 * The names that follow from one protocol name; for the public ecosystem that is `adcp`.
 * @throws {RangeError} when the name is not 1–32 of `a-z`, `0-9` and `-`, beginning with a letter.
 */
export function webhookNames(protocol: string = DEFAULT_PROTOCOL): WebhookNames {
  if (!NAME_SHAPE.test(protocol)) {
    throw new RangeError('a protocol name is 1-32 of a-z, 0-9 and "-", beginning with a letter');
  }
  const upper = protocol.toUpperCase();
  return Object.freeze({
    webhookSignatureTag: `${protocol}/webhook-signing/v1`,
    keyUseField: keyUseField(protocol),
    hmacSignatureHeader: `X-${upper}-Signature`,
    hmacTimestampHeader: `X-${upper}-Timestamp`,
  });
}

function keyUseField(protocol: string): string {
  return `${protocol}_use`;
}
