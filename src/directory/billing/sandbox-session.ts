import { z } from 'zod';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** A session of the sandbox provider. Its id is the capability to confirm it: 256 random bits, stored as its hash. */
export const SandboxSession = z.object({
  session_hash: z.string(),
  organization_id: OrganizationId,
  price_id: z.string(),
  /** Set once; the event is made of it, so that a repeat is the same event. */
  confirmed_at: z.string().nullable(),
  expires_at: z.string(),
  revision: z.number().int(),
});
export type SandboxSession = z.infer<typeof SandboxSession>;

export const sandboxSessions: CollectionSpec<SandboxSession> = {
  name: 'sandbox_checkout_sessions',
  key: 'session_hash',
  schema: SandboxSession,
  indexes: [],
  expires: 'expires_at',
};
