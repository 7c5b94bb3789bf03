/** Every name derived from the protocol's name (rule N1). No other file spells one. */
export interface ProtocolNames {
  /** The protocol's name itself, such as `proto`. */
  readonly name: string;
  /** The `tag` parameter of a webhook signature (rule C.webhook.signatures.3). */
  readonly webhookSignatureTag: string;
  /** The JWK field that says what a key is for (rule C.webhook.signatures.1). */
  readonly keyUseField: string;
  /** Legacy HMAC header with the signature (rule C.webhook.hmac). */
  readonly hmacSignatureHeader: string;
  /** Legacy HMAC header with the Unix seconds that were signed. */
  readonly hmacTimestampHeader: string;
  /** The field that carries a protocol release as MAJOR.MINOR (rule C.resources.badge). */
  readonly versionField: string;
  /** URI of the agent-card extension that declares the protocol. */
  readonly agentCardExtensionUri: string;
}

/** The name when none is configured. */
const DEFAULT_PROTOCOL_NAME = 'proto';

const NAME_SHAPE = /^[a-z][a-z0-9-]{0,31}$/;

/**
 * The names that follow from one protocol name.
 * @throws {RangeError} when the name is not 1–32 of `a-z`, `0-9` and `-`, beginning with a letter.
 */
export function protocolNames(name: string = DEFAULT_PROTOCOL_NAME): ProtocolNames {
  if (!NAME_SHAPE.test(name)) {
    throw new RangeError('a protocol name is 1-32 of a-z, 0-9 and "-", beginning with a letter');
  }
  const upper = name.toUpperCase();
  return Object.freeze({
    name,
    webhookSignatureTag: `${name}/webhook-signing/v1`,
    keyUseField: `${name}_use`,
    hmacSignatureHeader: `X-${upper}-Signature`,
    hmacTimestampHeader: `X-${upper}-Timestamp`,
    versionField: `${name}_version`,
    agentCardExtensionUri: `https://adcontextprotocol.org/extensions/${name}`,
  });
}
