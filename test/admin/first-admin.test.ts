import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSignInLink } from '../../src/admin/sign-in-link.ts';
import { addPerson, OperatorPeople } from '../../src/directory/operator/person.ts';
import { operate } from '../journeys/support/operator.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { followLink } from './support/follow-link.ts';

describeOnStores('[S5.first-admin] the link that a first start prints, on %s', (store) => {
  let agent: TestAgent;
  beforeEach(async () => {
    agent = await startTestAgent(store, { working: false });
  });
  afterEach(() => agent.stop());

  const printed = () => createSignInLink(agent.core, agent.baseUrl, undefined, { makesFirstAdmin: true });
  const who = async (answer: Response) => {
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const page = await (await fetch(`${agent.baseUrl}/admin`, { headers: { cookie } })).text();
    return /<span class="who"><a href="\/admin\/me"><bdi>([^<]*)<\/bdi><\/a>([^·]*)/
      .exec(page)
      ?.slice(1)
      .join('')
      .trim();
  };
  const people = async () =>
    (await agent.core.store.collection(OperatorPeople).find({ where: { created_at: { gte: '0' } } })).rows.map(
      ({ name, role, invited_by }) => [name, role, invited_by],
    );

  it('opens the console as an admin by name, who says theirs; a later one is the shared key’s', async () => {
    const link = await printed();
    expect(await (await fetch(link)).text()).toContain('<label>Your name <input name="name"');
    for (const name of [undefined, ' ', 'operator_api_key']) expect((await followLink(link, name)).status).toBe(422);
    expect(await people()).toEqual([]);
    expect(await who(await followLink(link, ' Ada Lovelace '))).toBe('Ada Lovelace, admin');
    expect(await people()).toEqual([['Ada Lovelace', 'admin', 'OPERATOR_API_KEY']]);
    expect((await followLink(link, 'Ada Lovelace')).status).toBe(401);
    expect(await who(await followLink(await printed(), 'Somebody'))).toBe('OPERATOR_API_KEY, admin');
    expect(await people()).toHaveLength(1);
  });

  it('makes one person of twenty who follow it at once, and signs one in', async () => {
    const link = await printed();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => followLink(link, `Ada ${i}`)));
    const [one, ...more] = answers.filter(({ status }) => status === 303);
    expect([one !== undefined && (await who(one)), more]).toEqual([`${(await people())[0]?.[0]}, admin`, []]);
    expect(await people()).toHaveLength(1);
  });

  it('tells of a name that is somebody’s, and is not used up by it; one made at the terminal asks, too', async () => {
    const made = { name: 'Ada', role: 'viewer', by: 'a test', click: randomUUID() } as const;
    await addPerson(agent.core, made);
    const { body } = await operate(agent, 'POST', '/sign-in-links/create', {});
    const link = String(body['sign_in_url']);
    const taken = await followLink(link, 'ada');
    expect([taken.status, await taken.text()]).toEqual([409, expect.stringContaining('choose another name')]);
    expect(await who(await followLink(link, 'Bea'))).toBe('Bea, admin');
  });
});
