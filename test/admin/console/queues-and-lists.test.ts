import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { csvOf } from '../../../src/admin/console/csv.ts';
import { OperatorActions } from '../../../src/admin/operator/actions/action.ts';
import { operations } from '../../../src/admin/operator/operations.ts';
import { TASK_TYPES_LISTED } from '../../../src/admin/operator/tasks/operations.ts';
import { pageOfJob } from '../../../src/admin/page-of-job.ts';
import { apiKeys, createApiKey } from '../../../src/directory/api-key/api-key.ts';
import { membershipId, memberships } from '../../../src/directory/membership/membership.ts';
import { organizationDomains } from '../../../src/directory/organization/organization-domain.ts';
import { newOrganization, organizations } from '../../../src/directory/organization/organization.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/hours.ts';
import { noSecurityLog } from '../../../src/platform/security/security-log.ts';
import { newRun } from '../../../src/runtime/new-run.ts';
import type { TaskState } from '../../../src/runtime/states.ts';
import { TaskRuns } from '../../../src/runtime/task-run.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { isRead } from '../../../src/runtime/task-definition.ts';
import { RUN_QUEUE } from '../../../src/runtime/dependencies.ts';
import { mediaBuyInput, send, taskOf } from '../../journeys/support/buyer.ts';
import { approvalOf, operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { sampleMediaBuy } from '../../sales/support/sample-media-buy.ts';
import { mediaBuyId, organizationId, taskId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { formsIn, textOf, visitorOf } from './support/visitor.ts';
import type { Visitor } from './support/visitor.ts';

const FORMULA = '=HYPERLINK("https://evil.example","x")';

describeOnStores('queues and lists of the console on %s', (store) => {
  let agent: TestAgent;
  let admin: Visitor;
  let operator: Visitor;
  let viewer: Visitor;
  beforeAll(async () => {
    agent = await startTestAgent(store, { env: { APPROVAL_OVER_USD: '100' } });
    [admin, operator, viewer] = await Promise.all([
      visitorOf(agent, 'admin'),
      visitorOf(agent, 'operator'),
      visitorOf(agent, 'viewer'),
    ]);
  });
  afterAll(async () => {
    await agent.stop();
  });

  const waiting = async (buyer_ref: string) =>
    approvalOf(agent, taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent, { buyer_ref }))).id);
  const readyz = async () => (await (await fetch(`${agent.baseUrl}/readyz`)).json()) as Record<string, unknown>;

  it('[O1.queues] an admin pauses a queue with a reason, on record, and every page and /readyz say so until it goes on', async () => {
    const pause = await admin.form('/job-queues', 'Pause webhook-retries');
    expect((await admin.send(pause, { reason: ' ' })).status).toBe(422);
    expect(await readyz()).not.toHaveProperty('degraded');
    const reason = `the receiver moves <b>${randomUUID()}`;
    expect((await admin.send(pause, { reason, _click: randomUUID() })).status).toBe(303);
    expect(await readyz()).toMatchObject({ degraded: [{ part: 'queue webhook-retries', why: 'paused' }] });
    for (const path of ['', '/buys', '/job-queues', '/audit']) {
      const text = textOf((await viewer.get(path)).html);
      expect([path, text.includes('The queue webhook-retries is paused')]).toEqual([path, true]);
      expect(text).toContain(reason);
    }
    await admin.send(await admin.form('/job-queues', 'Resume webhook-retries'));
    expect(await readyz()).not.toHaveProperty('degraded');
    expect((await viewer.get('/buys')).html).not.toContain('is paused');
    const { rows } = await agent.core.store
      .collection(OperatorActions)
      .find({ where: { target: '/queues/webhook-retries' }, sort: { field: 'at', direction: 'asc' } });
    expect(rows.map(({ action, by, outcome, input }) => [action, by, outcome, input])).toEqual([
      ['queues.pause', admin.name, 'done', { reason }],
      ['queues.resume', admin.name, 'done', {}],
    ]);
  });

  it('[O1.queues] nobody below admin has a form there, and nobody at all changes a queue by the queue pages’ own API', async () => {
    for (const visitor of [viewer, operator]) {
      const { status, html } = await visitor.get('/job-queues');
      expect([status, formsIn(html)]).toEqual([200, []]);
      expect(html).toContain('This takes the role admin');
    }
    const job = `/admin/queues/api/queues/${RUN_QUEUE.name}`;
    const tries = [
      ...[`PUT ${job}/pause`, `PUT ${job}/empty`, `PUT ${job}/clean/completed`, `PUT ${job}/obliterate`],
      ...[`POST ${job}/add`, `PUT ${job}/retry/failed`, `PUT ${job}/promote`, `DELETE ${job}`],
      ...['PUT /admin/queues/api/queues/pause', `PATCH ${job}/1/update-data`],
    ];
    for (const visitor of [viewer, operator, admin]) {
      for (const [method = '', path = ''] of tries.map((one) => one.split(' '))) {
        const headers = { cookie: visitor.cookie, 'sec-fetch-site': 'same-origin' };
        const answer = await fetch(`${agent.baseUrl}${path}`, { method, headers });
        expect([method, path, answer.status]).toEqual([method, path, 403]);
        await answer.body?.cancel();
      }
    }
    expect(await readyz()).not.toHaveProperty('degraded');
  });

  it('[O1.queues] each job leads to its task, each queue says how many are kept, and the pages lead back to the console', async () => {
    const { task_id } = await waiting(`ref ${randomUUID()}`);
    const of = async (path: string) => JSON.parse((await viewer.get(path)).html) as BoardAnswer;
    const found = await until(async () => {
      const path = `/queues/api/queues?activeQueue=${RUN_QUEUE.name}&status=completed&page=1&jobsPerPage=100`;
      const queue = (await of(path)).queues.find(({ name }) => name === RUN_QUEUE.name);
      const job = queue?.jobs.find(({ data }) => data.task_id === task_id);
      return job && { job, description: queue?.description, readOnly: queue?.readOnlyMode };
    });
    expect(found.job.externalUrl).toMatchObject({ href: `/admin/tasks/${task_id}` });
    expect(found.description).toBe('Keeps the last 1,000 jobs that finished and the last 5,000 that failed.');
    expect(found.readOnly).toBe(true);
    expect((await viewer.get(`/tasks/${task_id}`)).status).toBe(200);
    const board = textOf((await viewer.get('/queues')).html);
    expect(board).toContain('Back to the console');
    expect(board).toContain('/admin/job-queues');
    expect((await viewer.get('')).html).toContain('<a href="/admin/job-queues">Queues</a>');
  });

  it('[O1.lists] each list is had as JSON, as its operation answers, and as CSV, by the page’s filters', async () => {
    const { media_buy_id } = await waiting(`${FORMULA} ${randomUUID()}`);
    const json = JSON.parse((await viewer.get('/buys.json?status=pending')).html) as { media_buys: BuyRow[] };
    const mine = json.media_buys.find((buy) => buy.media_buy_id === media_buy_id);
    expect(mine?.buyer_ref).toContain(FORMULA);
    const csv = await viewer.get('/buys.csv?status=pending');
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename=buys.csv');
    const line = csv.html.split('\r\n').find((one) => one.includes(media_buy_id)) ?? '';
    expect(line).toContain(`"'=HYPERLINK(""https://evil.example"",""x"") `);
    expect(JSON.parse((await viewer.get('/buys.json?status=completed')).html)).toEqual({
      media_buys: [],
      has_more: false,
    });
    const one = await viewer.get('/buys.csv?status=pending&limit=1');
    expect(one.html.trimEnd().split('\r\n')).toHaveLength(2);
    const [, next = ''] = /^<\/admin([^>]*)>; rel="next"$/.exec(one.headers.get('link') ?? '') ?? [];
    expect((await viewer.get(next)).html.split('\r\n')[1]).not.toBe(one.html.split('\r\n')[1]);
  });

  it('[O1.lists] a list is asked for less by its form, what is left empty asks for nothing, and what no index carries is refused', async () => {
    const open = await waiting(randomUUID());
    await operator.send(await operator.form(`/approvals/${open.approval_id}`, 'Approve'));
    const rowsOf = async (path: string) => {
      const { status, html } = await viewer.get(path);
      return [status, [...html.matchAll(/<tr role="row">/g)].length - 1];
    };
    const [before, day] = [DAY_MS, 0].map((ago) => new Date(agent.core.clock.now() - ago).toISOString().slice(0, 10));
    const [, all = 0] = await rowsOf('/audit');
    expect(all).toBeGreaterThan(0);
    expect(await rowsOf(`/audit?by=&action=&target=&since=${before}&until=`)).toEqual([200, all]);
    expect(await rowsOf(`/audit?action=approvals.approve&until=${day}`)).toEqual([200, 1]);
    const none = await viewer.get('/audit?action=approvals.approve&since=2999-01-01');
    expect(textOf(none.html)).toContain('Nothing on record is so.');
    expect(none.html).toContain('<option value="approvals.approve" selected>approvals approve</option>');
    for (const query of ['by=x&action=approvals.approve', 'since=yesterday', 'until=2026-02-30'])
      expect((await viewer.get(`/audit?${query}`)).status).toBe(422);
    const { body } = await operate(agent, 'GET', '/actions?by=x&target=y');
    expect(body).toMatchObject({ error: { code: 'VALIDATION_ERROR', field: 'target' } });
    const ofType = async (type: string) => {
      const answer = await operate(agent, 'GET', `/tasks?state=all&task_type=${type}`);
      return new Set((answer.body['tasks'] as { task_type: string }[]).map(({ task_type }) => task_type));
    };
    const does = [...agent.core.runtime.tasks.values()].flatMap((task) => (isRead(task) ? [] : task.name));
    expect([...TASK_TYPES_LISTED].sort()).toEqual(does.sort());
    expect(await ofType('create_media_buy')).toEqual(new Set(['create_media_buy']));
    expect(await ofType('sync_accounts')).toEqual(new Set());
    expect((await viewer.get('/approvals?status=open&operation=update_media_buy&organization_id=')).html).toContain(
      'There is none of this buyer, kind and media buy in this state',
    );
    for (const [path, why] of [
      ['/approvals?status=superseded', 'None is superseded: one is when'],
      ['/creatives?status=archived', 'None is archived. Buyers send theirs by sync_creatives'],
    ] as const)
      expect(textOf((await viewer.get(path)).html)).toContain(why);
    expect(textOf((await viewer.get('/buyers?state=suspended')).html)).toContain('suspended on its own page');
    expect(textOf((await viewer.get('/buyers?state=prospect')).html)).not.toContain('There are none.');
    const deliveries = (query: string) => viewer.get(`/webhooks.json?state=pending&${query}`);
    expect((await deliveries(`since=${day}&to=${day}&destination=&task_id=`)).status).toBe(200);
    expect(JSON.parse((await deliveries('since=2020-01-31&to=2020-01-31')).html)).toMatchObject({ deliveries: [] });
    expect((await deliveries('since=odd')).status).toBe(422);
    expect((await viewer.get('/buys?po_number=none-has-it')).html).not.toContain('href="/admin/buys/mb_');
    for (const query of ['answer=4xx&task_id=t', 'answer=5xx&destination=d&organization_id=o', 'answer=1xx'])
      expect([query, (await viewer.get(`/webhooks.json?${query}`)).status]).toEqual([query, 422]);
    const odd = await operate(agent, 'GET', '/webhooks/deliveries?answer=2xx&state=pending');
    expect(odd.body).toMatchObject({ error: { code: 'VALIDATION_ERROR', field: 'state' } });
  });

  it('[O1.lists] media buys are listed by the days on which their flights begin, the latest first, in any state or one', async () => {
    const { media_buy_id } = await waiting(randomUUID());
    const buy = await agent.core.sales.mediaBuys.get(mediaBuyId(media_buy_id));
    const [last, later] = ['2031-01-31T23:59:59.999Z', '2031-01-31T00:00:00.000Z'].map((start_time, i) => {
      const ids = { media_buy_id: mediaBuyId(`mb_flight_${i}`), task_id: taskId(`task_flight_${i}`) };
      return {
        ...sampleMediaBuy({ ...ids, buyer_ref: randomUUID() }),
        start_time,
        end_time: '2031-03-01T00:00:00.000Z',
      };
    });
    for (const one of [later, last]) if (one) await agent.core.sales.mediaBuys.insert(one);
    const begun = async (query: string) => {
      const { body } = await operate(agent, 'GET', `/media-buys?${query}`);
      return (body['media_buys'] as BuyRow[]).map((one) => one.media_buy_id);
    };
    expect(await begun('starts_from=2031-01-31&starts_until=2031-01-31')).toEqual(['mb_flight_0', 'mb_flight_1']);
    expect(await begun(`starts_from=2031-01-31&status=${last?.status ?? ''}&limit=1`)).toEqual(['mb_flight_0']);
    expect(await begun('starts_from=2031-01-31&status=rejected')).toEqual([]);
    expect(await begun('starts_from=2031-02-01')).toEqual([]);
    expect(await begun(`starts_until=${buy?.start_time.slice(0, 10) ?? ''}`)).toContain(media_buy_id);
    const page = await viewer.get('/buys?starts_from=2031-01-31&starts_until=');
    expect(page.html).toContain('<input type="date" name="starts_from" value="2031-01-31">');
    expect([...page.html.matchAll(/href="\/admin\/buys\/(mb_\w+)"/g)].map(([, id]) => id)).toEqual([
      ...['mb_flight_0', 'mb_flight_1'],
    ]);
    const both = await operate(agent, 'GET', '/media-buys?starts_from=2031-01-31&organization_id=org_demo_buyer');
    expect(both.body).toMatchObject({ error: { code: 'VALIDATION_ERROR', field: 'organization_id' } });
    expect((await viewer.get('/buys?starts_until=2031-01-31&po_number=x')).status).toBe(422);
    expect((await viewer.get('/buys?starts_from=soon')).status).toBe(422);
  });

  it('[O1.lists] buyers are listed with people, keys, what they buy, their last call and what was refused, and found by a whole domain', async () => {
    const { store: rows, sales } = agent.core;
    const organization_id = organizationId(`org_${randomUUID()}`);
    const [domain, other] = [`${randomUUID()}.example`, `${randomUUID()}.example`];
    const of = async (query: string) =>
      (JSON.parse((await viewer.get(`/buyers.json?${query}`)).html) as { buyers: Record<string, unknown>[] }).buyers;
    const wordsOn = async (query: string) =>
      textOf((await viewer.get(`/buyers?${query}`)).html.replaceAll(/<[^>]*>/g, ' ')).replaceAll(/\s+/g, ' ');
    const hours = (ago: number) => new Date(Date.now() - ago * HOUR_MS).toISOString();
    const owner = { owner_id: 'user_owner', corporate_domain: domain, domain_verified_by: 'email' } as const;
    const made = { organization_id, name: 'Listed & Co', state: 'active', created_at: hours(1) } as const;
    await rows.collection(organizations).insert(newOrganization({ ...made, ...owner }));
    expect(await of(`domain=${domain}`)).toMatchObject([
      {
        ...{ organization_id, people: 1, api_keys: 0, open_media_buys: 0, committed: [], is_all_committed: true },
        ...{ last_call_at: null, last_24_hours: { rejected: 0, failed: 0 } },
      },
    ]);

    const member = (user_id: string) => ({
      ...{ membership_id: membershipId(organization_id, user_id), organization_id, user_id },
      ...{ role: 'member' as const, created_at: hours(1), revision: 1 },
    });
    await rows.collection(memberships).insertMany([member('user_a'), member('user_b')]);
    const keys = rows.collection(apiKeys);
    const security = noSecurityLog;
    const newKey = async () =>
      (await createApiKey({ ...agent.core, keys, security }, { organization_id, name: 'k' })).key;
    const [used, revoked] = [await newKey(), await newKey()];
    await keys.update(used.api_key_id, (row) => ({ ...row, last_used_at: hours(5) }));
    await keys.update(revoked.api_key_id, (row) => ({ ...row, last_used_at: hours(3), revoked_at: hours(2) }));
    const buy = (n: number, changes: Partial<MediaBuy> = {}) =>
      sampleMediaBuy({
        ...{ organization_id, media_buy_id: mediaBuyId(`mb_${organization_id}_${n}`), buyer_ref: `listed-${n}` },
        ...{ task_id: taskId(`${organization_id}_${n}`), flight_due_at: null, reporting_due_at: null, ...changes },
      });
    await sales.mediaBuys.insertMany([
      ...[buy(1), buy(2), buy(3, { currency: 'JPY', total_budget_minor: 7_000 })],
      buy(4, { open: false, status: 'completed', pending_reason: null }),
    ]);
    const run = (n: number, state: TaskState, created_at: string) =>
      newRun({
        ...{ task_id: taskId(`${organization_id}_run_${n}`), message_key: String(n), organization_id, created_at },
        ...{ principal_id: 'p', task_type: 'create_media_buy', context_id: 'c', state },
        events: [{ kind: 'status', sequence: 1, state, timestamp: created_at, message: state }],
      });
    const runs = rows.collection(TaskRuns);
    await runs.insertMany([
      ...[run(1, 'rejected', hours(4)), run(2, 'rejected', hours(23)), run(3, 'failed', hours(10))],
      ...[run(4, 'rejected', hours(25)), run(5, 'completed', hours(6))],
    ]);
    const figures = {
      ...{ people: 3, api_keys: 1, open_media_buys: 3, is_all_committed: true },
      committed: [
        { currency: 'USD', amount: 25_001 },
        { currency: 'JPY', amount: 7_000 },
      ],
    };
    // By the key that was revoked since: it was used later than the newest task was asked for.
    const last_call_at = (await keys.get(revoked.api_key_id))?.last_used_at;
    expect(await of(`domain=${domain}`)).toMatchObject([
      { ...figures, last_call_at, last_24_hours: { rejected: 2, failed: 1 } },
    ]);
    expect(await wordsOn(`domain=${domain}`)).toContain(
      `Listed & Co ${domain} active 3 1 3 25,001.00 USD 7,000 JPY 3 hours ago 2 rejected 1 failed 1 hour ago`,
    );

    // Of more, no more is counted, and money is that of some of them.
    await sales.mediaBuys.insertMany(Array.from({ length: 97 }, (_, i) => buy(i + 100)));
    await runs.insertMany(Array.from({ length: 98 }, (_, i) => run(i + 100, 'rejected', hours(0.5))));
    expect(await of(`domain=${domain}`)).toMatchObject([
      { open_media_buys: 100, is_all_committed: false, last_24_hours: { rejected: 100, failed: 1 } },
    ]);
    expect(await wordsOn(`domain=${domain}`)).toMatch(
      /active 3 1 100\+ 250,010\.00 USD\+ \d+ minutes ago 100\+ rejected 1 failed/,
    );

    // Also by another domain that it has proved, by no part of one, and in its own state alone.
    const further = { domain: other, organization_id, verified_by: 'dns', user_id: 'user_a', revision: 1 } as const;
    await rows.collection(organizationDomains).insert({ ...further, created_at: hours(1) });
    for (const query of [`domain=${other}`, `domain=${domain.toUpperCase()}&state=active`, `domain=www.${domain}`])
      expect([query, (await of(query)).map((one) => one['organization_id'])]).toEqual([query, [organization_id]]);
    for (const query of [`domain=x${domain}`, `domain=${domain}&state=suspended`, `domain=${domain}&state=prospect`])
      expect([query, await of(query)]).toEqual([query, []]);
    expect(await wordsOn(`domain=x${domain}`)).toContain('No such one has this domain.');
    const odd = await operate(agent, 'GET', '/buyers?domain=example');
    expect(odd.body).toMatchObject({ error: { code: 'VALIDATION_ERROR', field: 'domain' } });
    const { html: csv } = await viewer.get(`/buyers.csv?domain=${domain}`);
    expect(csv).toContain('"is_all_committed","last_call_at","last_24_hours.rejected","last_24_hours.failed"');
  });

  it('[O1.lists] every list of a buyer’s takes its name, or how that begins, in place of its id, and names those that are meant where they are several', async () => {
    const tag = randomUUID();
    const named = async (id: string, name: string) => {
      const organization_id = organizationId(`org_${id}_${tag}`);
      const made = { organization_id, name: `${name} ${tag}`, state: 'active', created_at: '2026-01-01T00:00:00.000Z' };
      await agent.core.store.collection(organizations).insert(newOrganization({ ...made, state: 'active' }));
      return organization_id;
    };
    const [dock, quay, east] = [await named('d', 'Dock'), await named('q', 'Quay'), await named('e', 'Quay East')];
    const media_buy_id = mediaBuyId(`mb_${tag}`);
    const ofDock = { organization_id: dock, media_buy_id, task_id: taskId(tag), buyer_ref: tag };
    const still = { flight_due_at: null, reporting_due_at: null };
    await agent.core.sales.mediaBuys.insert(sampleMediaBuy({ ...ofDock, ...still }));
    const buysOf = async (buyer: string) => {
      const { status, body } = await operate(agent, 'GET', `/media-buys?organization_id=${encodeURIComponent(buyer)}`);
      return status === 200 ? (body['media_buys'] as BuyRow[]).map((one) => one.media_buy_id) : body.error;
    };
    for (const buyer of [dock, `Dock ${tag}`, ` dock ${tag.slice(0, 30)}`])
      expect([buyer, await buysOf(buyer)]).toEqual([buyer, [media_buy_id]]);
    // Its own name is that of one alone, and how it begins that of two.
    for (const buyer of [`Quay ${tag}`, `quay east ${tag}`.replace('e', 'E'), 'org_nobody'])
      expect([buyer, await buysOf(buyer)]).toEqual([buyer, []]);
    const none = await buysOf(`Pier ${tag}`);
    expect(none).toMatchObject({ code: 'VALIDATION_ERROR', field: 'organization_id' });

    const asked = operations.filter(
      ({ method, query }) => method === 'get' && query instanceof z.ZodObject && 'organization_id' in query.shape,
    );
    expect(asked.length).toBeGreaterThan(10);
    for (const { path } of asked) {
      const needed = path === '/webhooks/range-count' ? '&state=exhausted' : '';
      const { status, body } = await operate(agent, 'GET', `${path}?organization_id=quay${needed}`);
      expect([path, status, body.error]).toMatchObject([path, 422, { field: 'organization_id' }]);
      expect(body.error?.message).toContain(`${quay} ("Quay ${tag}")`);
      expect(body.error?.message).toContain(`${east} ("Quay East ${tag}")`);
    }
    const list = await viewer.get(`/buys?organization_id=dock+${tag}`);
    expect(list.html).toContain(`href="/admin/buys/${media_buy_id}"`);
    expect(list.html).toContain(`name="organization_id" value="dock ${tag}"`);
    const several = await viewer.get('/buys?organization_id=Quay');
    expect([several.status, textOf(several.html).includes(quay)]).toEqual([422, true]);
    // What is sent again is that of an id alone.
    const range = { state: 'exhausted', organization_id: `Dock ${tag}` };
    expect((await operate(agent, 'POST', '/webhooks/ranges/resend', range)).body).toMatchObject({
      error: { code: 'NOT_FOUND', field: 'organization_id' },
    });
  });

  it('[O1.lists] every list page has both, refuses what the page refuses, and shows nothing to who is not signed in', async () => {
    for (const path of ['/approvals', '/buys', '/creatives', '/tasks', '/webhooks', '/buyers', '/audit']) {
      const { html } = await viewer.get(path);
      for (const type of ['json', 'csv']) {
        expect([path, html.includes(`href="/admin${path}.${type}"`)]).toEqual([path, true]);
        expect([path, (await viewer.get(`${path}.${type}`)).status]).toEqual([path, 200]);
        expect([path, (await viewer.get(`${path}.${type}?status=x&state=x&by=${'x'.repeat(200)}`)).status]).toEqual([
          path,
          422,
        ]);
        const stranger = await fetch(`${agent.baseUrl}/admin${path}.${type}`);
        expect([path, stranger.status]).toEqual([path, 401]);
        await stranger.body?.cancel();
      }
    }
  });
});

interface BuyRow {
  media_buy_id: string;
  buyer_ref: string;
}

interface BoardAnswer {
  queues: {
    name: string;
    description?: string;
    readOnlyMode: boolean;
    jobs: { data: { task_id?: string }; externalUrl?: { href: string } }[];
  }[];
}

describe('[O1.lists] a CSV', () => {
  it('names all fields, also those within, and quotes every text', () => {
    const rows = [
      { a: 1, b: { c: 'x "y"', d: null } },
      { a: -2.5, e: ['z'], f: true },
    ];
    expect(csvOf(rows)).toBe('"a","b.c","b.d","e","f"\r\n1,"x ""y""",,,\r\n-2.5,,,"[""z""]",true\r\n');
    expect(csvOf([])).toBe('\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '|cmd', '\t=1', '\r=1', '  =1', '\u200b=1', '＝1', '＋1', '－1', '＠x'])(
    'takes no text for a formula: %j',
    (text) => {
      expect(csvOf([{ text }])).toBe(`"text"\r\n"'${text}"\r\n`);
    },
  );

  it.each(['a=1', 'mb_1', '2026-01-01', "it's"])('leaves other texts as they are: %j', (text) => {
    expect(csvOf([{ text }])).toBe(`"text"\r\n"${text}"\r\n`);
  });
});

it.each([
  [{ task_id: 'a/b' }, '/admin/tasks/a%2Fb'],
  [{ delivery_id: 'd 1', task_id: undefined }, '/admin/webhooks/d%201'],
  [{ origin: 'https://b.example' }, '/admin/webhooks?destination=https%3A%2F%2Fb.example'],
  [undefined, '/admin'],
  [{ task_id: 7 }, '/admin'],
])('[O1.queues] a job with the payload %j leads to %s', (data, href) => {
  expect(pageOfJob(data).href).toBe(href);
});
