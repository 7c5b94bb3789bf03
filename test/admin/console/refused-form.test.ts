import { afterAll, beforeAll, expect, it } from 'vitest';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { faultsOfHtml } from './support/faults-of-html.ts';
import { formsIn, textOf, visitorOf } from './support/visitor.ts';
import type { Visitor } from './support/visitor.ts';

let agent: TestAgent;
let admin: Visitor;
let buyer: string;
beforeAll(async () => {
  agent = await startTestAgent('sqlite', { working: false });
  admin = await visitorOf(agent, 'admin');
  buyer = String((await operate(agent, 'POST', '/buyers/add', { name: 'Quay' })).body['organization_id']);
});
afterAll(() => agent.stop());

/** The tag of the field that is marked as wrong, and what is said of it. */
function marked(html: string): { tags: string[]; words: string } {
  const tags = [...html.matchAll(/<\w+ aria-invalid="true" aria-describedby="wrong"[^>]*>/g)].map(([tag]) => tag);
  const [, words = ''] = /<p class="bad" id="wrong">([^<]*)<\/p>/.exec(html) ?? [];
  return { tags, words: textOf(words) };
}

it('[O1.forms] a form that is refused is there again as it was filled in, with what is wrong at its field, by its label', async () => {
  const form = await admin.form(`/buyers/${buyer}`, 'Set limits');
  const typed = { approval_over: '5000 "of <all>', credit: 'USD:77' };
  const { status, headers, html } = await admin.send(form, typed);
  expect(status).toBe(422);
  const { tags, words } = marked(html);
  expect(tags).toEqual([expect.stringMatching(/ autofocus .*name="approval_over" /)]);
  expect(textOf(tags[0] ?? '')).toContain(`value="${typed.approval_over}"`);
  expect(words).toMatch(/^“A person is asked over”: must be amounts by currency/);
  expect(html).toMatch(/<input [^>]*name="credit"[^>]* value="USD:77">/);
  expect(html).toContain('<dd>A person is asked over</dd>');
  expect(textOf(html)).not.toMatch(/approval_over(?!")/);
  expect(faultsOfHtml(html, headers.get('content-security-policy') ?? '')).toEqual([]);
  // What stands there is sent as it would be from its page.
  const [again] = formsIn(html).filter(({ button }) => button === 'Set limits');
  expect(again?.action).toBe(form.action);
  const mended = again && (await admin.send(again, { approval_over: 'USD:5000', credit: 'USD:77' }));
  expect([mended?.status, mended?.headers.get('location')]).toEqual([
    303,
    expect.stringContaining(`/admin/buyers/${buyer}?done=buyers.limits`),
  ]);
  expect((await operate(agent, 'GET', `/buyers/${buyer}/limits`)).body).toMatchObject({ credit: { USD: 77 } });
  // The API goes on naming the field.
  const answer = await operate(agent, 'POST', `/buyers/${buyer}/limits`, typed);
  expect(answer.body.error).toMatchObject({
    ...{ field: 'approval_over', message: expect.stringMatching(/^approval_over: /) as string },
  });
});

it('[O1.forms] what is typed to confirm is asked for anew, and words that were typed stay', async () => {
  const form = await admin.form(`/buyers/${buyer}`, 'Suspend');
  const { html } = await admin.send(
    { ...form, fields: { ...form.fields, _phrase: 'x' } },
    { reason: 'late </textarea>' },
  );
  // A phrase of somebody's own is no form of this session.
  expect([marked(html).tags, html.includes('“')]).toEqual([[], false]);
  const empty = marked((await admin.send(form, { reason: ' ' })).html);
  expect(empty).toMatchObject({
    tags: [expect.stringContaining('name="reason"')],
    words: expect.stringMatching(/^“/) as string,
  });
  const named = await admin.form('/buyers', 'Add');
  const refused = (await admin.send(named, { name: 'a\u0007' })).html;
  expect(marked(refused).words).toBe('“Name”: must be 1 to 100 characters, none of which is for control');
});

it('[O1.forms] a list that cannot be had by what it is asked for offers its filter again, with what is wrong at its field', async () => {
  const { status, html } = await admin.get('/buys?organization_id=nobody-of-that-name&po_number=P-1&status=active');
  expect(status).toBeGreaterThanOrEqual(400);
  expect(marked(html)).toMatchObject({
    tags: [expect.stringMatching(/name="organization_id"[^>]* value="nobody-of-that-name"/)],
  });
  expect(html).toMatch(/<input [^>]*name="po_number"[^>]* value="P-1">/);
  expect(html).toContain('<input type="hidden" name="status" value="active">');
  const both = await admin.get('/buys?account_id=acc_1');
  expect(textOf(both.html)).toContain('<dd>Buyer</dd>');
  // What nobody fills in is told as it is.
  expect(marked((await admin.get('/buys?status=odd')).html).tags).toEqual([]);
});
