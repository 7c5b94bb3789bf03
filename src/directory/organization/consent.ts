import { z } from 'zod';
import type { CollectionSpec } from '../../platform/collection.ts';

/** Somebody accepted a document when an organization was made (contract "Organization adoption"). Never changed. */
export const Consent = z.object({
  consent_id: z.string(),
  organization_id: z.string(),
  user_id: z.string(),
  document: z.enum(['terms', 'privacy']),
  version: z.string(),
  accepted_at: z.string(),
  /** The address the request came from. */
  address: z.string(),
  revision: z.number().int(),
});
export type Consent = z.infer<typeof Consent>;

export const consents: CollectionSpec<Consent> = {
  name: 'consents',
  key: 'consent_id',
  schema: Consent,
  indexes: [
    { name: 'organization', fields: ['organization_id', 'accepted_at'] },
    { name: 'user', fields: ['user_id', 'accepted_at'] },
  ],
};
