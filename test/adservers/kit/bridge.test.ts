import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adServerContract } from '../../../src/adservers/kit/ad-server-cases.ts';
import type { KitSubject } from '../../../src/adservers/kit/stage.ts';
import { openBridged } from './support/bridged-subject.ts';
import { manualClock } from './support/embedded-subject.ts';

let subject: KitSubject & { close: () => Promise<void> };
beforeAll(async () => {
  subject = await openBridged(manualClock());
});
afterAll(() => subject.close());

describe('the cases of ad servers, over the HTTP bridge on loopback', () => {
  it('has forty cases, and this world lacks nothing of what they need or use', () => {
    const cases = adServerContract(subject);
    expect(cases).toHaveLength(40);
    expect(cases.flatMap(({ lacks, without }) => [...lacks, ...without])).toEqual([]);
  });

  it.each(Array.from({ length: 40 }, (_, i) => i + 1))('keeps case %i', async (number) => {
    const found = adServerContract(subject).find((one) => one.number === number);
    await found?.run();
    expect(found?.name).toBeTruthy();
  });
});
