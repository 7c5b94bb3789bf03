import { Command } from 'commander';
import { listDestinations, pauseDestination, resumeDestination } from '../../admin/operator/webhooks/destinations.ts';
import type { DestinationView } from '../../admin/operator/webhooks/destinations.ts';
import { endOneRegistration, listRegistrations } from '../../admin/operator/webhooks/registrations.ts';
import type { RegistrationView } from '../../admin/operator/webhooks/registrations.ts';
import type { Run } from './session.ts';
import { facts, table } from './table.ts';

/** `destinations`, `pause`, `resume`, `registrations` and `end` of webhooks. */
export function destinationCommands(run: Run): Command[] {
  const about = (name: string, description: string) =>
    new Command(name).description(description).argument('<destination>', 'a URL there');
  return [
    run(new Command('destinations').description(listDestinations.summary), {
      ask: (client) => client.call(listDestinations, {}),
      rows: (answer) => answer.destinations,
      show: (answer) => listed(answer.destinations),
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
      new Command('end').description(endOneRegistration.summary).argument('<task_id>').argument('<registration_id>'),
      {
        ask: (client, [task_id, registration_id]: [string, string]) =>
          client.call(endOneRegistration, { params: { task_id, registration_id } }),
        show: (answer) => registrations([answer]),
      },
    ),
  ];
}

function listed(destinations: readonly DestinationView[]): string {
  if (destinations.length === 0) return 'Nothing waits and nothing is paused.\n';
  const whole = table(
    ['DESTINATION', 'WAITING', 'IN FLIGHT', 'FAILED IN A ROW', 'CLOSED UNTIL', 'PAUSED'],
    destinations.map((row) => [
      row.destination,
      ...[row.waiting, row.in_flight, row.consecutive_failures].map(String),
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
