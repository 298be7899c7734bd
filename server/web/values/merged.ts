/** Three-way merge of values by key, as two devices of one person change them. */

export type Values = Readonly<Record<string, unknown>>;

export interface Merged {
  readonly values: Values;
  /** Keys that changed on both sides, to other values: here those of this side stand. */
  readonly overruled: readonly string[];
}

/**
 * Merges two sides: what one of them has changed stands. Nothing that is stated here is lost.
 * @param known what both sides had before; nothing where that is not known, so that nothing counts as removed
 */
export function merged(known: Values, theirs: Values, mine: Values): Merged {
  const values: Record<string, unknown> = { ...mine };
  const overruled: string[] = [];
  for (const key of new Set([...Object.keys(known), ...Object.keys(theirs)])) {
    const [base, their, my] = [known[key], theirs[key], mine[key]];
    if (!isSame(my, base)) {
      if (!isSame(their, base) && !isSame(their, my)) overruled.push(key);
    } else if (their === undefined) delete values[key];
    else values[key] = their;
  }
  return { values, overruled };
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
