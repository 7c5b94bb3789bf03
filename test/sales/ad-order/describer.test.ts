import { expect, it } from 'vitest';
import { describeSimulator } from '../../../src/adservers/simulator/description.ts';
import { createDescriber } from '../../../src/sales/ad-order/describer.ts';
import type { Description } from '../../../src/sales/ad-server/description.ts';
import { Unreachable } from '../../../src/sales/ad-server/faults.ts';
import { testClock } from '../../directory/support/installation.ts';

const HOUR_MS = 3_600_000;

it('what an ad server can do is asked by one watch an hour, and known to all others without asking', async () => {
  const clock = testClock();
  const describer = createDescriber(clock);
  let asked = 0;
  const ask = () => {
    asked += 1;
    return Promise.resolve(describeSimulator(asked));
  };
  expect(describer.known()).toBeUndefined();
  await Promise.all([describer.renew(ask), describer.describe(ask), describer.describe(ask)]);
  expect(asked).toBe(1);
  for (let hour = 0; hour < 3; hour++) {
    clock.advance(HOUR_MS);
    await describer.describe(ask);
    await describer.renew(ask);
  }
  expect({ asked, known: describer.known()?.clock_speed }).toEqual({ asked: 4, known: 4 });
});

it('what it said holds while it gives no answer, and it is not asked at every turn', async () => {
  const clock = testClock();
  const describer = createDescriber(clock);
  let asked = 0;
  const away = (): Promise<Description> => {
    asked += 1;
    return Promise.reject(new Unreachable('away', { sent: 'no' }));
  };
  await expect(describer.describe(away)).rejects.toThrow('away');
  await describer.describe(() => Promise.resolve(describeSimulator(7)));
  clock.advance(2 * HOUR_MS);
  for (let i = 0; i < 3; i++) expect((await describer.describe(away)).clock_speed).toBe(7);
  expect(asked).toBe(2);
  clock.advance(15_000);
  await describer.describe(away);
  expect(asked).toBe(3);
  await expect(describer.renew(away)).rejects.toThrow('away');
});
