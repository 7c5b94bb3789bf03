import { Command, Option } from 'commander';
import {
  blockRegistryDomain,
  listBlockedDomains,
  unblockRegistryDomain,
} from '../../admin/operator/registry/blocked-domains.ts';
import type { BlockedDomainView } from '../../admin/operator/registry/blocked-domains.ts';
import { BlockState } from '../../directory/blocked-domain/blocked-domain-row.ts';
import { BlockedDomainType } from '../../directory/blocked-domain/blocked-domain.ts';
import { more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { facts, table } from './table.ts';

interface Filters extends PagingOptions {
  state: string;
  domain?: string;
}

/** `registry blocked-domains …`: what property checks sort out as infrastructure. */
export function blockedDomainCommands(run: Run): Command {
  const about = (name: string, description: string) => new Command(name).description(description).argument('<domain>');
  return new Command('blocked-domains')
    .description('Domains that property checks sort out as infrastructure.')
    .addCommand(
      run(
        paged(
          new Command('list')
            .description(listBlockedDomains.summary)
            .addOption(new Option('--state <state>').choices(BlockState.options).default('blocked'))
            .option('--domain <domain>', 'what blocks it, in whichever state'),
        ),
        {
          ask: (client, _args, { state, domain, limit, cursor }: Filters) =>
            client.call(listBlockedDomains, { query: { state, domain, limit, cursor } }),
          rows: (answer) => answer.blocked_domains,
          show: (answer) =>
            table(
              ['DOMAIN', 'STATE', 'TYPE', 'TOLD', 'CHANGED', 'BY'],
              answer.blocked_domains.map(({ domain, state, domain_type, blocked_reason, changed_at, changed_by }) => [
                ...[domain, state, domain_type, blocked_reason, changed_at, changed_by ?? 'the catalog'],
              ]),
            ) + more(answer),
        },
      ),
    )
    .addCommand(
      run(
        about('block', blockRegistryDomain.summary)
          .addOption(
            new Option('--type <type>', 'what it is; default: as it was before').choices(BlockedDomainType.options),
          )
          .option('--reason <words>', 'told to whoever has it checked; default: as it was before'),
        {
          ask: (client, [domain]: [string], { type: domain_type, reason }: { type?: string; reason?: string }) =>
            client.call(blockRegistryDomain, { params: { domain }, body: { domain_type, reason } }),
          show: shown,
        },
      ),
    )
    .addCommand(
      run(about('unblock', unblockRegistryDomain.summary).requiredOption('--reason <words>', 'why, for the record'), {
        ask: (client, [domain]: [string], { reason }: { reason: string }) =>
          client.call(unblockRegistryDomain, { params: { domain }, body: { reason } }),
        show: shown,
      }),
    );
}

function shown(one: BlockedDomainView): string {
  return facts([
    ['domain', one.domain],
    ['state', one.state],
    ['type', one.domain_type],
    ['told', one.blocked_reason],
    ['source', one.source ?? undefined],
    ['taken off since', one.unblocked_reason ?? undefined],
    ['changed', one.changed_at],
    ['by', one.changed_by ?? 'the catalog'],
  ]);
}
