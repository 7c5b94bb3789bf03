import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { startSession } from '../../../../src/admin/session.ts';
import { addPerson } from '../../../../src/directory/operator/person.ts';
import type { OperatorRole } from '../../../../src/directory/operator/operator.ts';
import type { TestAgent } from '../../../journeys/support/test-agent.ts';

export interface Shown {
  status: number;
  headers: Headers;
  html: string;
}

/** A form as a page has it: where it goes, and all its fields. */
export interface ShownForm {
  action: string;
  button: string;
  fields: Record<string, string>;
}

/** Somebody signed in to the console, whose browser runs no script. */
export interface Visitor {
  cookie: string;
  name: string;
  person_id: string;
  get(path: string): Promise<Shown>;
  /** The form with this button on a page. @throws where there is none. */
  form(path: string, button: string): Promise<ShownForm>;
  /** Sends it as from that page; `headers` may say otherwise. */
  send(form: ShownForm, fields?: Record<string, string>, headers?: Record<string, string>): Promise<Shown>;
}

/** A person of this role, with a session. */
export async function visitorOf(
  { core, baseUrl }: Pick<TestAgent, 'core' | 'baseUrl'>,
  role: OperatorRole,
): Promise<Visitor> {
  const name = `${role} ${randomUUID().slice(0, 8)}`;
  const { person_id } = await addPerson(core, { name, role, by: 'a test', click: randomUUID() });
  const cookie = `console_session=${await startSession(core, { person_id, role }, '127.0.0.1')}`;
  const get = async (path: string): Promise<Shown> => {
    const response = await fetch(`${baseUrl}/admin${path}`, { headers: { cookie }, redirect: 'manual' });
    return { status: response.status, headers: response.headers, html: await response.text() };
  };
  return {
    ...{ cookie, name, person_id, get },
    async form(path, button) {
      const { html } = await get(path);
      const found = formsIn(html).find((form) => form.button === button);
      if (found === undefined) throw new Error(`${path} has no form with the button ${button}`);
      return found;
    },
    async send({ action, fields }, more = {}, headers = {}) {
      const response = await fetch(`${baseUrl}${action}`, {
        method: 'POST',
        headers: { cookie, 'sec-fetch-site': 'same-origin', ...headers },
        body: new URLSearchParams({ ...fields, ...more }),
        redirect: 'manual',
      });
      return { status: response.status, headers: response.headers, html: await response.text() };
    },
  };
}

/** Where a form leads back to that was on this page, once what it did is done. */
export function backTo(path: string, action: string): unknown {
  const start = `/admin${path}${path.includes('?') ? '&' : '?'}done=${action}&act=`;
  return expect.stringMatching(new RegExp(`^${start.replaceAll(/[.?]/g, '\\$&')}act_[0-9a-f]{32}$`));
}

/** What a page says has just been done; undefined where it says nothing. */
export function saidDone(html: string): string | undefined {
  const words = /<div class="note" role="status"[^>]*>\s*<p>(.*?)<a /s.exec(html)?.[1];
  return words === undefined ? undefined : textOf(words.replaceAll(/<[^>]*>/g, '')).trim();
}

/** All forms of a page that do something. */
export function formsIn(html: string): ShownForm[] {
  return [...html.matchAll(/<form class="act"[^>]*action="([^"]*)">(.*?)<\/form>/gs)].map(
    ([, action = '', inside = '']) => ({
      action: textOf(action),
      button: textOf(/<button[^>]*>([^<]*)<\/button>/.exec(inside)?.[1] ?? ''),
      fields: Object.fromEntries(
        [...inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(
          ([, name = '', value = '']) => [name, textOf(value)],
        ),
      ),
    }),
  );
}

/** HTML's text as it was meant. */
export function textOf(html: string): string {
  return html.replaceAll(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)));
}
