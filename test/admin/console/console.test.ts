import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OperatorActions } from '../../../src/admin/operator/actions/action.ts';
import { operations } from '../../../src/admin/operator/operations.ts';
import { METRIC_NAMES } from '../../../src/platform/metrics/metric-names.ts';
import { TaskRuns } from '../../../src/runtime/task-run.ts';
import { Approvals } from '../../../src/sales/approval/approval.ts';
import { callPublic } from '../../dialects/support/public-call.ts';
import { mediaBuyInput, send, taskOf } from '../../journeys/support/buyer.ts';
import { approvalOf, operate } from '../../journeys/support/operator.ts';
import type { Listed } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { mediaBuyId } from '../../support/ids.ts';
import { typescriptFiles } from '../../support/project-files.ts';
import { describeOnStores } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { openReceiver, status } from '../../webhooks/support/open-receiver.ts';
import type { Receiver } from '../../webhooks/support/open-receiver.ts';
import { everyPageOf } from './support/every-page.ts';
import { backTo, formsIn, saidDone, textOf, visitorOf } from './support/visitor.ts';
import type { Visitor } from './support/visitor.ts';

const HOSTILE = `<script>alert(1)</script>"'&\u202egnp.exe`;

describeOnStores('the console on %s', (store) => {
  let agent: TestAgent;
  let receiver: Receiver;
  let admin: Visitor;
  let operator: Visitor;
  let viewer: Visitor;
  beforeAll(async () => {
    receiver = await openReceiver(status(404));
    agent = await startTestAgent(store, { env: { APPROVAL_OVER_USD: '100' } });
    [admin, operator, viewer] = await Promise.all([
      visitorOf(agent, 'admin'),
      visitorOf(agent, 'operator'),
      visitorOf(agent, 'viewer'),
    ]);
  });
  afterAll(async () => {
    await agent.stop();
    await receiver.close();
  });

  const waiting = async (told: Receiver = receiver): Promise<Listed> => {
    const push_notification_config = { url: told.url(), operation_id: 'op-1' };
    const input = mediaBuyInput(agent, { push_notification_config, buyer_ref: `${HOSTILE} ${randomUUID()}` });
    return approvalOf(agent, taskOf(await send(agent, 'create_media_buy', input)).id);
  };
  const approvalNow = async ({ approval_id }: Listed) =>
    (await operate(agent, 'GET', `/approvals/${approval_id}`)).body['status'];
  const actions = async (target: string) =>
    (
      await agent.core.store
        .collection(OperatorActions)
        .find({ where: { target }, sort: { field: 'at', direction: 'asc' } })
    ).rows;

  it('[O1.pages] every page is shown to all who are signed in, without script, and to nobody else', async () => {
    const planted = { name: HOSTILE, receiver: receiver.url(), person_id: viewer.person_id };
    for (const path of await everyPageOf(agent, planted)) {
      for (const visitor of [viewer, admin]) {
        const { status: is, headers, html } = await visitor.get(path);
        const isAdmins = visitor === viewer && path.endsWith('/new');
        expect([path, is]).toEqual([path, isAdmins ? 403 : 200]);
        if (isAdmins) expect(textOf(html)).toContain('this takes the role admin');
        expect(headers.get('content-security-policy')).toMatch(
          /^default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self';/,
        );
        expect(headers.get('cache-control')).toBe('no-store');
        // One file of ours, which the page does without.
        expect(html.match(/<script[^]*?<\/script>/g)).toEqual([
          expect.stringMatching(/^<script src="\/admin\/live-[0-9a-f]{12}\.js" defer><\/script>$/),
        ]);
        expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/i);
        expect(html).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
        expect(html.match(/<h1>/g)).toHaveLength(1);
      }
      const stranger = await fetch(`${agent.baseUrl}/admin${path}`, { redirect: 'manual' });
      expect([path, stranger.status]).toEqual([path, 401]);
    }
  });

  it('loads its style by an address that changes with it', async () => {
    const { html } = await viewer.get('/approvals');
    const [, href = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(html) ?? [];
    const response = await fetch(`${agent.baseUrl}${href}`, { headers: { cookie: viewer.cookie } });
    expect(response.headers.get('content-type')).toContain('text/css');
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect(await response.text()).toContain('prefers-color-scheme');
  });

  it('[O1.forms] a decision is taken as it was shown, on record by who took it, and comes back to its page', async () => {
    const open = await waiting();
    const path = `/approvals/${open.approval_id}`;
    const form = await operator.form(path, 'Approve');
    expect(textOf((await operator.get(path)).html)).toMatch(
      /bids [\d.]+ USD CPM, from [\d.]+ USD|[\d.,]+ USD (CPM|flat)/,
    );
    expect(form.fields['digest']).toMatch(/^[0-9a-f]{64}$/);
    const answer = await operator.send(form, { note: 'welcome' });
    const landed = answer.headers.get('location') ?? '';
    expect([answer.status, landed]).toEqual([303, backTo(path, 'approvals.approve')]);
    expect(await approvalNow(open)).toBe('approved');
    const [row] = await actions(path);
    expect(row).toMatchObject({
      ...{ action: 'approvals.approve', by: operator.name, role: 'operator', outcome: 'done', address: '127.0.0.1' },
      input: { note: 'welcome' },
    });
    const { html } = await operator.get(landed.replace('/admin', ''));
    expect(saidDone(html)).toBe('Approved.');
    expect(formsIn(html)).toEqual([]);
  });

  it('[O1.pages] the page of a change says field by field what would become of the media buy', async () => {
    const { media_buy_id, approval_id } = await waiting();
    await operator.send(await operator.form(`/approvals/${approval_id}`, 'Approve'), {});
    const buyNow = async () => (await operate(agent, 'GET', `/media-buys/${media_buy_id}`)).body;
    const { packages, total_budget, currency } = await until(async () => {
      const buy = await buyNow();
      return buy['pending_reason'] !== 'approval' && buy;
    });
    const [{ package_id } = { package_id: '' }] = packages as { package_id: string }[];
    const updates = { budget_change: { package_id, amount: 250 }, packages: [{ package_id, paused: true }] };
    const change = await approvalOf(agent, taskOf(await send(agent, 'update_media_buy', { media_buy_id, updates })).id);
    const { html } = await operator.get(`/approvals/${change.approval_id}`);
    const [, table = ''] = /aria-label="What changes"([^]*?)<\/table>/.exec(html) ?? [];
    const amount = (of: unknown) =>
      `${Number(of).toLocaleString('en', { minimumFractionDigits: 2 })} ${String(currency)}`;
    const cells = (table.match(/<td[^]*?<\/td>/g) ?? []).map((cell) => cell.replaceAll(/<[^>]*>/g, ''));
    expect(cells.slice(0, 3)).toEqual(['Total budget', amount(total_budget), amount(Number(total_budget) + 250)]);
    expect(cells[3]).toContain(package_id);
    expect([cells[6]?.startsWith('Standing of '), ...cells.slice(7)]).toEqual([true, 'not paused', 'paused']);
    await until(async () => (await operate(agent, 'GET', `/approvals/${approval_id}`)).body['acted_on'] === true);
    const decided = (await operator.get(`/approvals/${approval_id}`)).html;
    expect(decided).toContain('the task has acted on it');
    expect(decided).not.toContain('What changes');
  });

  it('[O1.pages] a package that is held by itself, or runs at other times than its media buy, says so on both their pages', async () => {
    const { media_buy_id, approval_id } = await waiting();
    const pages = [`/buys/${media_buy_id}`, `/approvals/${approval_id}`];
    for (const path of pages) expect(textOf((await viewer.get(path)).html)).not.toMatch(/>Held<|>Runs</);
    const { start_time } = (await agent.core.sales.mediaBuys.get(mediaBuyId(media_buy_id))) ?? { start_time: '' };
    const later = new Date(Date.parse(start_time) + 86_400_000).toISOString();
    await agent.core.sales.mediaBuys.update(media_buy_id, (buy) => ({
      ...buy,
      packages: buy.packages.map((line, i) => (i === 0 ? { ...line, paused: true, start_time: later } : line)),
    }));
    for (const path of pages) {
      const { html } = await viewer.get(path);
      for (const cell of [`<time datetime="${later}">`, 'data-label="Held"><span class="mark warn">paused</span>'])
        expect([path, html.includes(cell)]).toEqual([path, true]);
    }
  });

  it('[O1.pages] an approval tells how its buyer stands, and the rounds of one lead to each other', async () => {
    const first = await waiting();
    const page = `/approvals/${first.approval_id}`;
    const { html } = await viewer.get(page);
    const [, standing = ''] = /<h2>The buyer so far, with this<\/h2>(.*?)<h2>/s.exec(html) ?? [];
    expect(standing).toMatch(/<dt>Buys since<\/dt><dd><time /);
    expect(standing).toMatch(/\d <a href="\/admin\/buys\?organization_id=org_demo_buyer&#38;status=pending"><span/);
    const approvals = agent.core.store.collection(Approvals);
    const row = await approvals.get(first.approval_id);
    if (row === undefined) throw new Error('there is no such approval');
    const again = `${first.approval_id}_2`;
    await approvals.insert({ ...row, approval_id: again, round: 2, revision: 1 });
    const at = row.requested_at;
    await approvals.update(first.approval_id, (one) => ({
      ...{ ...one, status: 'superseded', decided_at: at, decided_by: 'a test' },
      superseded: { at, because: ['the total is another'] },
    }));
    const linkOf = async (path: string, name: string) =>
      new RegExp(`<dt>${name}</dt><dd><a class="id" href="/admin([^"]*)"`).exec((await viewer.get(path)).html)?.[1];
    expect(await linkOf(page, 'Asked again')).toBe(`/approvals/${again}`);
    expect(await linkOf(`/approvals/${again}`, 'Asked before')).toBe(page);
    expect(await linkOf(page, 'Asked before')).toBeUndefined();
    // Its task knows both.
    const { approvals: rounds } = (await operate(agent, 'GET', `/tasks/${first.task_id}`)).body as {
      approvals?: { approval_id: string; status: string }[];
    };
    expect(rounds?.map((one) => [one.approval_id, one.status])).toEqual([
      [first.approval_id, 'superseded'],
      [again, 'pending'],
    ]);
  });

  it('[O1.forms] a media buy is canceled by an admin who types which, and a task by an operator; neither is offered again', async () => {
    const { media_buy_id, task_id } = await waiting();
    const [buy, task] = [`/buys/${media_buy_id}`, `/tasks/${task_id}`];
    const offered = formsIn((await operator.get(buy)).html).map(({ button }) => button);
    expect(offered).toEqual(['Report now', 'Hold it back']);
    expect(textOf((await operator.get(buy)).html)).toContain('each hour is asked for when it is over');
    const form = await admin.form(buy, 'Cancel the media buy');
    const wrong = await admin.send(form, { reason: 'sold twice', confirm: 'mb_other' });
    expect([wrong.status, textOf(wrong.html)]).toEqual([422, expect.stringContaining('confirm') as string]);
    const done = await operator.send(await operator.form(task, 'Cancel the task'), { reason: 'sold twice' });
    expect([done.status, done.headers.get('location')]).toEqual([303, backTo(task, 'tasks.cancel')]);
    const { html } = await operator.get(task);
    expect(textOf(html)).toContain('canceled by the seller: sold twice');
    // What is left is of where its news goes.
    expect(formsIn(html).map(({ button }) => button)).toEqual(['Send a test event', 'End for good']);
    const other = await waiting();
    const its = `/buys/${other.media_buy_id}`;
    // Its page leads to what of lists is its own.
    const of = (id: string) => `media_buy_id=${encodeURIComponent(id)}`;
    const { html: ofIt } = await viewer.get(its);
    for (const list of [`/approvals?status=all&${of(other.media_buy_id)}`, `/webhooks?${of(other.media_buy_id)}`])
      expect(ofIt).toContain(`href="/admin${list.replace('&', '&#38;')}"`);
    const approvals = (await viewer.get(`/approvals?status=all&${of(other.media_buy_id)}`)).html;
    expect([...approvals.matchAll(/href="\/admin\/approvals\/(apr_[^"]*)"/g)].map(([, id]) => id)).toEqual([
      other.approval_id,
    ]);
    const right = await admin.form(its, 'Cancel the media buy');
    const canceled = await admin.send(right, { reason: 'sold twice', confirm: other.media_buy_id });
    expect([canceled.status, canceled.headers.get('location')]).toEqual([303, backTo(its, 'buys.cancel')]);
    await until(
      async () => (await operate(agent, 'GET', `/media-buys/${other.media_buy_id}`)).body['status'] === 'canceled',
    );
    expect(formsIn((await admin.get(its)).html)).toEqual([]);
    // What made it is told of it, too.
    const made = `/tasks/${other.task_id}`;
    const over = await until(async () => {
      const { state } = (await operate(agent, 'GET', made)).body;
      return ['canceled', 'failed', 'completed'].includes(String(state)) && state;
    });
    expect(over).toBe('completed');
    expect((await viewer.get(made)).html).toContain(`<dt>Media buy</dt><dd><a class="id" href="/admin${its}"`);
    // And of the media buy's webhooks, which are those of its tasks.
    const list = `/webhooks/deliveries?${of(other.media_buy_id)}`;
    const sent = await until(async () => {
      const rows = (await operate(agent, 'GET', list)).body['deliveries'] as { delivery_id: string; task_id: string }[];
      return rows.length > 0 && rows;
    });
    expect(new Set(sent.map((one) => one.task_id))).toEqual(new Set([other.task_id]));
    const webhooks = (await viewer.get(`/webhooks?${of(other.media_buy_id)}`)).html;
    for (const { delivery_id } of sent) expect(webhooks).toContain(encodeURIComponent(delivery_id));
    expect((await operate(agent, 'GET', '/webhooks/deliveries?media_buy_id=mb_none')).body['deliveries']).toEqual([]);
    const both = await operate(agent, 'GET', `${list}&state=pending`);
    expect(both).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_ERROR', field: 'state' } } });
  });

  it('[O1.pages] a buyer’s page says which of its calls were refused, before there was a task or by a person, and by which field', async () => {
    const refused = await callPublic(agent, 'create_media_buy', { adcp_version: '3.1' });
    const open = await waiting();
    await operator.send(await operator.form(`/approvals/${open.approval_id}`, 'Reject'), { reason: 'no stock' });
    const of = '/buyers/org_demo_buyer/refusals';
    const told = await until(async () => {
      const rows = (await operate(agent, 'GET', of)).body['refusals'] as { task_id: string; field: string | null }[];
      return rows.some(({ task_id }) => task_id === open.task_id) && rows;
    });
    const [byPerson, before] = [open.task_id, refused.id].map((id) => told.find(({ task_id }) => task_id === id));
    expect(byPerson).toMatchObject({
      task_type: 'create_media_buy',
      state: 'failed',
      code: expect.any(String) as string,
    });
    expect(before).toMatchObject({ task_type: 'create_media_buy', state: 'rejected', code: 'VALIDATION_ERROR' });
    expect(before?.field).toBeTruthy();
    const { html } = await viewer.get('/buyers/org_demo_buyer');
    const [, table = ''] = /aria-label="The newest calls that were refused or failed"([^]*?)<\/table>/.exec(html) ?? [];
    expect(table).toContain(`href="/admin/tasks/${refused.id}"`);
    expect(table).toContain(`data-label="Field"><bdi>${before?.field ?? ''}</bdi>`);
    expect((await operate(agent, 'GET', '/buyers/org_none/refusals')).status).toBe(404);
    // What is named for the others is there.
    const metrics = [...html.matchAll(/<code>mba_(\w+)<\/code>/g)].map(([, name]) => name);
    expect(metrics).toHaveLength(4);
    expect(Object.keys(METRIC_NAMES)).toEqual(expect.arrayContaining(metrics));
    expect(html).toContain('<code>REQUEST_LOG_LEVEL=info</code>');
  });

  it('[T1.fault-log] a task shows its faults in order, on its page and by the API; one of before shows none', async () => {
    const { task_id } = await waiting();
    const of = `/tasks/${task_id}`;
    expect(textOf((await viewer.get(of)).html)).not.toContain('In the log by');
    expect((await operate(agent, 'GET', of)).body['fault_log']).toEqual([]);
    const faults = [1, 2, 3, 4].map((turn) => ({
      ...{ at: `2026-01-02T03:04:0${turn}.000Z`, turn, message: `the turn broke down: Error E${turn}` },
      error_id: `err_${turn}`,
    }));
    await agent.core.store
      .collection(TaskRuns)
      .update(task_id, (row) => ({ ...row, fault_log: faults, has_faults: true }));
    const faulty = await operate(agent, 'GET', '/tasks?state=all&has_faults=true&organization_id=org_demo_buyer');
    expect((faulty.body['tasks'] as { task_id: string }[]).map((one) => one.task_id)).toEqual([task_id]);
    const list = (await viewer.get('/tasks?state=all&has_faults=true')).html;
    expect(list).toContain(`href="/admin${of}"`);
    expect(list).toContain('data-label="Took">goes on</td>');
    expect(list).toContain('data-label="Waits for">person</td>');
    expect((await viewer.get('/tasks?state=completed&has_faults=true')).html).not.toContain(`href="/admin${of}"`);
    expect((await viewer.get('/tasks?has_faults=false')).status).toBe(422);
    expect((await operate(agent, 'GET', of)).body['fault_log']).toEqual(faults);
    const { html } = await viewer.get(of);
    const [timeline = '', table = ''] = html.split('<h2>Faults</h2>');
    const places = faults.flatMap(({ message, error_id }) => [table.indexOf(message), table.indexOf(error_id)]);
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    const bars = faults.map(({ turn, message }) => timeline.indexOf(`turn ${turn}: ${message}`));
    expect(bars).not.toContain(-1);
    expect(bars).toEqual([...bars].sort((a, b) => a - b));
    // It waits for a person, and says where.
    expect(timeline).toMatch(/goes on[^]*href="\/admin\/approvals\/apr_|href="\/admin\/approvals\/apr_[^]*goes on/);
  });

  it('[B2.hold] a media buy is held back by an operator, with the reason on its page, and released', async () => {
    const { media_buy_id } = await waiting();
    const page = `/buys/${media_buy_id}`;
    await expect(viewer.form(page, 'Hold it back')).rejects.toThrow('has no form');
    const held = await operator.send(await operator.form(page, 'Hold it back'), { reason: '<i>no stock</i>' });
    expect([held.status, held.headers.get('location')]).toEqual([303, backTo(page, 'buys.hold')]);
    const { html } = await viewer.get(page);
    expect(textOf(html)).toContain('<i>no stock</i>');
    expect(html).not.toContain('<i>no');
    expect((await viewer.get('/buys?status=pending')).html).toContain('>held<');
    expect((await operator.send(await operator.form(page, 'Release it'))).status).toBe(303);
    expect(textOf((await viewer.get(page)).html)).not.toContain('Held back');
  });

  it('[O1.forms] sent twice, at once or after, is one click', async () => {
    const open = await waiting();
    const path = `/approvals/${open.approval_id}`;
    const form = await operator.form(path, 'Ask the buyer');
    const twice = await Promise.all([1, 2].map(() => operator.send(form, { question: 'Which page?' })));
    const again = await operator.send(form, { question: 'Which page?' });
    expect([...twice, again].map(({ status: is }) => is)).toEqual([303, 303, 303]);
    const { body } = await operate(agent, 'GET', path);
    expect(body['questions']).toHaveLength(1);
    expect(await actions(path)).toHaveLength(1);
  });

  it('[O1.forms] is refused from elsewhere, without its token, with another session’s or another form’s, and nothing changes', async () => {
    const open = await waiting();
    const path = `/approvals/${open.approval_id}`;
    const form = await operator.form(path, 'Reject');
    const other = await operator.form(path, 'Approve');
    const theirs = await admin.form(path, 'Reject');
    const { _token: _none, ...bare } = form.fields;
    const why = { reason: 'no' };
    const answers = [
      await operator.send(form, why, { 'sec-fetch-site': 'cross-site' }),
      await operator.send({ ...form, fields: bare }, why),
      await operator.send({ ...form, fields: theirs.fields }, why),
      await operator.send({ ...form, fields: other.fields }, why),
      await operator.send({ ...form, action: form.action.replace('reject', 'approve') }, why),
    ];
    expect(answers.map(({ status: is }) => is)).toEqual([403, 403, 403, 403, 403]);
    expect(await approvalNow(open)).toBe('pending');
    expect(await actions(path)).toEqual([]);
  });

  it('[O1.forms] is not there for those who may not, and refused when they send it all the same', async () => {
    const open = await waiting();
    const path = `/approvals/${open.approval_id}`;
    const { html } = await viewer.get(path);
    expect(formsIn(html)).toEqual([]);
    expect(textOf(html)).toContain('takes the role operator; yours is viewer');
    expect((await viewer.get('/approvals')).html).toContain('data-label="Reference"');
    const { action } = await operator.form(path, 'Reject');
    const { formToken } = await import('../../../src/admin/console/form-token.ts');
    const token = formToken(viewer.cookie.split('=')[1] ?? '', action.slice('/admin/do'.length));
    const fields = { _token: token, _click: randomUUID(), _back: '/admin', reason: 'no' };
    const answer = await viewer.send({ action, button: '', fields });
    expect(answer.status).toBe(403);
    expect(textOf(answer.html)).toContain('this takes the role operator');
    expect(await approvalNow(open)).toBe('pending');
  });

  it('says in its frame what is wrong with a form, and where nothing is', async () => {
    const open = await waiting();
    const path = `/approvals/${open.approval_id}`;
    const wordless = await operator.send(await operator.form(path, 'Reject'), { reason: '  ' });
    expect(wordless.status).toBe(422);
    expect(textOf(wordless.html)).toContain('reason');
    const gone = await viewer.get('/buys/none');
    expect(gone.status).toBe(404);
    expect(gone.html).toContain('no media buy has this id');
    expect(gone.html).toMatch(/<dt>Request<\/dt><dd>[^<]+<\/dd>/);
    const wrong = await viewer.get('/buys?status=running');
    expect(wrong.status).toBe(422);
    expect((await viewer.get('/no-such-page')).status).toBe(404);
  });

  it.each(['https://evil.example/', '//evil.example', '/admin//evil.example', '/admin\\evil', '/elsewhere', ''])(
    '[O1.forms] comes back to the console alone, whatever the form says: %j',
    async (back) => {
      const open = await waiting();
      const form = await operator.form(`/approvals/${open.approval_id}`, 'Ask the buyer');
      const answer = await operator.send(form, { question: 'x', _back: back });
      expect(answer.headers.get('location')).toEqual(backTo('', 'approvals.ask'));
    },
  );

  it('[O1.forms] where a task’s news goes is ended on a webhook’s page, and what is over is sent again as a range', async () => {
    // Its own, since one that has taken nothing yet gets one a second.
    const told = await openReceiver(status(404));
    const { task_id } = await waiting(told);
    const listOf = async (query: string) => (await operate(agent, 'GET', `/webhooks/${query}`)).body;
    const rejected = `deliveries?task_id=${task_id}&state=rejected`;
    const delivery_id = await until(
      async () => ((await listOf(rejected))['deliveries'] as { delivery_id: string }[])[0]?.delivery_id,
    );
    const listed = await operator.get(`/webhooks?task_id=${task_id}&state=rejected`);
    const [, toCount = ''] = /<a href="([^"]*range-count[^"]*)">Count all of these/.exec(listed.html) ?? [];
    const range = formsIn((await operator.get(textOf(toCount).replace('/admin', ''))).html).find(({ button }) =>
      /^Send (it|all \d+) again$/.test(button),
    );
    if (range === undefined) throw new Error(`${toCount} has no form that sends them`);
    expect(range.fields).toMatchObject({ task_id, state: 'rejected' });
    const sent = told.received.length;
    told.answer = status(204);
    expect((await operator.send(range)).status).toBe(303);
    await until(() => told.received.length > sent);
    // Who has taken one is asked as often as there is something to ask.
    await until(async () => (await listOf(`destinations/${encodeURIComponent(told.url())}`))['is_known'] === true);
    told.answer = status(404);

    const page = `/webhooks/${delivery_id}`;
    expect(formsIn((await viewer.get(page)).html)).toEqual([]);
    const tried = await operator.send(await operator.form(page, 'Send a test event'));
    const words = textOf(tried.html.replaceAll(/<[^>]*>/g, ' '));
    expect([tried.status, words.includes('The receiver did not take the test event')]).toEqual([200, true]);
    for (const shown of ['404 receiver refused the webhook', 'Phase by phase', 'At the receiver:', told.url()])
      expect(words).toContain(shown);
    expect(tried.html).toContain(`<a href="/admin${page}">Back</a>`);
    // Its task's page has the same: where to, how proved, since when, and its end.
    const its = textOf((await operator.get(`/tasks/${task_id}`)).html.replaceAll(/<[^>]*>/g, ' '));
    expect(its).toMatch(
      /Where this task’s news goes.*the task’s input.*rfc9421.*active.*Send a test event.*End for good/s,
    );
    expect(its).toContain(told.url());
    expect((await viewer.get(`/tasks/${task_id}`)).html).not.toContain('End for good');
    const end = await operator.form(`/tasks/${task_id}`, 'End for good');
    expect((await operator.send(end)).headers.get('location')).toContain(`/admin/tasks/${task_id}?done=`);
    const { registrations } = (await listOf(`registrations?task_id=${task_id}`)) as {
      registrations?: { ended_at: string | null }[];
    };
    expect(registrations?.map(({ ended_at }) => ended_at === null)).toEqual([false]);
    for (const one of [page, `/tasks/${task_id}`]) {
      const { html } = await operator.get(one);
      expect(formsIn(html).map(({ button }) => button)).not.toContain('End for good');
      expect(html).toContain(`datetime="${registrations?.[0]?.ended_at ?? ''}"`);
    }
    await told.close();
  });

  it('[O1.forms] tells of nothing done that is not on record as done, and of what is undone says so', async () => {
    for (const query of [
      'done=you.are.hacked',
      'done=approvals.approve',
      `done=buys.cancel&act=act_${'0'.repeat(32)}`,
    ]) {
      const { html } = await viewer.get(`/approvals?${query}`);
      expect([query, saidDone(html), html.includes('hacked')]).toEqual([query, undefined, false]);
    }
    const { media_buy_id } = await waiting();
    const page = `/buys/${media_buy_id}`;
    const held = await operator.send(await operator.form(page, 'Hold it back'), { reason: 'no stock' });
    const landed = (held.headers.get('location') ?? '').replace('/admin', '');
    expect(saidDone((await operator.get(landed)).html)).toBe('The media buy is held back until it is released.');
    const undone = await operator.send(await operator.form(landed, 'Undo'));
    const { html } = await operator.get((undone.headers.get('location') ?? '').replace('/admin', ''));
    expect(saidDone(html)).toBe('Undone. The media buy is held back no more.');
  });

  it('keeps the queue pages as they were, behind the same sign-in', async () => {
    const { status: is, html } = await viewer.get('/queues');
    expect([is, html.includes('__UI_CONFIG__')]).toEqual([200, true]);
  });
});

it('[O1] pages read and act by the list of operations, and by nothing else', async () => {
  const files = (await typescriptFiles('src/admin/console')).filter(({ text }) => /\bstore\b|collection\(/.test(text));
  expect(files.map(({ path }) => path)).toEqual([]);
});

describe('[O1.forms] what the console does by form', () => {
  it('is every action there is', async () => {
    const { actionAt } = await import('../../../src/admin/console/actions.ts');
    for (const { action, path } of operations) {
      if (action === undefined) continue;
      const at = path.replaceAll(/:\w+/g, 'some%2Fthing');
      expect(actionAt(at).operation.action).toBe(action);
    }
    const { operation, params } = actionAt('/buyers/a%20b/suspend');
    expect([operation.action, params]).toEqual(['buyers.suspend', { organization_id: 'a b' }]);
    expect(() => actionAt('/buyers/a')).toThrow('the console does no such thing');
  });
});
