import { z } from 'zod';
import { AuthorizationSource } from '../directory/authorization/authorization.ts';

/** What answers say of an authorization that counts now, besides agent and publisher (rule R15.scope). */
export const AuthorizationView = {
  authorized_for: z.string(),
  source: AuthorizationSource,
  valid: z.literal(true),
  in_part: z.boolean().describe('For some properties, placements or countries only: ask /api/registry/authorization'),
  valid_from: z.string().nullable().describe('Null: always'),
  valid_until: z.string().nullable().describe('The first instant at which it is over; null: never'),
  entry_id: z.string().nullable().describe('The entry of the file; of several, the one that lets most, for longest'),
  source_url: z.string().nullable().describe('The file; null for what the operator entered'),
  seen_at: z.string(),
};
