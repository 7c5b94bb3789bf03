import { describe, expect, it } from 'vitest';
import { revocationList } from '#receiver';

const NOW = 1_000_000_000_000;

function open(first: unknown, graceSeconds = 300) {
  const served = { json: first, status: 200, asked: 0 };
  const checker = revocationList({
    url: 'https://sales.example/revoked.json',
    graceSeconds,
    fetchJson: () => {
      served.asked += 1;
      if (served.json instanceof Error) return Promise.reject(served.json);
      return Promise.resolve({ status: served.status, json: served.json });
    },
  });
  return { served, standing: (at: number, keyid = 'key-1') => checker.standingOf(keyid, at) };
}

const list = (kids: string[], nextMs?: number) => ({
  revoked_kids: kids,
  ...(nextMs !== undefined && { next_update: new Date(nextMs).toISOString() }),
});

describe('revocationList', () => {
  it('[W12] tells revoked keys from good ones', async () => {
    const { standing } = open(list(['key-2']));
    expect(await standing(NOW)).toBe('good');
    expect(await standing(NOW, 'key-2')).toBe('revoked');
  });

  it.each([
    ['as the list says', NOW + 120_000, 120_000],
    ['a minute apart at least', NOW + 1, 60_000],
    ['15 minutes apart at most', NOW + 86_400_000, 900_000],
    ['every 15 minutes when the list does not say', undefined, 900_000],
  ])('[W12] asks again %s', async (_when, nextMs, afterMs) => {
    const { served, standing } = open(list([], nextMs));
    await standing(NOW);
    await standing(NOW + afterMs - 1);
    expect(served.asked).toBe(1);
    served.json = list(['key-1'], nextMs);
    expect(await standing(NOW + afterMs)).toBe('revoked');
    expect(served.asked).toBe(2);
  });

  it('[W12] is stale once it could not be refreshed within the grace, and recovers', async () => {
    const { served, standing } = open(list([], NOW + 60_000), 300);
    await standing(NOW);
    served.json = new Error('down');
    expect(await standing(NOW + 360_000)).toBe('good');
    expect(await standing(NOW + 360_001)).toBe('stale');
    served.json = list([]);
    expect(await standing(NOW + 400_000)).toBe('good');
  });

  it('[W12] still knows the revoked keys when it is stale', async () => {
    const { served, standing } = open(list(['key-1'], NOW + 60_000));
    await standing(NOW);
    served.json = new Error('down');
    expect(await standing(NOW + 86_400_000)).toBe('revoked');
  });

  it.each([undefined, null, [], {}, { revoked_kids: 'x' }, { revoked_kids: [5] }, new Error('down')])(
    '[W12] is stale from the start without a list that can be read: %j',
    async (json) => {
      expect(await open(json).standing(NOW)).toBe('stale');
    },
  );

  it('[W12] does not take a list from an error page', async () => {
    const { served, standing } = open(list([]));
    served.status = 500;
    expect(await standing(NOW)).toBe('stale');
  });

  it('asks a sender that is down no more than once in 30 s', async () => {
    const { served, standing } = open(new Error('down'));
    for (let ms = 0; ms < 30_000; ms += 1000) await standing(NOW + ms);
    expect(served.asked).toBe(1);
    await standing(NOW + 30_000);
    expect(served.asked).toBe(2);
  });

  it('asks once for many callers, who all wait for the answer', async () => {
    const { served, standing } = open(list(['key-1']));
    expect(await Promise.all(Array.from({ length: 20 }, () => standing(NOW)))).toEqual(Array(20).fill('revoked'));
    expect(served.asked).toBe(1);
  });
});
