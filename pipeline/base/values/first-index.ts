/**
 * Returns the index of the first item for which the test is true, by binary search; `end` if there is none. From that
 * item on, the test must be true for all.
 */
export function firstIndex<Item>(
  items: readonly Item[],
  isReached: (item: Item) => boolean,
  start = 0,
  end = items.length,
): number {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isReached(items[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
