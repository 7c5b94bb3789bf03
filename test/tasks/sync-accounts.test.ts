import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { organizationId } from '../support/ids.ts';
import { describeOnStores } from '../support/stores.ts';
import { refusal, result, STRANGER } from './support/calls.ts';
import type { Json } from './support/calls.ts';

describeOnStores('sync_accounts and list_accounts on %s', (store) => {
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent(store);
  });
  afterAll(() => agent.stop());

  it('[D4.accounts] open an account for each brand and operator once, whoever asks at once, and tell which are new', async () => {
    const accounts = [{ brand_domain: 'acme.example' }, { brand_domain: 'acme.example', operator: 'agency.example' }];
    const all = await Promise.all(Array.from({ length: 4 }, () => result(agent, 'sync_accounts', { accounts })));
    const rows = all.flatMap((one) => one['accounts'] as Json[]);
    expect(rows.filter(({ action }) => action === 'created')).toHaveLength(2);
    expect(new Set(rows.map(({ account_id }) => account_id)).size).toBe(2);
    const listed = await result(agent, 'list_accounts', {});
    expect(listed).toMatchObject({ total: 2, has_more: false });
    expect(rows.slice(0, 2).map(({ name }) => name)).toEqual(['acme.example', 'acme.example, by agency.example']);
  });

  it('[D4.accounts] are of one organization: another has none of them, and its own by the same names', async () => {
    const asked = { accounts: [{ brand_domain: 'acme.example' }] };
    expect(await result(agent, 'list_accounts', {}, STRANGER)).toMatchObject({ accounts: [], total: 0 });
    const theirs = await result(agent, 'sync_accounts', asked, STRANGER);
    const ours = await result(agent, 'sync_accounts', asked);
    const idOf = (synced: Json) => (synced['accounts'] as Json[])[0]?.['account_id'];
    expect(theirs).toMatchObject({ accounts: [{ action: 'created' }] });
    expect(idOf(theirs)).not.toBe(idOf(ours));
  });

  it('[S2] [D4.accounts] count in a budget of the organization’s, those that are only tried out in none', async () => {
    const modest = { ...STRANGER, organization_id: organizationId(`org_modest_${store}`) };
    const budget = agent.core.budgets.size('buyer_accounts');
    await agent.core.budgets.take('buyer_accounts', modest.organization_id, budget - 1);
    const one = { accounts: [{ brand_domain: 'one.example' }] };
    expect(await result(agent, 'sync_accounts', one, modest)).toMatchObject({ accounts: [{ action: 'created' }] });
    const two = { accounts: [{ brand_domain: 'two.example' }] };
    expect(await refusal(agent, 'sync_accounts', two, modest)).toMatchObject({ code: 'RATE_LIMITED' });
    expect(await result(agent, 'sync_accounts', { ...two, dry_run: true }, modest)).toMatchObject({
      accounts: [{ action: 'created' }],
    });
    expect(await result(agent, 'list_accounts', {}, modest)).toMatchObject({ total: 1 });
  });

  it.each([
    ['sync_accounts', { accounts: [{ brand_domain: 'No Domain' }] }, 'VALIDATION_ERROR', 'accounts[0].brand_domain'],
    ['sync_accounts', { accounts: [{}] }, 'VALIDATION_ERROR', 'accounts[0].brand_domain'],
    ['list_accounts', { status: 'gone' }, 'VALIDATION_ERROR', 'status'],
    ['list_accounts', { cursor: 'none' }, 'INVALID_REQUEST', 'cursor'],
  ])('[D4.accounts] %s %j is refused by name', async (task, input, code, field) => {
    expect(await refusal(agent, task, input)).toMatchObject({ code, field });
  });
});
