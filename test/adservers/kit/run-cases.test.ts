import { describe, expect, it } from 'vitest';
import { adServerContract } from '../../../src/adservers/kit/ad-server-cases.ts';
import { runContract } from '../../../src/adservers/kit/run-cases.ts';
import { openEmbedded } from './support/embedded-subject.ts';

describe('the cases over a world that can do nothing', () => {
  it('skips by name and with its reason what it can not stage, and runs and counts the rest', async () => {
    const { open, close } = await openEmbedded();
    const heard: string[] = [];
    try {
      const result = await runContract(adServerContract({ open, clock: { now: () => Date.parse(NOW) } }), {
        onPassed: ({ number }) => heard.push(`passed ${number}`),
        onFailed: ({ number, error }) => heard.push(`failed ${number} ${error.message}`),
        onSkipped: ({ number }) => heard.push(`skipped ${number}`),
      });
      expect(result.failed).toEqual([]);
      expect(result.passed.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 10, 11, 31, 33, 34, 40]);
      expect(result.skipped).toHaveLength(27);
      expect(heard).toHaveLength(40);
      for (const { name, needs, reason } of result.skipped) {
        expect(name).not.toBe('');
        expect(needs).not.toEqual([]);
        expect(reason).toMatch(/^the world has no /);
      }
      expect(result.passed.find(({ number }) => number === 4)?.without).toEqual(['writes']);
    } finally {
      await close();
    }
  });

  it('a case that has no meaning for the ad server is skipped with its reason, not passed', async () => {
    const subject = await openEmbedded({
      behind: (inner) => ({
        ...inner,
        describe: async () => {
          const description = await inner.describe();
          return { ...description, pricing: description.pricing.filter(({ model }) => model !== 'flat-fee') };
        },
      }),
    });
    try {
      const { skipped } = await runContract(adServerContract(subject).filter(({ number }) => number === 32));
      expect(skipped).toMatchObject([{ number: 32, reason: 'no flat fee is sold' }]);
    } finally {
      await subject.close();
    }
  });

  it('a case throws rather than pass when it is run without what it needs', async () => {
    const { open, close } = await openEmbedded();
    try {
      const crash = adServerContract({ open }).find(({ number }) => number === 12);
      await expect(crash?.run()).rejects.toThrow('the world has no calm, stopBeforeWrite, writes, deliver');
    } finally {
      await close();
    }
  });
});

const NOW = '2041-03-30T09:17:00.000Z';
