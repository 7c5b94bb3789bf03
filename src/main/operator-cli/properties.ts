import { Command, Option } from 'commander';
import type { OperatorProperty } from '../../admin/operator/properties/operations.ts';
import { path } from './operator-client.ts';
import type { Json } from './operator-client.ts';
import { more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { facts, table } from './table.ts';

const REASONS = ['property_unavailable', 'brand_safety', 'fraud'];

interface RunsOn {
  product_id: string;
  name: string;
  other_properties: number;
}

/** `properties …`: where advertising runs, out of service and back. */
export function propertyCommands(run: Run): Command {
  const list = new Command('list')
    .description('Show the properties of the catalog.')
    .addOption(new Option('--status <status>', 'only these').choices(['in_service', 'out_of_service']));
  return new Command('properties')
    .description('Where advertising runs, and whether it is in service.')
    .addCommand(
      run<[], PagingOptions & { status?: string }>(paged(list), {
        ask: (client, _args, { status, limit, cursor }) => client.get('/properties', { status, limit, cursor }),
        show: (answer) => listed(answer['properties'] as OperatorProperty[]) + more(answer),
      }),
    )
    .addCommand(
      run<[string], object>(about('show', 'Show one with the products that run on it.'), {
        ask: (client, [property_id]) => client.get(path`/properties/${property_id}`),
        show: shown,
      }),
    )
    .addCommand(
      run<[string], { reason: string; code?: string }>(
        about('suspend', 'Take one out of service. Running buys that have no other property are impaired.')
          .requiredOption('--reason <words>', 'why; told to the buyers concerned')
          .addOption(new Option('--code <code>', 'the same for programs').choices(REASONS)),
        {
          ask: (client, [property_id], { reason, code }) =>
            client.post(path`/properties/${property_id}/suspend`, { reason, reason_code: code }),
          show: summary,
        },
      ),
    )
    .addCommand(
      run<[string], object>(about('restore', 'Put one back into service.'), {
        ask: (client, [property_id]) => client.post(path`/properties/${property_id}/restore`),
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

function summary(answer: Json): string {
  const row = answer as unknown as OperatorProperty;
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

function shown(answer: Json): string {
  const rows = (answer['products'] as RunsOn[]).map(({ product_id, other_properties, name }) => [
    ...[product_id, String(other_properties), name],
  ]);
  return [summary(answer), table(['PRODUCT', 'OTHER PROPERTIES', 'NAME'], rows)].join('\n');
}
