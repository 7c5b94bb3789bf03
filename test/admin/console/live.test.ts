import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { liveRoute } from '../../../src/admin/console/live/live-route.ts';
import { CONSOLE_STYLE } from '../../../src/admin/console/style.ts';
import { LIVE_SCRIPT } from '../../../src/admin/console/live/live-script.ts';
import { signalOf } from '../../../src/admin/live-topics.ts';
import { setOperator } from '../../../src/admin/operator-of.ts';
import { consoleSessions, endSessions, operatorOfSession, startSession } from '../../../src/admin/session.ts';
import { addPerson } from '../../../src/directory/operator/person.ts';
import { readConfig } from '../../../src/main/config/config.ts';
import { startServer } from '../../../src/main/wiring/start-server.ts';
import { createLogger } from '../../../src/platform/log.ts';
import type { HeldPlace } from '../../../src/platform/redis/places-redis.ts';
import { mediaBuyInput, send, taskOf } from '../../journeys/support/buyer.ts';
import { approvalOf, operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { describeOnStores } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { visitorOf } from './support/visitor.ts';
import type { Visitor } from './support/visitor.ts';

interface Ring {
  topic: string;
  id: string;
}

/** A stream of the console, and what has rung on it. */
interface Stream {
  status: number;
  headers: Headers;
  rings: Ring[];
  text: () => string;
  close(): Promise<void>;
}

describeOnStores('the console’s streams on %s', (store) => {
  let agent: TestAgent;
  let viewer: Visitor;
  beforeAll(async () => {
    agent = await startTestAgent(store, { env: { APPROVAL_OVER_USD: '100', MAX_CONSOLE_STREAMS: '3' } });
    viewer = await visitorOf(agent, 'viewer');
  });
  afterAll(async () => {
    await agent.stop();
  });

  async function listen(visitor: Visitor, topics: string, baseUrl = agent.baseUrl): Promise<Stream> {
    const abort = new AbortController();
    const response = await fetch(`${baseUrl}/admin/live?topics=${topics}`, {
      headers: { cookie: visitor.cookie },
      signal: abort.signal,
    });
    let text = '';
    const read = (async () => {
      for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += part;
    })().catch(() => undefined);
    return {
      ...{ status: response.status, headers: response.headers, text: () => text },
      get rings() {
        return [...text.matchAll(/^event: ring\ndata: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Ring);
      },
      async close() {
        abort.abort();
        await read;
      },
    };
  }

  it('[O1.live] rings with topic and id, and tells nothing else, for what is written in any process', async () => {
    const stream = await listen(viewer, 'approvals,buys,tasks');
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const buyer_ref = `secret ${randomUUID()}`;
    const task_id = taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent, { buyer_ref }))).id;
    await approvalOf(agent, task_id);
    await until(() => new Set(stream.rings.map(({ topic }) => topic)).size === 3);
    for (const ring of stream.rings) expect(Object.keys(ring)).toEqual(['topic', 'id']);
    expect(stream.text()).not.toContain('secret');
    // As another process would.
    await agent.core.changeSignal.publish(signalOf('approvals'), 'apr_elsewhere');
    await until(() => stream.rings.some(({ id }) => id === 'apr_elsewhere' || id === ''));
    await stream.close();
  });

  it('[O1.live] of two who decide at once at two servers one does, the other is told so, and each server rings for both', async () => {
    const silent = createLogger('silent');
    const second = await startServer(readConfig({ ...agent.env, PORT: '0' }, { allowLoopback: true }), silent);
    try {
      const desks = [agent, { core: second.core, baseUrl: second.listensAt }];
      const people = await Promise.all(desks.map((desk) => visitorOf(desk, 'operator')));
      const task_id = taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent))).id;
      const { approval_id } = await approvalOf(agent, task_id);
      const streams = await Promise.all(
        desks.map(({ baseUrl }, i) => listen(people[i] ?? viewer, 'approvals', baseUrl)),
      );
      const decide = async (person: Visitor, button: string, why: Record<string, string> = {}) => {
        const form = await person.form(`/approvals/${approval_id}`, button);
        return () => person.send(form, why);
      };
      const [one = viewer, another = viewer] = people;
      const clicks = [await decide(one, 'Approve'), await decide(another, 'Reject', { reason: 'no' })];
      const answers = await Promise.all(clicks.map((click) => click()));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409]);
      const verdict = answers[0]?.status === 303 ? 'approved' : 'rejected';
      for (const stream of streams) await until(() => stream.rings.some(({ id }) => id === approval_id || id === ''));
      for (const person of people)
        expect((await person.get(`/approvals/${approval_id}`)).html).toContain(`>${verdict}<`);
      await Promise.all(streams.map((stream) => stream.close()));
    } finally {
      await second.stop();
    }
  });

  it('[O1.live] rings when a queue is paused, and of nothing that was not asked for', async () => {
    const [queues, creatives] = await Promise.all([listen(viewer, 'queues'), listen(viewer, 'creatives')]);
    await operate(agent, 'POST', '/queues/webhook-retries/pause', { reason: 'a test' });
    await until(() => queues.rings.some(({ id }) => id === 'webhook-retries'));
    await operate(agent, 'POST', '/queues/webhook-retries/resume');
    expect(creatives.rings).toEqual([]);
    await Promise.all([queues.close(), creatives.close()]);
  });

  it('[O1.live] [S2] is refused with 503 and when to come back to who has too many, and has room again when one is closed', async () => {
    const visitor = await visitorOf(agent, 'viewer');
    const streams = await Promise.all([1, 2, 3].map(() => listen(visitor, 'buys')));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    const fourth = await listen(visitor, 'buys');
    expect([fourth.status, fourth.headers.get('retry-after')]).toEqual([503, '30']);
    expect((await visitor.get('/buys')).status).toBe(200);
    const another = await listen(viewer, 'buys');
    expect(another.status).toBe(200);
    await Promise.all([...streams, another].map((stream) => stream.close()));
    const back = await until(async () => {
      const stream = await listen(visitor, 'buys');
      return stream.status === 200 && stream;
    });
    await back.close();
  });

  it('[O1.live] is refused with 503 where this process has 200 already, whoever asks', async () => {
    const { budgets } = agent.core;
    const size = budgets.size('all_console_streams');
    expect(size).toBe(200);
    const places: HeldPlace[] = [];
    // Streams of before may still be about to end.
    const refused = await until(async () => {
      const asked = Array.from({ length: size }, () => budgets.hold('all_console_streams', ''));
      for (const one of await Promise.allSettled(asked)) if (one.status === 'fulfilled') places.push(one.value);
      const stream = await listen(viewer, 'buys');
      if (stream.status !== 200) return stream;
      await stream.close();
      return undefined;
    });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
    expect((await viewer.get('/buys')).status).toBe(200);
    for (const place of places) place.letGo();
    const stream = await listen(viewer, 'buys');
    expect(stream.status).toBe(200);
    await stream.close();
  });

  it('[O1.live] shows at each heartbeat that it is alive, and ends with its session, which it does not prolong', async () => {
    const { store: rows } = agent.core;
    const { person_id } = await addPerson(agent.core, {
      name: 'Kim',
      role: 'viewer',
      by: 'a test',
      click: randomUUID(),
    });
    const token = await startSession(agent.core, { person_id, role: 'viewer' }, '127.0.0.1');
    const cookie = `console_session=${token}`;
    const operator = await operatorOfSession(agent.core, token);
    if (operator === undefined) throw new Error('the session has not begun');
    const app = express();
    app.use((request, _response, next) => {
      setOperator(request, operator);
      next();
    });
    app.get('/live', liveRoute(agent.core, 10));
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const mine = async () => (await rows.collection(consoleSessions).find({ where: { person_id }, limit: 1 })).rows[0];
    const seen = new Date(Date.now() - 600_000).toISOString();
    await rows
      .collection(consoleSessions)
      .update((await mine())?.session_hash ?? '', (row) => ({ ...row, last_seen_at: seen }));
    const response = await fetch(`http://127.0.0.1:${port}/live?topics=buys`, { headers: { cookie } });
    let text = '';
    let isEnded = false;
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      // Two beats may come as one part.
      if (!isEnded && text.split('still here').length >= 3) {
        isEnded = true;
        expect((await mine())?.last_seen_at).toBe(seen);
        await endSessions(agent.core, person_id);
      }
    }
    expect(text).toMatch(/^retry: 5000\n\n: still here\n\n/);
    server.close();
    await once(server, 'close');
  });

  it('[O1.live] is for who is signed in alone, and names the topics there are', async () => {
    const nobody = await fetch(`${agent.baseUrl}/admin/live?topics=buys`);
    expect(nobody.status).toBe(401);
    await nobody.body?.cancel();
    for (const topics of ['', 'buys,people', 'buys,,', 'x']) {
      const wrong = await viewer.get(`/live?topics=${topics}`);
      expect([topics, wrong.status]).toEqual([topics, 422]);
      expect(wrong.html).toContain('approvals, buys, creatives, tasks, deliveries, ranges, blocked_domains, queues');
    }
  });

  it('[O1.live] what keeps itself fresh is no use of its session, and learns of its end', async () => {
    const visitor = await visitorOf(agent, 'viewer');
    const sessions = agent.core.store.collection(consoleSessions);
    const mine = async () => {
      const { rows } = await sessions.find({ where: { created_at: { gte: '0' } }, limit: 500 });
      return rows.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))[0];
    };
    const row = await mine();
    const seen = new Date(Date.now() - 600_000).toISOString();
    await sessions.update(row?.session_hash ?? '', (stored) => ({ ...stored, last_seen_at: seen }));
    const refresh = () =>
      fetch(`${agent.baseUrl}/admin/buys`, { headers: { cookie: visitor.cookie, 'console-refresh': '1' } });
    expect((await refresh()).status).toBe(200);
    expect((await mine())?.last_seen_at).toBe(seen);
    await visitor.get('/buys');
    expect((await mine())?.last_seen_at).not.toBe(seen);
    await endSessions(agent.core, row?.person_id ?? '');
    expect((await refresh()).status).toBe(401);
  });

  it('[O1.pages] serves its script by an address that changes with it, under 200 lines, beside 15 KB of style', async () => {
    const { html } = await viewer.get('/buys');
    const [, src = ''] = /<script src="([^"]+)"/.exec(html) ?? [];
    const response = await fetch(`${agent.baseUrl}${src}`, { headers: { cookie: viewer.cookie } });
    expect(response.headers.get('content-type')).toContain('javascript');
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect(await response.text()).toBe(LIVE_SCRIPT);
    expect(LIVE_SCRIPT.split('\n').length).toBeLessThan(220);
    expect(Buffer.byteLength(CONSOLE_STYLE)).toBeLessThan(15_000);
    expect(LIVE_SCRIPT).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|eval\(|new Function|document\.write/);
  });
});
