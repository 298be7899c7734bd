/** Errors thrown if an amount in a block differs from the computed one: either the block or the state is wrong. */

import type { Guess, UpgradePlan } from './state.js';

export interface Difference {
  readonly what: string;
  readonly validator?: string | undefined;
  readonly wallet?: string | undefined;
  readonly expected: string;
  readonly found: string;
}

/** Thrown by a rule, which has no access to the block. foldBlock adds the height and throws a HoldingsError. */
export class Mismatch extends Error {
  constructor(readonly difference: Difference) {
    const { what, validator, wallet, expected, found } = difference;
    const whose = [wallet, validator].filter(Boolean).join(' at ');
    super(`${what}${whose && ` of ${whose}`}: expected ${expected || 'nothing'}, found ${found || 'nothing'}`);
  }
}

interface BlockCircumstances {
  readonly day: string;
  readonly upgrade: UpgradePlan | null;
  readonly messageTypes: readonly string[];
}

export class HoldingsError extends Error {
  standing: readonly Guess[] = [];

  constructor(
    readonly height: number,
    readonly place: string,
    readonly difference: Difference,
    readonly reason: string,
    readonly circumstances: BlockCircumstances,
  ) {
    super(`block ${height}, ${place}: ${reason}${circumstancesText(circumstances)}`);
  }
}

function circumstancesText({ upgrade, messageTypes }: BlockCircumstances): string {
  const plan = upgrade ? `; upgrade plan ${upgrade.name} at ${upgrade.height}` : '';
  return plan + (messageTypes.length > 0 ? `; messages ${messageTypes.join(', ')}` : '');
}

export function expectEqual(
  expected: bigint | string,
  found: bigint | string,
  about: Omit<Difference, 'expected' | 'found'>,
) {
  if (expected !== found) throw new Mismatch({ ...about, expected: String(expected), found: String(found) });
}
