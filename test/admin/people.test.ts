import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { consoleSessions, endSessions, operatorOfSession, startSession } from '../../src/admin/session.ts';
import { hashToken } from '../../src/platform/crypto/one-time-token.ts';
import { addAccessKey, OperatorAccessKeys, operatorOfAccessKey } from '../../src/directory/operator/access-key.ts';
import type { OperatorRole } from '../../src/directory/operator/operator.ts';
import { addPerson, changeRole, OperatorPeople, removePerson } from '../../src/directory/operator/person.ts';
import { describeOnStores } from '../support/stores.ts';
import { installation } from '../directory/support/installation.ts';
import type { Installation } from '../directory/support/installation.ts';

describeOnStores('the people who operate, on %s', (store) => {
  let at: Installation;
  beforeEach(async () => {
    at = await installation([OperatorPeople, OperatorAccessKeys, consoleSessions], store);
  });
  afterEach(() => at.close());

  const made = () => ({ by: 'a test', click: randomUUID() });
  const person = (name: string, role: OperatorRole = 'admin') => addPerson(at, { ...made(), name, role });
  /** The same installation in another process. */
  const elsewhere = async () => ({ ...at, store: await at.another() });

  it('[S5.people] the last admin stays: neither removed nor made less, until there is another', async () => {
    const ann = await person('Ann');
    const refused = { code: 'INVALID_STATE', details: { field: 'person_id' } };
    await expect(removePerson(at, ann.person_id, 'x')).rejects.toMatchObject(refused);
    await expect(changeRole(at, ann.person_id, 'operator')).rejects.toMatchObject(refused);
    expect(await at.store.collection(OperatorPeople).get(ann.person_id)).toMatchObject({
      ...{ role: 'admin', state: 'active', removed_at: null, removed_by: null },
    });
    const bob = await person('Bob', 'viewer');
    await changeRole(at, bob.person_id, 'admin');
    expect(await removePerson(at, ann.person_id, 'Bob')).toMatchObject({ state: 'removed', removed_by: 'Bob' });
    await expect(removePerson(at, ann.person_id, 'Bob')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('[S5.people] of two admins who remove each other at once in two processes at least one stays', async () => {
    const other = await elsewhere();
    for (let round = 0; round < 5; round++) {
      const [ann, bob] = [await person(`Ann ${round}`), await person(`Bob ${round}`)];
      await Promise.allSettled([removePerson(at, bob.person_id, 'Ann'), removePerson(other, ann.person_id, 'Bob')]);
      const people = at.store.collection(OperatorPeople);
      const left = await people.find({ where: { state: 'active', role: 'admin' } });
      expect(left.rows.length).toBeGreaterThan(0);
      // The next round begins with nobody.
      for (const { person_id } of left.rows) await people.delete(person_id);
    }
  });

  it('[S5.people] a name is one person’s at a time, and never the shared key’s', async () => {
    const ann = await person('Ann');
    await person('Bob');
    await expect(person(' aNN ')).rejects.toMatchObject({ code: 'CONFLICT', details: { field: 'name' } });
    await expect(person('operator_api_key')).rejects.toMatchObject({
      ...{ code: 'VALIDATION_ERROR', details: { field: 'name' } },
    });
    await removePerson(at, ann.person_id, 'Bob');
    expect((await person('Ann')).person_id).not.toBe(ann.person_id);
  });

  it('a repeated click makes one person and one key, and the key that was shown last is the one', async () => {
    const click = { ...made(), name: 'Ann', role: 'admin' } as const;
    const { person_id } = await addPerson(at, click);
    expect((await addPerson(at, click)).person_id).toBe(person_id);
    const [lost, shown] = [await addAccessKey(at, click), await addAccessKey(at, click)];
    expect([await operatorOfAccessKey(at, lost.raw), (await operatorOfAccessKey(at, shown.raw))?.name]).toEqual([
      undefined,
      'Ann',
    ]);
  });

  it('[S5.take-back] a key and a session have the role that their person has now, and end with them in every process at once', async () => {
    const other = await elsewhere();
    await person('Root');
    const ann = await person('Ann', 'operator');
    const { raw } = await addAccessKey(at, { ...made(), name: 'laptop', role: 'admin', person_id: ann.person_id });
    const cookie = await startSession(at, ann, '192.0.2.1');
    const roles = async () => [
      (await operatorOfAccessKey(other, raw))?.role,
      (await operatorOfSession(other, cookie))?.role,
    ];
    expect(await roles()).toEqual(['operator', 'operator']);
    await changeRole(at, ann.person_id, 'viewer');
    expect(await roles()).toEqual(['viewer', 'viewer']);
    await removePerson(at, ann.person_id, 'Root');
    expect(await roles()).toEqual([undefined, undefined]);
  });

  it('[S5.session] sessions end one person’s or all, in every process at once', async () => {
    const other = await elsewhere();
    const [ann, bob] = [await person('Ann'), await person('Bob')];
    const cookies = [await startSession(at, ann, undefined), await startSession(at, bob, undefined)];
    const names = () => Promise.all(cookies.map(async (cookie) => (await operatorOfSession(other, cookie))?.name));
    expect(await names()).toEqual(['Ann', 'Bob']);
    expect(await endSessions(at, ann.person_id)).toBe(1);
    expect(await names()).toEqual([undefined, 'Bob']);
    expect(await endSessions(at)).toBe(1);
    expect(await names()).toEqual([undefined, undefined]);
  });

  it('[S5.session] a session of 0.1.0, which names nobody, is the shared key’s until it would have ended', async () => {
    const now = at.clock.now();
    const [created_at, expires_at] = [new Date(now).toISOString(), new Date(now + 3_600_000).toISOString()];
    const row = { session_hash: hashToken('an old cookie'), created_at, expires_at, revision: 1 };
    await at.store.collection(consoleSessions).insert(row);
    expect(await operatorOfSession(at, 'an old cookie')).toMatchObject({ name: 'OPERATOR_API_KEY', role: 'admin' });
    at.clock.advance(3_600_000);
    expect(await operatorOfSession(at, 'an old cookie')).toBeUndefined();
  });
});
