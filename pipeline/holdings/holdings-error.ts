/** A figure of the fold and one of the chain that should be equal and are not. Either state or blocks are not the chain's. */

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

/** Thrown by a rule, which knows the figures but not the place. */
export class Mismatch extends Error {
  constructor(readonly difference: Difference) {
    const { what, validator, wallet, expected, found } = difference;
    const whose = [wallet, validator].filter(Boolean).join(' at ');
    super(`${what}${whose && ` of ${whose}`}: the chain says ${expected || 'nothing'}, the fold ${found || 'nothing'}`);
  }
}

/** Clues to a difference's cause: the planned upgrade and the message types of its block. */
interface BlockCircumstances {
  /** UTC day of the block, YYYY-MM-DD. */
  readonly day: string;
  /** The upgrade that was to run before this block, or the next one to come; null when there is none. */
  readonly upgrade: UpgradePlan | null;
  /** Type URLs of the messages of the block's successful transactions, those inside others too, each once and sorted. */
  readonly messageTypes: readonly string[];
}

/** Thrown by the fold of a block. */
export class HoldingsError extends Error {
  /** Guesses that stand, of which one may be wrong. */
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

/** @throws Mismatch when they differ */
export function expectEqual(
  expected: bigint | string,
  found: bigint | string,
  about: Omit<Difference, 'expected' | 'found'>,
) {
  if (expected !== found) throw new Mismatch({ ...about, expected: String(expected), found: String(found) });
}
