import type { AgentCard } from '@a2a-js/sdk';
import type { JsonObject } from '../../platform/json-object.ts';
import type { A2aCall } from '../call.ts';
import { ProtocolError } from '../failure.ts';
import { buildAgentCard } from './agent-card.ts';
import type { CardSource } from './agent-card.ts';
import { signCard, signModernCard } from './card-signature.ts';
import type { DocumentSigner } from '../../platform/crypto/document-signer.ts';
import { legacyExtendedForm } from './legacy-extended-form.ts';

/**
 * The card for one caller: the skills that its scopes allow, and the limits that hold for it.
 * @throws {ProtocolError} `UNSUPPORTED_OPERATION` where nobody authenticates.
 */
export async function extendedCard(
  source: CardSource,
  limits: JsonObject,
  { caller, wire, binding }: A2aCall,
  signer: DocumentSigner | undefined,
): Promise<AgentCard> {
  if (source.isAuthenticated === false) {
    throw new ProtocolError('UNSUPPORTED_OPERATION', 'there is no extended card; the public one says everything');
  }
  const card = buildAgentCard({
    ...source,
    tasks: source.tasks.filter(({ scope }) => caller.scopes.includes(scope)),
    publicSkills: caller.scopes.includes('tasks:read') ? (source.publicSkills ?? []) : [],
    extensionParams: { scopes: caller.scopes, limits },
  });
  if (signer === undefined) return card;
  const signatures = await (wire === '0.3'
    ? signCard(legacyExtendedForm(card, binding), signer)
    : signModernCard(card, signer));
  return { ...card, signatures: signatures.map((signature) => ({ ...signature, header: undefined })) };
}
