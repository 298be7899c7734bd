const CONCURRENCY = 4;

/** Runs work on items, four at a time. After a failure no further item starts. */
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

/** Shares one iterator; when one lane fails, it ends for all lanes. */
function* inTurn<Item>(items: readonly Item[]): Generator<[number, Item]> {
  yield* items.entries();
}
