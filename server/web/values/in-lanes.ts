/** Work on many items, a few at a time. */

const LANES = 4;

/**
 * Works on items in a few lanes. Where one of them fails, those that are not begun stay so.
 * @returns results in the order of the items
 */
export async function inLanes<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = inTurn(items);
  const lane = async () => {
    for (const [i, item] of left) results[i] = await work(item);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return results;
}

/** A generator, which a loop that fails ends for the other lanes as well. */
function* inTurn<Item>(items: readonly Item[]): Generator<[number, Item]> {
  yield* items.entries();
}
