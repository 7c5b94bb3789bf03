import type { OrganizationId } from '../platform/organization-id.ts';

/** What a credential lets its holder do. */
export const SCOPES = [
  'tasks:read',
  'tasks:write',
  'registry:read',
  'registry:write',
  'webhooks:read',
  'webhooks:write',
] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * Who is calling, once a credential has been checked. Everything an organization owns is found by `organization_id`
 * (rule T5).
 */
export interface Caller {
  organization_id: OrganizationId;
  /** The credential or user behind the call: an API key's id or a token's subject. */
  principal_id: string;
  scopes: readonly Scope[];
}
