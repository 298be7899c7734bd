import { formatDecimal } from '../../pipeline/base/values/amount.js';
import type { AssetDecision } from '../../pipeline/books/ledger/decisions.js';
import type { Rules } from '../../pipeline/books/ledger/rules.js';
import type { FlaggedReceipt } from '../../schemas/types.generated.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import { isInRange } from '../tax/parameters/time-range.js';

export const assetReview = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/asset-review',
  summary: 'Flagged receipts of one or more wallets: which need a decision, and why.',
  description:
    'Unsolicited coins that are suspected spam, or tokens that imitate another asset. Until every receipt of the period ' +
    'has an entry in asset_decisions, events, journal, positions and summary respond with 409. Decisions sent here, and ' +
    'decisions saved by your account, are only displayed.',
  parameters: ['address', 'chain', 'start', 'end', 'asset_decisions'],
  response: 'asset-review',
  policy: 'tax',
  post: true,
  replayed: true,
  decisions: { period: ({ range }) => range, saved: true, undecided: 'listed' },
  handle({ parameters, dataset }): Answer {
    const { addresses, range, decisions } = parameters;
    const { rules } = dataset.reference;
    const records = addresses
      .flatMap((address) => dataset.flagged(address))
      .filter(({ time }) => isInRange(time, range))
      .map((receipt) => recordOf(receipt, decisions.assets.get(receipt.record_id), rules));
    return {
      json: {
        address: addresses.join(','),
        count: records.length,
        pending: records.filter(({ decision }) => decision === 'none').length,
        records,
      },
    };
  },
} satisfies Endpoint;

function recordOf(receipt: FlaggedReceipt, decision: AssetDecision | undefined, rules: Rules) {
  const { symbol, decimals } = rules.denomination(receipt.denom);
  return {
    record_id: receipt.record_id,
    address: receipt.address,
    date: receipt.time,
    tx_hash: receipt.tx_hash,
    height: receipt.height,
    denom: receipt.denom,
    symbol,
    claimed_symbol: receipt.claimed_symbol,
    quantity: formatDecimal(receipt.quantity, decimals),
    sender: receipt.sender ?? '',
    memo: receipt.memo,
    reason: receipt.reason,
    evidence: JSON.parse(receipt.evidence) as string[],
    decision: decision?.mode ?? 'none',
  };
}
