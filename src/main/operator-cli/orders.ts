import { Command } from 'commander';
import {
  giveUpOneOrder,
  listDrift,
  listOrders,
  lookAtOneOrder,
  lookAtOrders,
  pushOneOrder,
  showOrder,
} from '../../admin/operator/orders/operations.ts';
import type { AdServerView, DriftView, OrderInFullView, OrderView } from '../../admin/operator/orders/order-view.ts';
import { shownMoney } from '../../platform/money.ts';
import { more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { facts, printableJson, table } from './table.ts';

interface GiveUpOptions {
  reason: string;
  force?: boolean;
}

/** `orders …`: what the ad server is told, and what people do to it there. */
export function orderCommands(run: Run): Command {
  return new Command('orders')
    .description('Media buys at the ad server: what waits for its answer, and what stands otherwise there.')
    .addCommand(
      run(paged(new Command('list').description(listOrders.summary)), {
        ask: (client, _args, { limit, cursor }: PagingOptions) => client.call(listOrders, { query: { limit, cursor } }),
        rows: (answer) => answer.orders,
        show: (answer) => answer.ad_servers.map(adServer).join('') + listed(answer.orders) + more(answer),
      }),
    )
    .addCommand(
      run(about('show', showOrder.summary), {
        ask: (client, [media_buy_id]: [string]) => client.call(showOrder, { params: { media_buy_id } }),
        show: (answer) => `${summary(answer)}\n${printableJson(answer.order)}\n`,
      }),
    )
    .addCommand(
      run(
        new Command('look')
          .description(`${lookAtOneOrder.summary} Without an id: ${lookAtOrders.summary}`)
          .argument('[media_buy_id]'),
        {
          ask: (client, [media_buy_id]: readonly string[]): Promise<{ orders: number } | OrderInFullView> =>
            media_buy_id === undefined
              ? client.call(lookAtOrders, {})
              : client.call(lookAtOneOrder, { params: { media_buy_id } }),
          show: (answer) => ('orders' in answer ? `To be looked at now: ${answer.orders}\n` : summary(answer)),
        },
      ),
    )
    .addCommand(
      run(about('push', pushOneOrder.summary), {
        ask: (client, [media_buy_id]: [string]) => client.call(pushOneOrder, { params: { media_buy_id } }),
        show: summary,
      }),
    )
    .addCommand(
      run(
        about('give-up', giveUpOneOrder.summary)
          .requiredOption('--reason <words>', 'why; told to the buyer')
          .option('--force', 'cancel it and fail its tasks now, though what the ad server holds is not known'),
        {
          ask: (client, [media_buy_id]: [string], { reason, force = false }: GiveUpOptions) =>
            client.call(giveUpOneOrder, { params: { media_buy_id }, body: { reason, force } }),
          show: summary,
        },
      ),
    )
    .addCommand(
      run(paged(new Command('drift').description(listDrift.summary)), {
        ask: (client, _args, { limit, cursor }: PagingOptions) => client.call(listDrift, { query: { limit, cursor } }),
        rows: (answer) => answer.orders,
        show: (answer) => drifted(answer.orders) + more(answer),
      }),
    );
}

function about(name: string, description: string): Command {
  return new Command(name).description(description).argument('<media_buy_id>');
}

function adServer({ id, state, since, orders_waiting, last_fault, probe_due_at }: AdServerView): string {
  const when = since === null ? '' : ` since ${since}`;
  const said = state === 'closed' ? `answers${when}` : `cannot be reached${when}, probed next at ${probe_due_at ?? ''}`;
  return facts([
    ['ad server', `${id}: ${said}`],
    ['last fault', last_fault ?? undefined],
    ['waiting', String(orders_waiting)],
  ]);
}

function listed(orders: readonly OrderView[]): string {
  if (orders.length === 0) return '\nNothing waits.\n';
  const rows = orders.map(({ media_buy_id, status, waiting }) => [
    ...[media_buy_id, status, kindOf(waiting), waiting?.since ?? '', String(waiting?.tries ?? 0)],
    ...[waiting?.next_try_at ?? '', faultOf(waiting)],
  ]);
  return `\n${table(['MEDIA BUY', 'STATUS', 'WAITS WITH', 'SINCE', 'TRIES', 'NEXT TRY', 'WHY'], rows)}`;
}

function kindOf(waiting: OrderView['waiting']): string {
  return `${waiting?.kind ?? ''}${waiting?.given_up === true ? ', given up' : ''}`;
}

function faultOf(waiting: OrderView['waiting']): string {
  const fault = waiting?.last_fault ?? null;
  return fault === null ? 'not answered yet' : `${fault.kind}: ${fault.message}`;
}

function summary(row: OrderInFullView): string {
  const { waiting, held, native, differences, lines } = row;
  const seen = lines.map(({ package_id, state, by_hand, missing }): [string, string] => [
    `line ${package_id}`,
    [state, ...(by_hand ? ['by hand'] : []), ...missing.map((what) => `lacks ${what}`)].join(', '),
  ]);
  return facts([
    ['media buy', row.media_buy_id],
    ['status', row.status],
    ['buyer ref', row.buyer_ref],
    ['held', held === null ? 'nothing' : `version ${held.version}, ${held.state}`],
    ['waits with', waiting === null ? 'nothing' : `${kindOf(waiting)} since ${waiting.since}`],
    ['version', waiting?.version?.toString()],
    ['task', waiting?.task_id ?? undefined],
    ['next try', waiting?.next_try_at ?? undefined],
    ['why', waiting === null ? undefined : faultOf(waiting)],
    ['native order', native?.order],
    ['looked at', row.looked_at ?? undefined],
    ...seen,
    ...differences.map((difference): [string, string] => ['otherwise', told(difference)]),
    ...row.over_delivery.map((over): [string, string] => ['not billed', beyond(over, row.order.currency)]),
  ]);
}

function beyond({ package_id, impressions, spend_minor }: OrderInFullView['over_delivery'][number], currency: string) {
  return `${package_id}: ${impressions} impressions, ${shownMoney(spend_minor, currency)} beyond its budget`;
}

function drifted(orders: readonly DriftView[]): string {
  if (orders.length === 0) return 'All stands as it was told.\n';
  const rows = orders.flatMap(({ media_buy_id, drift_since, by_hand, differences }) => [
    ...by_hand.map(({ package_id, state }) => [media_buy_id, drift_since ?? '', `${package_id} ${state} by hand`]),
    ...differences.map((difference) => [media_buy_id, drift_since ?? '', told(difference)]),
  ]);
  return table(['MEDIA BUY', 'SINCE', 'WHAT'], rows);
}

function told({ pointer, ours, theirs }: DriftView['differences'][number]): string {
  return `${pointer}: told ${JSON.stringify(ours)}, is ${JSON.stringify(theirs)}`;
}
