import type { CollectionSpec, Row } from '../collection.ts';
import type { Plan, Term } from '../collection-query.ts';
import { documentField } from './mongo-model.ts';

export type Filter = Record<string, unknown>;

/** The filter of a query's conditions. */
export function termsFilter<R extends Row>(spec: CollectionSpec<R>, terms: readonly Term[]): Filter {
  const filter: Record<string, Filter> = {};
  for (const term of terms) {
    const operators = (filter[documentField(spec, term.field)] ??= {});
    operators[`$${term.kind}`] = term.kind === 'in' ? term.values : term.value;
  }
  return filter;
}

/** The rows past the cursor. Null and missing sort first, and no range holds for them. */
export function afterFilter<R extends Row>(spec: CollectionSpec<R>, plan: Plan<R>): Filter {
  if (!plan.after) return {};
  const { value, key } = plan.after;
  const field = documentField(spec, plan.sortField);
  const [past, reach] = plan.descending ? ['$lt', '$lte'] : ['$gt', '$gte'];
  const tie = { _id: { [past]: key } };
  if (field === '_id') return tie;
  if (value === null) {
    const nulls = { [field]: null, ...tie };
    return plan.descending ? nulls : { $or: [nulls, { [field]: { $ne: null } }] };
  }
  const further = { [field]: { [reach]: value }, $or: [{ [field]: { [past]: value } }, tie] };
  return plan.descending && plan.mayBeNull ? { $or: [further, { [field]: null }] } : further;
}

/** Only rows that have not expired. */
export function liveFilter<R extends Row>(spec: CollectionSpec<R>, nowMs: number): Filter {
  return spec.expires === undefined ? {} : { _expires_at: { $not: { $lte: new Date(nowMs) } } };
}

/** All of these. */
export function allOf(...filters: Filter[]): Filter {
  const some = filters.filter((filter) => Object.keys(filter).length > 0);
  return some.length > 1 ? { $and: some } : (some[0] ?? {});
}
