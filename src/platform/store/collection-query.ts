import type { CollectionSpec, Condition, IndexSpec, Query, Row, Scalar, Where } from './collection.ts';
import { decodeCursor, encodeCursor } from './collection-cursor.ts';
import type { RowShape } from './collection-spec.ts';

/** One condition of a query, ready for a driver. */
export type Term =
  | { field: string; kind: 'eq'; value: Scalar }
  | { field: string; kind: 'in'; values: readonly Scalar[] }
  | { field: string; kind: 'gt' | 'gte' | 'lt' | 'lte'; value: NonNullable<Scalar> };

/** A checked query: one page, or what is left of it behind rows that cannot be read. */
export interface Plan<R> {
  terms: Term[];
  sortField: string;
  descending: boolean;
  limit: number;
  /** At most one row can answer: it is asked for by what identifies it, as `get` does, and is an error like there. */
  isForOne: boolean;
  /** Rows with null in the sort field may be among them. */
  mayBeNull: boolean;
  /** Only rows that come after this one. */
  after: { value: Scalar; key: string } | undefined;
  /** The cursor of a page that ends with this row. */
  cursorAfter(row: R): string;
}

/** @throws {Error | AppError} as `Collection.find` says. */
export function planFind<R extends Row>(spec: CollectionSpec<R>, shape: RowShape, query: Query<R>): Plan<R> {
  const terms = termsOf(shape, query.where);
  const natural = (terms.find(isRange)?.field ?? spec.key) as keyof R & string;
  const sort = query.sort ?? { field: natural, direction: 'asc' };
  assertKnown(shape, sort.field);
  const limit = query.limit ?? 100;
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) throw new Error(`a page has 1 to 1000 rows, not ${limit}`);
  assertIndexed(spec, terms, query.sort?.field);
  const of = [spec.name, sort.field, sort.direction, Object.entries(query.where).sort()];
  const plan: Plan<R> = {
    terms,
    sortField: sort.field,
    descending: sort.direction === 'desc',
    limit,
    isForOne: spec.indexes.some((index) => index.unique === true && isWhole(index, terms)),
    mayBeNull:
      shape.get(sort.field)?.nullable !== false && !terms.some((term) => term.field === sort.field && isRange(term)),
    after: undefined,
    cursorAfter: (row) => {
      const value = (row[sort.field] ?? null) as Scalar;
      return encodeCursor(of, { value, key: row[spec.key] as string });
    },
  };
  return query.after === undefined ? plan : planAfter(plan, decodeCursor(of, query.after));
}

/**
 * The plan from behind this row on. A bound that the row is past is left out: a database that seeks by it would read again,
 * for each page, all that comes before.
 */
export function planAfter<R>(plan: Plan<R>, after: NonNullable<Plan<R>['after']>): Plan<R> {
  const { value } = after;
  const isPast = (term: Term) => {
    if (term.field !== plan.sortField || !isRange(term)) return false;
    if (value === null || typeof value !== typeof term.value) return false;
    if (plan.descending) return (term.kind === 'lt' || term.kind === 'lte') && value <= term.value;
    return (term.kind === 'gt' || term.kind === 'gte') && value >= term.value;
  };
  return { ...plan, after, terms: plan.terms.filter((term) => !isPast(term)) };
}

/** No range holds for null. */
function isRange(term: Term): term is Extract<Term, { kind: 'gt' | 'gte' | 'lt' | 'lte' }> {
  return term.kind !== 'eq' && term.kind !== 'in';
}

/** Whether the terms say what each field of the index is, of rows that it holds. */
function isWhole<R extends Row>({ fields, where = {} }: IndexSpec<R>, terms: readonly Term[]): boolean {
  const given = new Map(terms.flatMap((term) => (term.kind === 'eq' ? [[term.field, term.value] as const] : [])));
  return (
    fields.every((field) => (given.get(field) ?? null) !== null) &&
    Object.entries<Scalar | undefined>(where).every(([field, value]) => given.get(field) === value)
  );
}

/** @throws {Error} when no declared index begins these conditions. */
export function planCount<R extends Row>(spec: CollectionSpec<R>, shape: RowShape, where: Where<R>): Term[] {
  const terms = termsOf(shape, where);
  assertIndexed(spec, terms);
  return terms;
}

function assertIndexed<R extends Row>(spec: CollectionSpec<R>, terms: readonly Term[], sortField?: string): void {
  const fields = [...terms.map((term) => term.field), ...(sortField === undefined ? [] : [sortField])];
  if (fields.length === 0 || fields.some((field) => leads(spec, terms, field))) return;
  throw new Error(`no index of ${spec.name} begins a query by ${fields.join(', ')}`);
}

/** Whether the field is the key or the first field of an index that holds every row the terms can match. */
function leads<R extends Row>(spec: CollectionSpec<R>, terms: readonly Term[], field: string): boolean {
  if (field === spec.key) return true;
  return spec.indexes.some(
    (index) =>
      index.fields[0] === field &&
      Object.entries(index.where ?? {}).every(([name, value]) =>
        terms.some((term) => term.field === name && term.kind === 'eq' && term.value === value),
      ),
  );
}

function termsOf(shape: RowShape, where: Partial<Record<string, Condition>>): Term[] {
  return Object.entries(where).flatMap(([field, condition]) => {
    assertKnown(shape, field);
    const terms = condition === undefined ? [] : termsOfField(field, condition);
    // Left out, it would widen the query to rows that nobody asked for.
    if (terms.length === 0) throw new Error(`the condition on ${field} is undefined`);
    return terms;
  });
}

function termsOfField(field: string, condition: Condition): Term[] {
  if (condition === null || typeof condition !== 'object') return [{ field, kind: 'eq', value: condition }];
  if ('in' in condition) return [{ field, kind: 'in', values: condition.in }];
  const terms: Term[] = [];
  for (const kind of ['gt', 'gte', 'lt', 'lte'] as const) {
    const value = condition[kind];
    if (value === null) throw new Error(`a bound of the range on ${field} is null`);
    if (value !== undefined) terms.push({ field, kind, value });
  }
  return terms;
}

function assertKnown(shape: RowShape, field: string): void {
  if (!shape.has(field)) throw new Error(`a query names an unknown field: ${field}`);
}
