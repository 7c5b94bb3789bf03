import { randomUUID } from 'node:crypto';
import { STANDARD_ERROR_CODES } from '#adcp-buyer/error-codes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publicError } from '../../src/dialects/adcp/errors.ts';
import { ERROR_RECOVERY } from '../../src/platform/errors.ts';
import type { ErrorCode } from '../../src/platform/errors.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { bodyOf, callPublic, RELEASES } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

const ACCOUNT = accountOf('acme.example');

describe('[D3.order] of all that is wrong with a change of a media buy, what it hangs on is told first', () => {
  let at: TestAgent;
  let line: Json;
  let standing: Json;
  let canceled: Json;
  beforeAll(async () => {
    at = await startTestAgent('sqlite');
    line = await packageForSale(at);
    standing = await booked();
    canceled = await booked();
    await change('3.1', canceled, { canceled: true });
  });
  afterAll(() => at.stop());

  const booked = async () =>
    bodyOf(
      await callPublic(at, 'create_media_buy', { adcp_version: '3.1', ...orderOf(line, { packages: [line, line] }) }),
    );
  async function change(adcp_version: Release, { media_buy_id }: Json, more: Json, skill = 'update_media_buy') {
    const keyed = { adcp_version, account: ACCOUNT, media_buy_id, idempotency_key: randomUUID() };
    return bodyOf(await callPublic(at, skill, { ...keyed, ...more }));
  }
  const idOf = (i: number) => (standing['packages'] as { package_id: string }[])[i]?.package_id;

  /** Wrong in each way: stale, of a package that there is not, and with values that nobody takes. */
  const wrong = (): Json => ({
    ...{ revision: 99, paused: true },
    packages: [
      { package_id: idOf(0), budget: 0, daily_budget_cap: 5 },
      { package_id: 'none', budget: 5 },
    ],
  });
  const right = (i: number, more: Json = {}) => ({
    revision: standing['revision'],
    packages: [{ package_id: idOf(i), ...more }],
  });
  const told = (code: string, field: string) => ({ status: 'failed', adcp_error: { code, field } });

  describe.each([
    ...RELEASES.map((release) => ['update_media_buy', release] as const),
    ['control_media_buy', '3.2'] as const,
  ])('by %s in %s', (skill, release) => {
    const ask = (buy: Json, more: Json) => change(release, buy, more, skill);

    it('that there is no such media buy, or none under this account', async () => {
      const missing = told('MEDIA_BUY_NOT_FOUND', 'media_buy_id');
      expect(await ask({ media_buy_id: 'mb_none' }, wrong())).toMatchObject(missing);
      const account = accountOf('zenith.example');
      expect(await ask(standing, { ...wrong(), account })).toMatchObject(missing);
    });

    it('then that it is over', async () => {
      expect(await ask(canceled, wrong())).toMatchObject(told('INVALID_STATE', 'media_buy_id'));
      expect(await ask(canceled, { ...wrong(), canceled: true })).toMatchObject(
        told('NOT_CANCELLABLE', 'media_buy_id'),
      );
    });

    it('then that it has changed since', async () => {
      const stale = { ...told('CONFLICT', 'revision'), adcp_error: { code: 'CONFLICT', recovery: 'transient' } };
      expect(await ask(standing, wrong())).toMatchObject(stale);
      expect(await ask(standing, { ...wrong(), canceled: true })).toMatchObject(stale);
    });

    it('then each package that it has not', async () => {
      const packages = [...(wrong()['packages'] as Json[]), { package_id: 'nor' }];
      const body = await ask(standing, { ...wrong(), packages, revision: standing['revision'] });
      expect(body).toMatchObject(told('PACKAGE_NOT_FOUND', 'packages[1].package_id'));
      const { issues } = body['adcp_error'] as { issues: { pointer: string }[] };
      expect(issues.map(({ pointer }) => pointer)).toEqual(['/packages/1/package_id', '/packages/2/package_id']);
    });

    it('then the values, and nothing has changed', async () => {
      const capped = await ask(standing, right(0, { budget: 0, daily_budget_cap: 5 }));
      expect(capped).toMatchObject(told('UNSUPPORTED_FEATURE', 'packages[0].daily_budget_cap'));
      const unpaid = await ask(standing, right(1, { budget: 0 }));
      expect(unpaid).toMatchObject({ status: 'failed', adcp_error: { field: 'packages[0].budget' } });
      const read = { adcp_version: '3.1', media_buy_ids: [standing['media_buy_id']] };
      const { media_buys } = bodyOf(await callPublic(at, 'get_media_buys', read));
      expect(media_buys).toMatchObject([{ revision: standing['revision'], total_budget: standing['total_budget'] }]);
    });
  });

  it.each<[string, (package_id: unknown) => Json, string, string]>([
    ['an end that is no date-time', () => ({ end_time: 'tomorrow' }), 'VALIDATION_ERROR', 'end_time'],
    ['an end that is past', () => ({ end_time: '2020-01-01T00:00:00Z' }), 'INVALID_REQUEST', 'end_time'],
    ['a start that is past', () => ({ start_time: '2020-01-01T00:00:00Z' }), 'INVALID_REQUEST', 'start_time'],
    [
      'an end of one package before its start',
      (package_id) => ({
        packages: [{ package_id, start_time: '2041-02-01T00:00:00Z', end_time: '2041-01-01T00:00:00Z' }],
      }),
      'INVALID_REQUEST',
      'packages[0].end_time',
    ],
    [
      'a creative without what its format asks for',
      (package_id) => ({ packages: [{ package_id, creatives: [{ ...sample(), assets: {} }] }] }),
      'VALIDATION_ERROR',
      'packages[0].creatives[0].assets',
    ],
    [
      'an end of one package alone',
      (package_id) => ({ packages: [{ package_id, canceled: true }] }),
      'NOT_CANCELLABLE',
      'packages[0].canceled',
    ],
    ['an undoing of a cancellation', () => ({ canceled: false }), 'INVALID_REQUEST', 'canceled'],
  ])('%s has the code that the protocol has for it', async (_what, more, code, field) => {
    const { adcp_error } = await change('3.1', standing, more(idOf(0)));
    expect(adcp_error).toMatchObject({
      ...{ code, recovery: STANDARD_ERROR_CODES[code as keyof typeof STANDARD_ERROR_CODES].recovery },
      field: expect.stringMatching(`^${field.replace(/[[\]]/g, '\\$&')}`) as unknown,
    });
  });

  function sample(): Json {
    const example = at.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: Json[] };
    return { ...example.creatives[0], creative_id: randomUUID() };
  }
});

describe('[D2.errors] in 3.0', () => {
  /** One that 3.0 has not, told as what later releases call it; and one that to send again does not mend, whatever its list says. */
  const OTHERWISE: Partial<Record<ErrorCode, Json>> = {
    IDEMPOTENCY_IN_FLIGHT: { code: 'IDEMPOTENCY_IN_FLIGHT', recovery: 'transient' },
    UNAUTHORIZED: { code: 'AUTH_REQUIRED', recovery: 'terminal' },
  };

  it.each(Object.keys(ERROR_RECOVERY) as ErrorCode[])(
    '%s is of the official list, with the reaction of that',
    (code) => {
      const error = publicError({ code, message: 'x', recovery: ERROR_RECOVERY[code] }, '3.0');
      const official = STANDARD_ERROR_CODES[error['code'] as keyof typeof STANDARD_ERROR_CODES] as Json | undefined;
      const listed = { code: error['code'], recovery: official?.['recovery'] };
      expect({ code: error['code'], recovery: error['recovery'] }).toEqual(OTHERWISE[code] ?? listed);
    },
  );
});
