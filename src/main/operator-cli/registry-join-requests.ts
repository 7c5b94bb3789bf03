import { Command, Option } from 'commander';
import {
  approveRegistryJoinRequest,
  listRegistryJoinRequests,
  rejectRegistryJoinRequest,
} from '../../admin/operator/registry/join-requests.ts';
import type { JoinRequestLine } from '../../admin/operator/registry/join-requests.ts';
import { MembershipRole } from '../../directory/membership/membership.ts';
import { more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { table } from './table.ts';

/** `registry join-requests …`: who waits to join an organization. */
export function joinRequestCommands(run: Run): Command {
  const decide = (name: string, description: string) =>
    new Command(name)
      .description(description)
      .argument('<join_request_id>')
      .requiredOption('--reason <words>', 'why; for the record');
  return new Command('join-requests')
    .description('Who waits to join an organization.')
    .addCommand(
      run(
        paged(
          new Command('list')
            .description(listRegistryJoinRequests.summary)
            .option('--organization <id>', 'all who ever asked to join it'),
        ),
        {
          ask: (client, _args, { organization, limit, cursor }: PagingOptions & { organization?: string }) =>
            client.call(listRegistryJoinRequests, { query: { organization_id: organization, limit, cursor } }),
          rows: (answer) => answer.join_requests,
          show: (answer) => listed(answer.join_requests) + more(answer),
        },
      ),
    )
    .addCommand(
      run(
        decide('approve', approveRegistryJoinRequest.summary).addOption(
          new Option('--role <role>').choices(MembershipRole.options).default('member'),
        ),
        {
          ask: (client, [join_request_id]: [string], { role, reason }: { role: MembershipRole; reason: string }) =>
            client.call(approveRegistryJoinRequest, { params: { join_request_id }, body: { role, reason } }),
          show: (row) => listed([row]),
        },
      ),
    )
    .addCommand(
      run(decide('reject', rejectRegistryJoinRequest.summary), {
        ask: (client, [join_request_id]: [string], { reason }: { reason: string }) =>
          client.call(rejectRegistryJoinRequest, { params: { join_request_id }, body: { reason } }),
        show: (row) => listed([row]),
      }),
    );
}

function listed(rows: readonly JoinRequestLine[]): string {
  return table(
    ['JOIN REQUEST', 'PERSON', 'ORGANIZATION', 'OWNED', 'STATE', 'ASKED'],
    rows.map((row) => [
      ...[row.join_request_id, row.email, row.organization_name ?? row.organization_id],
      ...[row.has_owner ? 'yes' : 'no', row.status, row.created_at],
    ]),
  );
}
