import { Command } from 'commander';
import { listDestinations } from '../../admin/operator/webhooks/destination-list.ts';
import type { DestinationInList } from '../../admin/operator/webhooks/destination-list.ts';
import { pauseDestination, resumeDestination, showDestination } from '../../admin/operator/webhooks/destinations.ts';
import type { DestinationInFull, DestinationView } from '../../admin/operator/webhooks/destinations.ts';
import { stateOfReceiver } from '../../admin/operator/webhooks/receiver-state.ts';
import {
  endOneRegistration,
  listRegistrations,
  testOneRegistration,
} from '../../admin/operator/webhooks/registrations.ts';
import type { RegistrationView } from '../../admin/operator/webhooks/registrations.ts';
import type { TestOutcome } from '../../webhooks/buyer/test-event.ts';
import { MOST_LOOKED_AT, MOST_OF_EACH } from '../../webhooks/delivery/destination-figures.ts';
import type { Answered } from '../../webhooks/delivery/destination-figures.ts';
import type { Run } from './session.ts';
import { facts, table } from './table.ts';

/** `destinations`, `destination`, `pause`, `resume`, `registrations`, `test` and `end` of webhooks. */
export function destinationCommands(run: Run): Command[] {
  const about = (name: string, description: string) =>
    new Command(name).description(description).argument('<destination>', 'a URL there');
  return [
    run(new Command('destinations').description(listDestinations.summary), {
      ask: (client) => client.call(listDestinations, { query: { figures: 'true' } }),
      rows: (answer) => answer.destinations,
      show: (answer) => listed(answer.destinations),
    }),
    run(about('destination', showDestination.summary), {
      ask: (client, [destination]: [string]) => client.call(showDestination, { params: { destination } }),
      show: inFull,
    }),
    run(about('pause', pauseDestination.summary).requiredOption('--reason <words>', 'why, for the record'), {
      ask: (client, [destination]: [string], { reason }: { reason: string }) =>
        client.call(pauseDestination, { params: { destination }, body: { reason } }),
      show: shown,
    }),
    run(about('resume', resumeDestination.summary), {
      ask: (client, [destination]: [string]) => client.call(resumeDestination, { params: { destination } }),
      show: shown,
    }),
    run(new Command('registrations').description(listRegistrations.summary).argument('<task_id>'), {
      ask: (client, [task_id]: [string]) => client.call(listRegistrations, { query: { task_id } }),
      rows: (answer) => answer.registrations,
      show: (answer) => registrations(answer.registrations),
    }),
    run(
      new Command('test').description(testOneRegistration.summary).argument('<task_id>').argument('<registration_id>'),
      {
        ask: (client, [task_id, registration_id]: [string, string]) =>
          client.call(testOneRegistration, { params: { task_id, registration_id } }),
        show: tested,
        isBad: ({ delivered }) => !delivered,
      },
    ),
    run(
      new Command('end').description(endOneRegistration.summary).argument('<task_id>').argument('<registration_id>'),
      {
        ask: (client, [task_id, registration_id]: [string, string]) =>
          client.call(endOneRegistration, { params: { task_id, registration_id } }),
        show: (answer) => registrations([answer]),
      },
    ),
  ];
}

function listed(destinations: readonly DestinationInList[]): string {
  if (destinations.length === 0) return 'Nothing waits and nothing is paused.\n';
  const whole = table(
    [
      ...['DESTINATION', 'STATE', 'BUYERS', 'WAITING', 'IN FLIGHT', 'FAILED IN A ROW'],
      ...[`SUCCESS OF ${MOST_OF_EACH}`, 'P50', 'P95', 'LAST ANSWER', 'CLOSED UNTIL', 'PAUSED'],
    ],
    destinations.map((row) => [
      row.destination,
      stateOfReceiver(row, row.last_attempt),
      row.buyers.map(({ organization_id, organization_name }) => organization_name ?? organization_id).join(', '),
      ...[row.waiting, row.in_flight, row.consecutive_failures].map(String),
      percent(row.last_24_hours?.success_percent) ?? '',
      ...[row.last_24_hours?.p50_ms, row.last_24_hours?.p95_ms].map((time) => ms(time) ?? ''),
      answered(row.last_attempt) ?? '',
      row.closed_until ?? '',
      pausedBy(row) ?? '',
    ]),
  );
  return whole + failing(destinations);
}

/** Which organization's webhooks to which paths are held back; nothing where none are. */
function failing(destinations: readonly DestinationView[]): string {
  const rows = destinations.flatMap(({ destination, targets }) =>
    targets
      .filter(({ consecutive_failures, closed_until }) => consecutive_failures > 0 || closed_until !== null)
      .map(({ organization_id, path, consecutive_failures, closed_until }) => [
        ...[destination + (path ?? ' (others)'), organization_id, String(consecutive_failures), closed_until ?? ''],
      ]),
  );
  return rows.length === 0 ? '' : `\n${table(['TARGET', 'ORGANIZATION', 'FAILED IN A ROW', 'CLOSED UNTIL'], rows)}`;
}

function inFull({ last_24_hours: of, receiver_answers, ...row }: DestinationInFull): string {
  const about = facts([
    ['destination', row.destination],
    ['state', stateOfReceiver(row, of.last_attempt)],
    ['paused', pausedBy(row) ?? 'no'],
    ['waiting', String(row.waiting)],
    ['in flight', String(row.in_flight)],
    ['failed in a row', String(row.consecutive_failures)],
    ['closed until', row.closed_until ?? undefined],
    ['last 24 hours', `${of.delivered} delivered, ${of.failed} failed`],
    ['of the newest', of.is_cut ? String(MOST_LOOKED_AT) : undefined],
    ['success', percent(of.success_percent)],
    ['half within', ms(of.p50_ms)],
    ['95 % within', ms(of.p95_ms)],
    ['last answer', answered(of.last_attempt)],
  ]);
  if (receiver_answers.length === 0) return about;
  const said = receiver_answers.map(({ organization_id, answered_at, http_status_code, text }) => [
    ...[organization_id, answered_at, String(http_status_code), text.trim().split(/\r?\n/, 1)[0] ?? ''],
  ]);
  return `${about}\n${table(['BUYER', 'FAILED AT', 'HTTP', 'WHAT IT SAID FIRST'], said)}`;
}

function ms(time: number | null | undefined): string | undefined {
  return time === null || time === undefined ? undefined : `${time} ms`;
}

function percent(of: number | null | undefined): string | undefined {
  return of === null || of === undefined ? undefined : `${of.toFixed(1)} %`;
}

function answered(last: Answered | null): string | undefined {
  if (last === null) return undefined;
  const parts = [last.status, last.http_status_code, last.error_message, last.started_at];
  return parts.filter((part) => part !== undefined).join(' ');
}

function shown(row: DestinationView & { brought_forward?: number }): string {
  return facts([
    ['destination', row.destination],
    ['paused', pausedBy(row) ?? 'no'],
    ['sent now', row.brought_forward === undefined ? undefined : String(row.brought_forward)],
  ]);
}

function pausedBy({ is_paused, paused_at, paused_by, reason }: DestinationView): string | undefined {
  return is_paused ? `since ${paused_at ?? ''} by ${paused_by ?? ''}: ${reason ?? ''}` : undefined;
}

function registrations(rows: readonly RegistrationView[]): string {
  if (rows.length === 0) return 'There are none.\n';
  return table(
    ['REGISTRATION', 'CHANNEL', 'MODE', 'OPERATION', 'ENDED', 'URL'],
    rows.map(({ registration_id, channel, mode, operation_id, ended_at, url }) => [
      ...[registration_id, channel, mode, operation_id ?? '', ended_at ?? '', url],
    ]),
  );
}

function tested({ advice, phases, total_ms, ...outcome }: TestOutcome): string {
  const ms = (time: number | null) => (time === null ? '' : `${Math.round(time)} ms`);
  const said = facts([
    ['outcome', outcome.status],
    ['answer', [outcome.http_status_code, outcome.error_message].filter((part) => part !== undefined).join(' ')],
    ['signature', outcome.signature_error],
    ['advice', advice ?? undefined],
    ['url', outcome.url],
    ['address', outcome.address],
    ['mode', outcome.mode],
    ['kid', outcome.kid],
    ['in all', ms(total_ms)],
  ]);
  const rows = phases.map((one) => [one.phase, one.outcome.replace('_', ' '), ms(one.ms)]);
  return `${said}\n${table(['PHASE', 'OUTCOME', 'TOOK'], rows)}`;
}
