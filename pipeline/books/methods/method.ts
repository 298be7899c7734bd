/** What a lot method looks at. */
export interface ComparedLot {
  /** YYYY-MM-DD. Coins from before the index have a day before all others. */
  readonly acquired: string;
  /** Base units, above zero. */
  readonly quantity: bigint;
  /** Minor units, or null if unknown. */
  readonly basis: bigint | null;
}

/** A rule that decides which lots of a holding leave first. */
export interface LotMethod {
  /** Value of the parameter `method`. */
  readonly name: string;
  /** The field's term, such as 'first in, first out'. */
  readonly term: string;
  /** Completes 'Every wallet keeps its own lots, and …'. */
  readonly rule: string;
  /** Returns less than zero if the first lot leaves first; 0 if the method does not distinguish the two. */
  compare(a: ComparedLot, b: ComparedLot): number;
  /** Of lots that the method does not distinguish, the one that leaves first. */
  readonly ties: 'first in' | 'last in';
}
