import { formatCents, formatDecimal } from '../../pipeline/base/values/amount.js';
import { STAKING_INCOME } from '../../pipeline/reports/event-list.js';
import { eventRow } from '../../pipeline/reports/event-row.js';
import type { DelegatorReport } from '../../schemas/types.generated.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { walletEvents } from '../tax/dataset/wallet-ledger.js';
import type { ValidParameters } from '../tax/parameters/parameters.js';
import { isInRange } from '../tax/parameters/time-range.js';

export const delegatorReport = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/delegator-report',
  summary: 'Staking income of one wallet, for a validator’s website.',
  description:
    'Staking and liquid-stake rewards from the same rows as /events, of all validators unless `scope` limits them. ' +
    'Send the key as api_key; browsers show the response only on pages of the key’s origins.',
  parameters: ['single_address', 'api_key', 'chain', 'start_day', 'end_day', 'scope'],
  response: 'delegator-report',
  policy: 'tax',
  access: 'widget',
  replayed: true,
  problems: ['unauthorized', 'forbidden'],
  handle({ parameters, dataset, widget }): Answer {
    const validator = parameters.scope === 'validator' ? widget!.validator : undefined;
    const { amount, cents, rows, unpriced } = summing(parameters, dataset, validator);
    const { rules, chain, recognitionPolicy, widget: words } = dataset.reference;
    const { symbol, decimals } = rules.denomination(chain.native_denom);
    const report: DelegatorReport = {
      address: parameters.addresses[0]!,
      chain: parameters.chain,
      rewards_amount: formatDecimal(amount, decimals),
      symbol,
      rewards_usd: formatCents(cents),
      taxable_events: rows,
      price_missing_rows: unpriced,
      recognition_policy: recognitionPolicy.policy,
      methodology_version: dataset.manifest.methodology_version,
      powered_by: words.powered_by,
    };
    return { json: report };
  },
} satisfies Endpoint;

/**
 * Sums rewards in the native coin: base units, value in cents, rows, and rows without a price.
 * @param validator sums only rewards from this validator; undefined means all
 */
function summing({ addresses, range }: ValidParameters, dataset: Dataset, validator: string | undefined) {
  const sum = { amount: 0n, cents: 0n, rows: 0, unpriced: 0 };
  for (const event of walletEvents(dataset, addresses[0]!)) {
    if (!isInRange(event.time, range) || (validator !== undefined && event.validator !== validator)) continue;
    const { incomeAccount, rules, value, priceMissing } = eventRow(event, dataset.rowContext);
    if (incomeAccount !== STAKING_INCOME) continue;
    if (event.received_denom === rules.nativeDenom) sum.amount += event.received_amount!;
    sum.cents += value;
    sum.rows++;
    if (priceMissing) sum.unpriced++;
  }
  return sum;
}
