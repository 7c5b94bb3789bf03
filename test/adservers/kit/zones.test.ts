import { describe, expect, it } from 'vitest';
import { nextClockChangeMs } from '../../../src/adservers/kit/cases/clock-change.ts';
import { adServerContract } from '../../../src/adservers/kit/ad-server-cases.ts';
import { runContract } from '../../../src/adservers/kit/run-cases.ts';
import type { AdServer } from '../../../src/sales/ad-server/ad-server.ts';
import { openEmbedded } from './support/embedded-subject.ts';
import type { World } from '../../../src/adservers/kit/world.ts';
import { bucketThere, zoned } from './support/zoned.ts';

/** Winter time begins there in November, half an hour off the hour. */
const ZONE = 'America/St_Johns';

describe('statements in the ad server’s own time', () => {
  it.each([
    ['Europe/Berlin', '2041-03-30T09:17:00Z', '2041-03-31T01:00:00.000Z'],
    ['Europe/Berlin', '2041-04-01T00:00:00Z', '2041-10-27T01:00:00.000Z'],
    ['America/New_York', '2041-03-30T09:17:00Z', '2041-11-03T06:00:00.000Z'],
  ])('%s changes its clocks next after %s at %s', (zone, from, expected) => {
    expect(new Date(nextClockChangeMs(zone, Date.parse(from)) ?? 0).toISOString()).toBe(expected);
  });

  it('India and UTC never change their clocks', () => {
    expect(nextClockChangeMs('Asia/Kolkata', 0)).toBeUndefined();
    expect(nextClockChangeMs('UTC', 0)).toBeUndefined();
  });

  it('an ad server in a :30 zone keeps case 37, and cases 36 and 38', async () => {
    const { passed, failed } = await runOver((inner) => zoned(inner, ZONE), [36, 37, 38]);
    expect(failed).toEqual([]);
    expect(passed).toHaveLength(3);
  });

  it('an ad server that loses the hour that its clocks show twice is caught by case 37', async () => {
    const changes = new Set([nextClockChangeMs(ZONE, Date.parse('2041-04-01T00:00:00Z')) ?? 0]);
    const { failed } = await runOver((inner) => withoutHoursAt(zoned(inner, ZONE), changes), [37]);
    expect(failed).toMatchObject([{ number: 37, error: { rule: 'statements' } }]);
  });
});

async function runOver(behind: (inner: AdServer) => AdServer, numbers: number[]) {
  const subject = await openEmbedded({ behind });
  const { world = {} } = subject;
  const restate: World['restate'] = async (hour) => world.restate?.({ ...hour, hour: bucketThere(hour.hour) });
  const zonedSubject = { ...subject, world: { ...world, restate } };
  try {
    return await runContract(adServerContract(zonedSubject).filter(({ number }) => numbers.includes(number)));
  } finally {
    await subject.close();
  }
}

/** Leaves out the hour of a clock change: the one before has the same name there. */
function withoutHoursAt(inner: AdServer, changes: ReadonlySet<number>): AdServer {
  const isChange = (hour: string) => [...changes].some((ms) => Math.abs(Date.parse(hour) - ms) <= 30 * 60_000);
  return {
    ...inner,
    statements: async (query) => {
      const statement = await inner.statements(query);
      return { ...statement, rows: statement.rows.filter(({ hour }) => !isChange(hour)) };
    },
  };
}
