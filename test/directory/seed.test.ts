import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agents } from '../../src/directory/agent/agent.ts';
import { authorizations } from '../../src/directory/authorization/authorization.ts';
import { memberProfiles } from '../../src/directory/member-profile/member-profile.ts';
import { organizations } from '../../src/directory/organization/organization.ts';
import { resolveTier } from '../../src/directory/organization/tier.ts';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import { plantSeed } from '../../src/directory/seed/plant-seed.ts';
import { RegistrySeed } from '../../src/directory/seed/seed.ts';
import { installation } from './support/installation.ts';
import type { Installation } from './support/installation.ts';

let at: Installation;
beforeEach(async () => {
  at = await installation([agents, authorizations, memberProfiles, organizations, publishers]);
});
afterEach(() => at.close());

const shipped = async (baseUrl: string) =>
  RegistrySeed.parse(
    JSON.parse(
      (await readFile(new URL('../../catalog/registry-seed.json', import.meta.url), 'utf8')).replaceAll(
        '{base_url}',
        baseUrl,
      ),
    ),
  );

describe('the shipped seed', () => {
  it('holds operators in several tiers, agents of every visibility and authorizations of every source', async () => {
    const seed = await shipped('http://127.0.0.1:8080');
    await plantSeed(at, seed);
    const rows = await Promise.all(
      seed.organizations.map((o) => at.store.collection(organizations).get(o.organization_id)),
    );
    const tiers = new Set(rows.map((row) => row && resolveTier(row)?.label));
    expect([...tiers].sort()).toEqual(['Academic', 'Builder', 'Leader', 'Partner', 'Professional', undefined]);
    const operated = seed.organizations.flatMap((o) => o.agents);
    expect(new Set(operated.map((a) => a.visibility))).toEqual(new Set(['public', 'members_only', 'private']));
    const granted = seed.publishers.flatMap((p) => p.authorized_agents);
    expect(new Set(granted.map((a) => a.source))).toEqual(new Set(['hosted', 'adagents_json']));
    expect(new Set(seed.publishers.map((p) => p.source))).toEqual(new Set(['hosted', 'adagents_json', 'catalog']));
  });

  it('is planted once however often and by however many, and leaves changes alone', async () => {
    const seed = await shipped('http://127.0.0.1:8080');
    const planted = await Promise.all([plantSeed(at, seed), plantSeed(at, seed), plantSeed(at, seed)]);
    const all = planted.reduce((sum, n) => sum + n, 0);
    expect(all).toBeGreaterThan(30);
    await at.store.collection(memberProfiles).update('org_northlight', (row) => ({ ...row, is_public: false }));
    expect(await plantSeed(at, seed)).toBe(0);
    expect(await at.store.collection(memberProfiles).get('org_northlight')).toMatchObject({ is_public: false });
  });

  it('follows the agent to another address', async () => {
    await plantSeed(at, await shipped('http://127.0.0.1:8080'));
    await plantSeed(at, await shipped('https://sales.example'));
    const { rows } = await at.store.collection(agents).find({ where: { organization_id: 'org_northlight' } });
    expect(rows.map((row) => row.url)).toContain('https://sales.example');
    expect(rows.map((row) => row.url)).not.toContain('http://127.0.0.1:8080');
  });
});
