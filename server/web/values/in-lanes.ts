const CONCURRENCY = 4;

/** Runs `work` on each item, four at a time. After an error, no further item starts. */
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

/** Yields items to all concurrent workers from one iterator. If a worker fails, the iterator ends for all. */
function* inTurn<Item>(items: readonly Item[]): Generator<[number, Item]> {
  yield* items.entries();
}
