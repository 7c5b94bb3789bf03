import { setTimeout as delay } from 'node:timers/promises';
import { Command, Option } from 'commander';
import {
  attemptDelivery,
  listDeliveries,
  resendDelivery,
  showDelivery,
  showDeliveryBody,
} from '../../admin/operator/webhooks/deliveries.ts';
import { countOneRange, MOST_RANGE_COUNTED, resendRange, showRange } from '../../admin/operator/webhooks/ranges.ts';
import type { RangeCountView, RangeView } from '../../admin/operator/webhooks/ranges.ts';
import { DeliveryState, ResendableState } from '../../webhooks/delivery/delivery.ts';
import { AnswerAsked } from '../../webhooks/delivery/last-answer.ts';
import type { AttemptAhead } from '../../webhooks/delivery/attempt-now.ts';
import type { Resent } from '../../webhooks/delivery/resend.ts';
import type { ShownAnswer } from '../../webhooks/answers/receiver-answer.ts';
import type { DeliveryInFull, DeliveryView } from '../../webhooks/operator.ts';
import { BUYER_ASKED, more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { facts, printable, table } from './table.ts';

interface FilterOptions {
  state?: string;
  destination?: string;
  organization?: string;
  task?: string;
  from?: string;
  until?: string;
}

interface ListOptions extends FilterOptions, PagingOptions {
  answer?: AnswerAsked;
  mediaBuy?: string;
}

/** `list`, `show`, `body`, `attempt`, `resend`, `count-range` and `resend-range` of webhooks. */
export function deliveryCommands(run: Run): Command[] {
  const state = new Option('--state <state>', 'default when nothing else is chosen: pending').choices(
    DeliveryState.options,
  );
  const answer = new Option(
    '--answer <class>',
    'how the last attempt was answered; with --destination or --organization, if either',
  ).choices(AnswerAsked.options);
  const mediaBuy = new Option(
    '--media-buy <id>',
    "one media buy's only, of its tasks and its reports; with times alone",
  );
  const ended = () =>
    new Option('--state <state>', 'how they ended').choices(ResendableState.options).makeOptionMandatory();
  return [
    run(
      paged(
        filtered(new Command('list').description(listDeliveries.summary).addOption(state).addOption(answer)).addOption(
          mediaBuy,
        ),
      ),
      {
        ask: (client, _args, { limit, cursor, answer, mediaBuy: media_buy_id, ...options }: ListOptions) =>
          client.call(listDeliveries, {
            query: { ...withDefault({ ...filterOf(options), answer, media_buy_id }), limit, cursor },
          }),
        rows: (answer) => answer.deliveries,
        show: (answer) => listed(answer.deliveries) + more(answer),
      },
    ),
    run(new Command('show').description(showDelivery.summary).argument('<delivery_id>'), {
      ask: (client, [delivery_id]: [string]) => client.call(showDelivery, { params: { delivery_id } }),
      show: shown,
    }),
    run(new Command('body').description(showDeliveryBody.summary).argument('<delivery_id>'), {
      ask: (client, [delivery_id]: [string]) => client.call(showDeliveryBody, { params: { delivery_id } }),
      show: ({ text }) => `${text}\n`,
    }),
    run(new Command('attempt').description(attemptDelivery.summary).argument('<delivery_id>'), {
      ask: (client, [delivery_id]: [string]) => client.call(attemptDelivery, { params: { delivery_id } }),
      show: ahead,
    }),
    run(new Command('resend').description(resendDelivery.summary).argument('<delivery_id>'), {
      ask: (client, [delivery_id]: [string]) => client.call(resendDelivery, { params: { delivery_id } }),
      show: resent,
    }),
    run(filtered(new Command('count-range').description(countOneRange.summary).addOption(ended())), {
      ask: (client, _args, options: FilterOptions) => client.call(countOneRange, { query: filterOf(options) }),
      show: counted,
    }),
    run(filtered(new Command('resend-range').description(resendRange.summary).addOption(ended()), ONE_BUYERS), {
      ask: async (client, _args, options: FilterOptions) => {
        let range = await client.call(resendRange, { body: filterOf(options) });
        while (!range.is_over) {
          await delay(1_000);
          range = await client.call(showRange, { params: { range_id: range.range_id } });
        }
        return range;
      },
      show: sentAgain,
    }),
  ];
}

/** What is done is done to the buyer of an id. */
const ONE_BUYERS = "one buyer's only, by its id";

function filtered(command: Command, whose = BUYER_ASKED): Command {
  return command
    .option('--destination <url>', 'those for one receiver')
    .option('--organization <buyer>', whose)
    .option('--task <id>', "one task's only")
    .option('--from <time>', 'made then or later, such as 2027-01-31T00:00:00Z')
    .option('--until <time>', 'made before');
}

function filterOf({ state, destination, organization, task, from, until }: FilterOptions) {
  return { state, destination, organization_id: organization, task_id: task, from, until };
}

interface Chosen extends ReturnType<typeof filterOf> {
  answer: AnswerAsked | undefined;
  media_buy_id: string | undefined;
}

function withDefault<F extends Chosen>(filter: F): F {
  const { state, destination, organization_id, task_id, answer, media_buy_id } = filter;
  const isChosen = [state, destination, organization_id, task_id, answer, media_buy_id].some(
    (value) => value !== undefined,
  );
  return isChosen ? filter : { ...filter, state: 'pending' };
}

function listed(deliveries: readonly DeliveryView[]): string {
  if (deliveries.length === 0) return 'There are none.\n';
  return table(
    ['DELIVERY', 'MADE', 'STATE', 'EVENT', 'TASK', 'TRIES', 'LAST ANSWER', 'NEXT', 'URL'],
    deliveries.map((row) => [
      ...[row.delivery_id, row.created_at, row.state, `${row.task_type} ${row.event}`, row.task_id],
      String(row.attempts.length),
      lastAnswer(row),
      row.next_attempt_at ?? '',
      row.url,
    ]),
  );
}

function lastAnswer({ attempts }: DeliveryView): string {
  const last = attempts.at(-1);
  if (last === undefined) return '';
  return [last.status, last.http_status_code, last.signature_error].filter((word) => word !== undefined).join(' ');
}

function shown(row: DeliveryInFull): string {
  const about = facts([
    ['delivery', row.delivery_id],
    ['state', row.state],
    ['event', `${row.task_type} ${row.event} (${row.sequence})`],
    ['task', row.task_id],
    ['buyer', row.organization_id],
    ['url', row.url],
    ['mode', row.mode],
    ['key', row.idempotency_key],
    ['made', row.created_at],
    ['next attempt', row.next_attempt_at ?? undefined],
    ['again of', row.resend_of],
  ]);
  const attempts = row.attempts.map((made) => [
    String(made.attempt),
    made.started_at,
    made.status,
    String(made.http_status_code ?? ''),
    made.timings === undefined ? '' : `${Math.round(made.timings.total_ms)} ms`,
    made.address ?? '',
    made.kid ?? '',
    [made.error_message, made.signature_error].filter((text) => text !== undefined).join('; '),
  ]);
  const made = table(['TRY', 'AT', 'STATUS', 'HTTP', 'TOOK', 'ADDRESS', 'SIGNED BY', 'WHAT'], attempts);
  return `${about}\n${made}${said(row.receiver_answer)}`;
}

/** What its receiver said when it last failed, with its lines as they were, and nothing in them that a terminal obeys. */
function said(answer: ShownAnswer | null): string {
  if (answer === null) return '';
  const { http_status_code, answered_at, delivery_id, text, is_cut } = answer;
  const lines = text.split(/\r?\n/).map((line) => `  ${printable(line)}\n`);
  const about = `The receiver's last failed answer, ${http_status_code} at ${answered_at} to ${delivery_id}`;
  if (text === '') return `\n${about}, ${is_cut ? 'cannot be read' : 'has no words'}.\n`;
  return `\n${about}${is_cut ? ', its beginning' : ''}:\n${lines.join('')}`;
}

function ahead({ delivery_id, attempt, next_attempt_at }: AttemptAhead): string {
  return facts([
    ['delivery', delivery_id],
    ['attempt', String(attempt)],
    ['due', next_attempt_at],
  ]);
}

function resent({ delivery_id, idempotency_key, is_new_event }: Resent): string {
  return facts([
    ['delivery', delivery_id],
    ['key', `${idempotency_key}${is_new_event ? ' (new: receivers take it for a new event)' : ''}`],
  ]);
}

function counted({ count, is_more, oldest_at, newest_at, registrations, registration_count, until }: RangeCountView) {
  const about = facts([
    ['webhooks', is_more ? `more than ${MOST_RANGE_COUNTED}` : String(count)],
    ['oldest', oldest_at ?? undefined],
    ['newest', newest_at ?? undefined],
    ['made before', until],
    ['registrations', String(registration_count)],
  ]);
  const rows = registrations.map((one) => [String(one.count), one.registration_id, one.task_id, one.url]);
  return rows.length === 0 ? about : `${about}\n${table(['WEBHOOKS', 'REGISTRATION', 'TASK', 'URL'], rows)}`;
}

function sentAgain({ resent: count, total, failed, left_out: { ended, not_kept, otherwise } }: RangeView): string {
  return facts([
    ['sent again', total === null ? String(count) : `${count} of ${total}`],
    ['given up', failed > 0 ? `${failed}, which cannot be sent; the log names them` : undefined],
    ['left out', ended > 0 ? `${ended}, whose registration has ended` : undefined],
    ['left out', not_kept > 0 ? `${not_kept}, kept no longer` : undefined],
    ['left out', otherwise > 0 ? `${otherwise}, that fitted no more when their turn came` : undefined],
  ]);
}
