/** Merges key-value pairs that were changed on two devices (three-way merge). */

export type Values = Readonly<Record<string, unknown>>;

interface Merged {
  readonly values: Values;
  /** Keys that were changed differently on both devices. The value of this device is kept. */
  readonly overruled: readonly string[];
}

/** @param known values before both changes; empty if they are unknown, so that no key looks deleted */
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
