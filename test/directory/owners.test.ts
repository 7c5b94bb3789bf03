import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { feedEvents, feedIntents } from '../../src/directory/feed/feed-event.ts';
import { joinRequests } from '../../src/directory/join-request/join-request.ts';
import { changeMemberRole, transferOwnership } from '../../src/directory/membership/change-role.ts';
import { endMembership } from '../../src/directory/membership/end-membership.ts';
import { membershipId, memberships } from '../../src/directory/membership/membership.ts';
import type { MembershipRole } from '../../src/directory/membership/membership.ts';
import { membersOf } from '../../src/directory/membership/members-of.ts';
import { roleIn } from '../../src/directory/membership/organizations-of-user.ts';
import { newOrganization, organizations } from '../../src/directory/organization/organization.ts';
import { users } from '../../src/directory/user/user.ts';
import { AppError } from '../../src/platform/errors.ts';
import type { OrganizationId } from '../../src/platform/organization-id.ts';
import type { Store } from '../../src/platform/store/collection.ts';
import { organizationId } from '../support/ids.ts';
import { withStoreHooks } from '../support/store-hooks.ts';
import type { StoreHooks } from '../support/store-hooks.ts';
import { describeOnStores } from '../support/stores.ts';
import { installation } from './support/installation.ts';
import type { Installation } from './support/installation.ts';

const SPECS = [organizations, memberships, joinRequests, users, feedEvents, feedIntents];
const created_at = '2026-03-01T12:00:00.000Z';

describeOnStores('owners on %s', (kind) => {
  let at: Installation;
  /** The same data, as another process has it. */
  let elsewhere: Store;
  beforeAll(async () => {
    at = await installation(SPECS, kind);
    elsewhere = await at.another();
  });
  afterAll(() => at.close());

  const depsOf = (store: Store) => ({ ...at, store, endGrants: () => Promise.resolve(0) });

  /** An organization with these members, by name; `founder` is named by its own row, where there is one. */
  async function company(members: Record<string, MembershipRole>, founder: string | null = 'founder') {
    const organization_id = organizationId(`org_${randomUUID()}`);
    await at.store
      .collection(organizations)
      .insert(newOrganization({ organization_id, name: 'X', state: 'active', owner_id: founder, created_at }));
    for (const [user_id, role] of Object.entries(members))
      await at.store.collection(memberships).insert({
        membership_id: membershipId(organization_id, user_id),
        ...{ organization_id, user_id, role, created_at, revision: 1 },
      });
    return organization_id;
  }
  async function roles(organization_id: OrganizationId): Promise<Record<string, MembershipRole>> {
    const organization = await elsewhere.collection(organizations).get(organization_id);
    if (organization === undefined) throw new Error('no organization');
    const { members } = await membersOf(elsewhere, organization, { limit: 100 });
    for (const { user_id, role } of members) expect(await roleIn(elsewhere, organization, user_id), user_id).toBe(role);
    return Object.fromEntries(members.map(({ user_id, role }) => [user_id, role]));
  }
  const end = (organization_id: OrganizationId, user_id: string, store = at.store) =>
    endMembership(depsOf(store), { organization_id, user_id, by: user_id });
  const change = (organization_id: OrganizationId, user_id: string, role: MembershipRole, store = at.store) =>
    changeMemberRole(depsOf(store), { organization_id, user_id, by: 'somebody' }, role);
  const transfer = (organization_id: OrganizationId, by: string, user_id: string, store = at.store) =>
    transferOwnership(depsOf(store), { organization_id, user_id, by });

  const codeOf = (error: unknown) => (error instanceof AppError ? error.code : String(error));
  const outcome = (work: Promise<unknown>) => work.then(() => 'done', codeOf);
  /** Does the first thing, and at its `n`-th write, or right after it, the whole of the second, in another process. */
  async function interrupted(
    n: number,
    moment: 'before' | 'after',
    first: (store: Store) => Promise<unknown>,
    second: () => Promise<unknown>,
  ): Promise<[string, string | undefined]> {
    let other: string | undefined;
    const hook = async ({ n: reached }: { n: number }) => {
      if (reached === n && other === undefined) other = await outcome(second());
    };
    const hooks: StoreHooks = moment === 'before' ? { before: hook } : { after: hook };
    return [await outcome(first(withStoreHooks(at.store, hooks))), other];
  }

  it('[R8.members] the only owner can neither leave nor be lowered, and nothing is changed by trying', async () => {
    const id = await company({ ann: 'admin' });
    expect(await outcome(end(id, 'founder'))).toBe('CONFLICT');
    expect(await outcome(change(id, 'founder', 'admin'))).toBe('CONFLICT');
    expect(await roles(id)).toEqual({ founder: 'owner', ann: 'admin' });
    await expect(end(id, 'founder')).rejects.toThrow(`POST /api/organizations/${id}/transfer`);
  });

  it('[R8.members] whoever leaves has their approvals marked, and what was never approved stays as it is', async () => {
    const organization_id = await company({ ann: 'member' });
    const rows = at.store.collection(joinRequests);
    const asked = async (status: 'pending' | 'approved' | 'rejected' | 'withdrawn', user_id = 'ann') => {
      const join_request_id = randomUUID();
      await rows.insert({
        ...{ join_request_id, organization_id, user_id, email: 'a@x.example', status, created_at, revision: 1 },
        pending_for: status === 'pending' ? join_request_id : null,
        ...{ role: null, decided_at: null, decided_by: null },
      });
      return async () => rows.get(join_request_id);
    };
    const [approved, another] = [await asked('approved'), await asked('approved', 'bob')];
    const others = [await asked('pending'), await asked('rejected'), await asked('withdrawn'), another];
    const before = await Promise.all(others.map((read) => read()));
    await end(organization_id, 'ann');
    expect(await approved()).toMatchObject({ status: 'approved', membership_ended_at: expect.any(String) as string });
    expect(await Promise.all(others.map((read) => read()))).toEqual(before);
  });

  it('[R8.members] with two owners either can leave or be lowered, the founder too, and the other stays', async () => {
    const left = await company({ ann: 'owner' });
    await end(left, 'founder');
    expect(await roles(left)).toEqual({ ann: 'owner' });
    const lowered = await company({ ann: 'owner' });
    await change(lowered, 'founder', 'member');
    expect(await roles(lowered)).toEqual({ ann: 'owner', founder: 'member' });
    const other = await company({ ann: 'owner' });
    await end(other, 'ann');
    expect(await roles(other)).toEqual({ founder: 'owner' });
  });

  it('[R8.members] an organization that a setting gave its owners keeps one just the same', async () => {
    const id = await company({ ann: 'owner', bob: 'owner' }, null);
    expect(await outcome(end(id, 'ann'))).toBe('done');
    expect(await outcome(change(id, 'bob', 'admin'))).toBe('CONFLICT');
    expect(await outcome(end(id, 'bob'))).toBe('CONFLICT');
    expect(await roles(id)).toEqual({ bob: 'owner' });
  });

  it('[R8.members] a transfer makes a member the owner and the owner an admin; to a stranger it does nothing', async () => {
    const id = await company({ ann: 'member', bob: 'owner' });
    expect(await outcome(transfer(id, 'founder', 'nobody'))).toBe('NOT_FOUND');
    expect(await outcome(transfer(id, 'ann', 'bob'))).toBe('FORBIDDEN');
    await transfer(id, 'founder', 'ann');
    expect(await roles(id)).toEqual({ ann: 'owner', founder: 'admin', bob: 'owner' });
    await transfer(id, 'bob', 'founder');
    expect(await roles(id)).toEqual({ ann: 'owner', founder: 'owner', bob: 'admin' });
    expect(await outcome(transfer(id, 'bob', 'bob'))).toBe('done');
    expect(await roles(id)).toEqual({ ann: 'owner', founder: 'owner', bob: 'admin' });
  });

  it('[R8.members] of twenty transfers at once, from two processes, one happens', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `m${i}`);
    const id = await company(Object.fromEntries(names.map((name) => [name, 'member' as const])));
    const outcomes = await Promise.all(
      names.map((name, i) => outcome(transfer(id, 'founder', name, i % 2 === 0 ? at.store : elsewhere))),
    );
    expect(outcomes.filter((one) => one === 'done')).toHaveLength(1);
    const now = await roles(id);
    expect(Object.values(now).filter((role) => role === 'owner')).toHaveLength(1);
    expect(now['founder']).toBe('admin');
    expect(now[names[outcomes.indexOf('done')] ?? '']).toBe('owner');
  });

  it('[R8.members] of five owners who all leave at once, from two processes, one stays', async () => {
    const id = await company({ ann: 'owner', bob: 'owner', cat: 'owner', dan: 'owner' });
    const leavers = ['founder', 'ann', 'bob', 'cat', 'dan'];
    const outcomes = await Promise.all(
      leavers.map((name, i) => outcome(end(id, name, i % 2 === 0 ? at.store : elsewhere))),
    );
    const stayed = leavers.filter((_, i) => outcomes[i] === 'CONFLICT');
    expect(stayed).toHaveLength(1);
    expect(await roles(id)).toEqual({ [stayed[0] ?? '']: 'owner' });
  });

  interface Race {
    what: string;
    first: (id: OrganizationId, store: Store) => Promise<unknown>;
    second: (id: OrganizationId) => Promise<unknown>;
    /** Who leaves by each. */
    leaves?: [string | undefined, string | undefined];
  }
  const leave = (name: string) => (id: OrganizationId, store?: Store) => end(id, name, store ?? elsewhere);
  const lower = (name: string) => (id: OrganizationId, store?: Store) => change(id, name, 'member', store ?? elsewhere);
  const giveToAnn = (id: OrganizationId, store?: Store) => transfer(id, 'founder', 'ann', store ?? elsewhere);
  /** With and without a membership of the founder's own. */
  const PLACES = [false, true].flatMap((hasRow) => [[hasRow, 'before'] as const, [hasRow, 'after'] as const]);
  /** Two things that two owners do, each alone fine. */
  const RACES: readonly Race[] = [
    { what: 'both leave', first: leave('founder'), second: leave('ann'), leaves: ['founder', 'ann'] },
    { what: 'the other leaves first', first: leave('ann'), second: leave('founder'), leaves: ['ann', 'founder'] },
    { what: 'each lowers the other', first: lower('ann'), second: lower('founder') },
    { what: 'the same the other way round', first: lower('founder'), second: lower('ann') },
    { what: 'who is given it leaves', first: giveToAnn, second: leave('ann'), leaves: [undefined, 'ann'] },
    { what: 'who leaves is given it', first: leave('ann'), second: giveToAnn, leaves: ['ann', undefined] },
    { what: 'who is given it is lowered', first: giveToAnn, second: lower('ann') },
    { what: 'the giver is removed', first: giveToAnn, second: leave('founder'), leaves: [undefined, 'founder'] },
    { what: 'who is removed gives it', first: leave('founder'), second: giveToAnn, leaves: ['founder', undefined] },
    {
      what: 'who is lowered leaves',
      first: lower('founder'),
      second: leave('founder'),
      leaves: [undefined, 'founder'],
    },
    {
      what: 'who leaves is lowered',
      first: leave('founder'),
      second: lower('founder'),
      leaves: ['founder', undefined],
    },
  ];

  it.each(RACES)(
    '[R8.members] whatever of one comes between two writes of the other, there is an owner, and who was told that they left has nothing: $what',
    async ({ first, second, leaves = [undefined, undefined] }) => {
      let wasReached = true;
      for (let n = 1; wasReached; n++) {
        wasReached = false;
        for (const [hasRow, moment] of PLACES) {
          const id = await company({ ann: 'owner', ...(hasRow && { founder: 'owner' }) });
          const [one, other] = await interrupted(
            n,
            moment,
            (store) => first(id, store),
            () => second(id),
          );
          if (other === undefined) continue;
          wasReached = true;
          const now = await roles(id);
          const where = `${hasRow}, ${moment} write ${n}: ${one}, ${other}: ${JSON.stringify(now)}`;
          expect(Object.values(now).filter((role) => role === 'owner').length, where).toBeGreaterThanOrEqual(1);
          expect(
            [one, other].every((code) => ['done', 'CONFLICT', 'NOT_FOUND', 'FORBIDDEN'].includes(code)),
            where,
          ).toBe(true);
          expect([one, other], where).toContain('done');
          for (const [i, outcomeOf] of [one, other].entries())
            if (outcomeOf === 'done' && leaves[i] !== undefined) expect(now, where).not.toHaveProperty(leaves[i]);
        }
      }
    },
  );
});
