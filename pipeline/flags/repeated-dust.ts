/**
 * Dust that one sender repeats: parts of one advertisement come on several days, and not each has a link or a call. Sends alone count
 * (pipeline/tables/repeated_dust.sql): of them amount and memo are the sender's own doing, while a contract's payouts are whoever
 * called it.
 */
import type { FlaggedReceipt, Spam, UnsolicitedReceipt } from '../../schemas/types.generated.js';

/** Flags a receipt of dust for what its sender has sent besides. */
export function repeatedDust(receipt: UnsolicitedReceipt, spam: Spam): FlaggedReceipt {
  const { category, registered, dust, receivers, ...row } = receipt;
  const evidence = [
    'The receiver did not sign the transaction.',
    `Worth less than ${spam.dust.below_usd} USD.`,
    'Its sender sent the same amount with a link or a call to claim, or to many at once.',
  ];
  return { ...row, reason: 'suspected_spam', claimed_symbol: '', evidence: JSON.stringify(evidence) };
}
