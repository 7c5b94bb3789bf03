import { Command } from 'commander';
import {
  assignDomain,
  listOrganizationDomains,
  releaseOrganizationDomain,
} from '../../admin/operator/registry/domains.ts';
import type { HeldDomain } from '../../admin/operator/registry/domains.ts';
import type { Run } from './session.ts';
import { table } from './table.ts';

interface Change {
  organization: string;
  reason: string;
}

/** `registry domains …`: who has which domain. */
export function domainCommands(run: Run): Command {
  return new Command('domains')
    .description('Which organization has which domain.')
    .addCommand(
      run(
        new Command('list')
          .description(listOrganizationDomains.summary)
          .option('--domain <domain>', 'who has it')
          .option('--organization <id>', 'what it has'),
        {
          ask: (client, _args, { domain, organization }: { domain?: string; organization?: string }) =>
            client.call(listOrganizationDomains, { query: { domain, organization_id: organization } }),
          rows: ({ domains }) => domains,
          show: ({ domains }) => listed(domains),
        },
      ),
    )
    .addCommand(
      run(change('assign', assignDomain.summary), {
        ask: (client, [domain]: [string], { organization: organization_id, reason }: Change) =>
          client.call(assignDomain, { body: { organization_id, domain, reason } }),
        show: ({ organization_id, domain }) => `${organization_id} has ${domain}.\n`,
      }),
    )
    .addCommand(
      run(change('release', releaseOrganizationDomain.summary), {
        ask: (client, [domain]: [string], { organization: organization_id, reason }: Change) =>
          client.call(releaseOrganizationDomain, { body: { organization_id, domain, reason } }),
        show: ({ organization_id, domain, agents_removed }) =>
          `${organization_id} has ${domain} no more; ${agents_removed} agents there were removed.\n`,
      }),
    );
}

function change(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<domain>')
    .requiredOption('--organization <id>', 'whose')
    .requiredOption('--reason <words>', 'why, for the record');
}

function listed(domains: readonly HeldDomain[]): string {
  if (domains.length === 0) return 'Nobody has it.\n';
  return table(
    ['DOMAIN', 'ORGANIZATION', 'NAME', 'PROVED BY', 'SINCE'],
    domains.map(({ domain, organization_id, name, verified_by, since }) => [
      ...[domain, organization_id, name, verified_by ?? 'only on record', since ?? ''],
    ]),
  );
}
