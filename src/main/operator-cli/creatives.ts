import { Command, Option } from 'commander';
import type { OperatorCreative } from '../../admin/operator/creatives/operations.ts';
import type { CreativeEvent } from '../../sales/creative/creative.ts';
import type { CreativeUse } from '../../sales/creative/uses.ts';
import { path } from './operator-client.ts';
import type { Json } from './operator-client.ts';
import { more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { age, facts, printableJson, table } from './table.ts';

const STATUSES = ['in_review', 'processing', 'pending_review', 'approved', 'suspended', 'rejected', 'archived'];
const REASONS = ['policy_violation', 'content_rejected', 'brand_safety', 'fraud', 'seller_removed'];

interface ListOptions extends PagingOptions {
  status?: string;
  organization?: string;
}

/** `creatives …`: the review of creatives by people. */
export function creativeCommands(run: Run): Command {
  const list = new Command('list')
    .description('Show what is in review, the oldest first.')
    .addOption(new Option('--status <status>', 'default: in_review').choices(STATUSES))
    .option('--organization <id>', "one buyer's only");
  return new Command('creatives')
    .description('The creatives of buyers, and their review by people.')
    .addCommand(
      run<[], ListOptions>(paged(list), {
        ask: (client, _args, { status, organization, limit, cursor }) =>
          client.get('/creatives', { status, organization_id: organization, limit, cursor }),
        show: (answer) => listed(answer['creatives'] as OperatorCreative[]) + more(answer),
      }),
    )
    .addCommand(
      run<[string, string], object>(about('show', 'Show one, with its assets, its history and where it serves.'), {
        ask: (client, [organization_id, creative_id]) => client.get(path`/creatives/${organization_id}/${creative_id}`),
        show: shown,
      }),
    )
    .addCommand(verdict(run, about('approve', 'Approve one in review.')))
    .addCommand(verdict(run, withReason(about('reject', 'Reject one in review.'))))
    .addCommand(verdict(run, withReason(about('suspend', 'Take an approved one out of service.'))))
    .addCommand(verdict(run, about('restore', 'Put a suspended one back into service.')));
}

function about(name: string, description: string): Command {
  return new Command(name).description(description).argument('<organization_id>').argument('<creative_id>');
}

function withReason(command: Command): Command {
  return command
    .requiredOption('--reason <words>', 'why; told to the buyer')
    .addOption(new Option('--code <code>', 'the same for programs').choices(REASONS));
}

function verdict(run: Run, command: Command): Command {
  return run<[string, string], { reason?: string; code?: string }>(command, {
    ask: (client, [organization_id, creative_id], { reason, code }) =>
      client.post(path`/creatives/${organization_id}/${creative_id}/${command.name()}`, { reason, reason_code: code }),
    show: (answer) => summary(answer as unknown as OperatorCreative),
  });
}

function listed(creatives: readonly OperatorCreative[]): string {
  if (creatives.length === 0) return 'There are none.\n';
  return table(
    ['BUYER', 'CREATIVE', 'STATUS', 'AGE', 'FORMAT', 'NAME'],
    creatives.map(({ organization_id, creative_id, status, age_seconds, format_id, name }) => [
      ...[organization_id, creative_id, status, age(age_seconds), format_id.id, name],
    ]),
  );
}

function summary(row: OperatorCreative): string {
  return facts([
    ['buyer', row.organization_id],
    ['creative', row.creative_id],
    ['name', row.name],
    ['format', `${row.format_id.id} of ${row.format_id.agent_url}`],
    ['status', row.status],
    ['reason', row.status_reason],
    ['code', row.reason_code],
    ['version', `${row.version}, sent ${row.submitted_at}`],
  ]);
}

function shown(answer: Json): string {
  const row = answer as unknown as OperatorCreative & { history: CreativeEvent[]; used_by: CreativeUse[] };
  const history = row.history.map(({ at, action, actor, by, to_status, note }) => [
    ...[at, action, by === undefined ? actor : `${actor} (${by})`, to_status, note ?? ''],
  ]);
  const uses = row.used_by.map(({ media_buy_id, package_id, media_buy_status }) => [
    ...[media_buy_id, package_id, media_buy_status],
  ]);
  return [
    summary(row),
    `The assets:\n${printableJson(row.assets)}\n`,
    table(['AT', 'WHAT', 'WHO', 'STATUS', 'NOTE'], history),
    table(['MEDIA BUY', 'PACKAGE', 'STATUS'], uses),
  ].join('\n');
}
