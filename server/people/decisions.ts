/**
 * Decisions about receipts (decisions R6, R7, R10, A12, "Flagged receipts"). A flagged receipt needs a decision by the
 * wallet's owner about its tax treatment. A bulk decision applies to many receipts. Decisions can also override
 * unflagged rows. The decisions in a request are combined with the saved ones and checked against the dataset.
 */
import { pointer } from '../../pipeline/base/json/exact-json.js';
import type { Currency } from '../../pipeline/books/currencies/currency.js';
import { ExchangeRates } from '../../pipeline/books/currencies/exchange-rates.js';
import { usd } from '../../pipeline/books/currencies/usd.js';
import { hasReturns } from '../../pipeline/books/ledger/away.js';
import { losesCoins, mayMakeLot } from '../../pipeline/books/ledger/decided-row.js';
import {
  type AssetDecision,
  type AssetDecisions,
  type Decisions,
  decisionIssues,
  type GivenTags,
  type Issue,
  inBooks,
  noDecisions,
  type Override,
  type Parsed,
  parseAssetDecisions,
  type Return,
  type RowTags,
  valuesOfTags,
} from '../../pipeline/books/ledger/decisions.js';
import { mayReturn, RETURNING } from '../../pipeline/books/ledger/homecoming.js';
import { type OpeningLot, openingLotIssues, parseOpeningLots } from '../../pipeline/books/ledger/opening-lots.js';
import { isTagNamed, type ResolvedTags, resolveTags } from '../../pipeline/books/ledger/row-tags.js';
import type { Rules } from '../../pipeline/books/ledger/rules.js';
import type { TimeRange } from '../../pipeline/books/reports/coverage.js';
import type { FlaggedReceipt, PricedEvent } from '../../schemas/types.generated.js';
import { Problem } from '../http/problem.js';
import { type Dataset, rowsWhere } from '../tax/dataset/dataset.js';
import { type ParameterFault, refusal } from '../tax/parameters/faults.js';
import type { ParameterName } from '../tax/parameters/parameter-schemas.js';
import type { ValidParameters } from '../tax/parameters/parameters.js';
import { isInRange } from '../tax/parameters/time-range.js';
import {
  findSavedDecisions,
  type GivenDecisions,
  type GivenLots,
  savedDecisions,
  savedOpeningLots,
} from './saved-entries.js';
import type { Queries } from './store/store.js';

/**
 * Returns the bulk decision that applies to a receipt. A bulk decision about its sender comes first, then about its
 * reason, then about all receipts.
 */
function decisionForMany(assets: AssetDecisions, receipt: FlaggedReceipt): AssetDecision | undefined {
  if (assets.size === 0) return undefined;
  return assets.get(`*:${receipt.sender ?? ''}`) ?? assets.get(`*:${receipt.reason}`) ?? assets.get('*');
}

/**
 * Completes a decision about a receipt. Converts its money, and adds the price of the token that the receipt really was,
 * on the day of the receipt.
 */
function completed(decision: AssetDecision, receipt: FlaggedReceipt, dataset: Dataset, books: Currency): AssetDecision {
  if (decision.mode !== 'override') return decision;
  const { record_id: id, time, denom } = receipt;
  const { override } = inBooks(decision, { id, time }, dataset.exchangeRates(), books);
  if (override.token === undefined) return override;
  const token = dataset.reference.rules.denomOf(override.token) ?? override.token;
  return token === denom
    ? override
    : { ...override, token_price: dataset.prices(token).get(time.slice(0, 10)) ?? null };
}

function receiptIssues(
  receipt: FlaggedReceipt,
  decision: AssetDecision,
  dataset: Dataset,
  books: Currency = usd,
): readonly Issue[] {
  if (decision.mode !== 'override') return [];
  const { record_id: id, time, denom } = receipt;
  const { override, issues } = inBooks(decision, { id, time }, dataset.exchangeRates(), books);
  return [...issues, ...decisionIssues({ id, time, received_denom: denom }, override, dataset.reference.rules)];
}

interface RowOverrides {
  /**
   * Decisions that override a row, by row id. For received coins, they contain cost, date and value; for sent coins,
   * only the value.
   */
  readonly assets: AssetDecisions;
  readonly issues: readonly Issue[];
}

function overridesOfRows(
  addresses: readonly string[],
  { assets: given, tags }: Decisions,
  flagged: ReadonlySet<string>,
  dataset: Dataset,
  books: Currency,
): RowOverrides {
  const decided = new Map<string, Override | Return>();
  for (const [id, decision] of given) {
    const { mode } = decision;
    if (mode === 'return' || (mode === 'override' && !flagged.has(id))) decided.set(id, decision);
  }
  const assets = new Map<string, AssetDecision>();
  const issues: Issue[] = [];
  if (decided.size === 0) return { assets, issues };
  for (const event of rowsWhere(addresses, dataset, ({ id }) => decided.has(id))) {
    const stated = decided.get(event.id)!;
    const faults = rowIssues(event, stated, tags, dataset, books);
    issues.push(...faults);
    if (faults.length > 0) continue;
    if (stated.mode === 'return') assets.set(event.id, stated);
    else
      assets.set(event.id, {
        ...inBooks(stated, event, dataset.exchangeRates(), books).override,
        keepsTreatment: true,
      });
  }
  return { assets, issues };
}

/** Finds the rows whose coins came home by a decision about their sender, and without a decision of their own. */
function returnsOfSenders(
  { addresses, decisions: { assets: sent } }: ValidParameters,
  saved: ReadonlyMap<string, AssetDecisions>,
  dataset: Dataset,
): ReadonlySet<string> {
  if (![sent, ...saved.values()].some(hasReturns)) return new Set();
  const decides = (id: string, { address }: PricedEvent) => sent.get(id) ?? saved.get(address)?.get(id);
  const rows = rowsWhere(
    addresses,
    dataset,
    (row) => mayReturn(row) && !decides(row.id, row) && decides(`*:${row.counterparty ?? ''}`, row)?.mode === 'return',
  );
  return new Set(rows.map(({ id }) => id));
}

const ONLY_FLAGGED = { members: ['token', 'quantity'], message: 'is only for flagged receipts' } as const;
const ONLY_RECEIVED = {
  members: [...ONLY_FLAGGED.members, 'cost', 'foreignCost', 'acquired_date'],
  message: 'is only for received coins: an override of sent coins states their value alone',
} as const;
const NO_RETURN = `return is only for rows that received coins, of the categories ${RETURNING.join(', ')}`;
const MEMBER_NAMES: Readonly<Record<string, string>> = { cost: 'cost_basis_usd', foreignCost: 'cost_basis' };

function rowIssues(
  event: PricedEvent,
  decision: AssetDecision,
  tags: RowTags,
  dataset: Dataset,
  books: Currency = usd,
): readonly Issue[] {
  const { rules } = dataset.reference;
  if (decision.mode === 'return')
    return mayReturn(event) ? [] : [{ path: pointer(event.id, 'mode'), message: NO_RETURN }];
  if (decision.mode !== 'override') return [];
  const receives = mayMakeLot(event, rules);
  if (!receives && !losesCoins(event, tags, rules))
    return [{ path: pointer(event.id), message: 'the row neither creates a lot nor takes coins out of one' }];
  const { members, message } = receives ? ONLY_FLAGGED : ONLY_RECEIVED;
  const unfit = members
    .filter((member) => decision[member] !== undefined)
    .map((member) => ({ path: pointer(event.id, MEMBER_NAMES[member] ?? member), message }));
  if (unfit.length > 0) return unfit;
  const { issues } = inBooks(decision, event, dataset.exchangeRates(), books);
  return receives ? [...issues, ...decisionIssues(event, decision, rules)] : issues;
}

/**
 * Validates decisions before they are saved. Drops decisions about unknown record ids, which limits the size of an
 * entry.
 * @param dataset undefined before the first publication; nothing is dropped then
 */
export function readDecisions(given: GivenDecisions, address: string, dataset: Dataset | undefined): GivenDecisions {
  const parsed = parseAssetDecisions(given, dataset?.exchangeRates() ?? NO_RATES);
  if ('errors' in parsed) throw savedDecisions.refusal(parsed.errors);
  if (!dataset) return given;
  const decisions = parsed.value;
  const receipts = dataset.flagged(address).filter(({ record_id }) => decisions.has(record_id));
  const known = new Set(receipts.map(({ record_id }) => record_id));
  const isOther = (id: string, { mode }: AssetDecision) => !isForMany(id) && (!known.has(id) || mode === 'return');
  const others = new Set([...decisions].flatMap(([id, decision]) => (isOther(id, decision) ? [id] : [])));
  const rows = others.size === 0 ? [] : rowsWhere([address], dataset, ({ id }) => others.has(id));
  const issues = receipts.flatMap((receipt) => receiptIssues(receipt, decisions.get(receipt.record_id)!, dataset));
  for (const row of rows) issues.push(...rowIssues(row, decisions.get(row.id)!, noDecisions.tags, dataset));
  if (issues.length > 0) throw savedDecisions.refusal(issues);
  for (const { id } of rows) known.add(id);
  return Object.fromEntries(Object.entries(given).filter(([id]) => known.has(id) || isForMany(id)));
}

const NO_RATES = new ExchangeRates();

const isForMany = (id: string) => id.startsWith('*');

const lotIssues = (lots: readonly OpeningLot[], addresses: readonly string[], dataset: Dataset) =>
  openingLotIssues(lots, {
    addresses,
    indexStart: dataset.indexStart,
    rules: dataset.reference.rules,
    openingOf: (address) => dataset.opening(address),
  });

/** Throws a Problem if the lots do not match the wallet's holdings at the start of the index. */
export function requireOpeningLots(
  given: GivenLots,
  address: string,
  rules: Rules,
  dataset: Dataset | undefined,
): void {
  const read = dataset ? fittingLots(given, address, dataset) : parseOpeningLots(given, rules, NO_RATES);
  if ('errors' in read) throw savedOpeningLots.refusal(read.errors);
}

/**
 * Returns an account's saved lots. If one lot of a wallet no longer fits, omits all lots of this wallet, because the
 * remaining lots would give a wrong cost.
 * @returns undefined if nothing is saved
 */
async function findSavedLots(
  store: Queries,
  account: string,
  { addresses, currency: books }: ValidParameters,
  dataset: Dataset,
): Promise<readonly OpeningLot[] | undefined> {
  const entries = await savedOpeningLots.find(store, account, addresses);
  if (entries.length === 0) return undefined;
  const lots: OpeningLot[] = [];
  for (const { address, content } of entries) {
    const fitting = fittingLots(content, address, dataset, books);
    if ('value' in fitting) for (const lot of fitting.value) lots.push({ ...lot, address });
  }
  return lots;
}

function fittingLots(
  given: GivenLots,
  address: string,
  dataset: Dataset,
  books: Currency = usd,
): Parsed<readonly OpeningLot[]> {
  const parsed = parseOpeningLots(given, dataset.reference.rules, dataset.exchangeRates(), books);
  if ('errors' in parsed) return parsed;
  const errors = lotIssues(parsed.value, [address], dataset);
  return errors.length > 0 ? { errors } : parsed;
}

export interface DecisionRule {
  period(parameters: ValidParameters): TimeRange;
  readonly saved: boolean;
  /** `refused`: receipts without a decision cause an error. `listed`: the response lists them. */
  readonly undecided: 'refused' | 'listed';
}

interface Sources {
  readonly dataset: Dataset;
  readonly store: Queries;
  /** The caller's account. Undefined without a session or a key with the scope tax:read. */
  readonly account: string | undefined;
}

interface ResolvedDecisions {
  readonly decisions: Decisions;
  readonly tagged: ResolvedTags['tagged'];
  readonly pending: number;
  readonly issues: readonly ParameterFault[];
}

/**
 * Returns the parameters together with all decisions that apply.
 * @throws Problem with a pointer to each invalid decision. If all are valid, Problem asset_decisions_required with the
 * number of missing decisions.
 */
export async function withResolvedDecisions(
  parameters: ValidParameters,
  rule: DecisionRule,
  { dataset, store, account }: Sources,
): Promise<ValidParameters> {
  const { addresses, source, usesSavedLots } = parameters;
  if (account === undefined && hasNoDecisions(parameters, dataset)) return parameters;
  const saved =
    account === undefined ? NONE_SAVED : await findSavedDecisions(store, account, addresses, dataset.exchangeRates());
  const { decisions, tagged, pending, issues } = resolveDecisions(parameters, rule, saved, dataset);
  if (issues.length > 0) throw refusal(source, issues);
  if (pending > 0 && rule.undecided === 'refused') throw undecided(pending);
  const lots =
    usesSavedLots && account !== undefined ? await findSavedLots(store, account, parameters, dataset) : undefined;
  // Responses that depend on saved entries must not be cached for other callers.
  const personal = parameters.personal || saved.size > 0 || lots !== undefined;
  return { ...parameters, decisions, tagged, ...(lots && { openingLots: lots, savedLots: lots.length }), personal };
}

const hasNoDecisions = ({ addresses, givenTags, decisions, openingLots }: ValidParameters, dataset: Dataset): boolean =>
  givenTags.size === 0 &&
  decisions.assets.size === 0 &&
  openingLots.length === 0 &&
  addresses.every((address) => dataset.flagged(address).length === 0);

/** Returns flagged receipts by wallet, in chain order. */
const flaggedReceipts = (addresses: readonly string[], dataset: Dataset): FlaggedReceipt[] =>
  addresses.flatMap((address) => dataset.flagged(address));

/**
 * Finds the decision for each flagged receipt. A decision about a single receipt overrides bulk decisions. Among each
 * kind, decisions in the request override saved ones. Ignores saved decisions that no longer fit the dataset.
 */
function resolveDecisions(
  parameters: ValidParameters,
  rule: DecisionRule,
  saved: ReadonlyMap<string, AssetDecisions>,
  dataset: Dataset,
): ResolvedDecisions {
  const { addresses, decisions: sent, givenTags, openingLots, currency: books } = parameters;
  const receipts = flaggedReceipts(addresses, dataset);
  const { tags, tagged, issues: misfits } = tagRows(addresses, givenTags, dataset);
  const issues = misfits.map(below('tags'));
  const period = rule.period(parameters);
  const returned = returnsOfSenders(parameters, saved, dataset);
  const assets = new Map<string, AssetDecision>([...returned].map((id) => [id, { mode: 'return' }]));
  let pending = 0;
  for (const receipt of receipts) {
    const given = sent.assets.get(receipt.record_id);
    const savedDecisions = (rule.saved && saved.get(receipt.address)) || noDecisions.assets;
    const many = decisionForMany(sent.assets, receipt) ?? decisionForMany(savedDecisions, receipt);
    const applicable = many?.mode === 'return' && !returned.has(receipt.record_id) ? undefined : many;
    const decision = given ?? fitting(receipt, savedDecisions, dataset, books) ?? applicable;
    if (decision) assets.set(receipt.record_id, completed(decision, receipt, dataset, books));
    else if (isInRange(receipt.time, period)) pending++;
    if (given) issues.push(...receiptIssues(receipt, given, dataset, books).map(below('asset_decisions')));
  }
  const flagged = new Set(receipts.map(({ record_id }) => record_id));
  const valued = valuedByTags(givenTags, sent.assets, flagged);
  issues.push(...valued.issues.map(below('tags')));
  const sources: readonly { wallets: readonly string[]; given: AssetDecisions; name?: ParameterName }[] = [
    ...[...saved].map(([address, given]) => ({ wallets: [address], given })),
    { wallets: addresses, given: sent.assets, name: 'asset_decisions' },
    { wallets: addresses, given: valued.assets, name: 'tags' },
  ];
  for (const { wallets, given, name } of sources) {
    const overrides = overridesOfRows(wallets, { assets: given, tags }, flagged, dataset, books);
    for (const [id, override] of overrides.assets) {
      if (name === 'tags' && assets.get(id)?.mode === 'return')
        issues.push({ name, path: pointer(id, 'value_usd'), message: 'the row has a decision with mode return' });
      else assets.set(id, override);
    }
    if (name) issues.push(...overrides.issues.map(below(name)));
  }
  if (openingLots.length > 0) issues.push(...lotIssues(openingLots, addresses, dataset).map(below('opening_lots')));
  return { decisions: { tags, assets }, tagged, pending, issues };
}

/**
 * Converts values stated in tags to overrides. Skips rows with an asset decision, because it already contains their
 * value.
 */
function valuedByTags(tags: GivenTags, given: AssetDecisions, flagged: ReadonlySet<string>): RowOverrides {
  const assets = new Map<string, AssetDecision>();
  const issues: Issue[] = [];
  const refuse = (id: string, message: string) => issues.push({ path: pointer(id, 'value_usd'), message });
  for (const [id, value] of valuesOfTags(tags)) {
    if (given.has(id)) refuse(id, 'state the value in asset_decisions, which has an entry for this row');
    else if (flagged.has(id)) refuse(id, 'state the value of a flagged receipt in asset_decisions');
    else assets.set(id, { mode: 'override', value });
  }
  return { assets, issues };
}

const NONE_SAVED: ReadonlyMap<string, AssetDecisions> = new Map();

function fitting(
  receipt: FlaggedReceipt,
  savedDecisions: AssetDecisions,
  dataset: Dataset,
  books: Currency,
): AssetDecision | undefined {
  const decision = savedDecisions.get(receipt.record_id);
  return decision && receiptIssues(receipt, decision, dataset, books).length === 0 ? decision : undefined;
}

const below =
  (name: ParameterName) =>
  (issue: Issue): ParameterFault => ({ name, ...issue });

function undecided(pending: number): Problem {
  const count = pending === 1 ? '1 flagged receipt needs' : `${pending} flagged receipts need`;
  return new Problem(
    'asset_decisions_required',
    `${count} a decision: give asset_decisions for the record_ids that /api/tax/v1/asset-review lists`,
    { pending },
  );
}

/** Applies tags to rows. Includes rows outside the requested period, because tags change lots. */
function tagRows(addresses: readonly string[], tags: GivenTags, dataset: Dataset): ResolvedTags {
  const named = tags.size === 0 ? [] : rowsWhere(addresses, dataset, (row) => isTagNamed(tags, row));
  return resolveTags(named, tags, dataset.reference.rules);
}
