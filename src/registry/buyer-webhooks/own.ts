import { AppError } from '../../platform/errors.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { EndpointCall } from '../endpoint.ts';

/** What all calls of an organization about its own webhooks have in common (rule C.endpoints.buyer-webhooks). */
const OF_BUYERS = { tag: 'Webhooks', access: 'required', area: 'webhooks' } as const;
export const READING = { ...OF_BUYERS, method: 'get', effect: 'read' } as const;
export const WRITING = { ...OF_BUYERS, method: 'post', effect: 'write' } as const;

export const READ_LIMIT = 'read_webhooks';
export const CHANGE_LIMIT = 'change_webhooks';

/** Answers about webhooks are kept nowhere on the way. */
export const NOT_KEPT = { 'Cache-Control': 'no-store' };

/** The organization that acts. @throws {AppError} `FORBIDDEN` where none does. */
export function ownOrganization({ organization_id }: EndpointCall): OrganizationId {
  if (organization_id !== undefined) return organization_id;
  throw new AppError('FORBIDDEN', 'an organization acts here');
}
