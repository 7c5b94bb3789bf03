import { Command } from 'commander';
import { amountsText, setBuyerLimits, showBuyerLimits } from '../../admin/operator/buyers/limits.ts';
import type { BuyerLimitsView } from '../../admin/operator/buyers/limits.ts';
import { shownAmount } from '../../platform/money.ts';
import type { Run } from './session.ts';
import { facts, table } from './table.ts';

interface Asked {
  approvalOver?: string;
  credit?: string;
}

/** `buyers limits`: shows them, and sets what is given of them first. */
export function limitsCommand(run: Run): Command {
  return run(
    new Command('limits')
      .description(`${showBuyerLimits.summary} With options, before that: ${setBuyerLimits.summary}`)
      .argument('<organization_id>')
      .option('--approval-over <amounts>', 'such as USD:100000,EUR:90000; none: as the settings say')
      .option('--credit <amounts>', 'such as USD:500000, and nothing in other currencies; none: without bound'),
    {
      async ask(client, [organization_id]: [string], { approvalOver: approval_over, credit }: Asked) {
        const params = { organization_id };
        const isAsked = (approval_over ?? credit) !== undefined;
        if (isAsked) await client.call(setBuyerLimits, { params, body: { approval_over, credit } });
        return client.call(showBuyerLimits, { params });
      },
      show: shown,
    },
  );
}

function shown({ organization_id, approval_over, credit, credit_in_use }: BuyerLimitsView): string {
  const head = facts([
    ['organization', organization_id],
    ['approval over', amountsText(approval_over)],
    ['credit', amountsText(credit)],
  ]);
  if (credit_in_use.length === 0) return head;
  const rows = credit_in_use.map((one) => [
    ...[one.credit, one.committed, one.left].map((amount) =>
      amount === null ? 'not known' : shownAmount(amount, one.currency),
    ),
  ]);
  return `${head}\n${table(['CREDIT', 'OPEN BUDGETS', 'LEFT'], rows)}`;
}
