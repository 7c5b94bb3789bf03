import { afterAll, beforeAll, expect, it } from 'vitest';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { sampleMediaBuy } from '../../sales/support/sample-media-buy.ts';
import { mediaBuyId, taskId } from '../../support/ids.ts';
import { textOf, visitorOf } from './support/visitor.ts';
import type { Visitor } from './support/visitor.ts';

let agent: TestAgent;
let viewer: Visitor;
beforeAll(async () => {
  agent = await startTestAgent('sqlite', { working: false });
  viewer = await visitorOf(agent, 'viewer');
});
afterAll(() => agent.stop());

const wordsOn = async (path: string) => textOf((await viewer.get(path)).html.replaceAll(/<[^>]*>/g, ' '));

it('[O1.pages] whoever came with the shared key is told in words, and not by the name of a setting alone', async () => {
  const { body } = await operate(agent, 'POST', '/people/invite', { name: 'Cleo', role: 'viewer' });
  for (const page of ['/people', `/people/${String(body['person_id'])}`, '/audit'])
    expect([page, await wordsOn(page)]).toEqual([
      page,
      expect.stringContaining('the shared operator key (OPERATOR_API_KEY)'),
    ]);
});

it('[O1.pages] the empty lists of creatives and of approvals say what makes a creative wait for a person', async () => {
  for (const page of ['/creatives', '/approvals'])
    expect([page, await wordsOn(page)]).toEqual([
      page,
      expect.stringContaining('waits for a person where the review leaves it open, which the simulated one does'),
    ]);
});

it('[O1.pages] the list of buyers has one word for what is open, and says how that differs from what is booked', async () => {
  const words = await wordsOn('/buyers');
  expect(words).not.toContain('Committed');
  expect(words).toContain('open budgets are theirs, with changes on their way; booked, on a buyer’s page, counts');
});

it('[O1.pages] channels are spelled as people write them', async () => {
  const words = await wordsOn('/catalog');
  expect(words).toMatch(/ CTV .* DOOH /s);
  expect(words).not.toMatch(/\b(?:ctv|Ctv|Dooh)\b/);
});

it('[O1.forms] what confirms the end of a media buy is its reference, where a keyboard has all of it', async () => {
  const sell = (media_buy_id: string, buyer_ref: string) =>
    agent.core.sales.mediaBuys.insert(
      sampleMediaBuy({
        ...{ media_buy_id: mediaBuyId(media_buy_id), buyer_ref, task_id: taskId(`task_${media_buy_id}`) },
        ...{ flight_due_at: null, reporting_due_at: null },
      }),
    );
  await sell('mb_plain', 'spring-2026');
  await sell('mb_other', 'frühling');
  const admin = await visitorOf(agent, 'admin');
  const phraseAt = async (id: string) =>
    /To confirm, type <bdi class="id">([^<]*)</.exec((await admin.get(`/buys/${id}`)).html)?.[1];
  expect([await phraseAt('mb_plain'), await phraseAt('mb_other')]).toEqual(['spring-2026', 'mb_other']);
});
