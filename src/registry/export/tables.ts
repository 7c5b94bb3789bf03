import { agents } from '../../directory/agent/agent.ts';
import { timeOf, validityOf } from '../../directory/authorization/live-authorizations.ts';
import { authorizations } from '../../directory/authorization/authorization.ts';
import type { Authorization } from '../../directory/authorization/authorization.ts';
import { entryOf } from '../../directory/authorization/published-entry.ts';
import type { EntryScope } from '../../directory/authorization/published-entry.ts';
import { publishers } from '../../directory/publisher/publisher.ts';
import { mapInSlices } from '../../platform/in-slices.ts';
import type { CollectionSpec, Row, Store, Where } from '../../platform/store/collection.ts';
import { publisherView } from '../browse/publishers.ts';

/** What stands in one place of an exported row. */
export type Cell = string | number | boolean | null | readonly string[];
export type ExportedRow = Readonly<Record<string, Cell>>;

/** One thing that is exported whole. */
export interface ExportTable {
  /** In the order of the file; the first is the key that rows are ordered by, and that an export goes on behind. */
  columns: readonly string[];
  /** Some rows behind a key, and the key to go on behind; undefined: these were the last. */
  pageAfter(store: Store, after: string): Promise<{ rows: ExportedRow[]; next: string | undefined }>;
}

/** All that is exported: only what anybody may see, each table read by an index in the order of its key (rule R15.export). */
export const EXPORT_TABLES = {
  agents: table({
    spec: agents,
    key: 'url',
    where: { visibility: 'public' },
    columns: ['url', 'name', 'type', 'added_date', 'updated_at'],
    atOnce: 200,
    viewOf: ({ url, name, type, created_at, updated_at }) => ({ url, name, type, added_date: created_at, updated_at }),
  }),
  publishers: table({
    spec: publishers,
    key: 'publisher_domain',
    columns: [
      ...['domain', 'source', 'registry_source', 'has_valid_adagents', 'property_count', 'discovered_at'],
      'last_validated',
    ],
    // Each row may hold megabytes of properties.
    atOnce: 10,
    viewOf: (row) => ({ last_validated: null, ...publisherView(row) }),
  }),
  authorizations: table({
    spec: authorizations,
    key: 'authorization_id',
    columns: [
      ...['authorization_id', 'publisher_domain', 'agent_url', 'authorized_for', 'covers', 'authorization_type'],
      ...['delegation_type', 'countries', 'exclusive', 'valid_from', 'valid_until', 'revoked_from', 'source'],
      ...['entry_id', 'source_url', 'seen_at'],
    ],
    // Each row may hold 64 kB of its entry.
    atOnce: 100,
    viewOf: viewOfEntry,
  }),
} as const satisfies Record<string, ExportTable>;

interface TableSpec<R extends Row> {
  spec: CollectionSpec<R>;
  key: keyof R & string;
  where?: Where<R>;
  columns: readonly string[];
  /** Rows in memory at once. */
  atOnce: number;
  viewOf: (row: R) => ExportedRow;
}

function table<R extends Row>({ spec, key, where, columns, atOnce, viewOf }: TableSpec<R>): ExportTable {
  return {
    columns,
    async pageAfter(store, after) {
      const behind = { [key]: { gt: after } } as Where<R>;
      const { rows, cursor } = await store
        .collection(spec)
        .find({ where: { ...where, ...behind }, limit: atOnce, sort: { field: key, direction: 'asc' } });
      const last = rows.at(-1);
      const next = cursor === undefined || last === undefined ? undefined : (last[key] as string);
      return { rows: await mapInSlices(rows, viewOf), next };
    },
  };
}

/** An entry as it was published, with its dates; nobody judges here whether it counts. */
function viewOfEntry(row: Authorization): ExportedRow {
  const { authorization_id, publisher_domain, agent_url, authorized_for, source, source_url, seen_at } = row;
  const entry = entryOf(row);
  return {
    ...{ authorization_id, publisher_domain, agent_url, authorized_for },
    covers: coveredBy(entry.scope, entry.parts.length > 0),
    authorization_type: entry.authorization_type ?? null,
    delegation_type: entry.delegation_type ?? null,
    countries: entry.countries ?? null,
    exclusive: entry.exclusive,
    ...validityOf(entry),
    // What was taken back without a date never counted.
    revoked_from: entry.revokedMs === -Infinity ? 'always' : timeOf(entry.revokedMs),
    ...{ source, entry_id: row.entry_id ?? null, source_url, seen_at },
  };
}

function coveredBy(scope: EntryScope, isInPart: boolean): string {
  if (scope.kind === 'unclear') return 'nothing';
  if (scope.kind !== 'own') return scope.kind;
  return scope.selection.by === 'all' && !isInPart ? 'all' : 'part';
}
