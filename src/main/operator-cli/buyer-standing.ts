import { Command } from 'commander';
import { showBuyerStanding } from '../../admin/operator/buyers/standing.ts';
import type { BuyerStandingView } from '../../admin/operator/buyers/standing.ts';
import { shownAmount } from '../../platform/money.ts';
import type { Run } from './session.ts';
import { facts, table } from './table.ts';

/** `buyers standing`. */
export function standingCommand(run: Run): Command {
  return run(new Command('standing').description(showBuyerStanding.summary).argument('<organization_id>'), {
    ask: (client, [organization_id]: [string]) => client.call(showBuyerStanding, { params: { organization_id } }),
    show: shown,
  });
}

function shown(of: BuyerStandingView): string {
  const head = facts([
    ['organization', of.organization_id],
    ['since', of.created_at],
    ['suspended', of.suspended_at ?? undefined],
    ['buys since', of.buys_since ?? 'never'],
    ['media buys', of.media_buys.map(({ status, count }) => `${count} ${status}`).join(', ')],
  ]);
  if (of.money.length === 0) return head;
  const money = table(
    ['BOOKED', 'SPENT'],
    of.money.map(({ currency, booked, spent }) => [booked, spent].map((amount) => shownAmount(amount, currency))),
  );
  return `${head}\n${money}${of.is_all_summed ? '' : `Of its newest ${of.summed_buys} media buys.\n`}`;
}
