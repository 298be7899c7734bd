/**
 * Dust that one sender repeats: parts of one advertisement come on several days, and not each has a link or a call. Where a sender's
 * dust is flagged by itself, the same amount of the same coin is flagged wherever else that sender sent it, before as well as after.
 * Sends alone count: of them amount and memo are the sender's own doing, while a contract's payouts are whoever called it.
 */
import type { FlaggedReceipt, Spam, UnsolicitedReceipt } from '../../schemas/types.generated.js';

export class RepeatedDust {
  /** Sender, denom and amount of dust that was flagged by itself. */
  private readonly flagged = new Set<string>();

  constructor(private readonly dust: Spam['dust']) {}

  /** Remembers a receipt that was flagged by itself. */
  remember(receipt: UnsolicitedReceipt): void {
    if (this.isRepeatable(receipt)) this.flagged.add(keyOf(receipt));
  }

  /** The flagged receipt, or undefined for one whose sender had none of that amount flagged. */
  flag(receipt: UnsolicitedReceipt): FlaggedReceipt | undefined {
    if (!this.isRepeatable(receipt) || !this.flagged.has(keyOf(receipt))) return undefined;
    const { category, registered, dust, receivers, ...row } = receipt;
    const evidence = [
      'The receiver did not sign the transaction.',
      `Worth less than ${this.dust.below_usd} USD.`,
      'Its sender sent the same amount with a link or a call to claim, or to many at once.',
    ];
    return { ...row, reason: 'suspected_spam', claimed_symbol: '', evidence: JSON.stringify(evidence) };
  }

  private isRepeatable({ category, dust, sender }: UnsolicitedReceipt): boolean {
    return dust && sender !== null && this.dust.repeated_categories.includes(category);
  }
}

const keyOf = ({ sender, denom, quantity }: UnsolicitedReceipt) => `${sender} ${denom} ${quantity}`;
