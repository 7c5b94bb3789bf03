import { afterAll, beforeAll, expect, it } from 'vitest';
import { organizationDomains } from '../../../src/directory/organization/organization-domain.ts';
import { organizationId } from '../../support/ids.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';

let agent: TestAgent;
beforeAll(async () => {
  agent = await startTestAgent('sqlite', { working: false });
});
afterAll(() => agent.stop());

it('[R8.released] of two domains of which one is the other behind `m.`, the one that is named is shown and taken', async () => {
  const added = await operate(agent, 'POST', '/buyers/add', { name: 'Newcomer' });
  const organization_id = organizationId(String(added.body['organization_id']));
  const reason = 'a drill';
  const given = await operate(agent, 'POST', '/registry/domains/assign', {
    ...{ organization_id, domain: 'www.m.newcomer.example', reason },
  });
  expect(given.body).toMatchObject({ domain: 'm.newcomer.example' });
  const further = { domain: 'newcomer.example', organization_id, verified_by: 'dns', user_id: 'user_1' } as const;
  const created_at = '2026-01-01T00:00:00.000Z';
  await agent.core.store.collection(organizationDomains).insert({ ...further, created_at, revision: 1 });

  const shown = async (name: string) =>
    (await operate(agent, 'GET', `/registry/domains?domain=${name}`)).body['domains'];
  expect(await shown('M.Newcomer.example')).toMatchObject([{ domain: 'm.newcomer.example', is_first: true }]);
  expect(await shown('www.newcomer.example')).toMatchObject([{ domain: 'newcomer.example', is_first: false }]);
  const body = { organization_id, domain: 'm.newcomer.example', reason };
  for (const status of [200, 404]) {
    expect(await operate(agent, 'POST', '/registry/domains/release', body)).toMatchObject({ status });
    expect(await shown('newcomer.example')).toMatchObject([{ domain: 'newcomer.example' }]);
  }
  expect(await shown('m.newcomer.example')).toMatchObject([{ domain: 'newcomer.example' }]);
});
