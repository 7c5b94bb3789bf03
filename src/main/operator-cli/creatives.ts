import { Command, Option } from 'commander';
import {
  approveCreative,
  listCreativesInReview,
  rejectCreative,
  restoreCreative,
  showCreative,
  suspendCreative,
} from '../../admin/operator/creatives/operations.ts';
import type { OperatorCreative, OperatorCreativeInFull } from '../../admin/operator/creatives/operations.ts';
import { CreativeReasonCode, CreativeStatus } from '../../sales/creative/creative.ts';
import { BUYER_ASKED, more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { age, facts, printableJson, table } from './table.ts';

interface ListOptions extends PagingOptions {
  status?: string;
  organization?: string;
  format?: string;
}

/** `creatives …`: the review of creatives by people. */
export function creativeCommands(run: Run): Command {
  const list = new Command('list')
    .description(listCreativesInReview.summary)
    .addOption(new Option('--status <status>', 'default: in_review').choices(['in_review', ...CreativeStatus.options]))
    .option('--organization <buyer>', BUYER_ASKED)
    .option('--format <id>', "of one format only, by the format's id; of all buyers");
  return new Command('creatives')
    .description('The creatives of buyers, and their review by people.')
    .addCommand(
      run(paged(list), {
        ask: (client, _args, { status, organization, format, limit, cursor }: ListOptions) =>
          client.call(listCreativesInReview, {
            query: { status, organization_id: organization, format, limit, cursor },
          }),
        rows: (answer) => answer.creatives,
        show: (answer) => listed(answer.creatives) + more(answer),
      }),
    )
    .addCommand(
      run(about('show', showCreative.summary), {
        ask: (client, [organization_id, creative_id]: [string, string]) =>
          client.call(showCreative, { params: { organization_id, creative_id } }),
        show: shown,
      }),
    )
    .addCommand(verdict(run, approveCreative, about('approve', approveCreative.summary)))
    .addCommand(verdictWhy(run, rejectCreative, about('reject', rejectCreative.summary)))
    .addCommand(verdictWhy(run, suspendCreative, about('suspend', suspendCreative.summary)))
    .addCommand(verdict(run, restoreCreative, about('restore', restoreCreative.summary)));
}

function about(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<organization_id>')
    .argument('<creative>', "its id; of an account's own, the account's id and a slash in front");
}

function verdict(run: Run, operation: typeof approveCreative, command: Command): Command {
  return run(command, {
    ask: (client, [organization_id, creative_id]: [string, string]) =>
      client.call(operation, { params: { organization_id, creative_id } }),
    show: summary,
  });
}

function verdictWhy(run: Run, operation: typeof rejectCreative, command: Command): Command {
  command
    .requiredOption('--reason <words>', 'why; told to the buyer')
    .addOption(new Option('--code <code>', 'the same for programs').choices(CreativeReasonCode.options));
  return run(command, {
    ask: (
      client,
      [organization_id, creative_id]: [string, string],
      { reason, code }: { reason: string; code?: string },
    ) => client.call(operation, { params: { organization_id, creative_id }, body: { reason, reason_code: code } }),
    show: summary,
  });
}

function listed(creatives: readonly OperatorCreative[]): string {
  if (creatives.length === 0) return 'There are none.\n';
  return table(
    ['BUYER', 'CREATIVE', 'STATUS', 'AGE', 'FORMAT', 'NAME'],
    creatives.map(({ organization_id, creative_ref, status, age_seconds, format_id, name }) => [
      ...[organization_id, creative_ref, status, age(age_seconds), format_id.id, name],
    ]),
  );
}

function summary(row: OperatorCreative): string {
  return facts([
    ['buyer', row.organization_id],
    ['creative', row.creative_ref],
    ['account', row.account_id ?? 'shared by all accounts'],
    ['name', row.name],
    ['format', `${row.format_id.id} of ${row.format_id.agent_url}`],
    ['status', row.status],
    ['reason', row.status_reason],
    ['code', row.reason_code],
    ['version', `${row.version}, sent ${row.submitted_at}`],
  ]);
}

function shown(row: OperatorCreativeInFull): string {
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
