import { formatDecimal } from '../../pipeline/ledger/amount.js';
import type { Rules } from '../../pipeline/ledger/rules.js';
import { requireFitting } from '../decisions/check-decisions.js';
import { type ReviewedReceipt, reviewedReceipts } from '../decisions/flagged-receipts.js';
import type { Answer, Endpoint } from '../endpoint.js';

export const assetReview = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/asset-review',
  summary: 'Flagged receipts of one or more wallets: what needs a decision, and why.',
  description:
    'Coins that came unasked and are suspected spam, or a token that looks like an asset it is not. Until each of its period has an entry in asset_decisions, events, journal and positions answer 409. Decisions given here are only shown.',
  parameters: ['address', 'chain', 'start', 'end', 'asset_decisions'],
  response: 'asset-review',
  policy: 'tax',
  replayed: true,
  problems: [],
  async handle({ parameters, dataset }): Promise<Answer> {
    await requireFitting(parameters, dataset);
    const { rules } = dataset.reference;
    const records = [...reviewedReceipts(parameters, dataset, parameters.range)].map((one) => recordOf(one, rules));
    return {
      json: {
        address: parameters.addresses.join(','),
        count: records.length,
        pending: records.filter(({ decision }) => decision === 'none').length,
        records,
      },
    };
  },
} satisfies Endpoint;

/** A record as published (decision A10). */
function recordOf({ receipt, decision }: ReviewedReceipt, rules: Rules) {
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
