import { hostedFiles } from '../../directory/hosted-file/hosted-file.ts';
import type { HostedFile } from '../../directory/hosted-file/hosted-file.ts';
import { provedHolder } from '../../directory/organization/organization-domain.ts';
import type { Organization } from '../../directory/organization/organization.ts';
import { AppError } from '../../platform/errors.ts';
import type { Store } from '../../platform/store/collection.ts';
import { managedOrganizations } from '../auth/managed-organizations.ts';
import { MOST_BYTES } from '../crawl/fetch-adagents.ts';
import type { EndpointCall } from '../endpoint.ts';

/**
 * The caller's organization that has proved this very domain.
 * @throws {AppError} `FORBIDDEN` for one that nobody has, that another has, and that the caller's has without being managed by them, alike
 * (rule T5).
 */
export async function ownPublisher({ store, caller }: EndpointCall, publisherDomain: string): Promise<Organization> {
  const holder = await provedHolder(store, publisherDomain);
  const managed = holder === undefined ? [] : await managedOrganizations(store, caller);
  const own = managed.find((row) => row.organization_id === holder?.organization_id);
  if (own !== undefined) return own;
  throw new AppError('FORBIDDEN', 'domain: no organization that you manage has proved this very domain', {
    field: 'domain',
    suggestion: 'have an owner prove it by POST /api/organizations/{orgId}/claims',
  });
}

/** What is served for a domain now: a file of the organization that has the domain, and that has not ended. */
export async function servedFile(store: Store, publisherDomain: string): Promise<HostedFile | undefined> {
  const row = await store.collection(hostedFiles).get(publisherDomain);
  if (row?.ended_at !== null) return undefined;
  const holder = await provedHolder(store, publisherDomain);
  return holder?.organization_id === row.organization_id ? row : undefined;
}

/** The caller's file for a domain. @throws {AppError} `FORBIDDEN` like {@link ownPublisher}; `NOT_FOUND`. */
export async function ownFile(call: EndpointCall, publisherDomain: string): Promise<HostedFile> {
  await ownPublisher(call, publisherDomain);
  const row = await servedFile(call.store, publisherDomain);
  if (row !== undefined) return row;
  throw new AppError('NOT_FOUND', 'no file is hosted here for this domain; PUT one', { field: 'domain' });
}

/** For a file that is too large to be hosted here. */
export const KEPT_ELSEWHERE = `serve it yourself: at the domain up to ${MOST_BYTES.own} bytes are read, where authoritative_location leads up to ${MOST_BYTES.elsewhere}; check it by POST /api/adagents/validate with the domain alone`;

/** Where a domain's file is served, and what its own origin names. */
export function hostedUrl({ baseUrl }: Pick<EndpointCall, 'baseUrl'>, publisherDomain: string): string {
  return `${baseUrl()}/hosted/${publisherDomain}/adagents.json`;
}
