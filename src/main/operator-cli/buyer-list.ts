import { Command, Option } from 'commander';
import { COUNTED_OF_EACH } from '../../admin/operator/buyers/figures.ts';
import { BUYER_STATES, listBuyers } from '../../admin/operator/buyers/list.ts';
import type { ListedBuyerView } from '../../admin/operator/buyers/list.ts';
import { shownAmount } from '../../platform/money.ts';
import { more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { table } from './table.ts';

/** `buyers list`. */
export function listBuyersCommand(run: Run): Command {
  const command = new Command('list')
    .description(listBuyers.summary)
    .addOption(new Option('--state <state>', 'default: active; with a domain: any').choices(BUYER_STATES))
    .option('--domain <domain>', 'who has this whole domain, such as acme.example');
  return run(paged(command), {
    ask: (client, _args, { state, domain, limit, cursor }: PagingOptions & { state?: string; domain?: string }) =>
      client.call(listBuyers, { query: { state, domain, limit, cursor } }),
    rows: (answer) => answer.buyers,
    show: (answer) => listed(answer.buyers) + more(answer),
  });
}

function listed(buyers: readonly ListedBuyerView[]): string {
  if (buyers.length === 0) return 'None.\n';
  const rows = buyers.map((one) => [
    ...[one.organization_id, one.name, one.company_type ?? '', one.corporate_domain ?? ''],
    ...[one.people, one.api_keys, one.open_media_buys].map(counted),
    committed(one),
    one.last_call_at ?? 'never',
    counted(one.last_24_hours.rejected + one.last_24_hours.failed),
    one.created_at,
    one.suspended_at === null ? one.state : `suspended ${one.suspended_at}`,
  ]);
  const counts = ['PEOPLE', 'KEYS', 'OPEN BUYS', 'OPEN BUDGETS', 'LAST CALL', 'REFUSED 24H'];
  return table(['ORGANIZATION', 'NAME', 'KIND', 'DOMAIN', ...counts, 'SINCE', 'STATE'], rows);
}

function counted(count: number): string {
  return count < COUNTED_OF_EACH ? String(count) : `${COUNTED_OF_EACH}+`;
}

function committed({ committed: amounts, is_all_committed }: ListedBuyerView): string {
  return amounts
    .map(({ currency, amount }) => `${shownAmount(amount, currency)}${is_all_committed ? '' : '+'}`)
    .join(', ');
}
