import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newOrganization, organizations } from '../../src/directory/organization/organization.ts';
import { organizationId } from '../support/ids.ts';
import { installation } from './support/installation.ts';
import type { Installation } from './support/installation.ts';

let at: Installation;
const created_at = '2026-03-01T12:00:00.000Z';

beforeEach(async () => {
  at = await installation([organizations]);
});
afterEach(() => at.close());

describe('organizations', () => {
  it('[R7] never share a corporate domain; any number have none', async () => {
    const rows = at.store.collection(organizations);
    const make = (id: string, corporate_domain: string | null) =>
      rows.insert(
        newOrganization({
          organization_id: organizationId(id),
          name: 'X',
          state: 'active',
          created_at,
          corporate_domain,
        }),
      );
    expect(await make('a', 'acme.example')).toEqual({ inserted: true });
    expect(await make('b', 'acme.example')).toEqual({ inserted: false, duplicate: 'corporate_domain' });
    expect(await make('c', null)).toEqual({ inserted: true });
    expect(await make('d', null)).toEqual({ inserted: true });
  });

  it('[R7] include one personal workspace a user at most', async () => {
    const rows = at.store.collection(organizations);
    const make = (id: string, personal_owner_id: string) =>
      rows.insert(
        newOrganization({
          organization_id: organizationId(id),
          name: 'X',
          state: 'active',
          created_at,
          is_personal: true,
          personal_owner_id,
        }),
      );
    expect(await make('a', 'user_1')).toEqual({ inserted: true });
    expect(await make('b', 'user_1')).toEqual({ inserted: false, duplicate: 'personal_owner' });
    expect(await make('c', 'user_2')).toEqual({ inserted: true });
  });
});
