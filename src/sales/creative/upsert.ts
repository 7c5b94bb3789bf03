import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { TaskId } from '../../platform/task-id.ts';
import { formatKey } from '../format/format.ts';
import type { Format } from '../format/format.ts';
import type { Creative, CreativeStatus } from './creative.ts';
import { creativeKey } from './creative.ts';
import type { LibraryOwner } from './creative-library.ts';
import { creativeRef } from './creative-ref.ts';
import type { CreativeInput } from './creative-input.ts';
import { FIRST_STATUS, withEvent } from './transitions.ts';

/** Whose sync it is, and when (a timestamp): it writes the library of the account that it is under. One task upserts a creative at most once. */
export interface UpsertCause extends LibraryOwner {
  task_id: TaskId;
  at: string;
  /** What is said besides of each creative, by its id; absent where there are no words for it, and what was said before stays. */
  saidOf?: ((creative_id: string) => JsonObject | undefined) | undefined;
}

/** What a sync does to one creative. `row` is the creative afterwards; it is to be written unless `unchanged`. */
export interface UpsertPlan {
  action: 'created' | 'updated' | 'unchanged';
  /** The state right after the sync, whatever has become of the creative since. */
  status: CreativeStatus;
  changes: string[];
  row: Creative;
  isWritten: boolean;
}

/**
 * What becomes of a creative that is sent again or for the first time (rule B11). A changed format or asset, or
 * an archived creative sent again, begins a new version and its review. A row that this very task has written before
 * answers what was done then. Pure.
 */
export function planUpsert(
  stored: Creative | undefined,
  wanted: CreativeInput,
  format: Format,
  cause: UpsertCause,
): UpsertPlan {
  if (stored === undefined) {
    const row = newCreative(wanted, format, cause);
    return { action: 'created', status: row.status, changes: [], row, isWritten: false };
  }
  const done = stored.history.find(
    (event) => event.task_id === cause.task_id && (event.action === 'created' || event.action === 'updated'),
  );
  if (done !== undefined) {
    const action = done.action === 'created' ? 'created' : 'updated';
    return { action, status: done.to_status, changes: done.changes, row: stored, isWritten: true };
  }
  const said = saidAfter(stored, wanted, cause);
  const changes = changesOf(stored, wanted, said);
  if (changes.length === 0) {
    return { action: 'unchanged', status: stored.status, changes, row: stored, isWritten: true };
  }
  const row = changed(stored, { ...wanted, said }, format, changes, cause);
  return { action: 'updated', status: row.status, changes, row, isWritten: false };
}

/** Upserts one creative: planned against the row as it stands, again when another writer came first. */
export async function upsertCreative(
  creatives: Collection<Creative>,
  wanted: CreativeInput,
  format: Format,
  cause: UpsertCause,
): Promise<UpsertPlan> {
  const key = keyWritten(cause, wanted.creative_id);
  for (;;) {
    const stored = await creatives.get(key);
    const plan = planUpsert(stored, wanted, format, cause);
    if (plan.isWritten) return plan;
    if (stored !== undefined) {
      const row = await creatives.replace(plan.row);
      if (row !== undefined) return { ...plan, row, isWritten: true };
    } else if ((await creatives.insert(plan.row)).inserted) {
      return { ...plan, isWritten: true };
    }
  }
}

/** The key of the creative that a sync writes. Pure. */
export function keyWritten({ organization_id, account_id }: LibraryOwner, creative_id: string): string {
  return creativeKey(organization_id, creativeRef({ account_id, creative_id }));
}

function newCreative(wanted: CreativeInput, format: Format, cause: UpsertCause): Creative {
  const { organization_id, account_id, task_id, at } = cause;
  const { creative_id, name, format_id, assets, tags } = wanted;
  const said = saidAfter(undefined, wanted, cause);
  return {
    creative_key: keyWritten(cause, creative_id),
    organization_id,
    ...(account_id !== undefined && { account_id }),
    ...{ creative_id, name, format_id, format: format_id.id, format_type: format.type, assets, tags },
    ...(said && { said }),
    status: FIRST_STATUS,
    status_reason: null,
    reason_code: null,
    version: 1,
    submitted_at: at,
    review_due_at: at,
    effects_due_at: null,
    history: [
      {
        at,
        action: 'created',
        actor: 'buyer',
        from_status: null,
        to_status: FIRST_STATUS,
        changes: [],
        note: null,
        task_id,
      },
    ],
    created_at: at,
    updated_at: at,
    revision: 1,
  };
}

function changed(
  { said: _said, ...stored }: Creative,
  wanted: CreativeInput & { said: JsonObject | undefined },
  format: Format,
  changes: string[],
  { task_id, at }: UpsertCause,
): Creative {
  const { name, format_id, assets, tags, said } = wanted;
  const isNew = changes.some((change) => REVIEWED.has(change) || change.startsWith('assets.'));
  const to_status = isNew ? FIRST_STATUS : stored.status;
  const event = { at, action: 'updated', actor: 'buyer' as const, from_status: stored.status, to_status };
  return {
    ...stored,
    ...{ name, format_id, format: format_id.id, format_type: format.type, assets, tags },
    ...(said && { said }),
    ...(isNew && {
      status: FIRST_STATUS,
      status_reason: null,
      reason_code: null,
      version: stored.version + 1,
      submitted_at: at,
      review_due_at: at,
      effects_due_at: stored.effects_due_at ?? at,
    }),
    history: withEvent(stored.history, { ...event, changes, note: null, task_id }),
    updated_at: at,
  };
}

/** What begins a new review when it changes, besides an asset: where the content comes from is part of what was looked at. */
const REVIEWED: ReadonlySet<string> = new Set(['status', 'format_id', 'provenance']);

/** What is said of a creative once it is synced; undefined where nothing is. */
function saidAfter(
  stored: Creative | undefined,
  { creative_id }: CreativeInput,
  { saidOf }: UpsertCause,
): JsonObject | undefined {
  return saidOf === undefined ? stored?.said : saidOf(creative_id);
}

/** What differs, by name, in a fixed order. `status` when an archived creative is sent again. */
function changesOf(stored: Creative, wanted: CreativeInput, said: JsonObject | undefined): string[] {
  const same = (a: unknown, b: unknown) => canonicalJson(a) === canonicalJson(b);
  const keys = [...new Set([...Object.keys(stored.assets), ...Object.keys(wanted.assets)])].sort();
  const words = [...new Set([...Object.keys(stored.said ?? {}), ...Object.keys(said ?? {})])].sort();
  return [
    ...(stored.name === wanted.name ? [] : ['name']),
    ...(formatKey(stored.format_id) === formatKey(wanted.format_id) ? [] : ['format_id']),
    ...keys
      .filter((key) => !same(stored.assets[key] ?? null, wanted.assets[key] ?? null))
      .map((key) => `assets.${key}`),
    ...(same(stored.tags, wanted.tags) ? [] : ['tags']),
    ...words.filter((word) => !same(stored.said?.[word] ?? null, said?.[word] ?? null)),
    ...(stored.status === 'archived' ? ['status'] : []),
  ];
}
