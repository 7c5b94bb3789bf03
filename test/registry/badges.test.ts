import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agents } from '../../src/directory/agent/agent.ts';
import type { Agent } from '../../src/directory/agent/agent.ts';
import { badgeId, badges } from '../../src/directory/badge/badge.ts';
import type { Badge, BadgeRole } from '../../src/directory/badge/badge.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { StoreUnavailableError } from '../../src/platform/store/collection.ts';
import type { Store } from '../../src/platform/store/collection.ts';

import { organizationId } from '../support/ids.ts';
import { STORES } from '../support/stores.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

/** The one that differs most from what other tests run on. */
const kind = STORES.at(-1) ?? 'sqlite';

let at: Registry;
beforeAll(async () => {
  at = await startRegistry(kind);
});
afterAll(() => at.close());

const freshAgent = () => `https://${randomUUID()}.example/a2a`;
const path = (url: string, rest: string) => `/api/registry/agents/${encodeURIComponent(url)}/badge/${rest}`;

/** An answer, its body unread. */
type Answer = { status: number; body: unknown; headers: Record<string, string> };

/** The text of a picture, which the client hands over as bytes. */
const svgOf = ({ body }: { body: unknown }) => (body as Buffer).toString('utf8');

/** Registers an agent, once. */
async function registered(url: string, visibility: Agent['visibility'] = 'public') {
  const now = toTimestamp(at.clock.now());
  if ((await at.store.collection(agents).count({ url })) > 0) return;
  await at.store.collection(agents).insert({
    ...{ agent_id: randomUUID(), url, organization_id: organizationId('org_badges'), name: 'Secret <b>Name</b>' },
    ...{ type: 'sales', visibility, created_at: now, updated_at: now, revision: 1 },
  });
}

async function earned(
  agent_url: string,
  role: BadgeRole,
  version: string,
  status: Badge['status'] = 'earned',
  step: Badge['step'] = 'verified',
  proof: Badge['proof'] = 'answered',
) {
  await registered(agent_url);
  const now = toTimestamp(at.clock.now());
  await at.store.collection(badges).insert({
    badge_id: badgeId(agent_url, role, version),
    ...{
      agent_url,
      role,
      version,
      ...{ status, step, proof },
      reason: null,
      earned_at: now,
      passed_at: now,
      revoked_at: null,
      revision: 1,
    },
  });
}

describe(`embedding a badge on ${kind}`, () => {
  it('[R11] [C.resources.badge] [C.endpoints.badge] answers snippets that point at the version-pinned picture and the page', async () => {
    const agent = freshAgent();
    await earned(agent, 'media-buy', '3.1');
    const { status, body, headers } = (await at.get(path(agent, 'media-buy/3.1/embed'))) as Answer;
    expect(status).toBe(200);
    const enc = encodeURIComponent(agent);
    const badge_svg_url = `https://registry.test.example/api/registry/agents/${enc}/badge/media-buy/3.1.svg`;
    const registry_url = `https://registry.test.example/registry/agents/${enc}`;
    expect(body).toEqual({
      ...{ agent_url: agent, role: 'media-buy', verified: true, step: 'verified', proto_version: '3.1' },
      ...{ badge_svg_url, registry_url, verification_url: badge_svg_url.replace('.svg', '/verification.json') },
      html: `<a href="${registry_url}"><img src="${badge_svg_url}" alt="proto 3.1 media-buy: Verified" height="20"></a>`,
      markdown: `[![proto 3.1 media-buy: Verified](${badge_svg_url})](${registry_url})`,
    });
    expect(headers['cache-control']).toBe('public, max-age=300');
  });

  it('[R11] [C.versioning.badge] shows on the legacy routes the newest release earned, and else the current one', async () => {
    const agent = freshAgent();
    for (const version of ['3.9', '3.10', '2.5']) await earned(agent, 'creative', version);
    await earned(agent, 'creative', '4.0', 'revoked');
    expect((await at.get(path(agent, 'creative/embed'))).body).toMatchObject({ verified: true, proto_version: '3.10' });
    expect(svgOf(await at.get(path(agent, 'creative.svg')))).toContain('proto 3.10 creative: Verified');
    expect((await at.get(path(agent, 'brand/embed'))).body).toMatchObject({ verified: false, proto_version: '3.1' });
  });

  it('[R11] says "not verified" of an unknown agent, of a release never earned, and of a revoked badge', async () => {
    const agent = freshAgent();
    await earned(agent, 'signals', '3.0');
    await earned(agent, 'signals', '3.1', 'revoked');
    for (const [url, version] of [
      [freshAgent(), '3.0'],
      [agent, '3.2'],
      [agent, '3.1'],
    ] as const) {
      const { status, body } = (await at.get(path(url, `signals/${version}/embed`))) as Answer;
      expect(status).toBe(200);
      expect(body).toMatchObject({ verified: false, html: expect.stringContaining('Not Verified') as string });
      const picture = await at.get(path(url, `signals/${version}.svg`));
      expect(picture.status).toBe(200);
      expect(svgOf(picture)).toContain('Not Verified');
      expect(svgOf(picture)).toContain('#6b7280');
    }
  });

  it.each(['private', 'members_only'] as const)(
    '[R11] [R5] answers of a %s agent the same bytes and headers as of one that nobody knows',
    async (visibility) => {
      const [agent, unknown] = [freshAgent(), freshAgent()];
      await registered(agent, visibility);
      await earned(agent, 'signals', '3.0');
      for (const rest of [
        ...['signals/3.0.svg', 'signals.svg', 'signals/3.0/embed', 'signals/embed'],
        ...['signals/3.0/verification.json', 'signals/verification.json'],
      ]) {
        const told = await Promise.all(
          [agent, unknown].map(async (url) => {
            const answer = await at.get(path(url, rest)).buffer(true);
            const { status, headers } = answer as Answer;
            const { date: _, etag, 'x-request-id': __, ...kept } = headers;
            const shown = (answer.text as string | undefined) ?? svgOf(answer);
            const name = new RegExp(`${url}|${encodeURIComponent(url)}`, 'g');
            const all = { status, kept, text: shown.replace(name, 'URL') };
            return rest.endsWith('.svg') ? { ...all, etag } : all;
          }),
        );
        expect(told[0]).toEqual(told[1]);
        expect(told[0]?.text).toMatch(/Not Verified|"verified":false/);
      }
    },
  );

  it('[R11.verified] says in picture and words that an agent asks for a credential, and is not verified', async () => {
    const agent = freshAgent();
    await earned(agent, 'creative', '3.1', 'earned', 'declared', 'asks_for_credential');
    const words = 'proto 3.1 creative: Asks for Credential, Not Verified';
    const picture = svgOf(await at.get(path(agent, 'creative/3.1.svg')));
    expect(picture).toContain(words);
    expect(picture).not.toContain('#2e7d32');
    expect((await at.get(path(agent, 'creative/embed'))).body).toMatchObject({
      ...{ verified: false, step: 'protected', html: expect.stringContaining(words) as string },
    });
    expect((await at.get(`/registry/agents/${encodeURIComponent(agent)}`)).text).toContain(words);
  });

  it('[R11] knows an agent however its URL is written', async () => {
    const host = `${randomUUID()}.example`;
    await earned(`https://${host}`, 'brand', '3.1');
    for (const url of [
      `https://${host}/`,
      `HTTPS://${host.toUpperCase()}:443`,
      `https://${host}/#a`,
      `https://${host}./`,
    ])
      expect((await at.get(path(url, 'brand/3.1/embed'))).body).toMatchObject({ verified: true });
  });

  it.each(['sales', 'MEDIA-BUY', '__proto__'])('[R11] answers 400 listing the roles to the role %s', async (role) => {
    for (const rest of [`${role}/3.1/embed`, `${role}/embed`, `${role}/3.1.svg`, `${role}.svg`]) {
      const { status, body } = (await at.get(path(freshAgent(), rest))) as Answer;
      expect(status).toBe(400);
      expect((body as { error: string }).error).toMatch(/media-buy.*creative.*sponsored-intelligence/);
    }
  });

  it.each(['3', '3.1.0', 'v3.1', '03.1', '3.x', '-1.0', '3.1%20'])(
    '[R11] answers 400 to the version %s',
    async (version) => {
      expect((await at.get(path(freshAgent(), `brand/${version}/embed`))).status).toBe(400);
      expect((await at.get(path(freshAgent(), `brand/${version}.svg`))).status).toBe(400);
    },
  );

  it.each(['ftp%3A%2F%2Fa.example', 'https%3A%2F%2Fu%3Ap%40a.example', 'nothing', '%E0%A4%A', '%ff'])(
    '[R11] answers 400 to the agent %s',
    async (encoded) => {
      const answer = await at.get(`/api/registry/agents/${encoded}/badge/brand/3.1/embed`);
      expect(answer.status).toBe(400);
      expect(answer.body).toHaveProperty('error');
    },
  );

  it('[R11] sends a picture once to who has it, and never scripts', async () => {
    const url = path(freshAgent(), 'brand/3.1.svg');
    const first = await at.get(url);
    expect(first.headers['content-type']).toMatch(/^image\/svg\+xml/);
    expect(first.headers['cache-control']).toBe('public, max-age=300');
    expect(first.headers['content-security-policy']).toContain("default-src 'none'");
    expect(first.headers['access-control-allow-origin']).toBe('*');
    expect(svgOf(first)).not.toMatch(/<script|<foreignObject|href|on\w+=/);
    const again = await at.get(url).set('If-None-Match', String(first.headers['etag']));
    expect(again.status).toBe(304);
  });

  it.each([
    'https://a.example/"><script>alert(1)</script>',
    "https://a.example/' onload='alert(1)",
    'https://a.example/)](javascript:alert(1))![x](y',
    'https://a.example/?q=<svg/onload=alert(1)>&amp;x=`${1}`',
    'https://a.example/*_~|#[]!',
  ])('[R11] stays in its place with the URL %s', async (url) => {
    const { status, body } = (await at.get(path(url, 'brand/3.1/embed'))) as Answer;
    expect(status).toBe(200);
    const { html, markdown, badge_svg_url, registry_url } = body as Record<string, string>;
    expect(html).toMatch(/^<a href="[^"<>'`]*"><img src="[^"<>'`]*" alt="[^"<>'`]*" height="20"><\/a>$/);
    expect(markdown).toMatch(/^\[!\[[^[\]]*\]\([^()\s<>]*\)\]\([^()\s<>]*\)$/);
    for (const link of [badge_svg_url, registry_url])
      expect(link).toMatch(/^https:\/\/registry\.test\.example\/[\w/.%-]*$/);
    const page = await at.get(new URL(registry_url ?? '').pathname);
    expect(page.status).toBe(404);
    expect(page.text).not.toMatch(/<script|<svg\/|onload='/);
    const picture = await at.get(new URL(badge_svg_url ?? '').pathname);
    expect(picture.status).toBe(200);
  });
});

describe(`a badge while the store does not answer on ${kind}`, () => {
  it('[R11] is 503 on every route, never a verdict, and not to be kept', async () => {
    const down = await startRegistry('sqlite', { wrapStore: withoutBadges });
    try {
      for (const rest of ['brand/3.1/embed', 'brand/embed', 'brand/3.1.svg', 'brand.svg']) {
        const answer = await down.get(path(freshAgent(), rest));
        expect(answer.status).toBe(503);
        expect(answer.headers['cache-control']).toBe('no-store');
        expect(answer.headers['retry-after']).toBe('5');
        expect(answer.text).not.toMatch(/verified/i);
      }
    } finally {
      await down.close();
    }
  });
});

/** The store as it is while its badges cannot be read. */
function withoutBadges(store: Store): Store {
  const fails = () => Promise.reject(new StoreUnavailableError('find', new Error('away')));
  return {
    ...store,
    collection: (spec) =>
      spec.name === badges.name ? { ...store.collection(spec), find: fails, get: fails } : store.collection(spec),
  };
}

describe(`the page of an agent on ${kind}`, () => {
  it('[R11] shows badges, name and type of a public agent, and of another what it shows of nobody', async () => {
    for (const visibility of ['public', 'members_only', 'private'] as const) {
      const url = freshAgent();
      await registered(url, visibility);
      await earned(url, 'media-buy', '3.1');
      const page = await at.get(`/registry/agents/${encodeURIComponent(url)}`);
      expect(page.status).toBe(visibility === 'public' ? 200 : 404);
      expect(page.text.includes('proto 3.1 media-buy: Verified')).toBe(visibility === 'public');
      expect(page.text.includes('Secret &#60;b&#62;Name')).toBe(visibility === 'public');
      expect(page.headers['content-security-policy']).toContain("default-src 'none'");
      if (visibility === 'public') continue;
      const unknown = freshAgent();
      const none = await at.get(`/registry/agents/${encodeURIComponent(unknown)}`);
      expect(page.text.replaceAll(url, unknown)).toBe(none.text);
    }
  });
});
