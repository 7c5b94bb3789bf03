import { Command } from 'commander';
import type { DestinationView } from '../../admin/operator/webhooks/destinations.ts';
import { path } from './operator-client.ts';
import type { Json } from './operator-client.ts';
import type { Run } from './session.ts';
import { facts, table } from './table.ts';

interface RegistrationView {
  registration_id: string;
  channel: string;
  mode: string;
  url: string;
  operation_id: string | null;
  ended_at: string | null;
}

/** `destinations`, `pause`, `resume`, `registrations` and `end` of webhooks. */
export function destinationCommands(run: Run): Command[] {
  const about = (name: string, description: string) =>
    new Command(name).description(description).argument('<destination>', 'a URL there');
  return [
    run(new Command('destinations').description('Show the receivers that are paused, or have webhooks waiting.'), {
      ask: (client) => client.get('/webhooks/destinations'),
      show: (answer) => listed(answer['destinations'] as DestinationView[]),
    }),
    run<[string], { reason: string }>(
      about('pause', 'Hold everything back from a receiver; no attempt is spent.').requiredOption(
        '--reason <words>',
        'why, for the record',
      ),
      {
        ask: (client, [to], { reason }) => client.post(path`/webhooks/destinations/${to}/pause`, { reason }),
        show: shown,
      },
    ),
    run<[string], object>(about('resume', 'Send to a receiver again, at once what waits.'), {
      ask: (client, [to]) => client.post(path`/webhooks/destinations/${to}/resume`),
      show: shown,
    }),
    run<[string], object>(
      new Command('registrations').description("Show where a task's news goes.").argument('<task_id>'),
      {
        ask: (client, [task_id]) => client.get('/webhooks/registrations', { task_id }),
        show: (answer) => registrations(answer['registrations'] as RegistrationView[]),
      },
    ),
    run<[string, string], object>(
      new Command('end')
        .description('Send no more of a task to one registration.')
        .argument('<task_id>')
        .argument('<registration_id>'),
      {
        ask: (client, [task_id, id]) => client.post(path`/webhooks/registrations/${task_id}/${id}/end`),
        show: (answer) => registrations([answer as unknown as RegistrationView]),
      },
    ),
  ];
}

function listed(destinations: readonly DestinationView[]): string {
  if (destinations.length === 0) return 'Nothing waits and nothing is paused.\n';
  return table(
    ['DESTINATION', 'WAITING', 'IN FLIGHT', 'FAILED IN A ROW', 'CLOSED UNTIL', 'PAUSED'],
    destinations.map((row) => [
      row.destination,
      ...[row.waiting, row.in_flight, row.consecutive_failures].map(String),
      row.closed_until ?? '',
      pausedBy(row) ?? '',
    ]),
  );
}

function shown(answer: Json): string {
  const row = answer as unknown as DestinationView & { brought_forward?: number };
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
