import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { adOrderOf } from '../../src/sales/ad-order/ad-order-of.ts';
import { termsOf } from '../../src/sales/flight/terms-of.ts';
import type { Json } from '../journeys/support/buyer.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { openPublicAgent } from './support/public-agent.ts';
import type { AskPublic } from './support/public-agent.ts';
import { RELEASES } from './support/public-call.ts';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

describeOnStores('the times of packages on %s', (store) => {
  let at: TestAgent;
  let ask: AskPublic;
  let line: Json;
  beforeAll(async () => {
    ({ at, ask } = await openPublicAgent(store));
    line = await packageForSale(at);
  });
  afterAll(() => at.stop());

  it.each(RELEASES)(
    '[D4.refused] [B5.package-flight] in %s those within the flight are taken with a booking, and stand: others in a change are refused by name',
    async (release) => {
      const flight = { start_time: inDays(8), end_time: inDays(20) };
      const book = (own: Json) => ask(release, 'create_media_buy', orderOf({ ...line, ...own }, flight));
      const made = await book(flight);
      expect(made).toMatchObject({ packages: [flight] });
      const { media_buy_id } = made;
      const [{ package_id }] = made['packages'] as [{ package_id: string }];
      const change = (own: Json, more: Json = {}) =>
        ask(release, 'update_media_buy', {
          ...{ account: accountOf('acme.example'), media_buy_id, idempotency_key: randomUUID() },
          ...{ packages: [{ package_id, budget: 19_000, ...own }], ...more },
        });
      const later = inDays(22);
      expect(await change({ ...flight, end_time: later }, { end_time: later })).toMatchObject({
        affected_packages: [{ ...flight, end_time: later }],
      });
      const outside: [own: Json, field: string][] = [
        [{ start_time: inDays(7) }, 'packages[0].start_time'],
        [{ end_time: inDays(23) }, 'packages[0].end_time'],
        [{ start_time: 'soon' }, 'packages[0].start_time'],
        [{ start_time: inDays(15), end_time: inDays(12) }, 'packages[0].end_time'],
      ];
      for (const [own, field] of outside) {
        expect(await book(own)).toMatchObject({ adcp_error: { code: 'INVALID_REQUEST', field } });
        expect(await change(own)).toMatchObject({ adcp_error: { code: 'INVALID_REQUEST', field } });
      }
      const moved = { code: 'UNSUPPORTED_FEATURE', field: 'packages[0].start_time' };
      expect(await change({ start_time: inDays(9) })).toMatchObject({ adcp_error: moved });
      const ended = { code: 'UNSUPPORTED_FEATURE', field: 'packages[0].end_time' };
      expect(await change({ end_time: inDays(19) })).toMatchObject({ adcp_error: ended });
    },
  );

  it.each(RELEASES)(
    '[B5.package-flight] in %s a package of its own flight is told so, the others go along with the media buy, and neither leaves it',
    async (release) => {
      const flight = { start_time: inDays(8), end_time: inDays(20) };
      const own = { start_time: inDays(9), end_time: inDays(15) };
      const made = await ask(
        release,
        'create_media_buy',
        orderOf(line, { ...flight, packages: [{ ...line, ...own }, line, { ...line, end_time: own.end_time }] }),
      );
      const third = { ...flight, end_time: own.end_time };
      expect(made).toMatchObject({ ...flight, packages: [own, flight, third] });
      const { media_buy_id } = made;
      const [first] = made['packages'] as [{ package_id: string }];
      const stored = await at.core.sales.mediaBuys.get(String(media_buy_id));
      if (stored === undefined) throw new Error('nothing was booked');
      expect(stored.packages.map(({ start_time, end_time }) => ({ start_time, end_time }))).toEqual([
        own,
        { start_time: undefined, end_time: undefined },
        { start_time: undefined, end_time: own.end_time },
      ]);
      // So the ad server hears it, and so it is billed.
      const facts = { ad_server_id: 'a', approvedVersion: () => undefined, configOf: () => ({}) };
      const times = [own, flight, third].map(({ start_time: start, end_time: end }) => ({ start, end }));
      expect(adOrderOf(stored, 'held', 1, facts)).toMatchObject({ lines: times });
      const terms = termsOf(stored, at.core.sales.flightClock, Date.now(), stored.created_at);
      expect(terms.lines).toMatchObject(times);

      const change = (more: Json) =>
        ask(release, 'update_media_buy', {
          ...{ account: accountOf('acme.example'), media_buy_id, idempotency_key: randomUUID(), ...more },
        });
      const end_time = inDays(25);
      const longer = { packages: [{ ...own, package_id: first.package_id, budget: 19_000 }], end_time };
      await change(longer);
      const { media_buys } = await ask(release, 'get_media_buys', {
        account: accountOf('acme.example'),
        media_buy_ids: [media_buy_id],
      });
      expect(media_buys).toMatchObject([{ end_time, packages: [own, { ...flight, end_time }, third] }]);
      const over = { adcp_error: { code: 'INVALID_REQUEST', field: 'start_time' } };
      expect(await change({ start_time: inDays(16) })).toMatchObject(over);
      const unbegun = { adcp_error: { code: 'INVALID_REQUEST', field: 'end_time' } };
      expect(await change({ end_time: inDays(8.5) })).toMatchObject(unbegun);
      const theirs = { packages: [{ package_id: first.package_id, budget: 18_000, end_time }] };
      const moved = { adcp_error: { code: 'UNSUPPORTED_FEATURE', field: 'packages[0].end_time' } };
      expect(await change(theirs)).toMatchObject(moved);
    },
  );

  it.each(RELEASES)('[B5.package-flight] in %s those of packages that are added are taken alike', async (release) => {
    const flight = { start_time: inDays(8), end_time: inDays(20) };
    const made = await ask(release, 'create_media_buy', orderOf(line, flight));
    const { media_buy_id } = made;
    const add = (own: Json, more: Json = {}) =>
      ask(release, 'update_media_buy', {
        ...{ account: accountOf('acme.example'), media_buy_id, idempotency_key: randomUUID() },
        ...{ new_packages: [{ ...line, budget: 8000, ...own }], ...more },
      });
    const wrong: [own: Json, code: string, field: string][] = [
      [{ start_time: inDays(7) }, 'INVALID_REQUEST', 'start_time'],
      [{ end_time: inDays(23) }, 'INVALID_REQUEST', 'end_time'],
      [{ start_time: flight.end_time, end_time: flight.start_time }, 'INVALID_REQUEST', 'end_time'],
    ];
    for (const [own, code, field] of wrong)
      expect(await add(own)).toMatchObject({ adcp_error: { code, field: `new_packages[0].${field}` } });
    const read = await ask(release, 'get_media_buys', {
      account: accountOf('acme.example'),
      media_buy_ids: [media_buy_id],
    });
    expect(read).toMatchObject({ media_buys: [{ packages: [{ ...flight }] }] });
    // A flight that the same change gives the media buy is the one that counts.
    const later = { ...flight, end_time: inDays(22) };
    const added = await add(later, { end_time: later.end_time });
    const lines = added['affected_packages'] as Json[];
    expect(lines.length).toBeGreaterThan(0);
    for (const one of lines) expect(one).toMatchObject(later);
    const own = { start_time: inDays(10), end_time: inDays(14) };
    const short = await add(own);
    expect(short['affected_packages']).toMatchObject([own]);
  });

  it('[D4.refused] are held to the same by control_media_buy', async () => {
    const flight = { start_time: inDays(8), end_time: inDays(20) };
    const made = await ask('3.2', 'create_media_buy', orderOf(line, flight));
    const { media_buy_id, revision } = made;
    const [{ package_id }] = made['packages'] as [{ package_id: string }];
    const control = (own: Json) =>
      ask('3.2', 'control_media_buy', {
        ...{ account: accountOf('acme.example'), media_buy_id, revision, idempotency_key: randomUUID() },
        packages: [{ package_id, budget: 19_000, ...own }],
      });
    for (const [field, time] of Object.entries({ start_time: inDays(9), end_time: inDays(19) })) {
      const refused = { code: 'UNSUPPORTED_FEATURE', field: `packages[0].${field}` };
      expect(await control({ [field]: time })).toMatchObject({ adcp_error: refused });
    }
    // Those that stand are taken, beside what is changed.
    expect(await control(flight)).toMatchObject({ media_buy_id, affected_package_ids: [package_id] });
  });

  it.each(RELEASES)('[D4.refused] in %s of a media buy that begins at once may have begun by now', async (release) => {
    const end_time = inDays(20);
    const book = (own: Json) => ask(release, 'create_media_buy', orderOf({ ...line, ...own }, { end_time }));
    const made = await book({ start_time: inDays(-1), end_time });
    const [one] = made['packages'] as [{ start_time: string; end_time: string }];
    // It runs since the media buy does, not since it was said to.
    expect(Date.parse(one.start_time)).toBeGreaterThan(Date.parse(inDays(-1)));
    expect(one.end_time).toBe(end_time);
    const start_time = inDays(2);
    expect(await book({ start_time })).toMatchObject({ packages: [{ start_time, end_time }] });
  });
});
