import { z } from 'zod';
import { placeOfProof, ProofMethod } from '../../directory/domain-claim/domain-claim.ts';
import type { DomainClaim } from '../../directory/domain-claim/domain-claim.ts';
import { CLAIM_OUTCOMES } from '../../directory/domain-claim/settle-claim.ts';
import { OrganizationParams } from '../request-to-join/schema.ts';

export const ClaimRequest = z.object({
  domain: z.string().min(1, 'required; send a domain').max(2000).describe('In any spelling'),
  method: ProofMethod.describe('dns: a TXT record; file: a text file over https'),
});

export const ClaimParams = OrganizationParams.extend({ claimId: z.string().min(1).max(100) });

export const ClaimView = z.object({
  id: z.string(),
  organization_id: z.string(),
  domain: z.string().describe('As it is kept'),
  method: ProofMethod,
  token: z.string().describe('No secret; it is good for you, this organization and this domain alone'),
  place: z
    .string()
    .describe('The name whose TXT record is the token, or the URL of the file one line of which is the token'),
  created_at: z.string(),
  expires_at: z.string().describe('Until then it can be verified'),
  verified_at: z.string().nullable(),
});

export const ClaimVerified = z.object({
  id: z.string(),
  organization_id: z.string(),
  domain: z.string(),
  outcome: z
    .enum(CLAIM_OUTCOMES)
    .describe('You own the organization; it has one domain more; or its first domain is proved in this way now'),
});

export function viewOfClaim(row: DomainClaim): z.infer<typeof ClaimView> {
  const { claim_id: id, organization_id, domain, method, token, created_at, expires_at, verified_at } = row;
  return { id, organization_id, domain, method, token, place: placeOfProof(row), created_at, expires_at, verified_at };
}
