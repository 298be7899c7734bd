/** Groups sorted rows by key. The rows of one key must fit into memory. */
export async function* groupRows<Row>(
  batches: AsyncIterable<readonly Row[]>,
  keyOf: (row: Row) => string,
): AsyncGenerator<[key: string, rows: readonly Row[]]> {
  let held: Row[] = [];
  let heldKey = '';
  for await (const batch of batches) {
    for (const row of batch) {
      const key = keyOf(row);
      if (held.length > 0 && key !== heldKey) {
        yield [heldKey, held];
        held = [];
      }
      heldKey = key;
      held.push(row);
    }
  }
  if (held.length > 0) yield [heldKey, held];
}
