import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../journeys/support/buyer.ts';
import { operate } from '../journeys/support/operator.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { openPublicAgent } from './support/public-agent.ts';
import type { AskPublic } from './support/public-agent.ts';

const SECRET = 'not-to-be-found-in-any-row-of-ours-0123456789';
const agent = (host: string, more: Json = {}): Json => ({
  ...{ url: `https://${host}/mcp`, authentication: { schemes: ['Bearer'], credentials: SECRET } },
  ...more,
});

describeOnStores('sync_governance on %s', (store) => {
  let at: TestAgent;
  let ask: AskPublic;
  beforeAll(async () => {
    ({ at, ask } = await openPublicAgent(store));
  });
  afterAll(() => at.stop());

  const sync = (release: '3.0' | '3.1', accounts: Json[], more: Json = {}) =>
    ask(release, 'sync_governance', { idempotency_key: randomUUID(), accounts, ...more });
  async function listed(release: '3.0' | '3.1', domain: string): Promise<Json | undefined> {
    const { accounts } = await ask(release, 'list_accounts', {});
    return (accounts as Json[]).find(({ brand }) => (brand as Json)['domain'] === domain);
  }

  it.each(['3.0', '3.1'] as const)(
    '[D4.governance] in %s keeps who judges an account, in place of whom was named before, and no credential',
    async (release) => {
      const domain = `governed-${release.replace('.', '')}.example`;
      const account = accountOf(domain);
      const key = randomUUID();
      const first = [{ account, governance_agents: [agent('one.example')] }];
      const made = await sync(release, first, { idempotency_key: key });
      const told = { account, status: 'synced', governance_agents: [{ url: 'https://one.example/mcp' }] };
      expect(made).toMatchObject({ status: 'completed', accounts: [told] });
      const { account_id } = (await listed(release, domain)) ?? {};
      const second = await sync(release, [{ account: { account_id }, governance_agents: [agent('two.example')] }]);
      expect(second).toMatchObject({ accounts: [{ account: { account_id }, status: 'synced' }] });
      expect(await sync(release, first, { idempotency_key: key })).toMatchObject({ replayed: true, accounts: [told] });
      expect(await listed(release, domain)).toMatchObject({ governance_agents: [{ url: 'https://two.example/mcp' }] });
      const { body } = await operate(at, 'GET', `/buyer-accounts/${String(account_id)}`);
      expect(body['governance_agents']).toEqual([{ url: 'https://two.example/mcp' }]);
      const { rows } = await at.core.store.collection(TaskRuns).find({ where: {}, limit: 100 });
      expect(JSON.stringify(rows)).not.toContain(SECRET);
    },
  );

  it('[D4.governance] keeps several agents and what they judge for 3.0; 3.1, which has no words for that, is told nothing wrong', async () => {
    const account = accountOf('several.example');
    const governance_agents = [agent('a.example', { categories: ['budget_authority'] }), agent('b.example')];
    const kept = [{ url: 'https://a.example/mcp', categories: ['budget_authority'] }, { url: 'https://b.example/mcp' }];
    expect(await sync('3.0', [{ account, governance_agents }])).toMatchObject({
      accounts: [{ status: 'synced', governance_agents: kept }],
    });
    expect(await listed('3.0', 'several.example')).toMatchObject({ governance_agents: kept });
    expect(await listed('3.1', 'several.example')).not.toHaveProperty('governance_agents');
  });

  it('[D4.governance] tells what is wrong with one account of that one, and keeps nothing for it', async () => {
    const account = accountOf('good.example');
    const { accounts } = await sync('3.1', [
      { account: { account_id: 'acc_none' }, governance_agents: [agent('x.example')] },
      { account, governance_agents: [agent('good.example')] },
      { account, governance_agents: [agent('twice.example')] },
      { account: accountOf('plain.example'), governance_agents: [agent('x', { url: 'http://plain.example' })] },
      { account: accountOf('named.example'), governance_agents: [agent('x', { url: 'https://me:pw@x.example' })] },
      {
        account: accountOf('odd.example'),
        governance_agents: [agent('x.example', { categories: ['No Such'] })],
      },
    ]);
    const wrong = (code: string, field: string) => ({ status: 'failed', errors: [{ code, field }] });
    expect(accounts).toMatchObject([
      wrong('ACCOUNT_NOT_FOUND', 'accounts[0].account.account_id'),
      { status: 'synced' },
      wrong('VALIDATION_ERROR', 'accounts[2].account'),
      wrong('VALIDATION_ERROR', 'accounts[3].governance_agents[0].url'),
      wrong('VALIDATION_ERROR', 'accounts[4].governance_agents[0].url'),
      wrong('VALIDATION_ERROR', 'accounts[5].governance_agents[0].categories.0'),
    ]);
    expect(await listed('3.1', 'good.example')).toMatchObject({
      governance_agents: [{ url: 'https://good.example/mcp' }],
    });
    expect(await listed('3.1', 'plain.example')).toBeUndefined();
  });

  it('[D4.governance] refuses a media buy that names a plan where nobody is asked about it, and books it without', async () => {
    const domain = 'planned.example';
    const order = { ...orderOf(await packageForSale(at)), account: accountOf(domain) };
    await sync('3.1', [{ account: order.account, governance_agents: [agent('judge.example')] }]);
    const planned = await ask('3.1', 'create_media_buy', {
      ...order,
      idempotency_key: randomUUID(),
      plan_id: 'plan_1',
    });
    expect(planned).toMatchObject({ adcp_error: { code: 'UNSUPPORTED_FEATURE', field: 'plan_id' } });
    const booked = await ask('3.1', 'create_media_buy', { ...order, idempotency_key: randomUUID() });
    expect(booked).toMatchObject({ status: 'completed' });
    const told = await ask('3.1', 'get_adcp_capabilities', {});
    expect(JSON.stringify(told)).not.toContain('governance');
  });

  it('[D4.governance] under an account that is suspended is refused of that account', async () => {
    const account = accountOf('owing.example');
    await sync('3.1', [{ account, governance_agents: [agent('before.example')] }]);
    const { account_id } = (await listed('3.1', 'owing.example')) ?? {};
    await operate(at, 'POST', `/buyer-accounts/${String(account_id)}/move`, { status: 'suspended', reason: 'owes' });
    expect(await sync('3.1', [{ account, governance_agents: [agent('after.example')] }])).toMatchObject({
      accounts: [{ status: 'failed', errors: [{ code: 'ACCOUNT_SUSPENDED', field: 'accounts[0].account' }] }],
    });
    expect(await listed('3.1', 'owing.example')).toMatchObject({
      governance_agents: [{ url: 'https://before.example/mcp' }],
    });
  });
});
