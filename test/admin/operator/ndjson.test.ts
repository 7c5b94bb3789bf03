import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { linesOf, rowsNameOf } from '../../../src/admin/operator/ndjson.ts';
import { operations } from '../../../src/admin/operator/operations.ts';
import { operatorKey } from '../../../src/main/wiring/operator-routes.ts';
import { StoreUnavailableError } from '../../../src/platform/store/collection.ts';
import type { Collection, Row } from '../../../src/platform/store/collection.ts';
import { wrappedStore } from '../../../src/platform/store/wrapped-store.ts';
import { Deliveries } from '../../../src/webhooks/delivery/delivery.ts';
import { visitorOf } from '../console/support/visitor.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { organizationId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';

const DELIVERIES = 250;

it('[O1.lists] a list that is longer than one answer may be ends in a line that says where to go on', async () => {
  const page = (at: number) => ({ rows: [{ at }, { at: at + 1 }], ...(at < 8 && { cursor: String(at + 2) }) });
  const asked: string[] = [];
  const read = ({ cursor = '' }) => {
    asked.push(cursor);
    return Promise.resolve(page(Number(cursor)));
  };
  const told: string[] = [];
  for await (const text of linesOf(page(0), 'rows', read, 4)) told.push(text);
  expect(told).toEqual(['{"at":0}\n{"at":1}\n', '{"at":2}\n{"at":3}\n', '{"cursor":"4"}\n']);
  expect(asked).toEqual(['2']);
});

describeOnStores('[O1.lists] a list as a whole, one row a line, on %s', (store) => {
  let agent: TestAgent;
  /** Reads of pages of webhooks so far. */
  let reads = 0;
  let failing = false;
  const counted = <R extends Row>(inner: Collection<R>): Collection<R> => ({
    ...inner,
    find(...asked) {
      reads += 1;
      return failing && reads > 1
        ? Promise.reject(new StoreUnavailableError('find', new Error('away')))
        : inner.find(...asked);
    },
  });
  beforeAll(async () => {
    agent = await startTestAgent(store, {
      working: false,
      wrapStore: (plain) =>
        wrappedStore(plain, (inner) => (inner.spec.name === Deliveries.name ? counted(inner) : inner)),
    });
    await agent.core.webhooks.send(
      Array.from({ length: DELIVERIES }, (_, i) => ({
        ...{ organization_id: organizationId('org_demo_buyer'), task_id: 't-1', task_type: 'create_media_buy' },
        ...{
          subject_id: null,
          sequence: i + 1,
          event: 'working',
          idempotency_key: randomUUID(),
          body: '{"a":"\u2028"}',
        },
        target: { registration_id: 'r-1', url: 'https://buyer.example/in', mode: 'rfc9421' as const },
      })),
    );
    for (let i = 0; i < 3; i += 1) await operate(agent, 'POST', '/buyers/add', { name: `line\u2028 ${i}` });
  });
  afterAll(() => agent.stop());

  async function lines(path: string, accept = 'application/x-ndjson') {
    const answer = await fetch(`${agent.baseUrl}/api/operator${path}`, {
      headers: { authorization: `Bearer ${await operatorKey(agent.core)}`, accept },
    });
    const text = await answer.text();
    return { answer, text, rows: text.split('\n').slice(0, -1) };
  }

  it('is had of every list in pages, those of webhooks, tasks and the record among them', () => {
    const paged = operations.filter(
      ({ method, answer }) => method === 'get' && answer instanceof z.ZodObject && 'cursor' in answer.shape,
    );
    expect(paged.length).toBeGreaterThan(15);
    const unnamed = paged.filter((one) => rowsNameOf(one) === undefined).map(({ path }) => path);
    expect(unnamed).toEqual([]);
    const named = new Map(paged.map((one) => [one.path, rowsNameOf(one)]));
    expect([named.get('/webhooks/deliveries'), named.get('/tasks'), named.get('/actions')]).toEqual([
      ...['deliveries', 'tasks', 'actions'],
    ]);
  });

  it('has all rows from the cursor on, by its filters, as its pages have them', async () => {
    const { answer, rows } = await lines('/webhooks/deliveries?task_id=t-1&limit=10');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    expect(rows).toHaveLength(DELIVERIES);
    const { body } = await operate(agent, 'GET', '/webhooks/deliveries?task_id=t-1&limit=100');
    const page = body['deliveries'] as object[];
    expect(rows.slice(0, 100).map((row) => JSON.parse(row) as unknown)).toEqual(page);
    const rest = await lines(`/webhooks/deliveries?task_id=t-1&cursor=${encodeURIComponent(String(body['cursor']))}`);
    expect(rest.rows).toEqual(rows.slice(100));
    expect((await lines('/webhooks/deliveries?task_id=none')).text).toBe('');
    for (const path of ['/actions', '/tasks?state=all']) expect((await lines(path)).answer.status).toBe(200);
  });

  it('is JSON in pages for whoever asks for nothing else, or for what is no list', async () => {
    for (const [path, accept] of [
      ['/webhooks/deliveries', '*/*'],
      ['/webhooks/deliveries', 'application/json, application/x-ndjson;q=0.5'],
      ['/overview', 'application/x-ndjson'],
    ] as const) {
      const { answer } = await lines(path, accept);
      expect([path, accept, answer.headers.get('content-type')]).toEqual([
        ...[path, accept, 'application/json; charset=utf-8'],
      ]);
    }
  });

  it('ends a line where JSON does alone, and tells what is wrong with the question as JSON', async () => {
    const { text, rows } = await lines('/buyers');
    expect(text).not.toMatch(/[\u0085\u2028\u2029]/);
    expect(rows.map((row) => (JSON.parse(row) as { name: string }).name)).toContain('line\u2028 0');
    const wrong = await lines('/webhooks/deliveries?state=none');
    expect([wrong.answer.status, JSON.parse(wrong.text)]).toMatchObject([422, { error: { field: 'state' } }]);
  });

  it('is had in the console, too, by the filters of the page and by its roles', async () => {
    const viewer = await visitorOf(agent, 'viewer');
    const page = await viewer.get('/webhooks?state=pending');
    expect(page.html).toContain('href="/admin/webhooks.ndjson?state=pending"');
    const whole = await viewer.get('/webhooks.ndjson?state=pending');
    expect([whole.status, whole.headers.get('content-disposition')]).toEqual([
      ...[200, 'attachment; filename=webhooks.ndjson'],
    ]);
    expect(whole.html.split('\n')).toHaveLength(DELIVERIES + 1);
    expect((await viewer.get('/webhooks.ndjson?state=gone')).html).toBe('');
    expect((await viewer.get('/webhooks.ndjson?state=none')).headers.get('content-type')).toContain('text/html');
  });

  it('reads no page that nobody takes, and is cut where the store fails midway', async () => {
    reads = 0;
    failing = true;
    await expect(lines('/webhooks/deliveries?task_id=t-1')).rejects.toThrow();
    failing = false;
    expect(reads).toBe(2);
    // Its place is free again.
    for (let i = 0; i < 4; i += 1)
      expect((await lines('/webhooks/deliveries?task_id=t-1')).rows).toHaveLength(DELIVERIES);
  });
});
