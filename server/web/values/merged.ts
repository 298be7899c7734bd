/** Three-way merge of keyed values, for changes from two devices. */

export type Values = Readonly<Record<string, unknown>>;

interface Merged {
  readonly values: Values;
  /** Keys that both sides changed differently; this side's value wins. */
  readonly overruled: readonly string[];
}

/** Merges two sides. @param known the common ancestor; empty if unknown, so that nothing counts as removed */
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
