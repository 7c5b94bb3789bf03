import { readdirSync, readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PAGES } from '../../../src/admin/console/pages.ts';
import { createSignInLink } from '../../../src/admin/sign-in-link.ts';
import { createPortalLink } from '../../../src/directory/portal-link/portal-link.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { organizationId } from '../../support/ids.ts';
import { faultsOfHtml } from './support/faults-of-html.ts';
import { partsOf } from './support/named-pages.ts';
import { visitorOf } from './support/visitor.ts';
import type { Visitor } from './support/visitor.ts';

/** Of the console's own pages, with and without a session. */
const STRICT =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

describe('[O1.policy] every page', () => {
  let agent: TestAgent;
  let admin: Visitor;
  beforeAll(async () => {
    agent = await startTestAgent('sqlite', { working: false });
    admin = await visitorOf(agent, 'admin');
  });
  afterAll(() => agent.stop());

  interface Page {
    path: string;
    status: number;
    policy: string;
    html: string;
  }
  async function look(path: string, init: RequestInit = {}): Promise<Page> {
    const headers = { accept: 'text/html', ...(init.headers as Record<string, string>) };
    const answer = await fetch(`${agent.baseUrl}${path}`, { ...init, headers, redirect: 'manual' });
    const policy = answer.headers.get('content-security-policy') ?? '';
    return { path, status: answer.status, policy, html: await answer.text() };
  }
  const form = (path: string, cookie: string, fields: Record<string, string>) =>
    look(path, {
      ...{ method: 'POST', headers: { cookie, 'sec-fetch-site': 'same-origin' } },
      body: new URLSearchParams(fields),
    });

  /** What of a page its policy would refuse, or should. Read as HTML is, tag by tag: what is escaped is no tag. */
  function faultsOf({ path, status, policy, html }: Page): string[] {
    const faults: string[] = [];
    if (!html.startsWith('<!doctype html>') && !html.startsWith('<!DOCTYPE html>')) faults.push('is no page');
    if (!/^default-src 'none'(;|$)/.test(policy)) faults.push(`allows by default: ${policy}`);
    for (const part of ["frame-ancestors 'none'", 'base-uri'])
      if (!policy.includes(part)) faults.push(`says nothing of ${part}`);
    if (/unsafe|\*|https?:|script-src [^;]*data:/.test(policy)) faults.push(`allows too much: ${policy}`);
    faults.push(...faultsOfHtml(html, policy));
    return faults.map((fault) => `${path} (${status}) ${fault}`);
  }

  it('of the console is under the one strict policy, those that sign in, that say what is wrong and that are of nobody, too', async () => {
    const { cookie } = admin;
    const whole = PAGES.map(({ path }) =>
      partsOf(path).reduce((filled, part) => filled.replace(`:${part}`, 'none'), `/admin${path}`),
    );
    const more = ['/admin/no-such-page', '/admin/sign-out', '/admin/sign-in-again', '/admin/buyers/org_demo_buyer'];
    const signed = await Promise.all([...whole, ...more].map((path) => look(path, { headers: { cookie } })));
    const { href } = new URL(await createSignInLink(agent.core, agent.baseUrl, { person_id: null, role: 'viewer' }));
    const token = new URL(href).searchParams.get('token') ?? '';
    const unsigned = await Promise.all(
      ['/admin', '/admin/sign-in', '/admin/sign-in?token=old', `/admin/sign-in?token=${token}`].map((path) =>
        look(path),
      ),
    );
    const refused = [
      await form('/admin/sign-in', '', { token: 'old' }),
      await form('/admin/sign-in', '', { token: 'x'.repeat(6000) }),
      await look('/admin/sign-in', { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } }),
      await form('/admin/do/keys/rotate', cookie, {}),
      await form('/admin/sign-out', cookie, {}),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 413, 403, 403, 403]);
    const all = [...signed, ...unsigned, ...refused];
    expect(all.filter(({ policy }) => policy !== STRICT).map(({ path, policy }) => [path, policy])).toEqual([]);
    expect(all.flatMap(faultsOf)).toEqual([]);
  });

  it('of the job queues, of the portal, and that stands alone is under one without inline scripts and unnamed styles', async () => {
    const asked = { organization_id: organizationId('org_demo_buyer'), api_key_id: null, click: randomUUID() };
    const link = new URL((await createPortalLink(agent.core, asked, agent.baseUrl)).portal_url).searchParams.get(
      'link',
    );
    const answer = await fetch(`${agent.baseUrl}/portal/sign-in`, {
      ...{ method: 'POST', redirect: 'manual', headers: { 'sec-fetch-site': 'same-origin' } },
      body: new URLSearchParams({ link: link ?? '' }),
    });
    const guest = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const pages = await Promise.all([
      look('/admin/queues', { headers: { cookie: admin.cookie } }),
      ...['/portal', '/portal/receivers', '/portal/no-such-page'].map((path) =>
        look(path, { headers: { cookie: guest } }),
      ),
      ...['/portal', '/portal/sign-in', '/portal/sign-in?link=old', '/', '/docs', '/docs/agent', '/docs/operator'].map(
        (path) => look(path),
      ),
      look('/oauth/authorize'),
    ]);
    expect(pages.filter(({ html }) => html.length < 200).map(({ path }) => path)).toEqual([]);
    expect(pages.flatMap(faultsOf)).toEqual([]);
  });

  it('is sent by code that writes no such policy, but for that of a creative’s own document', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
    const loose = files.filter((file) => /unsafe-(?:inline|eval|hashes)/.test(readFileSync(`src/${file}`, 'utf8')));
    expect([files.length > 500, loose]).toEqual([true, ['admin/preview/preview-policy.ts']]);
  });
});
