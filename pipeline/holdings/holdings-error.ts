/** A figure that differs between fold and chain: the state or the blocks are not the chain's. */

import type { Guess, UpgradePlan } from './state.js';

export interface Difference {
  readonly what: string;
  readonly validator?: string | undefined;
  readonly wallet?: string | undefined;
  /** The chain's figure. */
  readonly expected: string;
  /** The fold's figure. */
  readonly found: string;
}

/** Thrown by a rule, without the block's place. */
export class Mismatch extends Error {
  constructor(readonly difference: Difference) {
    const { what, validator, wallet, expected, found } = difference;
    const whose = [wallet, validator].filter(Boolean).join(' at ');
    super(`${what}${whose && ` of ${whose}`}: the chain says ${expected || 'nothing'}, the fold ${found || 'nothing'}`);
  }
}

/** Context of a difference. */
interface BlockCircumstances {
  /** UTC, YYYY-MM-DD. */
  readonly day: string;
  /** The planned upgrade, due before this block or later. */
  readonly upgrade: UpgradePlan | null;
  /** Distinct type URLs of successful messages, including inner ones, sorted. */
  readonly messageTypes: readonly string[];
}

export class HoldingsError extends Error {
  /** Standing guesses; one of them may be wrong. */
  standing: readonly Guess[] = [];

  constructor(
    readonly height: number,
    /** Transaction hash, BeginBlock or EndBlock. */
    readonly place: string,
    readonly difference: Difference,
    readonly reason: string,
    readonly circumstances: BlockCircumstances,
  ) {
    super(`block ${height}, ${place}: ${reason}${told(circumstances)}`);
  }
}

function told({ upgrade, messageTypes }: BlockCircumstances): string {
  const plan = upgrade ? `; upgrade plan ${upgrade.name} at ${upgrade.height}` : '';
  return plan + (messageTypes.length > 0 ? `; messages ${messageTypes.join(', ')}` : '');
}

/** @throws Mismatch if they differ */
export function expectEqual(
  expected: bigint | string,
  found: bigint | string,
  about: Omit<Difference, 'expected' | 'found'>,
) {
  if (expected !== found) throw new Mismatch({ ...about, expected: String(expected), found: String(found) });
}
