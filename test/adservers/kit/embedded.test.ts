import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adServerContract } from '../../../src/adservers/kit/ad-server-cases.ts';
import type { KitSubject } from '../../../src/adservers/kit/stage.ts';
import { openEmbedded } from './support/embedded-subject.ts';

let subject: KitSubject & { close: () => Promise<void> };
beforeAll(async () => {
  subject = await openEmbedded();
});
afterAll(() => subject.close());

describe('the cases of ad servers, over the embedded simulator', () => {
  const NUMBERS = Array.from({ length: 40 }, (_, i) => i + 1);

  it('has forty cases, each number once, and this world lacks nothing of what they need or use', () => {
    const cases = adServerContract(subject);
    expect(cases.map(({ number }) => number)).toEqual(NUMBERS);
    expect(cases.flatMap(({ lacks, without }) => [...lacks, ...without])).toEqual([]);
  });

  it.each(NUMBERS)('keeps case %i', async (number) => {
    const found = adServerContract(subject).find((one) => one.number === number);
    await found?.run();
    expect(found?.name).toBeTruthy();
  });
});
