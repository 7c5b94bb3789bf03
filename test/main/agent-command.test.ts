import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { authorizations } from '../../src/directory/authorization/authorization.ts';
import { operatorKey } from '../../src/main/wiring/operator-routes.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { writeRunning } from '../../src/main/process/running-file.ts';
import { creativeKey } from '../../src/sales/creative/creative.ts';
import { sampleCreative } from '../sales/support/sample-creative.ts';
import { until } from '../support/until.ts';
import { openReceiver, status } from '../webhooks/support/open-receiver.ts';
import { bundle } from '../support/bundle.ts';
import { ask, mediaBuyInput, send, taskOf } from '../journeys/support/buyer.ts';
import { approvalOf, operate } from '../journeys/support/operator.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { organizationId } from '../support/ids.ts';
import { followLink } from '../admin/support/follow-link.ts';
import { runAgentCommand, runCli } from './support/cli.ts';
import type { CliEnd } from './support/cli.ts';

let agent: TestAgent;
let key: string;
let here: Record<string, string>;

beforeAll(async () => {
  agent = await startTestAgent('sqlite', { env: { APPROVAL_OVER_USD: '100' } });
  key = await operatorKey(agent.core);
  const { dataDir } = agent.core.config;
  await writeRunning(dataDir, { pid: process.pid, base_url: agent.baseUrl, operator_key: key });
  here = { DATA_DIR: dataDir };
});
afterAll(() => agent.stop());

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0)) await close();
});

const run = (...args: string[]): Promise<CliEnd> => runAgentCommand(args, here);
async function json(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await run(...args, '--json');
  return JSON.parse(stdout) as Record<string, unknown>;
}
const neverAsked = () => Promise.reject(new Error('a second look was taken'));
const waiting = async (changes: Record<string, unknown> = {}) => {
  const { id } = taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent, changes)));
  return approvalOf(agent, id);
};

describe('npm run agent -- tasks, buyers keys', () => {
  it('[T1.fault-log] shows the faults of a task in order, by which the log has the rest', async () => {
    const { task_id } = await waiting();
    expect((await run('tasks', 'show', task_id)).stdout).not.toContain('FAULT AT');
    const [at, message] = ['2026-01-02T03:04:05.000Z', 'the turn broke down: TypeError'];
    const fault_log = [1, 2].map((turn) => ({ at, turn, message, error_id: `err_${turn}` }));
    await agent.core.store.collection(TaskRuns).update(task_id, (row) => ({ ...row, fault_log }));
    const { stdout } = await run('tasks', 'show', task_id);
    expect(stdout).toMatch(
      /FAULT AT +TURN +WHAT +IN THE LOG BY\n.* 1 +the turn broke down: TypeError +err_1\n.* 2 .*err_2/,
    );
    expect(await json('tasks', 'show', task_id)).toMatchObject({ fault_log });
  });

  it('[R13.reroll] makes a key anew, which it prints once beside the end of the former one', async () => {
    const { api_key_id } = (await json('buyers', 'keys', 'add', 'org_demo_buyer', 'nightly')) as { api_key_id: string };
    const made = await run('buyers', 'keys', 'reroll', 'org_demo_buyer', api_key_id, '--overlap-days', '7');
    expect(made).toMatchObject({ status: 0, stderr: '' });
    expect(made.stdout).toMatch(/The new key, shown this once:\nmk_live_[\w-]{43}\n$/);
    expect(made.stdout).toMatch(new RegExp(`${api_key_id} +nightly .*never used +\\d{4}-`));
    const wrong = await run('buyers', 'keys', 'reroll', 'org_demo_buyer', api_key_id, '--overlap-days', '31');
    expect([wrong.status === 0, wrong.stderr]).toEqual([false, expect.stringContaining('at most 30')]);
  });
});

describe('npm run agent -- approvals', () => {
  it('lists what waits, shows one with the request, and approves it, without a URL or key being typed', async () => {
    const { approval_id, task_id, media_buy_id } = await waiting();
    const list = await run('approvals', 'list');
    expect(list.stdout).toMatch(/ FLIGHT +BUYER REF +WHY\n/);
    expect(list).toMatchObject({ status: 0, stderr: '' });
    expect(list.stdout).toMatch(/^APPROVAL +STATUS +AGE +BUYER/);
    const line = list.stdout.split('\n').find((text) => text.startsWith(approval_id));
    expect(line).toMatch(
      /pending +\d+s +Demo Buyer +create_media_buy +[\d,.]+ USD +new +[\d,.]+ USD +\d{4}-\d\d-\d\d to /,
    );

    const shown = await run('approvals', 'show', approval_id);
    for (const text of [task_id, media_buy_id, 'above the 100.00', 'PACKAGE', '"brand_manifest"']) {
      expect(shown.stdout).toContain(text);
    }
    const approved = await run('approvals', 'approve', approval_id, '--note', 'go', '--by', 'Ann Ø');
    expect(approved).toMatchObject({ status: 0, stderr: '' });
    expect(approved.stdout).toMatch(/approved +\d{4}-.*Z by OPERATOR_API_KEY\n/);
    const log = await run('log', '--of', 'OPERATOR_API_KEY', '--since', '2020-01-31');
    expect(log.stdout).toMatch(
      new RegExp(`OPERATOR_API_KEY \\(says Ann Ø\\) +approvals.approve +/approvals/${approval_id} +done +act_\\S+\n`),
    );
  });

  it('[B15.grant] shows the terms now and grants them by their digest, and names the round that asks again', async () => {
    const { approval_id, media_buy_id } = await waiting();
    const digestIn = (stdout: string) => /^digest +([0-9a-f]{64}) /m.exec(stdout)?.[1] ?? 'none';
    const first = await run('approvals', 'show', approval_id);
    expect(first.stdout).toMatch(/^terms now +20,000\.00 USD, \S+ to \S+$/m);
    expect(first.stdout).not.toContain('asked with');
    await ask(agent, 'update_media_buy', { media_buy_id, updates: { budget_change: -100, targeting: {} } });
    const second = await run('approvals', 'show', approval_id);
    expect(second.stdout).toMatch(/^asked with +20,000\.00 USD, .*; changed since$/m);
    const stale = await run('approvals', 'approve', approval_id, '--digest', digestIn(first.stdout));
    expect(stale).toMatchObject({ status: 1, stderr: expect.stringContaining('have changed since') as string });

    await run('approvals', 'approve', approval_id);
    const again = await until(async () => {
      const { status, stdout } = await run('approvals', 'show', `${approval_id}_2`);
      return status === 0 && stdout;
    });
    expect(again).toMatch(new RegExp(`^asked again after +${approval_id}$`, 'm'));
    const superseded = await run('approvals', 'show', approval_id);
    expect(superseded.stdout).toMatch(new RegExp(`^asked again as +${approval_id}_2$`, 'm'));
    expect(superseded.stdout).toMatch(/^superseded +the price, bid or targeting of package/m);
    const late = await run('approvals', 'approve', approval_id);
    expect(late).toMatchObject({ status: 1, stderr: expect.stringContaining(`${approval_id}_2`) as string });
    const granted = await run('approvals', 'approve', `${approval_id}_2`, '--digest', digestIn(again));
    expect(granted.stdout).toMatch(/^granted +19,900\.00 USD, /m);
  });

  it('answers one line of JSON with --json, the refusals too', async () => {
    const { approval_id } = await waiting();
    expect(await json('approvals', 'reject', approval_id, '--reason', 'not ours')).toMatchObject({
      status: 'rejected',
      reason: 'not ours',
    });
    const refused = await run('approvals', 'approve', approval_id, '--json');
    expect(refused).toMatchObject({ status: 1, stderr: '' });
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'INVALID_STATE', field: 'approval_id' } });
    const listed = await json('approvals', 'list', '--status', 'rejected', '--limit', '1');
    expect(listed).toMatchObject({ approvals: [{ status: 'rejected' }], has_more: false });
  });

  it('puts a question to the buyer', async () => {
    const { approval_id } = await waiting();
    const asked = await run('approvals', 'ask', approval_id, 'Which page?');
    expect(asked.status).toBe(0);
    expect(asked.stdout).toContain('Which page?');
    const { body } = await operate(agent, 'GET', `/approvals/${approval_id}`);
    expect(body).toMatchObject({ status: 'asked', questions: [{ question: 'Which page?' }] });
  });

  it('shows nothing of a buyer’s that a terminal would obey', async () => {
    const { approval_id } = await waiting({ buyer_ref: 'spring \u001b[2J\u202e gnirps' });
    const { stdout } = await run('approvals', 'show', approval_id);
    expect(stdout).toContain('spring');
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  });
});

describe('npm run agent -- webhooks', () => {
  it('lists, shows, resends one and a range, pauses and resumes; shows, tries and ends registrations', async () => {
    const receiver = await openReceiver();
    cleanUp.push(() => receiver.close());
    receiver.answer = (response) => response.writeHead(404).end('no such\n\u001b[31mhook');
    const push_notification_config = { url: receiver.url('/hook'), operation_id: 'op-1' };
    const { task_id, approval_id } = await waiting({ push_notification_config });
    await operate(agent, 'POST', `/approvals/${approval_id}/approve`, {});
    /** All that the task told, once it stands so. */
    const allOf = (state: string) =>
      until(async () => {
        const listed = await json('webhooks', 'list', '--task', task_id, '--state', state);
        const { deliveries } = listed as { deliveries: { delivery_id: string }[] };
        return deliveries.length === 3 && deliveries;
      });
    const rows = await allOf('rejected');
    const id = rows[0]?.delivery_id ?? '';
    const list = await run('webhooks', 'list', '--destination', receiver.url());
    expect(list.stdout).toMatch(/^DELIVERY +MADE +STATE/);
    expect(list.stdout).toContain('create_media_buy completed');
    expect(list.stdout).toContain('failed 404');
    await until(
      async () => (await operate(agent, 'GET', `/webhooks/deliveries/${id}`)).body['receiver_answer'] !== null,
    );
    const shown = await run('webhooks', 'show', id);
    expect(shown.stdout).toMatch(
      /1 +\S+Z +failed +404 +\d+ ms +127\.0\.0\.1 +\S+ +receiver refused the webhook\n\nThe receiver's last failed answer, 404 at \S+ to \S+:\n  no such\n  \uFFFD\[31mhook\n$/,
    );

    receiver.answer = status(200);
    expect((await run('webhooks', 'resend', id)).stdout).toContain(id);
    const range = ['--state', 'rejected', '--task', task_id, '--until', new Date().toISOString()];
    expect((await run('webhooks', 'resend-range', ...range)).stdout).toMatch(/^sent again +([23]) of \1\n$/);
    await allOf('delivered');

    const registrations = await json('webhooks', 'registrations', task_id);
    const [{ registration_id }] = registrations['registrations'] as [{ registration_id: string }];
    // Who has taken one is asked as often as there is something to ask.
    const place = `/webhooks/destinations/${encodeURIComponent(receiver.url())}`;
    await until(async () => (await operate(agent, 'GET', place)).body['is_known'] === true);
    const taken = await run('webhooks', 'test', task_id, registration_id);
    expect(taken).toMatchObject({ status: 0, stderr: '' });
    expect(taken.stdout).toMatch(
      /^outcome +success\nanswer +200\nurl +\S+\/hook\n[\s\S]*\nPHASE +OUTCOME +TOOK\ndns +skipped\n/,
    );
    receiver.answer = status(401, { 'www-authenticate': 'Signature error="webhook_signature_digest_mismatch"' });
    const refused = await run('webhooks', 'test', task_id, registration_id);
    expect(refused.status).toBe(1);
    expect(refused.stdout).toMatch(/\nsignature +webhook_signature_digest_mismatch\nadvice +\S/);
    receiver.answer = status(200);

    const pause = await run('webhooks', 'pause', receiver.url(), '--reason', 'maintenance');
    expect(pause.stdout).toMatch(/paused +since .* by .*: maintenance\n$/);
    expect((await run('webhooks', 'destinations')).stdout).toMatch(/ +paused +.*maintenance/);
    expect((await run('status')).stdout).toMatch(/^receivers in trouble +[1-9].*\n(.*\n)?tasks with faults +\d/m);
    expect((await json('status'))['queues_paused']).toEqual([]);
    await run('queues', 'pause', 'webhook-wake-ups', '--reason', 'a drill');
    expect((await run('status')).stdout).toMatch(/^queues paused +webhook-wake-ups$/m);
    await run('queues', 'resume', 'webhook-wake-ups');
    const { stdout: inFull } = await run('webhooks', 'destination', receiver.url());
    expect(inFull).toMatch(/paused +since .*: maintenance\n[\s\S]*\nlast 24 hours +3 delivered, 0 failed\n/);
    expect(inFull).toMatch(
      /\nsuccess +100\.0 %\nhalf within +\d+ ms\n95 % within +\d+ ms\nlast answer +success 200 \d{4}-[\s\S]*\norg_demo_buyer +\S+Z +404 +no such\n/,
    );
    expect((await run('webhooks', 'resume', receiver.url())).stdout).toMatch(/paused +no\n/);

    const end = await run('webhooks', 'end', task_id, registration_id);
    expect(end.stdout).toMatch(/ENDED[\s\S]*\d{4}-\d\d-\d\dT/);
  });

  it('shows what is pending when nothing else is chosen', async () => {
    expect(await run('webhooks', 'list')).toMatchObject({ status: 0, stderr: '' });
  });
});

describe('npm run agent -- creatives, keys and sign-in', () => {
  it('lists, shows, approves, suspends, restores and rejects creatives', async () => {
    const organization_id = organizationId('org_demo_buyer');
    for (const creative_id of ['banner 1', 'banner 2']) {
      const row = sampleCreative({ organization_id, creative_id, status: 'pending_review', review_due_at: null });
      await agent.core.sales.creatives.insert({ ...row, creative_key: creativeKey(organization_id, creative_id) });
    }
    expect((await run('creatives', 'list')).stdout).toMatch(/org_demo_buyer +banner 1 +pending_review/);
    const on = (verb: string, ...more: string[]) => run('creatives', verb, organization_id, 'banner 1', ...more);
    expect((await on('approve')).stdout).toMatch(/status +approved/);
    expect((await on('suspend', '--reason', 'a complaint', '--code', 'fraud')).stdout).toMatch(/code +fraud/);
    expect((await on('restore')).stdout).toMatch(/status +approved/);
    expect((await on('show')).stdout).toMatch(/decided +seller \(.+\) +suspended +a complaint/);
    const rejected = await run('creatives', 'reject', organization_id, 'banner 2', '--reason', 'no');
    expect(rejected.stdout).toMatch(/status +rejected/);
    expect(await on('reject', '--reason', 'no')).toMatchObject({ status: 1 });
  });

  it('takes a property out of service and puts it back', async () => {
    const [{ property_id }] = (await json('properties', 'list'))['properties'] as [{ property_id: string }];
    expect((await run('properties', 'list')).stdout).toMatch(new RegExp(`${property_id} +in_service`));
    const suspend = await run('properties', 'suspend', property_id, '--reason', 'down', '--code', 'fraud');
    expect(suspend.stdout).toMatch(/status +out_of_service\nreason +down\ncode +fraud/);
    expect((await run('properties', 'show', property_id)).stdout).toMatch(/status +out_of_service[\s\S]*PRODUCT/);
    expect((await run('properties', 'restore', property_id)).stdout).toMatch(/status +in_service/);
  });

  it('lists, rotates and revokes keys', async () => {
    const [first] = (await json('keys', 'list'))['keys'] as [{ kid: string }];
    expect((await run('keys', 'list')).stdout).toMatch(
      new RegExp(`SIGNED 24H[^]*${first.kid}  ed25519  signing +\\S+Z +\\d+\\n`),
    );
    expect((await run('keys', 'rotate')).stdout).toMatch(/part +upcoming/);
    expect((await run('keys', 'revoke', first.kid, '--reason', 'a drill')).stdout).toMatch(/part +revoked/);
  });

  it('[S5] imports a seed file into the registry, adds only what is not there, and is on record without the entries', async () => {
    const authorized_agents = [{ url: '{base_url}', authorized_for: 'all', source: 'hosted' }];
    const publishers = Array.from({ length: 500 }, (_, i) => ({
      ...{ publisher_domain: `imported-${i}.example`, source: 'hosted', verified: true, properties: [] },
      ...{ authorized_agents: i === 0 ? authorized_agents : [] },
    }));
    const folder = await mkdtemp(join(tmpdir(), 'registry-import-'));
    cleanUp.push(() => rm(folder, { recursive: true }));
    const file = join(folder, 'seed.json');
    await writeFile(file, JSON.stringify({ publishers }));
    expect((await run('registry', 'import', file)).stdout).toBe('500 entries read, 501 rows added.\n');
    expect((await run('registry', 'import', file)).stdout).toBe('500 entries read, 0 rows added.\n');
    const authorization = { publisher_domain: 'imported-0.example', agent_url: agent.baseUrl };
    const { rows } = await agent.core.store.collection(authorizations).find({ where: authorization });
    expect(rows).toHaveLength(1);
    const { actions } = (await json('log', '--target', '/registry')) as {
      actions: { action: string; input: object }[];
    };
    const inputs = actions.map(({ input }) => input as { publishers: number });
    expect(inputs.reduce((sum, { publishers: count }) => sum + count, 0)).toBe(1_000);
  });

  it('[S5] refuses a seed file whole, by the place in it and with what to write, and adds nothing of what came before', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'registry-refused-'));
    cleanUp.push(() => rm(folder, { recursive: true }));
    const file = join(folder, 'seed.json');
    const entry = (publisher_domain: string, url = 'https://a.example', words = 'all') => ({
      ...{ publisher_domain, source: 'hosted', verified: true, properties: [] },
      authorized_agents: Array.from({ length: 400 }, () => ({ url, authorized_for: words, source: 'hosted' })),
    });
    // More than one body has room for.
    const good = Array.from({ length: 4 }, (_, i) => entry(`refused-${i}.example`, undefined, 'x'.repeat(900)));
    const bad = [entry('WWW.x.example'), entry('no domain'), entry('y.example', 'https://a.example/')];
    await writeFile(file, JSON.stringify({ publishers: [...good, ...bad] }));
    const { status, stderr } = await run('registry', 'import', file);
    expect(status).toBe(1);
    expect(stderr).toContain('publishers[4].publisher_domain: write it as x.example');
    expect(stderr).toContain('publishers[5].publisher_domain: this is not a domain name');
    expect(stderr).toContain('publishers[6].authorized_agents[0].url: write it as https://a.example');
    const of = { where: { publisher_domain: 'refused-0.example' } };
    expect((await agent.core.store.collection(authorizations).find(of)).rows).toEqual([]);
    await writeFile(file, '{');
    expect(await run('registry', 'import', file)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`${file} is no JSON`) as string,
    });
  });

  it('makes a link into the console', async () => {
    const { stdout } = await run('sign-in');
    expect((await followLink(stdout.trim(), 'Ada')).status).toBe(303);
  });
});

describe('npm run agent -- who may, and what is taken back', () => {
  it('invites a person, whose own key acts by their name within their role, and ends with them', async () => {
    const invited = await run('people', 'invite', 'Ann Ø', '--role', 'viewer', '--email', 'ann@seller.example');
    expect(invited.stdout).toMatch(/person +person_\S+\nname +Ann Ø\nrole +viewer[\s\S]*\/admin\/sign-in\?token=/);
    const person_id = /person_\S+/.exec(invited.stdout)?.[0] ?? '';
    const added = await run('operator-keys', 'add', 'laptop', '--role', 'admin', '--person', person_id, '--days', '30');
    const own = { ...here, OPERATOR_API_KEY: /^op_live_\S+$/m.exec(added.stdout)?.[0] ?? '' };
    expect(await runAgentCommand(['keys', 'list'], own)).toMatchObject({ status: 0 });
    const refused = await runAgentCommand(['keys', 'rotate'], own);
    expect(refused).toMatchObject({ status: 1 });
    expect(refused.stderr).toContain('this takes the role admin, and Ann Ø has the role viewer');

    const role = await run('people', 'role', person_id, '--role', 'admin');
    expect(role.stdout).toMatch(/role +admin/);
    // A key that was made for a viewer stays one.
    expect(await runAgentCommand(['sign-in'], own)).toMatchObject({ status: 1 });
    const desk = await run('operator-keys', 'add', 'desk', '--role', 'admin', '--person', person_id);
    const link = await runAgentCommand(['sign-in'], {
      ...here,
      OPERATOR_API_KEY: /^op_live_\S+$/m.exec(desk.stdout)?.[0] ?? '',
    });
    expect((await followLink(link.stdout.trim())).status).toBe(303);
    const sessions = await run('sessions', 'list', '--person', person_id);
    expect(sessions.stdout).toMatch(/session_\S+ +Ann Ø/);
    const session_id = /session_\S+/.exec(sessions.stdout)?.[0] ?? '';
    expect((await run('sessions', 'end', session_id)).stdout).toBe(`${session_id} ended\n`);
    expect((await run('sessions', 'end-all', '--person', person_id)).stdout).toBe('0 sessions ended\n');

    // Whoever opened the first link is an admin, too.
    const [, first] = /(person_\S+) +Ada/.exec((await run('people', 'list')).stdout) ?? [];
    if (first !== undefined) await run('people', 'remove', first, '--reason', 'has left');
    expect((await run('people', 'remove', person_id, '--reason', 'x')).stderr).toContain('Ann Ø is the last admin');
    await run('people', 'invite', 'Bob', '--role', 'admin');
    const removed = await run('people', 'remove', person_id, '--reason', 'has left');
    expect(removed.stdout).toContain('0 sessions ended, 2 operator keys revoked');
    expect(await runAgentCommand(['keys', 'list'], own)).toMatchObject({ status: 1 });
    expect((await run('people', 'list')).stdout).toMatch(/Ann Ø +admin, removed/);
    expect((await run('operator-keys', 'list')).stdout).toMatch(/laptop.*revoked/);
    const log = await run('log', '--of', 'Ann Ø');
    expect(log.stdout).toMatch(/Ann Ø \(says .+\) +sign_in_links\.create/);
  });

  it("lists, makes and revokes a buyer's keys, suspends and restores it, and ends grants", async () => {
    const added = await run('buyers', 'keys', 'add', 'org_demo_buyer', 'spare', '--scopes', 'tasks:read,registry:read');
    expect(added.stdout).toMatch(/spare +\.\.\.\S{4} +tasks:read registry:read[\s\S]*\nmk_live_/);
    const api_key_id = /key_\S+/.exec(added.stdout)?.[0] ?? '';
    expect((await run('buyers', 'keys', 'list', 'org_demo_buyer')).stdout).toContain(api_key_id);
    const revoked = await run('buyers', 'keys', 'revoke', 'org_demo_buyer', api_key_id, '--reason', 'a drill');
    expect(revoked.stdout).toMatch(new RegExp(`${api_key_id}.*\\d{4}-.*Z +never used +revoked \\d{4}-`));
    const [year, ending] = [new Date().getUTCFullYear() + 1, ['buyers', 'keys', 'add', 'org_demo_buyer', 'guest']];
    expect((await run(...ending, '--expires', `${year}-01-31`)).stdout).toMatch(
      /never used +\d{4}-01-31T00:00:00\.000Z/,
    );
    expect(await run(...ending, '--expires', '2020-01-31T00:00:00Z')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('expires_at must be in the future') as string,
    });
    expect((await run(...ending, '--expires', 'soon')).stderr).toContain('such as 2027-01-31T00:00:00Z');
    expect((await run('buyers', 'add', 'Harbour Media')).stdout).toMatch(
      /organization +org_\S+\nname +Harbour Media\n/,
    );
    expect((await run('buyers', 'list')).stdout).toMatch(/org_demo_buyer +Demo Buyer/);
    const suspended = await run('buyers', 'suspend', 'org_demo_buyer', '--reason', 'a drill', '--stop-webhooks');
    expect(suspended.stdout).toMatch(/reason +a drill\nwebhooks +wait\nEvery process knows within 3 seconds\.\n/);
    expect((await run('buyers', 'list', '--state', 'suspended')).stdout).toMatch(/suspended \d{4}-/);
    expect((await run('buyers', 'restore', 'org_demo_buyer')).stdout).not.toContain('a drill');
    expect((await run('buyers', 'show', 'org_demo_buyer')).stdout).toMatch(/state +active/);
    expect((await run('grants', 'list', '--organization', 'org_demo_buyer')).stdout).toBe('None.\n');
    expect(await run('grants', 'end', 'grant_x', '--reason', 'x')).toMatchObject({ status: 1 });
    const account = await run('grants', 'end-account', 'dev_x', '--reason', 'x');
    expect(account.stdout).toBe('0 grants and 0 sign-ins ended\n');
  });
});

describe('npm run agent -- tasks follow', () => {
  /** Follows it, decides in this way what is asked of a person once that is printed, and goes on. */
  const followed = async ([verdict, body]: [string, object?], ...args: string[]) => {
    const { approval_id, task_id } = await waiting();
    const decidedAt: string[] = [];
    const end = await runAgentCommand(['tasks', 'follow', task_id, ...args], here, async (stdout) => {
      if (decidedAt.length > 0 || !stdout.includes('waiting for approval')) return delay(20);
      decidedAt.push(stdout);
      return operate(agent, 'POST', `/approvals/${approval_id}/${verdict}`, body);
    });
    return { task_id, end, decidedAt };
  };

  it('prints each event of a task when it comes, until it has completed: status 0', async () => {
    const { task_id, end, decidedAt } = await followed(['approve']);
    expect(end).toMatchObject({ status: 0, stderr: '' });
    const [before = 'nothing'] = decidedAt;
    expect(before).toMatch(/^\S+Z {2}submitted {7}\S.*\n[^]*Z {2}working {9}waiting for approval by the seller\n$/);
    expect(end.stdout.startsWith(before)).toBe(true);
    expect(end.stdout.slice(before.length)).toMatch(/Z {2}completed {7}\S.*\n$/);
    // One that is over is told whole, and not looked at again.
    expect(await runAgentCommand(['tasks', 'follow', task_id], here, neverAsked)).toEqual(end);
  });

  it('ends with status 1 where the task comes to nothing; with --json it prints a line for each event', async () => {
    const { task_id, end } = await followed(['reject', { reason: 'not ours' }], '--json');
    expect(end).toMatchObject({ status: 1, stderr: '' });
    const { events } = await json('tasks', 'show', task_id);
    const lines = end.stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(events);
    expect((events as unknown[]).at(-1)).toMatchObject({ state: 'failed' });
    const unknown = await runAgentCommand(['tasks', 'follow', 'task_none'], here, neverAsked);
    expect(unknown).toMatchObject({ status: 1, stderr: expect.stringContaining('no task has this id') as string });
  });

  it('goes on where the agent comes back, and ends with status 3 where it stays away', async () => {
    const { task_id } = await waiting();
    let isThere = true;
    const door = createServer((request, response) => {
      const headers = { authorization: request.headers.authorization ?? '' };
      if (!isThere) request.socket.destroy();
      else
        void fetch(`${agent.baseUrl}${request.url ?? ''}`, { headers }).then(async (a) => response.end(await a.text()));
    });
    door.listen(0, '127.0.0.1');
    await once(door, 'listening');
    cleanUp.push(async () => {
      door.closeAllConnections();
      door.close();
      await once(door, 'close');
    });
    const url = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
    let looks = 0;
    const end = await runAgentCommand(['tasks', 'follow', task_id, '--url', url, '--key', key], {}, async () => {
      looks += 1;
      isThere = looks === 60;
      if (isThere) await operate(agent, 'POST', `/tasks/${task_id}/cancel`, { reason: 'too late' });
    });
    expect([looks, end.status, end.stderr]).toEqual([60, 1, '']);
    expect(end.stdout).toMatch(/Z {2}submitted .*\n[^]*Z {2}canceled .*\n$/);
    isThere = true;
    const other = (await waiting()).task_id;
    const lost = await runAgentCommand(['tasks', 'follow', other, '--url', url, '--key', key], {}, () => {
      isThere = false;
      return Promise.resolve();
    });
    expect(lost).toMatchObject({ status: 3, stderr: `${url} does not answer; is the agent running?\n` });
    expect(lost.stdout).toContain('submitted');
  });
});

describe('the exit status is', () => {
  it.each([
    ['no command', [], /Usage: npm run agent/],
    ['an unknown one', ['aprovals'], /unknown command 'aprovals'[\s\S]*approvals/],
    ['an unknown one like no other', ['foo'], /unknown command 'foo'\n+All commands: npm run agent -- --help/],
    [
      'an unknown verb',
      ['approvals', 'delete'],
      /unknown command 'delete'\n+All commands: npm run agent -- approvals --help/,
    ],
    ['an unknown verb two levels down', ['buyers', 'keys', 'foo'], /All commands: npm run agent -- buyers keys --help/],
    [
      'nothing where an id must stand',
      ['tasks', 'show'],
      /'task_id'\n+How it is used: npm run agent -- tasks show --help/,
    ],
    ['a missing id', ['approvals', 'show'], /missing required argument 'approval_id'/],
    ['too many', ['approvals', 'show', 'a', 'b'], /too many arguments/],
    ['a missing reason', ['approvals', 'reject', 'a'], /--reason/],
    ['an unknown option', ['approvals', 'list', '--stat', 'x'], /unknown option '--stat'/],
    ['a wrong choice', ['approvals', 'list', '--status', 'x'], /Allowed choices are open, pending/],
    ['a wrong limit', ['approvals', 'list', '--limit', '0'], /whole number from 1 to 100/],
    ['a URL that is none', ['approvals', 'list', '--url', 'nope'], /--url must be an http or https URL/],
    [
      'another agent without its key',
      ['approvals', 'list', '--url', 'http://127.0.0.1:9'],
      /--key or OPERATOR_API_KEY/,
    ],
  ])('2 for %s, with words that say what is wrong', async (_what, args, words) => {
    const end = await run(...args);
    expect(end).toMatchObject({ status: 2, stdout: '' });
    expect(end.stderr).toMatch(words);
  });

  it.each([
    [1, 'what is unknown', ['approvals', 'show', 'apr_x'], /no approval has this id/],
    [1, 'a wrong key', ['approvals', 'list', '--key', 'wrong'], /operator key is unknown/],
    [3, 'no answer', ['approvals', 'list', '--url', 'http://127.0.0.1:9', '--key', 'k'], /does not answer/],
  ])('%i for %s', async (status, _what, args, words) => {
    const end = await run(...args);
    expect(end).toMatchObject({ status, stdout: '' });
    expect(end.stderr).toMatch(words);
  });

  it('2 where no agent runs, and the words say how to start or name one', async () => {
    const end = await runAgentCommand(['approvals', 'list'], { DATA_DIR: '/nowhere/at-all' });
    expect(end).toMatchObject({ status: 2 });
    expect(end.stderr).toContain('no agent runs on /nowhere/at-all');
  });

  it.each([
    [['--help']],
    [['approvals', '--help']],
    [['creatives', '--help']],
    [['webhooks', 'pause', '--help']],
    [['keys', '--help']],
    [['log', '--help']],
  ])('0 for %j, which explains itself', async (args) => {
    const end = await run(...args);
    expect(end).toMatchObject({ status: 0, stderr: '' });
    expect(end.stdout).toMatch(/^Usage: npm run agent --/);
  });
});

it('the key that is typed, or stands in OPERATOR_API_KEY, opens an agent that runs elsewhere', async () => {
  const elsewhere = { DATA_DIR: '/nowhere/at-all' };
  const args = ['approvals', 'list', '--json', '--url', `${agent.baseUrl}/`];
  expect(await runAgentCommand([...args, '--key', key], elsewhere)).toMatchObject({ status: 0 });
  expect(await runAgentCommand(args, { ...elsewhere, OPERATOR_API_KEY: key })).toMatchObject({ status: 0 });
});

it('as a process of its own it prints to standard output and error, and ends with the status', async () => {
  const entry = await bundle('src/main/agent.ts');
  const [done, refused, wrong] = await Promise.all([
    runCli(entry, ['approvals', 'list', '--json'], here),
    runCli(entry, ['approvals', 'show', 'apr_x'], here),
    runCli(entry, ['approvals', 'delete'], here),
  ]);
  expect(done).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(done.stdout)).toHaveProperty('approvals');
  expect(refused).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('has this id') as string });
  expect(wrong).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('unknown command') as string });
});
