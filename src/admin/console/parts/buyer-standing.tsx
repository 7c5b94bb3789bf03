import { shownAmount } from '../../../platform/money.ts';
import { MOST_BUYS_COUNTED } from '../../operator/buyers/standing.ts';
import type { BuyerStandingView } from '../../operator/buyers/standing.ts';
import type { Child, Markup } from '../html/markup.ts';
import { queryOf } from './paging.tsx';
import { State, When } from './words.tsx';

/** How a buyer stands, as facts. */
export function standingFacts(of: BuyerStandingView, now: number): (readonly [name: string, value: Child])[] {
  const { organization_id, buys_since, media_buys, money, summed_buys, is_all_summed } = of;
  const amount = (kind: 'booked' | 'spent') =>
    money.map((one) => shownAmount(one[kind], one.currency)).join(', ') +
    (is_all_summed ? '' : `, by its newest ${summed_buys} media buys`);
  return [
    ['Buys since', buys_since === null ? 'it has not bought before' : <When at={buys_since} now={now} />],
    ['Media buys', media_buys.length > 0 && <ByState of={media_buys} organization_id={organization_id} />],
    [
      'Booked',
      money.length > 0 &&
        `${amount('booked')}; those that are over count, too, and not what waits for approval, was rejected or canceled`,
    ],
    ['Spent', money.length > 0 && amount('spent')],
  ];
}

function ByState({ of, organization_id }: { of: BuyerStandingView['media_buys']; organization_id: string }): Markup {
  return (
    <>
      {of.map(({ status, count }) => (
        <>
          {count < MOST_BUYS_COUNTED ? String(count) : `${count.toLocaleString('en')}+`}{' '}
          <a href={`/admin/buys${queryOf({ organization_id, status })}`}>
            <State of={status} />
          </a>{' '}
        </>
      ))}
    </>
  );
}
