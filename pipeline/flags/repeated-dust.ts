/**
 * Flags dust from a sender of flagged dust (pipeline/tables/repeated_dust.sql). Only sends count, because a contract's
 * payout depends on its caller.
 */
import type { FlaggedReceipt, Spam, UnsolicitedReceipt } from '../../schemas/types.generated.js';

export function repeatedDust(receipt: UnsolicitedReceipt, spam: Spam): FlaggedReceipt {
  const { category, registered, dust, receivers, ...row } = receipt;
  const evidence = [
    'The receiver did not sign the transaction.',
    `Worth less than ${spam.dust.below_usd} USD.`,
    'Its sender sent the same amount with a link or a call to claim, or to many at once.',
  ];
  return { ...row, reason: 'suspected_spam', claimed_symbol: '', evidence: JSON.stringify(evidence) };
}
