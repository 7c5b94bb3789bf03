import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { refusal, result, STRANGER } from './support/calls.ts';
import type { Json } from './support/calls.ts';

describeOnStores('sync_governance in our own words on %s', (store) => {
  let agent: TestAgent;
  let account_id: unknown;
  beforeAll(async () => {
    agent = await startTestAgent(store);
    const { accounts } = await result(agent, 'sync_accounts', { accounts: [{ brand_domain: 'acme.example' }] });
    account_id = (accounts as Json[])[0]?.['account_id'];
  });
  afterAll(() => agent.stop());

  const asked = (url: string, id = account_id) => ({ accounts: [{ account_id: id, governance_agents: [{ url }] }] });

  it('[D4.governance] keeps whom an organization names for an account of its own, and for no other’s', async () => {
    const kept = { governance_agents: [{ url: 'https://judge.example' }] };
    expect(await result(agent, 'sync_governance', asked('https://judge.example'))).toMatchObject({
      accounts: [{ account_id, status: 'synced', ...kept }],
    });
    expect(await result(agent, 'sync_governance', asked('https://evil.example'), STRANGER)).toEqual({
      accounts: [{ account_id, status: 'not_found' }],
    });
    expect(await result(agent, 'sync_governance', asked('https://judge.example', 'acc_none'))).toMatchObject({
      accounts: [{ status: 'not_found' }],
    });
    expect(await result(agent, 'list_accounts', {})).toMatchObject({ accounts: [kept] });
  });

  it('[D4.governance] refuses an address that is not plain HTTPS, by name', async () => {
    for (const url of ['http://judge.example', 'https://me:pw@judge.example', 'https://', 'ftp://judge.example'])
      expect(await refusal(agent, 'sync_governance', asked(url))).toMatchObject({
        ...{ code: 'VALIDATION_ERROR', field: 'accounts[0].governance_agents[0].url' },
      });
  });
});
