/** Rows of the store as answers show them: instants, which the database gives as dates, as RFC 3339. */

/** A row of the store, by the schema of what answers show of it. */
export type RowOf<Shown> = {
  readonly [Member in keyof Shown]: Member extends `${string}_at` | `${string}_until`
    ? Date | Extract<Shown[Member], null>
    : Shown[Member];
};

/** The row as answers show it, its members in the order of the query. */
export const shownRow = <Shown extends object>(row: RowOf<Shown>): Shown =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
  ) as Shown;
