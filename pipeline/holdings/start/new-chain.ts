/** Exports that are to begin another chain: they have this one's accounts, but neither its heights nor its rewards. */
import { StartingStateError } from '../values/json-item.js';
import type { ValidatorDraft } from './validator-draft.js';

/**
 * Refuses a file of `export --for-zero-height` by name. Such a file begins with block 0 or 1, or says another height that somebody wrote
 * there: all its delegations begin at height 0, and nobody is owed anything.
 * @param height of the state, one below initial_height
 * @param isTouched whether any delegation began after height 0
 * @throws StartingStateError
 */
export function refuseNewChain(height: number, isTouched: boolean, drafts: Iterable<ValidatorDraft>): void {
  const owesNothing = ({ outstanding, slashes }: ValidatorDraft) =>
    slashes.length === 0 && outstanding.every((amount) => amount === 0n);
  if (height > 0 && (isTouched || ![...drafts].every(owesNothing))) return;
  throw new StartingStateError(
    'this is an export for a new chain (--for-zero-height), which has paid out all rewards and forgotten all heights: ' +
      'export the state without that option',
  );
}
