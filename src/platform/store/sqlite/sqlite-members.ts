import type { CollectionSpec, Row } from '../collection.ts';
import type { Plan, Term } from '../collection-query.ts';

/** Memberships in more than so many values, or pairs of them, are not read value by value. */
const MOST_MEMBERS = 100;

/**
 * The conditions of a page, once for each value of a membership (of two, for each pair), where an index has the rows of one value in the
 * order of the page: SQLite would otherwise read, and sort, every row that is any of them. One set of conditions for all other queries.
 */
export function termsByMember<R extends Row>(spec: CollectionSpec<R>, plan: Plan<R>): Term[][] {
  const members = membersOf(spec, plan);
  return members.reduce<Term[][]>(
    (sets, member) =>
      sets.flatMap((terms) =>
        [...new Set(member.values)].map((value) => [
          ...terms.filter((term) => term !== member),
          { field: member.field, kind: 'eq' as const, value },
        ]),
      ),
    [plan.terms],
  );
}

type Membership = Extract<Term, { kind: 'in' }>;

/** The memberships that lead to the order of the page in some index; of the one in which there are most. */
function membersOf<R extends Row>(spec: CollectionSpec<R>, { terms, sortField }: Plan<R>): readonly Membership[] {
  const equal = new Map(terms.flatMap((term) => (term.kind === 'eq' ? [[term.field, term.value] as const] : [])));
  let found: readonly Membership[] = [];
  for (const { fields, where = {} } of spec.indexes) {
    const at = [...fields, spec.key].indexOf(sortField as keyof R & string);
    const before = at === -1 ? [] : fields.slice(0, at).filter((field) => !equal.has(field));
    const members = before.flatMap((field) =>
      terms.filter((term): term is Membership => term.kind === 'in' && term.field === field),
    );
    if (members.length !== before.length || members.length <= found.length) continue;
    const sets = members.reduce((product, { values }) => product * values.length, 1);
    if (sets === 0 || sets > MOST_MEMBERS) continue;
    if (Object.entries(where).every(([field, value]) => equal.get(field) === value)) found = members;
  }
  return found;
}
