import { afterAll, beforeAll, expect, it } from 'vitest';
import { adServerContract } from '../../../src/adservers/kit/ad-server-cases.ts';
import type { KitSubject } from '../../../src/adservers/kit/stage.ts';
import { openEmbedded } from './support/embedded-subject.ts';

let subject: KitSubject & { close: () => Promise<void> };
beforeAll(async () => {
  subject = await openEmbedded({ abilities: { budgetCut: 'after_pause' } });
});
afterAll(() => subject.close());

/** Those about what comes late, and about budgets. */
const CONCERNED = [17, 18, 30, 32, 37, 38];

it.each(CONCERNED)('keeps case %i where counts come late and a budget is taken whatever was spent', async (number) => {
  const found = adServerContract(subject).find((one) => one.number === number);
  await found?.run();
  expect(found?.name).toBeTruthy();
});
