/** What a store tells of its writes: see {@link Store.changesSince}. */
export interface ToldChanges {
  /** To ask from the next time. */
  mark: number;
  /** What was written, by {@link aboutRows}. Undefined where that cannot be told in full: anything may have been. */
  touched: readonly string[] | undefined;
}

/** Names rows by what is asked for: those of a collection that have this value in this field. */
export function aboutRows(collection: string, field: string, value: string): string {
  return `${collection}.${field}=${value}`;
}

/** The value that rows were named by: the last part of {@link aboutRows}. */
export function valueNamed(rows: string): string {
  return rows.slice(rows.indexOf('=') + 1);
}

/** The fields by which writes of a collection are told: its key, and those that it names; none where it tells of none. */
export function toldFields<F extends string>(spec: { key: F; tells?: readonly F[] }): readonly F[] {
  return spec.tells === undefined ? [] : [spec.key, ...spec.tells];
}
