export type RowOf<Shown> = {
  readonly [Member in keyof Shown]: Member extends `${string}_at` | `${string}_until`
    ? Date | Extract<Shown[Member], null>
    : Shown[Member];
};

export const toResponse = <Shown extends object>(row: RowOf<Shown>): Shown =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
  ) as Shown;
