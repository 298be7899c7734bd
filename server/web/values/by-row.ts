/** Values that the user states about rows, by wallet and row id. */

export interface StatedRow {
  readonly address: string;
  readonly id: string;
}

export type ByRow<Value> = Readonly<Record<string, Readonly<Record<string, Value>>>>;

/** Returns the values with one value for all these rows. @param value undefined removes the rows' values */
export function changed<Value>(
  byRow: ByRow<Value>,
  rows: readonly StatedRow[],
  value: Value | undefined,
): ByRow<Value> {
  const wallets = Object.fromEntries(Object.entries(byRow).map(([address, values]) => [address, { ...values }]));
  for (const { address, id } of rows) {
    wallets[address] ??= {};
    delete wallets[address][id];
    if (value !== undefined) wallets[address][id] = value;
  }
  return wallets;
}
