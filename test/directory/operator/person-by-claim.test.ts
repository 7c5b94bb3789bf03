import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { OperatorRole } from '../../../src/directory/operator/operator.ts';
import { personByClaim } from '../../../src/directory/operator/person-by-claim.ts';
import { addPerson, changeRole, OperatorPeople, removePerson } from '../../../src/directory/operator/person.ts';
import { describeOnStores } from '../../support/stores.ts';
import { installation } from '../support/installation.ts';
import type { Installation } from '../support/installation.ts';

const ROLES = {
  claim: 'groups',
  roles: new Map<string, OperatorRole>(
    ['viewer', 'operator', 'admin'].map((role) => [`ads-${role}`, role as OperatorRole]),
  ),
};

describeOnStores('[S5.oidc-roles] a person whose role a claim gives on %s', (kind) => {
  let at: Installation;
  let identity: { issuer: string; subject: string; email: string };
  beforeAll(async () => {
    at = await installation([OperatorPeople], kind);
    await addPerson(at, { name: 'Root', role: 'admin', by: 'a test', click: randomUUID() });
  });
  afterAll(() => at.close());
  beforeEach(() => {
    identity = { issuer: 'https://id.example', subject: randomUUID(), email: `${randomUUID()}@publisher.example` };
  });

  const signIn = (role?: OperatorRole, isMapped = true) =>
    personByClaim(
      at,
      { ...identity, authenticated_at: null, claims: role === undefined ? {} : { groups: [`ads-${role}`] } },
      isMapped ? ROLES : undefined,
    );
  const invite = (role: OperatorRole) =>
    addPerson(at, { name: identity.email, email: identity.email, role, by: 'a test', click: randomUUID() });

  it('is made once, however many sign-ins there are at once, and refused without the claim', async () => {
    expect(await signIn()).toEqual({ refused: 'nobody' });
    const all = await Promise.all(Array.from({ length: 8 }, () => signIn('operator')));
    const ids = new Set(all.map((one) => ('person' in one ? one.person.person_id : one.refused)));
    expect(ids.size).toBe(1);
    expect(await signIn('viewer')).toMatchObject({ change: 'changed', person: { role: 'viewer', invited_role: null } });
    expect(await signIn()).toEqual({ refused: 'unclaimed' });
    expect(await signIn('admin')).toMatchObject({ change: 'changed', person: { role: 'admin' } });
  });

  it('has the role of their invitation again once the claim has gone, and by it alone where nothing is mapped', async () => {
    const { person_id } = await invite('operator');
    expect(await signIn()).toMatchObject({ isFirst: true, person: { person_id, role: 'operator' } });
    expect(await signIn('admin')).toMatchObject({
      change: 'changed',
      person: { role: 'admin', invited_role: 'operator' },
    });
    expect(await signIn('viewer')).toMatchObject({ person: { role: 'viewer', invited_role: 'operator' } });
    expect(await signIn('viewer')).not.toHaveProperty('change');
    const { person } = (await signIn()) as { person: object };
    expect(person).toMatchObject({ person_id, role: 'operator' });
    expect(person).not.toHaveProperty('invited_role');
    expect(await signIn('admin', false)).toMatchObject({ person: { role: 'operator' } });
  });

  it('who was removed here stays so, whatever the claim says, until they are invited anew', async () => {
    const { person } = (await signIn('operator')) as { person: { person_id: string } };
    await removePerson(at, person.person_id, 'a test');
    expect(await signIn('admin')).toEqual({ refused: 'removed' });
    await invite('viewer');
    expect(await signIn()).toMatchObject({ isFirst: true, person: { role: 'viewer' } });
  });

  it('stays admin as the last one, though the claim says less', async () => {
    const others = await at.store.collection(OperatorPeople).find({ where: { state: 'active', role: 'admin' } });
    expect(await signIn('admin')).toMatchObject({ change: 'made', person: { role: 'admin' } });
    for (const { person_id } of others.rows) await changeRole(at, person_id, 'viewer');
    expect(await signIn('viewer')).toMatchObject({ change: 'kept', person: { role: 'admin' } });
    for (const { person_id } of others.rows) await changeRole(at, person_id, 'admin');
    expect(await signIn('viewer')).toMatchObject({ change: 'changed', person: { role: 'viewer' } });
  });
});
