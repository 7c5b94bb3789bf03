import { z } from 'zod';
import { OrganizationId } from '../../platform/organization-id.ts';

/** What a person allowed an application, as an operator sees it. */
export const GrantFacts = z.object({
  grant_id: z.string(),
  client_id: z.string(),
  /** Who allowed it; the address as it was then. */
  subject: z.string(),
  email: z.string(),
  resource: z.string(),
  scopes: z.array(z.string()),
  organization_id: OrganizationId.nullable(),
  created_at: z.string(),
  /** Until when a refresh token of it could be used; null before there is one. */
  refresh_expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  revoked_because: z.string().nullable(),
});
export type GrantFacts = z.infer<typeof GrantFacts>;

/** What an operator does about grants of this house's authorization server. */
export interface GrantDesk {
  /** Newest first; all, or those for one organization, or of one person. */
  list(
    of: { organization_id?: OrganizationId | undefined; subject?: string | undefined },
    page: { limit: number; after?: string | undefined },
  ): Promise<{ rows: GrantFacts[]; cursor?: string }>;
  /**
   * Ends one: its refresh token at once, its access tokens within seconds in every process. Again changes nothing.
   * @throws {AppError} `NOT_FOUND`.
   */
  end(grant_id: string): Promise<GrantFacts>;
  /** Ends all grants of a person and signs them out of every browser. Answers how many of each. */
  endAll(subject: string): Promise<{ grants_ended: number; sessions_ended: number }>;
}

/**
 * Ends what a person has allowed applications for one organization; grants end as by {@link GrantDesk.end}. Answers how many.
 * Does nothing where an issuer elsewhere keeps the grants: there too every call looks for the membership.
 */
export type EndGrants = (of: { organization_id: OrganizationId; user_id: string }) => Promise<number>;
