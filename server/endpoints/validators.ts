/**
 * Endpoints about validators: their statement, the report on their websites, and the countries that they have
 * disclosed.
 */

import { formatCents, formatDecimal } from '../../pipeline/base/values/amount.js';
import { addDays } from '../../pipeline/base/values/day.js';
import type { Rules } from '../../pipeline/books/ledger/rules.js';
import { indexBounds, type TimeRange } from '../../pipeline/books/reports/coverage.js';
import { STAKING_INCOME } from '../../pipeline/books/reports/event-list.js';
import { walletRows } from '../../pipeline/books/reports/event-row.js';
import { fieldsOf } from '../../pipeline/books/reports/field.js';
import { USUAL } from '../../pipeline/books/terms.js';
import {
  type AccruedCommission,
  type PayoutDay,
  type PayoutSum,
  sumPayouts,
} from '../../pipeline/publish/wallet-index/payouts-format.js';
import { UNDISCLOSED } from '../../pipeline/reference.js';
import type {
  AccruedCoin,
  DelegatorReport,
  Disclosure,
  JurisdictionEntry,
  OtherCommission,
  StatementCoverage,
  StatementMonth,
  StatementTotal,
} from '../../schemas/types.generated.js';
import type { Endpoint, ReferenceEndpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import { Problem } from '../http/problem.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { walletEvents } from '../tax/dataset/wallet-ledger.js';
import { csvAnswer, fileNameOf } from '../tax/formats/csv.js';
import type { ValidParameters } from '../tax/parameters/parameters.js';
import { daysOf, isInRange } from '../tax/parameters/time-range.js';

const validatorStatement = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/validator-statement',
  summary: 'Commission and delegator rewards that a validator paid out, by month.',
  description:
    'Commission that the operator withdrew, and rewards in the native coin that the validator’s delegators withdrew, by ' +
    'claims or automatically. Rewards of the operator’s own delegation are shown separately. Amounts count on the day ' +
    'of withdrawal, at the published price of that UTC day. Commission in other denoms is listed separately, and ' +
    'each month includes the commission accrued and not withdrawn at its end.',
  parameters: ['validator', 'chain', 'start_day', 'end_day', 'format', 'bom'],
  response: 'validator-statement',
  daily: true,
  csv: true,
  policy: 'tax',
  problems: ['not_found'],
  admit({ parameters: { validator }, dataset }): void {
    requireWholeChain(dataset, 'a validator’s statement');
    if (dataset.validators().has(validator)) return;
    throw new Problem('not_found', `the chain has no validator ${validator}, and had none since the index began`);
  },
  handle({ parameters, dataset, today }): Answer {
    const { validator, range, format } = parameters;
    const months = monthsOf(range, dataset).map((month) => ({ month, days: daysIn(month, parameters, dataset) }));
    const rows = months.map(({ month, days }) => ({
      month,
      ...paidFigures(sumPayouts(days), dataset.reference.rules),
      incomplete: isIncomplete(month, range, today, dataset),
      ...accruedFigures(dataset.accrued(validator).get(month), dataset.reference.rules),
    }));
    const coverage = coverageOf(range, dataset);
    if (format === 'csv') {
      const fileName = fileNameOf('validator-statement', [validator], daysOf({ range }, dataset));
      return csvAnswer(MONTH_FIELDS, rows, { fileName, coverage });
    }
    const total = paidFigures(sumPayouts(months.flatMap(({ days }) => days)), dataset.reference.rules);
    return {
      json: {
        validator,
        moniker: dataset.validators().get(validator)!.moniker,
        jurisdiction: dataset.reference.countryOf(validator),
        methodology_version: dataset.manifest.methodology_version,
        recognition_policy: dataset.reference.recognitionPolicy.policy,
        months: rows,
        total,
        coverage,
      },
    };
  },
} satisfies Endpoint;

/** Throws a Problem if the dataset contains only single wallets. */
function requireWholeChain({ manifest }: Dataset, what: string): void {
  if (!manifest.own_wallets) return;
  const detail = `this dataset has single wallets only (HUBLEDGER_WALLETS), and ${what} needs the whole chain`;
  throw new Problem('unavailable', detail, { lasting: true });
}

function monthsOf(range: TimeRange, { indexStart, indexEnd }: Dataset): string[] {
  const monthOf = (day: string) => day.slice(0, 7);
  const [from, to] = [range.from.slice(0, 10), range.to.slice(0, 10)];
  const first = monthOf(from > indexStart ? from : indexStart);
  const last = monthOf(to < indexEnd ? to : indexEnd);
  const months: string[] = [];
  for (let month = first; month <= last; month = monthAfter(month)) months.push(month);
  return months;
}

function monthAfter(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number)).toISOString().slice(0, 7);
}

function daysIn(month: string, { validator, range }: ValidParameters, dataset: Dataset): PayoutDay[] {
  const [from, to] = [range.from.slice(0, 10), range.to.slice(0, 10)];
  return dataset.payouts(validator, month).filter(({ day }) => day >= from && day <= to);
}

/**
 * Returns true if the replay has not covered a month: a day that is over, or that the request names, is not indexed.
 * Days before the index count only if the request names them.
 */
function isIncomplete(month: string, range: TimeRange, today: string, dataset: Dataset): boolean {
  const { first, last } = indexBounds(dataset.manifest);
  const [begin, end] = [`${month}-01 00:00:00`, `${addDays(`${monthAfter(month)}-01`, -1)} 23:59:59`];
  const overUntil = [end, `${addDays(today, -1)} 23:59:59`].sort()[0]!;
  const from = range.start !== null && range.from < first && begin < first ? begin : first;
  const to = range.end !== null && range.to > overUntil ? (range.to < end ? range.to : end) : overUntil;
  return isWaiting(dataset) || from < first || to > last || dataset.manifest.coverage.missing.length > 0;
}

/** Returns true if another program version computed the amounts. They may then change in the next nightly run. */
const isWaiting = ({ otherVersions }: Dataset) => otherVersions.length > 0;

function coverageOf(range: TimeRange, dataset: Dataset): StatementCoverage {
  const { otherVersions, time } = dataset;
  const coverage = dataset.coverageOf(range);
  const { index_start, index_end, complete, range_complete, note, ...extent } = coverage;
  const waiting = isWaiting(dataset);
  const replay = waiting ? ` Figures are those of ${otherVersions.join(' and ')}, until the replay is done.` : '';
  return {
    index_start,
    index_end,
    replay_cursor: waiting ? '' : time,
    complete,
    range_complete: range_complete && !waiting,
    ...extent,
    note: note + replay,
  };
}

const delegatorReport = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/delegator-report',
  summary: 'Staking income of one wallet, for a validator’s website.',
  description:
    'Staking and liquid-stake rewards from the same rows as /events, of all validators unless `scope` limits them. ' +
    'Send the key as api_key; browsers show the response only on pages of the key’s origins. A POST has the wallet in ' +
    'its body, so that the address is in no URL and no access log.',
  parameters: ['single_address', 'api_key', 'chain', 'start_day', 'end_day', 'scope'],
  post: true,
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
    const [start, end] = daysOf({ range: parameters.range }, dataset);
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
      scope: parameters.scope,
      validator: widget!.validator,
      moniker: dataset.validators().get(widget!.validator)?.moniker ?? '',
      ...{ start, end },
      coverage: dataset.coverageOf(parameters.range, parameters.addresses),
    };
    return { json: report };
  },
} satisfies Endpoint;

/**
 * Sums rewards in the native coin: base units, value in cents, number of rows, and number of rows without a price.
 * @param validator counts only rewards from this validator; undefined counts all rewards
 */
function summing({ addresses, range }: ValidParameters, dataset: Dataset, validator: string | undefined) {
  const sum = { amount: 0n, cents: 0n, rows: 0, unpriced: 0 };
  const rowOf = walletRows(dataset.rowContext);
  for (const event of walletEvents(dataset, addresses[0]!)) {
    const { incomeAccount, rules, value, priceMissing } = rowOf(event);
    if (!isInRange(event.time, range) || (validator !== undefined && event.validator !== validator)) continue;
    if (incomeAccount !== STAKING_INCOME) continue;
    if (event.received_denom === rules.nativeDenom) sum.amount += event.received_amount!;
    sum.cents += value;
    sum.rows++;
    if (priceMissing) sum.unpriced++;
  }
  return sum;
}

export const jurisdictions = {
  kind: 'reference',
  method: 'GET',
  path: '/api/tax/v1/validators/jurisdictions',
  summary: 'Countries that validators disclosed, with the public source of each.',
  description:
    'A validator without a public disclosure is not listed and counts as undisclosed. ' +
    'Only the validator’s own statement counts, not the location of a server. Without a dataset of the whole chain, its ' +
    'validators are unknown: their numbers and `on_chain` are then null.',
  parameters: ['chain'],
  response: 'jurisdictions',
  policy: 'tax',
  handle({ reference, dataset }) {
    const { basis, jurisdictions: disclosures } = reference.jurisdictions;
    const known = dataset && hasValidators(dataset) ? dataset.validators() : undefined;
    const onChain = known && [...known].flatMap(([operator, { onChain }]) => (onChain ? [operator] : []));
    const isDisclosed = (operator: string) => reference.countryOf(operator) !== UNDISCLOSED;
    return {
      basis,
      validators_on_chain: onChain?.length ?? null,
      validators_disclosed: onChain?.filter(isDisclosed).length ?? null,
      undisclosed_label: UNDISCLOSED,
      jurisdictions: disclosures.map((disclosure) => entryOf(disclosure, known)),
    };
  },
} satisfies ReferenceEndpoint;

/** Returns false for single wallets, and without a starting state: the set of validators is then unknown. */
const hasValidators = (dataset: Dataset) => !dataset.manifest.own_wallets && dataset.days().length > 0;

/** Returns the registry entry of a disclosure, with the validator's current name. */
function entryOf(disclosure: Disclosure, validators: ReturnType<Dataset['validators']> | undefined): JurisdictionEntry {
  const known = (disclosure.operator_addresses ?? []).flatMap((operator) => validators?.get(operator) ?? []);
  const moniker = known.find(({ moniker }) => moniker !== '')?.moniker ?? disclosure.moniker;
  return { ...disclosure, moniker, on_chain: validators ? known.some(({ onChain }) => onChain) : null };
}

export const validatorEndpoints: readonly Endpoint[] = [validatorStatement, delegatorReport];

function paidFigures(sum: PayoutSum, rules: Rules): StatementTotal {
  const { symbol, decimals } = rules.denomination(rules.nativeDenom);
  const amount = (units: bigint) => formatDecimal(units, decimals);
  return {
    symbol,
    commission_amount: amount(sum.commission),
    commission_usd: formatCents(sum.commissionUsd),
    delegator_rewards_amount: amount(sum.rewards),
    delegator_rewards_usd: formatCents(sum.rewardsUsd),
    reward_events: sum.rewardEvents,
    unique_delegators: sum.uniqueDelegators,
    price_missing_days: sum.priceMissingDays,
    price_missing_events: sum.priceMissingEvents,
    own_rewards_amount: amount(sum.selfRewards),
    own_rewards_usd: formatCents(sum.selfRewardsUsd),
    others_rewards_amount: amount(sum.rewards - sum.selfRewards),
    others_rewards_usd: formatCents(sum.rewardsUsd - sum.selfRewardsUsd),
    other_commission: sum.otherCommission.map((other): OtherCommission => {
      const { symbol, decimals } = rules.denomination(other.denom);
      return {
        denom: other.denom,
        symbol,
        amount: formatDecimal(other.amount, decimals),
        usd: formatCents(other.usd),
        price_missing_amount: formatDecimal(other.unpriced, decimals),
      };
    }),
  };
}

type Accrued = Pick<StatementMonth, 'commission_accrued_on' | 'commission_accrued_amount' | 'other_commission_accrued'>;

/** @param accrued commission that had not been withdrawn at the end of a month; undefined if unknown */
function accruedFigures(accrued: AccruedCommission | undefined, rules: Rules): Accrued {
  const coins = [...(accrued?.coins ?? [])].map(([denom, units]): AccruedCoin => {
    const { symbol, decimals } = rules.denomination(denom);
    return { denom, symbol, amount: formatDecimal(units, decimals) };
  });
  const native = coins.find(({ denom }) => denom === rules.nativeDenom);
  return {
    commission_accrued_on: accrued?.day ?? '',
    commission_accrued_amount: accrued ? (native?.amount ?? '0') : '',
    other_commission_accrued: coins.filter((coin) => coin !== native),
  };
}

/** Describes commission in other coins, for example `12.5 USDC = 12.50 USD, 2 of it without a price`. */
function commissionText({ symbol, amount, usd, price_missing_amount: unpriced }: OtherCommission): string {
  if (unpriced === amount) return `${amount} ${symbol} without a price`;
  return `${amount} ${symbol} = ${usd} ${USUAL.currency.code}${unpriced === '0' ? '' : `, ${unpriced} of it without a price`}`;
}

const { text, decimal, number, boolean } = fieldsOf<StatementMonth>();

const MONTH_FIELDS = [
  text('month'),
  text('symbol'),
  decimal('commission_amount'),
  decimal('commission_usd'),
  decimal('delegator_rewards_amount'),
  decimal('delegator_rewards_usd'),
  number('reward_events'),
  number('unique_delegators'),
  number('price_missing_days'),
  number('price_missing_events'),
  boolean('incomplete'),
  decimal('own_rewards_amount'),
  decimal('own_rewards_usd'),
  decimal('others_rewards_amount'),
  decimal('others_rewards_usd'),
  text('other_commission', (row) => row.other_commission.map(commissionText).join('; ')),
  text('commission_accrued_on'),
  decimal('commission_accrued_amount'),
  text('other_commission_accrued', (row) =>
    row.other_commission_accrued.map(({ amount, symbol }) => `${amount} ${symbol}`).join('; '),
  ),
];
