import { afterAll, beforeAll, expect, it } from 'vitest';
import { PREVIEW_LIFE_MS, sealPreview } from '../../../src/admin/preview/preview-token.ts';
import { endSession } from '../../../src/admin/session.ts';
import { creativeKey } from '../../../src/sales/creative/creative.ts';
import { openImpairments } from '../../../src/sales/impairment/impairment-view.ts';
import { actingAs, operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { sampleCreative } from '../../sales/support/sample-creative.ts';
import { sampleMediaBuy } from '../../sales/support/sample-media-buy.ts';
import { mediaBuyId, organizationId, taskId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { faultsOfHtml } from '../console/support/faults-of-html.ts';
import { textOf, visitorOf } from '../console/support/visitor.ts';
import type { Shown, Visitor } from '../console/support/visitor.ts';

type Json = Record<string, unknown>;
const ORGANIZATION = organizationId('org_demo_buyer');

describeOnStores('[B11] creatives as an operator sees them, on %s', (store) => {
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent(store, { working: false });
  });
  afterAll(() => agent.stop());

  const get = async (path: string) => (await operate(agent, 'GET', path)).body;
  const decide = async (creative_id: string, verb: string, body: object = {}, by = 'ann') => {
    const path = `/creatives/${ORGANIZATION}/${encodeURIComponent(creative_id)}/${verb}`;
    return operate(agent, 'POST', path, body, await actingAs(agent, by));
  };
  const refused = { status: 409, body: { error: { code: 'INVALID_STATE', field: 'creative_id' } } };

  async function add(creative_id: string, changes: Json = {}): Promise<void> {
    const given = { organization_id: ORGANIZATION, creative_id, status: 'pending_review', ...changes };
    const creative_key = creativeKey(ORGANIZATION, creative_id);
    await agent.core.sales.creatives.insert({ ...sampleCreative(given as Json), creative_key });
  }

  it('lists what is in review page by page, and others by status and buyer', async () => {
    for (const id of ['a', 'b', 'c'])
      await add(`list/${id}`, { created_at: `2026-01-0${id.charCodeAt(0) - 96}T00:00:00.000Z` });
    await add('list/done', { status: 'approved' });
    const first = await get('/creatives?limit=2');
    expect(first).toMatchObject({
      creatives: [{ creative_id: 'list/a', organization_id: ORGANIZATION, status: 'pending_review' }, {}],
      has_more: true,
    });
    const rest = await get(`/creatives?limit=2&cursor=${encodeURIComponent(String(first['cursor']))}`);
    expect(rest).toMatchObject({ creatives: [{ creative_id: 'list/c' }], has_more: false });
    const approved = await get(`/creatives?status=approved&organization_id=${ORGANIZATION}`);
    expect(approved['creatives']).toMatchObject([{ creative_id: 'list/done' }]);
    expect(await get('/creatives?organization_id=org_other')).toMatchObject({ creatives: [] });
  });

  it('[O1.lists] lists what is of one format, and not of one buyer besides; on its page, too', async () => {
    await add('of/it', { format: 'reel_9x16', status: 'archived' });
    await add('of/other', { format: 'reel_1x1', status: 'archived' });
    const found = await get('/creatives?status=archived&format=reel_9x16');
    expect((found['creatives'] as Json[]).map(({ creative_id }) => creative_id)).toEqual(['of/it']);
    expect(await get('/creatives?format=reel_9x16')).toMatchObject({ creatives: [] });
    const both = await get(`/creatives?format=reel_9x16&organization_id=${ORGANIZATION}`);
    expect(both).toMatchObject({ error: { code: 'VALIDATION_ERROR', field: 'format' } });
    const { html } = await (await visitorOf(agent, 'viewer')).get('/creatives?status=archived&format=reel_9x16');
    const itsPage = `/admin/creatives/${ORGANIZATION}/${encodeURIComponent('of/it')}`;
    expect(html).toContain(`href="${itsPage}#serves"`);
    expect([html.includes('of/it'), html.includes('of/other')]).toEqual([true, false]);
  });

  /** The page of a creative, with what stands in its frame where it was asked for. */
  async function previewOf(visitor: Visitor, creative_id: string) {
    const path = `/creatives/${ORGANIZATION}/${encodeURIComponent(creative_id)}`;
    const shown = await visitor.get(`${path}?preview=1`);
    const frame = /<iframe[^>]*>/.exec(shown.html)?.[0] ?? '';
    return { path, shown, frame, src: textOf(/ src="([^"]*)"/.exec(frame)?.[1] ?? '') };
  }
  async function look(src: string, cookie?: string): Promise<Shown> {
    const answer = await fetch(`${agent.baseUrl}${src}`, { headers: { ...(cookie && { cookie }) } });
    return { status: answer.status, headers: answer.headers, html: await answer.text() };
  }

  it('[O1.preview] shows what one looks like once that is asked for, in a frame that may do nothing', async () => {
    await add('seen', {
      assets: {
        image: { url: 'https://cdn.pinecrest.example/a.png?b=1&c=2', width: 300, height: 250 },
        spot: { url: 'https://cdn.pinecrest.example/a.mp4' },
        sound: { url: 'https://cdn.pinecrest.example/a', asset_type: 'audio' },
        headline: { content: 'Trail shoes' },
        click_url: { url: 'https://pinecrest.example/shoes', asset_type: 'url' },
      },
    });
    const viewer = await visitorOf(agent, 'viewer');
    const { path, shown, frame, src } = await previewOf(viewer, 'seen');
    const before = await viewer.get(path);
    expect(before.html).toContain(`href="/admin${path}?preview=1#preview"`);
    expect([before.html.includes('<iframe'), shown.html.includes('Scripts do not run here')]).toEqual([false, true]);
    const strict = before.headers.get('content-security-policy') ?? '';
    expect(strict).not.toContain('frame-src');
    expect(shown.headers.get('content-security-policy')).toBe(`${strict}; frame-src 'self'`);
    expect(frame).toMatch(/ sandbox="" referrerpolicy="no-referrer"/);
    expect(src).toMatch(/^\/admin\/preview\/[\w.-]+$/);

    const preview = await look(src);
    expect(preview.status).toBe(200);
    expect(Object.fromEntries(preview.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
    });
    const loopback = agent.core.config.allowLoopback ? ' http://127.0.0.1:* http://localhost:*' : '';
    const policy = preview.headers.get('content-security-policy') ?? '';
    expect(policy.replace(/'sha256-[^']*'/, 'HASH')).toBe(
      `default-src 'none'; img-src https:${loopback} data:; media-src https:${loopback}; style-src HASH; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox`,
    );
    expect(faultsOfHtml(preview.html, policy)).toEqual([]);
    const { html } = preview;
    expect(html).toContain('<img src="https://cdn.pinecrest.example/a.png?b=1&#38;c=2"');
    expect(html).toContain('<video controls preload="metadata" src="https://cdn.pinecrest.example/a.mp4"');
    expect(html).toContain('<audio controls preload="metadata" src="https://cdn.pinecrest.example/a"');
    expect(html).toContain('<bdi>Trail shoes</bdi>');
    expect(html).toContain('<bdi>https://pinecrest.example/shoes</bdi>');
    expect(html).not.toMatch(/<a |href=/);
  });

  it('[O1.preview] takes what is hostile of one for text, and shuts its documents in', async () => {
    const attack = '<script>alert(1)</script><img src=x onerror=alert(1)></pre></iframe>"><base href=//evil.example>';
    const urls = [
      'javascript:alert(1)',
      'http://pinecrest.example/a.png',
      'https://10.0.0.1/a.png',
      `https://${attack}`,
    ];
    await add('hostile', {
      assets: {
        [attack]: { content: attack },
        tag: { content: `<p>${attack}`, asset_type: 'html', width: 'wide', height: 90 },
        page: { url: 'https://evil.example/page', asset_type: 'html' },
        code: { content: attack, asset_type: 'javascript' },
        ...Object.fromEntries(urls.map((url, i) => [`image_${i}`, { url, asset_type: 'image' }])),
      },
    });
    const { src } = await previewOf(await visitorOf(agent, 'operator'), 'hostile');
    const { status, headers, html } = await look(src);
    const policy = headers.get('content-security-policy') ?? '';
    expect([status, policy.includes("style-src 'unsafe-inline';"), policy.endsWith('; sandbox')]).toEqual([
      200,
      true,
      true,
    ]);
    const tags = [...html.matchAll(/<([a-z]+)/g)].map(([, tag]) => tag);
    expect(new Set(tags)).toEqual(
      new Set(['html', 'head', 'meta', 'title', 'style', 'body', 'figure', 'figcaption', 'bdi', 'pre', 'p', 'iframe']),
    );
    const frames = [...html.matchAll(/<iframe sandbox="" srcdoc="([^"]*)" title="tag" width="300" height="90">/g)];
    expect(frames.map(([, text = '']) => textOf(text))).toEqual([`<p>${attack}`]);
    expect(html.match(/It is not loaded: /g)).toHaveLength(urls.length);
    expect(html).toContain('<p><bdi>https://evil.example/page</bdi></p>');
  });

  it('[O1.preview] opens by its token alone, for minutes, for its session and for the version that it was made for', async () => {
    await add('once');
    const [viewer, other] = [await visitorOf(agent, 'viewer'), await visitorOf(agent, 'admin')];
    const { src } = await previewOf(viewer, 'once');
    const session = viewer.cookie.split('=')[1] ?? '';
    const of = { organization_id: ORGANIZATION, creative_id: 'once', version: 1 };
    const sealed = (now: number) =>
      `/admin/preview/${sealPreview({ sealer: agent.core.sealer, clock: { now: () => now } }, session, of)}`;
    const answers = async (path: string, cookie?: string) => {
      const { status, headers, html } = await look(path, cookie);
      const isLoading = /img-src|unsafe/.test(headers.get('content-security-policy') ?? 'unsafe');
      return [status, isLoading, /<p>(.*?)<\/p>/.exec(html)?.[1]?.slice(0, 12)];
    };
    const unknown = [404, false, 'There is no '];
    const over = [410, false, 'This preview'];
    expect(await answers(src, viewer.cookie)).toEqual([200, true, undefined]);
    expect(await answers(sealed(agent.core.clock.now()))).toEqual([200, true, undefined]);
    expect(await answers(src, other.cookie)).toEqual(unknown);
    const forged = agent.core.sealer.seal(JSON.stringify({ ...of, session_hash: 'x', until: 9e15 }), 'another thing');
    const changed = `${src.slice(0, -9)}${src.at(-9) === 'A' ? 'B' : 'A'}${src.slice(-8)}`;
    for (const path of ['/admin/preview/none', changed, `/admin/preview/${forged}`])
      expect([path, await answers(path)]).toEqual([path, unknown]);
    expect(await answers(sealed(agent.core.clock.now() - PREVIEW_LIFE_MS))).toEqual(over);
    await agent.core.sales.creatives.update(creativeKey(ORGANIZATION, 'once'), (row) => ({ ...row, version: 2 }));
    expect(await answers(src)).toEqual([410, false, 'The creative']);
    await endSession(agent.core, session);
    expect(await answers(src)).toEqual(over);
  });

  it('approves, suspends, restores; each twice as once, and says who did it', async () => {
    await add('banner');
    const buy = sampleMediaBuy({ organization_id: ORGANIZATION });
    const line = buy.packages[0];
    if (line === undefined) throw new Error('the sample has no package');
    const packages = [{ ...line, creative_ids: ['banner'] }];
    await agent.core.sales.mediaBuys.insert({ ...buy, packages, status: 'pending', pending_reason: 'creatives' });
    for (const [verb, body, status] of [
      ['approve', {}, 'approved'],
      ['suspend', { reason: 'a complaint', reason_code: 'brand_safety' }, 'suspended'],
      ['restore', {}, 'approved'],
    ] as const) {
      const answer = await decide('banner', verb, body);
      expect(answer).toMatchObject({ status: 200, body: { status } });
      expect((await decide('banner', verb, body, 'bob')).body['status']).toBe(status);
    }
    const shown = await get(`/creatives/${ORGANIZATION}/banner`);
    const history = (shown['history'] as Json[]).filter(({ action }) => action === 'decided');
    expect(history).toMatchObject([
      { by: 'ann', to_status: 'approved' },
      { by: 'ann', to_status: 'suspended', note: 'a complaint' },
      { by: 'ann', to_status: 'approved' },
    ]);
    expect(history).toHaveLength(3);
    expect(shown['used_by']).toMatchObject([{ media_buy_id: buy.media_buy_id, package_id: line.package_id }]);
  });

  it('rejects with a reason that the buyer is told', async () => {
    await add('bad');
    const { body } = await decide('bad', 'reject', { reason: 'misleading', reason_code: 'content_rejected' });
    expect(body).toMatchObject({ status: 'rejected', status_reason: 'misleading', reason_code: 'content_rejected' });
  });

  it('refuses what its state does not allow, saying which that is', async () => {
    await add('done', { status: 'approved' });
    await add('out', { status: 'suspended' });
    expect(await decide('done', 'reject', { reason: 'no' })).toMatchObject(refused);
    expect(await decide('out', 'approve')).toMatchObject(refused);
    const restore = await decide('done', 'restore');
    expect(restore).toMatchObject({ status: 200, body: { status: 'approved' } });
    await add('fresh');
    expect(await decide('fresh', 'restore')).toMatchObject(refused);
    expect(await decide('fresh', 'suspend', { reason: 'x' })).toMatchObject(refused);
  });

  it('of two operators at once one decides', async () => {
    await add('contested');
    const answers = await Promise.all([
      decide('contested', 'approve', {}, 'ann'),
      decide('contested', 'reject', { reason: 'no' }, 'bob'),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('a suspended creative of a live buy impairs it, a restored one no longer', async () => {
    await add('live', { status: 'approved' });
    const buy = sampleMediaBuy({
      organization_id: ORGANIZATION,
      media_buy_id: mediaBuyId('mb_live'),
      task_id: taskId('t_live'),
    });
    const packages = buy.packages.slice(0, 1).map((line) => ({ ...line, creative_ids: ['live'] }));
    const row = { ...buy, buyer_ref: 'live', packages, status: 'active', pending_reason: null } as const;
    await agent.core.sales.mediaBuys.insert(row);
    const impaired = async () => (await openImpairments(agent.core.sales.impairments, [buy.media_buy_id])).size;
    await decide('live', 'suspend', { reason: 'a complaint' });
    expect(await impaired()).toBe(1);
    await decide('live', 'restore');
    expect(await impaired()).toBe(0);
  });
});
