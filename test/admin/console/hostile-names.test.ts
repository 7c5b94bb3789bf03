import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSession } from '../../../src/admin/session.ts';
import { createSignInLink } from '../../../src/admin/sign-in-link.ts';
import { OperatorPeople } from '../../../src/directory/operator/person.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { describeOnStores } from '../../support/stores.ts';
import { faultsOfHtml } from './support/faults-of-html.ts';
import { HOSTILE_NAMES, hostileCatalog, plantHostileNames, shownAs } from './support/hostile-names.ts';
import { textOf, visitorOf } from './support/visitor.ts';
import type { Shown, Visitor } from './support/visitor.ts';

/** What of these names no form and no call takes: what controls rather than shows. */
const REFUSED = HOSTILE_NAMES.filter((name) => /[\p{Cc}\p{Cf}]/u.test(name));

describeOnStores('[O1.text] hostile names on %s', (store) => {
  let agent: TestAgent;
  let admin: Visitor;
  let pages: { path: string; shows: readonly string[] }[];
  let catalog: Awaited<ReturnType<typeof hostileCatalog>>;
  beforeAll(async () => {
    catalog = await hostileCatalog();
    agent = await startTestAgent(store, { working: false, env: { CATALOG_DIR: catalog.dir } });
    admin = await visitorOf(agent, 'admin');
    pages = await plantHostileNames(agent);
  });
  afterAll(async () => {
    await agent.stop();
    await catalog.remove();
  });

  /** What is wrong with a page: by its tags, and by what of these it does not show as it is. */
  function wrong(path: string, { status, headers, html }: Shown, shows: readonly string[]): string[] {
    const text = textOf(html);
    const missing = shows.filter((name) => !text.includes(shownAs(name))).map((name) => `does not show ${name}`);
    const faults = faultsOfHtml(html, headers.get('content-security-policy') ?? '');
    // Whatever is of a name is text: none has made a tag that the console has not.
    const tags = ['<img', '<b>', '<svg/', '<script>', '<iframe'].filter((tag) => html.includes(tag));
    return [...(status === 200 ? [] : [`is ${status}`]), ...missing, ...faults, ...tags].map((one) => `${path} ${one}`);
  }

  it('of buyers, keys, people, products, media buys, brands, creatives and reasons are shown as the text they are, on every page that has them', async () => {
    const faults: string[] = [];
    for (const { path, shows } of pages) faults.push(...wrong(path, await admin.get(path), shows));
    expect(faults).toEqual([]);
  });

  it('of whoever is signed in, and of whom a link signs in, are too', async () => {
    const faults: string[] = [];
    const { rows } = await agent.core.store
      .collection(OperatorPeople)
      .find({ where: { created_at: { gte: '0' } }, limit: 100 });
    const people = rows.filter(({ name }) => (HOSTILE_NAMES as readonly string[]).includes(name));
    expect(people).toHaveLength(HOSTILE_NAMES.length);
    for (const { person_id, name } of people) {
      const cookie = `console_session=${await startSession(agent.core, { person_id, role: 'admin' }, '127.0.0.1')}`;
      for (const path of ['', '/me', '/sign-out']) {
        const answer = await fetch(`${agent.baseUrl}/admin${path}`, { headers: { cookie } });
        const shown = { status: answer.status, headers: answer.headers, html: await answer.text() };
        faults.push(...wrong(path, shown, path === '/sign-out' ? [] : [name]));
      }
      const link = await createSignInLink(agent.core, agent.baseUrl, { person_id, role: 'admin' });
      const answer = await fetch(link);
      const shown = { status: answer.status, headers: answer.headers, html: await answer.text() };
      faults.push(...wrong('/sign-in', shown, [name]));
    }
    expect(faults).toEqual([]);
  });

  it('in addresses and searches are text, too', async () => {
    const faults: string[] = [];
    for (const name of HOSTILE_NAMES) {
      const asked = encodeURIComponent(name);
      for (const path of [`/search?q=${asked}`, `/catalog?brief=${asked}`, `/audit?by=${asked}`]) {
        const shown = await admin.get(path);
        if (shown.status < 500) faults.push(...wrong(path, { ...shown, status: 200 }, []));
        else faults.push(`${path} is ${shown.status}`);
      }
      for (const path of [
        `/buyers/${asked}`,
        `/people/${asked}`,
        `/catalog/${asked}`,
        `/webhooks/receivers/${asked}`,
      ]) {
        const shown = await admin.get(path);
        if ([400, 404, 422].includes(shown.status)) faults.push(...wrong(path, { ...shown, status: 200 }, []));
        else faults.push(`${path} is ${shown.status}`);
      }
    }
    expect(faults).toEqual([]);
  });

  it('that control rather than show are refused by name where names are made', async () => {
    expect(REFUSED.length).toBeGreaterThan(4);
    for (const name of HOSTILE_NAMES) {
      const wanted = REFUSED.includes(name) ? 422 : 200;
      const made = [
        await operate(agent, 'POST', '/buyers/add', { name }),
        await operate(agent, 'POST', '/buyers/org_demo_buyer/keys/add', { name }),
        await operate(agent, 'POST', '/people/invite', { name: `${name.slice(0, 98)} 2`, role: 'viewer' }),
        await operate(agent, 'POST', '/operator-keys/add', { name, role: 'viewer' }),
      ];
      expect([name, made.map(({ status }) => status)]).toEqual([name, made.map(() => wanted)]);
      if (wanted === 422) expect(made[0]?.body.error?.field).toBe('name');
    }
  });
});
