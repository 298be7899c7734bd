/**
 * x/distribution: rewards of delegators that are no wallets. A share record delegates by an account of the chain's own; what that
 * withdraws makes no row, and reaches the record's owner later and in sums.
 */
import type { ShareReward } from '../../../schemas/types.generated.js';
import type { Block } from '../../chain/block.js';
import { parseCoins, TOO_LARGE } from '../../ledger/amount.js';
import type { ChainFacts, ScopedEvent } from '../classifier.js';

export const REWARD_EVENT = 'withdraw_rewards';

/**
 * Rows of a reward that went to an account of the chain's own; none for a wallet's, nor of coins too large for a table.
 * @param place transaction index, or -1 for the block's own events
 */
export function shareRewards(
  event: ScopedEvent,
  { block, place, chain }: { block: Pick<Block, 'height' | 'time'>; place: number; chain: ChainFacts },
): ShareReward[] {
  const delegator = event.address('delegator');
  const validator = event.address('validator');
  if (!delegator || !validator || chain.isWallet(delegator)) return [];
  const time = block.time.slice(0, 19).replace('T', ' ');
  const where = { height: block.height, place, event: event.index, time };
  const coins = parseCoins(event.get('amount') ?? '').filter(({ amount }) => amount < TOO_LARGE);
  return coins.map((coin) => ({ ...where, validator, delegator, ...coin }));
}
