import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiKeys, createApiKey } from '../../../../src/directory/api-key/api-key.ts';
import { addAccessKey } from '../../../../src/directory/operator/access-key.ts';
import { addPerson } from '../../../../src/directory/operator/person.ts';
import { newOrganization, organizations } from '../../../../src/directory/organization/organization.ts';
import { toTimestamp } from '../../../../src/platform/clock.ts';
import { operate } from '../../../journeys/support/operator.ts';
import type { TestAgent } from '../../../journeys/support/test-agent.ts';
import { sampleCreative } from '../../../sales/support/sample-creative.ts';
import { sampleMediaBuy } from '../../../sales/support/sample-media-buy.ts';
import { mediaBuyId, organizationId, taskId } from '../../../support/ids.ts';

/** What strangers, and people who test us, call things. */
export const HOSTILE_NAMES = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg/onload=alert(1)>',
  `' onmouseover='alert(1)' x='`,
  '</textarea></title></style><b>bold',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '\u202Eexe.gpj\u202C after',
  '\u2067right to left\u2069 \u0645\u0631\u062D\u0628\u0627',
  'null',
  'undefined\u0000after nothing',
  '\u{1F469}\u200D\u{1F469}\u200D\u{1F467}\u200D\u{1F466} \u{1F4A3}\u{20BB7}',
  'w'.repeat(100),
  `it's "quoted" \`and\` \\escaped\\`,
  '{{7*7}} ${7*7} <%= 7*7 %> #{7*7}',
  `Robert'); DROP TABLE organizations;--`,
  'first line\nsecond line\r\nthird',
  'zero\u200Bwidth\uFEFF\u2060joined',
  '&lt;b&gt;&amp;&#60;',
  '=HYPERLINK("https://evil.example","click") \u0301\u0302\u0303\u0304'.padEnd(90, '\u0305'),
] as const;

/** Those that a catalog may have: none with control characters, which is a mistake there. */
const OF_PRODUCTS: readonly string[] = HOSTILE_NAMES.filter((name) => !/\p{Cc}/u.test(name));

/** As a page has it: what controls, or turns what follows, is a box. */
export function shownAs(name: string): string {
  return name.replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, '\uFFFD');
}

/** A catalog of which products are called so; whoever asks for it removes it. */
export async function hostileCatalog(): Promise<{ dir: string; remove(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'media-buy-agent-catalog-'));
  await cp('catalog', dir, { recursive: true });
  const file = join(dir, 'products.json');
  const products = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>[];
  const named = HOSTILE_NAMES.flatMap((name, i) =>
    OF_PRODUCTS.includes(name) ? [{ ...products[0], product_id: `hostile_${i}`, name }] : [],
  );
  await writeFile(file, JSON.stringify([...products, ...named]));
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}

/** A media buy of this name, its brand's, its packages' and the note in its history, and a creative of it with its tag. */
async function plantSale({ core }: TestAgent, i: number, name: string): Promise<void> {
  const organization_id = organizationId(`org_hostile_${i}`);
  const at = toTimestamp(core.clock.now() + i);
  const ids = { media_buy_id: mediaBuyId(`mb_hostile_${i}`), task_id: taskId(`task_hostile_${i}`) };
  const plain = sampleMediaBuy({ ...ids, organization_id, created_at: at });
  await core.sales.mediaBuys.insert({
    ...{ ...plain, name, buyer_ref: name, po_number: name, brand_manifest: { name, url: `https://h${i}.example` } },
    packages: plain.packages.map((line) => ({
      ...line,
      ...{ package_id: `${ids.media_buy_id}_${line.package_id}`, buyer_ref: name, product_name: name },
    })),
    history: plain.history.map((entry) => ({ ...entry, note: name })),
  });
  const [creative_id, assets] = [`c_${i}`, { image: { url: name, width: 300, height: 250 } }];
  await core.sales.creatives.insert({
    ...sampleCreative({ organization_id, creative_id, name, tags: [name], assets, created_at: at, updated_at: at }),
    status_reason: name,
  });
}

/**
 * Buyers, keys, people, keys of the operator API, media buys, creatives and reasons of these names, written as a release that took any would have: the operator
 * API refuses some. Answers the pages that show them, below `/admin`, with what each shows.
 */
export async function plantHostileNames(agent: TestAgent): Promise<{ path: string; shows: readonly string[] }[]> {
  const { core } = agent;
  const pages: { path: string; shows: readonly string[] }[] = [];
  for (const [i, name] of HOSTILE_NAMES.entries()) {
    const organization_id = organizationId(`org_hostile_${i}`);
    const created_at = toTimestamp(core.clock.now() + i);
    await core.store
      .collection(organizations)
      .insert(newOrganization({ organization_id, name, state: 'active', created_at }));
    const keys = { ...core, keys: core.store.collection(apiKeys) };
    await createApiKey(keys, { organization_id, name });
    await createApiKey(keys, { organization_id: organizationId('org_demo_buyer'), name });
    const made = { name, role: 'admin', by: name, click: randomUUID() } as const;
    const { person_id } = await addPerson(core, made);
    await addAccessKey(core, { ...made, person_id });
    await addAccessKey(core, made);
    const place = encodeURIComponent(`https://h${i}.example`);
    const paused = await operate(agent, 'POST', `/webhooks/destinations/${place}/pause`, { reason: `${name}.` });
    if (paused.status !== 200) throw new Error(`nothing is paused for ${name}: ${paused.status}`);
    await plantSale(agent, i, name);
    pages.push(
      { path: `/buys/mb_hostile_${i}`, shows: [name] },
      { path: `/creatives/${organization_id}/c_${i}`, shows: [name] },
      { path: `/buyers/${organization_id}`, shows: [name] },
      { path: `/people/${person_id}`, shows: [name] },
      ...(OF_PRODUCTS.includes(name) ? [{ path: `/catalog/hostile_${i}`, shows: [name] }] : []),
      { path: `/webhooks/receivers/${place}`, shows: [`${name}.`] },
    );
  }
  const lists = ['/buyers', '/buyers/org_demo_buyer', '/people', '/buys', '/creatives?status=approved'].map((path) => ({
    path,
    shows: HOSTILE_NAMES,
  }));
  return [...pages, ...lists, { path: '/catalog', shows: OF_PRODUCTS }, { path: '/audit', shows: [] }];
}
