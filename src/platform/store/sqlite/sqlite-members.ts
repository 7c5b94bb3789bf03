import type { CollectionSpec, Row } from '../collection.ts';
import type { Plan, Term } from '../collection-query.ts';

/** A membership in more than so many values is not read value by value. */
const MOST_MEMBERS = 100;

/**
 * The conditions of a page, once for each value of a membership, where an index has the rows of one value in the order of the
 * page: SQLite would otherwise read, and sort, every row that is any of them. One set of conditions for all other queries.
 */
export function termsByMember<R extends Row>(spec: CollectionSpec<R>, plan: Plan<R>): Term[][] {
  const member = memberOf(spec, plan);
  if (member === undefined) return [plan.terms];
  const others = plan.terms.filter((term) => term !== member);
  return [...new Set(member.values)].map((value) => [...others, { field: member.field, kind: 'eq', value }]);
}

type Membership = Extract<Term, { kind: 'in' }>;

function memberOf<R extends Row>(spec: CollectionSpec<R>, { terms, sortField }: Plan<R>): Membership | undefined {
  const equal = new Map(terms.flatMap((term) => (term.kind === 'eq' ? [[term.field, term.value] as const] : [])));
  for (const { fields, where = {} } of spec.indexes) {
    const at = fields.findIndex((field) => !equal.has(field));
    const member = terms.find((term): term is Membership => term.kind === 'in' && term.field === fields[at]);
    if (member === undefined || (fields[at + 1] ?? spec.key) !== sortField) continue;
    if (member.values.length === 0 || member.values.length > MOST_MEMBERS) continue;
    if (Object.entries(where).every(([field, value]) => equal.get(field) === value)) return member;
  }
  return undefined;
}
