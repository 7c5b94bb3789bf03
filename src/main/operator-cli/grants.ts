import { Command } from 'commander';
import { endAccount, endGrant, listGrants } from '../../admin/operator/buyers/grants.ts';
import type { GrantFacts } from '../../directory/oauth/grant-facts.ts';
import { BUYER_ASKED, more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { table } from './table.ts';

interface ListOptions extends PagingOptions {
  organization?: string;
  subject?: string;
}

/** `grants …`: what buyers' people have allowed applications. */
export function grantCommands(run: Run): Command {
  return new Command('grants')
    .description("What buyers' people have allowed applications.")
    .addCommand(
      run(
        paged(
          new Command('list')
            .description(listGrants.summary)
            .option('--organization <buyer>', BUYER_ASKED)
            .option('--subject <subject>', "one person's only"),
        ),
        {
          ask: (client, _args, { organization, subject, limit, cursor }: ListOptions) =>
            client.call(listGrants, { query: { organization_id: organization, subject, limit, cursor } }),
          rows: (answer) => answer.grants,
          show: (answer) => listed(answer.grants) + more(answer),
        },
      ),
    )
    .addCommand(
      run(
        new Command('end')
          .description(endGrant.summary)
          .argument('<grant_id>')
          .requiredOption('--reason <words>', 'why, for the record'),
        {
          ask: (client, [grant_id]: [string], { reason }: { reason: string }) =>
            client.call(endGrant, { params: { grant_id }, body: { reason } }),
          show: (answer) => listed([answer]),
        },
      ),
    )
    .addCommand(
      run(
        new Command('end-account')
          .description(endAccount.summary)
          .argument('<subject>')
          .requiredOption('--reason <words>', 'why, for the record'),
        {
          ask: (client, [subject]: [string], { reason }: { reason: string }) =>
            client.call(endAccount, { params: { subject }, body: { reason } }),
          show: ({ grants_ended, sessions_ended }) => `${grants_ended} grants and ${sessions_ended} sign-ins ended\n`,
        },
      ),
    );
}

function listed(grants: readonly GrantFacts[]): string {
  if (grants.length === 0) return 'None.\n';
  const rows = grants.map((row) => [
    ...[row.grant_id, row.email, row.subject, row.client_id, row.organization_id ?? '', row.scopes.join(' ')],
    ...[row.created_at, row.revoked_at ?? ''],
  ]);
  return table(['GRANT', 'PERSON', 'SUBJECT', 'APPLICATION', 'ORGANIZATION', 'SCOPES', 'SINCE', 'ENDED'], rows);
}
