import { expect, it } from 'vitest';
import { PAGES_OF_ACTIONS, pageOfAction } from '../../../src/admin/console/page-of-action.ts';
import { PAGES } from '../../../src/admin/console/pages.ts';
import { operations } from '../../../src/admin/operator/operations.ts';

const ACTIONS = operations.flatMap(({ action, path }) => (action === undefined ? [] : [{ action, path }]));

it('every action on record has the page of what it was done to, or is known to have none, and no other is named', () => {
  expect(Object.keys(PAGES_OF_ACTIONS).sort()).toEqual(ACTIONS.map(({ action }) => action).sort());
  const pages = new Set(PAGES.map(({ path }) => path));
  for (const page of Object.values(PAGES_OF_ACTIONS)) if (page !== null) expect(pages).toContain(page);
});

it('a page is named by what the path of the action named, else by what was answered, each encoded', () => {
  const answer = { organization_id: 'org/1', name: 'a' };
  expect(pageOfAction({ action: 'buyers.add', answer })).toBe('/buyers/org%2F1');
  const params = { destination: 'https://a.example:8443' };
  expect(pageOfAction({ action: 'webhooks.pause', params, answer: null })).toBe(
    '/webhooks/receivers/https%3A%2F%2Fa.example%3A8443',
  );
  // Refused, so that nothing was answered; on record by an earlier release, which kept no parameters; by a later one.
  expect(pageOfAction({ action: 'buyers.add', answer: null })).toBeUndefined();
  expect(pageOfAction({ action: 'buys.hold', answer: {} })).toBeUndefined();
  expect(pageOfAction({ action: 'toString', answer: {} })).toBeUndefined();
});
