import { Command, Option } from 'commander';
import {
  listProperties,
  restoreProperty,
  showProperty,
  suspendProperty,
} from '../../admin/operator/properties/operations.ts';
import type { OperatorProperty, OperatorPropertyInFull } from '../../admin/operator/properties/operations.ts';
import { PropertyReasonCode, PropertyStatus } from '../../sales/property/outage.ts';
import { more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { facts, table } from './table.ts';

/** `properties …`: where advertising runs, out of service and back. */
export function propertyCommands(run: Run): Command {
  const list = new Command('list')
    .description(listProperties.summary)
    .addOption(new Option('--status <status>', 'only these').choices(PropertyStatus.options));
  return new Command('properties')
    .description('Where advertising runs, and whether it is in service.')
    .addCommand(
      run(paged(list), {
        ask: (client, _args, { status, limit, cursor }: PagingOptions & { status?: string }) =>
          client.call(listProperties, { query: { status, limit, cursor } }),
        rows: (answer) => answer.properties,
        show: (answer) => listed(answer.properties) + more(answer),
      }),
    )
    .addCommand(
      run(about('show', showProperty.summary), {
        ask: (client, [property_id]: [string]) => client.call(showProperty, { params: { property_id } }),
        show: shown,
      }),
    )
    .addCommand(
      run(
        about('suspend', suspendProperty.summary)
          .requiredOption('--reason <words>', 'why; told to the buyers concerned')
          .addOption(new Option('--code <code>', 'the same for programs').choices(PropertyReasonCode.options)),
        {
          ask: (client, [property_id]: [string], { reason, code }: { reason: string; code?: string }) =>
            client.call(suspendProperty, { params: { property_id }, body: { reason, reason_code: code } }),
          show: summary,
        },
      ),
    )
    .addCommand(
      run(about('restore', restoreProperty.summary), {
        ask: (client, [property_id]: [string]) => client.call(restoreProperty, { params: { property_id } }),
        show: summary,
      }),
    );
}

function about(name: string, description: string): Command {
  return new Command(name).description(description).argument('<property_id>');
}

function listed(properties: readonly OperatorProperty[]): string {
  if (properties.length === 0) return 'There are none.\n';
  return table(
    ['PROPERTY', 'STATUS', 'TYPE', 'PUBLISHER', 'NAME'],
    properties.map(({ property_id, status, property_type, publisher_domain, name }) => [
      ...[property_id, status, property_type, publisher_domain, name],
    ]),
  );
}

function summary(row: OperatorProperty): string {
  return facts([
    ['property', row.property_id],
    ['name', row.name],
    ['publisher', row.publisher_domain],
    ['status', row.status],
    ['reason', row.reason ?? undefined],
    ['code', row.reason_code],
    ['since', row.changed_at],
  ]);
}

function shown(row: OperatorPropertyInFull): string {
  const rows = row.products.map(({ product_id, other_properties, name }) => [
    ...[product_id, String(other_properties), name],
  ]);
  return [summary(row), table(['PRODUCT', 'OTHER PROPERTIES', 'NAME'], rows)].join('\n');
}
