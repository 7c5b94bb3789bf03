import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OperatorActions } from '../../../src/admin/operator/actions/action.ts';
import type { Operation } from '../../../src/admin/operator/operation.ts';
import { operations } from '../../../src/admin/operator/operations.ts';
import { createSignInLink } from '../../../src/admin/sign-in-link.ts';
import { addAccessKey, revokeAccessKey } from '../../../src/directory/operator/access-key.ts';
import { mayAct, OPERATOR_ROLES } from '../../../src/directory/operator/operator.ts';
import type { OperatorRole } from '../../../src/directory/operator/operator.ts';
import { addPerson, removePerson } from '../../../src/directory/operator/person.ts';
import { operatorKey } from '../../../src/main/wiring/operator-routes.ts';
import { actingAs } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { projectRoot } from '../../support/project-files.ts';
import { followLink } from '../support/follow-link.ts';

let agent: TestAgent;
/** Headers by who sends them. */
const known: [who: string, role: OperatorRole, headers: Record<string, string>][] = [];
const strangers: [who: string, headers: Record<string, string>][] = [];

beforeAll(async () => {
  agent = await startTestAgent('sqlite', { working: false, env: { TRUST_PROXY: '1' } });
  const { core } = agent;
  const made = () => ({ role: 'admin', by: 'a test', click: randomUUID() }) as const;
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  for (const role of OPERATOR_ROLES) {
    known.push([`a person who is ${role}`, role, await actingAs(agent, `the ${role}`, role)]);
    const { raw } = await addAccessKey(core, { ...made(), name: `program ${role}`, role });
    known.push([`a program that is ${role}`, role, bearer(raw)]);
  }
  const viewer = await addPerson(core, { ...made(), role: 'viewer', name: 'the other viewer' });
  const more = await addAccessKey(core, { ...made(), name: 'too much', person_id: viewer.person_id });
  known.push(["a viewer by a key that was made for an admin's role", 'viewer', bearer(more.raw)]);
  known.push(['the shared key', 'admin', bearer(await operatorKey(core))]);

  const revoked = await addAccessKey(core, { ...made(), name: 'revoked' });
  await revokeAccessKey(core, revoked.key.operator_key_id);
  const longAgo = { store: core.store, clock: { now: () => Date.now() - 2 * 86_400_000 } };
  const over = await addAccessKey(longAgo, { ...made(), name: 'over', days: 1 });
  const gone = await addPerson(core, { ...made(), name: 'gone' });
  const theirs = await addAccessKey(core, { ...made(), name: 'of gone', person_id: gone.person_id });
  await removePerson(core, gone.person_id, 'a test');
  const signedIn = await followLink(await createSignInLink(core, agent.baseUrl));
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  strangers.push(
    ['nobody', {}],
    ['a made-up key', bearer(`op_live_${'x'.repeat(43)}`)],
    ["a buyer's key", bearer(agent.apiKey)],
    ['a revoked key', bearer(revoked.raw)],
    ['a key that is over', bearer(over.raw)],
    ['the key of a person who was removed', bearer(theirs.raw)],
    ["an admin's session of the console", { cookie }],
  );
});
afterAll(() => agent.stop());

/** The roles as the paper has them: an operation without a row there has none. */
async function rowsOfPaper(): Promise<Map<string, string>> {
  const paper = await readFile(join(projectRoot, 'docs', 'operator.md'), 'utf8');
  const rows = paper.matchAll(/^\| `(GET|POST) (\S+)` +\| (\w+)/gm);
  return new Map([...rows].map(([, method = '', path = '', role = '']) => [`${method} ${path}`, role]));
}

let addresses = 0;
async function statusOf({ method, path }: Operation, headers: Record<string, string>): Promise<number> {
  const answer = await fetch(`${agent.baseUrl}/api/operator${path.replaceAll(/:\w+/g, 'x')}`, {
    method,
    // Strangers are counted by their address.
    headers: { 'x-forwarded-for': `2001:db8:${(++addresses).toString(16)}::1`, ...headers },
  });
  await answer.arrayBuffer();
  return answer.status;
}

describe('every operation and every caller', () => {
  it.each(operations.map((one) => [`${one.method.toUpperCase()} ${one.path}`, one] as const))(
    '[S5.roles] %s is held to the role that the paper says',
    async (name, operation) => {
      const role = (await rowsOfPaper()).get(name);
      expect(OPERATOR_ROLES).toContain(role);
      const cells = known.map(async ([who, , headers]) => {
        const status = await statusOf(operation, headers);
        return [who, status === 401 || status === 403 ? status : 'may'] as const;
      });
      const refused = strangers.map(async ([who, headers]) => [who, await statusOf(operation, headers)] as const);
      expect(Object.fromEntries(await Promise.all([...cells, ...refused]))).toEqual(
        Object.fromEntries<string | number>([
          ...known.map(([who, has]) => [who, mayAct(has, role as OperatorRole) ? 'may' : 403] as const),
          ...strangers.map(([who]) => [who, 401] as const),
        ]),
      );
    },
  );

  it('[S5] [S5.people] what was done is on record by the authenticated name; what was refused for a role was never begun', async () => {
    const { rows } = await agent.core.store
      .collection(OperatorActions)
      .find({ where: { at: { gte: '0' } }, limit: 1000 });
    expect(rows.length).toBeGreaterThan(0);
    for (const { action, by, role, person_id, credential } of rows) {
      const needed = operations.find((one) => one.action === action)?.role ?? 'admin';
      expect(mayAct(role ?? 'viewer', needed)).toBe(true);
      expect([by === 'OPERATOR_API_KEY', person_id !== null]).toEqual([
        credential?.kind === 'shared_key',
        by.startsWith('the '),
      ]);
    }
  });

  it('[S5.roles] a refusal names the role that it takes', async () => {
    const headers = await actingAs(agent, 'the viewer');
    const answer = await fetch(`${agent.baseUrl}/api/operator/keys/rotate`, { method: 'POST', headers });
    expect(await answer.json()).toMatchObject({
      error: { code: 'FORBIDDEN', message: 'this takes the role admin, and the viewer has the role viewer' },
    });
  });
});
