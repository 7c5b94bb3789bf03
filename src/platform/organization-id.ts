import { z } from 'zod';

/**
 * Names one organization: whose a row is (rule T5). A brand of the compiler's alone: stored and sent as the text it is,
 * and no other id can stand in its place. Text from outside becomes one by `OrganizationId.parse`, which refuses no text.
 */
export const OrganizationId = z.string().brand<'OrganizationId'>();
export type OrganizationId = z.infer<typeof OrganizationId>;
