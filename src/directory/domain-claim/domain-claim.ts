import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import type { Clock, Ids } from '../../platform/clock.ts';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';

export const ProofMethod = z.enum(['dns', 'file']);
export type ProofMethod = z.infer<typeof ProofMethod>;

/**
 * A person says that a domain is theirs to speak for, and gets a token to show there: for an organization that nobody owns, or
 * for one that they own. The token is no secret; it is good for this person, organization and domain alone.
 */
export const DomainClaim = z.object({
  claim_id: z.string(),
  organization_id: OrganizationId,
  user_id: z.string(),
  domain: z.string(),
  method: ProofMethod,
  token: z.string(),
  created_at: z.string(),
  /** When the proof was found; null before. */
  verified_at: z.string().nullable(),
  expires_at: z.string(),
  revision: z.number().int(),
});
export type DomainClaim = z.infer<typeof DomainClaim>;

export const domainClaims: CollectionSpec<DomainClaim> = {
  name: 'domain_claims',
  key: 'claim_id',
  schema: DomainClaim,
  indexes: [
    { name: 'user', fields: ['user_id', 'created_at'] },
    { name: 'domain', fields: ['domain', 'organization_id'] },
  ],
  expires: 'expires_at',
};

/** How long a claim can be proved. */
const CLAIM_LIFE_MS = 7 * 86_400_000;

export function newDomainClaim(
  { clock, ids }: { clock: Clock; ids: Ids },
  given: Pick<DomainClaim, 'organization_id' | 'user_id' | 'domain' | 'method'>,
): DomainClaim {
  return {
    claim_id: `claim_${ids.newId()}`,
    ...given,
    token: `media-buy-agent-claim=${randomBytes(32).toString('base64url')}`,
    created_at: toTimestamp(clock.now()),
    verified_at: null,
    expires_at: toTimestamp(clock.now() + CLAIM_LIFE_MS),
    revision: 1,
  };
}

/** Where the token is to be shown: as a TXT record of this name, or as a line of the file at this URL. */
export function placeOfProof({ domain, method }: Pick<DomainClaim, 'domain' | 'method'>): string {
  return method === 'dns' ? `_media-buy-agent.${domain}` : claimFileUrlOf(`https://${domain}`);
}

export function claimFileUrlOf(origin: string): string {
  return `${origin}/.well-known/media-buy-agent-claim.txt`;
}
