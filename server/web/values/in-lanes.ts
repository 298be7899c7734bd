const CONCURRENCY = 4;

/** Calls `work` for each item, four at a time. After an error, no further call starts. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = inTurn(items);
  const lane = async () => {
    for (const [i, item] of left) results[i] = await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  return results;
}

/**
 * Yields items to all concurrent workers. If a worker fails, the generator ends, so that no other worker gets another
 * item.
 */
function* inTurn<Item>(items: readonly Item[]): Generator<[number, Item]> {
  yield* items.entries();
}
