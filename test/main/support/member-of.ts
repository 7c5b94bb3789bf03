import { randomUUID } from 'node:crypto';
import { domainClaims, newDomainClaim } from '../../../src/directory/domain-claim/domain-claim.ts';
import { settleClaim } from '../../../src/directory/domain-claim/settle-claim.ts';
import type { MembershipChange } from '../../../src/directory/membership/change-role.ts';
import { membershipId, memberships } from '../../../src/directory/membership/membership.ts';
import { newOrganization, organizations } from '../../../src/directory/organization/organization.ts';
import type { Core } from '../../../src/main/wiring/compose.ts';
import { organizationId } from '../../support/ids.ts';

/** An organization of its own, with an owner and a member; the owner is who acts. */
export async function memberOf({ store }: Core): Promise<MembershipChange> {
  const organization_id = organizationId(`org_${randomUUID()}`);
  const [by, user_id] = [`user_${randomUUID()}`, `user_${randomUUID()}`];
  const created_at = new Date().toISOString();
  const row = { organization_id, name: 'Members', state: 'active', owner_id: by, created_at } as const;
  await store.collection(organizations).insert(newOrganization(row));
  const membership_id = membershipId(organization_id, user_id);
  await store
    .collection(memberships)
    .insert({ membership_id, organization_id, user_id, role: 'member', created_at, revision: 1 });
  return { organization_id, user_id, by };
}

/** A domain that the owner has proved for it. */
export async function provedDomain(core: Core, { organization_id, by }: MembershipChange): Promise<string> {
  const domain = `d-${randomUUID()}.example`;
  const claim = newDomainClaim(core, { organization_id, user_id: by, domain, method: 'dns' });
  await core.store.collection(domainClaims).insert(claim);
  const consent = { address: '198.51.100.1', terms_version: '1', privacy_version: '1' };
  await settleClaim(core, claim, { isOwner: true, consent });
  return domain;
}
