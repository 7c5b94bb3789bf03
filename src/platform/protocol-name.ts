import { DEFAULT_PROTOCOL, webhookNames } from '#receiver/wire/webhook-names';
import type { WebhookNames } from '#receiver/wire/webhook-names';

/** Every name derived from the protocol's name (rule N1); those of webhooks are spelled where they are received. */
export interface ProtocolNames extends WebhookNames {
  /** The protocol's name itself, such as `proto`. */
  readonly name: string;
  /** The field that carries a protocol release as MAJOR.MINOR (rule C.resources.badge). */
  readonly versionField: string;
  /** URI of the agent-card extension that declares the protocol. */
  readonly agentCardExtensionUri: string;
}

/**
 * The names that follow from one protocol name.
 * @throws {RangeError} when the name is not 1–32 of `a-z`, `0-9` and `-`, beginning with a letter.
 */
export function protocolNames(name: string = DEFAULT_PROTOCOL): ProtocolNames {
  return Object.freeze({
    ...webhookNames(name),
    name,
    versionField: `${name}_version`,
    agentCardExtensionUri: `https://adcontextprotocol.org/extensions/${name}`,
  });
}
