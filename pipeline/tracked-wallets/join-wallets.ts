/**
 * Makes the tables of a dataset of single wallets from the wallets' rows and from the nodes' states. Proves for each
 * wallet that no row is missing.
 */
import type {
  ManifestEdge,
  NativeHolding,
  OpeningBalance,
  OwnWallets,
  SlashLoss,
  ValidatorDay,
  ValidatorName,
} from '../../schemas/types.generated.js';
import { type Database, readSql } from '../base/duckdb/database.js';
import { formatDecimal } from '../base/values/amount.js';
import { chainFacts } from '../classify/chain-facts.js';
import { parseTime } from '../holdings/values/time.js';
import type { Artifacts } from '../night/artifacts.js';
import { attachRanges } from '../night/jobs/classified-rows.js';
import type { StepContext } from '../night/night.js';
import { carryFacts } from '../night/steps/carry-facts.js';
import { edgesInIndex } from '../night/steps/edges.js';
import { attachEarlier, attachFolded, classifiedFacts, sumUp } from '../night/steps/join-holdings.js';
import { makeModuleAccounts } from '../publish/derived-tables.js';
import { TRACKED_HOLDINGS_TABLES } from '../publish/run-audits.js';
import type { Reference } from '../reference.js';
import { foundFolder, searchAgain } from './find-heights.js';
import type { FoundChain, FoundWallet, WalletArtifacts } from './found-chain.js';
import type { NodeValidator, WalletState } from './node-facts.js';
import { type CoinNames, type FollowedWallet, type Movement, proveWallet } from './prove-wallet.js';
import { readSlashes } from './slashes.js';
import type { Slash, StakeAct } from './stake-acts.js';
import { beforeSlash, followStakes, type KnownStakes } from './stakes.js';
import { addStates } from './state-tables.js';

type Inputs = 'found' | 'span' | 'classified';
type Outputs = 'facts' | 'holdings' | 'closed_holdings' | 'accumulated' | 'tracked_wallets' | 'edges';

export async function joinWallets(
  { found, span, classified }: Pick<WalletArtifacts, Inputs>,
  context: StepContext,
): Promise<Pick<Artifacts, Outputs>> {
  const { config, database, pieces, reference, progress } = context;
  const { chain, contracts } = reference;
  const [native, facts] = [chain.native_denom, chainFacts(chain, contracts)];
  const { first, last } = span;
  const opening = first - 1;
  await attachEarlier(database, classified.earlier);
  await attachFolded(database, []);
  await carryFacts(database, pieces, span.months, classifiedFacts(database, classified, reference));
  await database.execute('create or replace table tracked_wallets as select unnest($addresses) as address', {
    addresses: found.wallets.map(({ address }) => address),
  });
  await database.run('tables/index_span', { first, last, until: last, stop_day: null, opening });
  const accumulated = await sumUp(database, span, config);
  await attachRanges(database, classified.indexed, {});
  await database.run('tables/coin_movements');
  await database.run('tables/supply_changes');
  const slashes = await readSlashes(database, found, chain.bech32_prefix);
  const followed = await followWallets(database, found, slashes, { native, first });
  await fill<SlashLoss>(
    database,
    'slash_losses',
    followed.flatMap(({ wallet, stakes }) => lossesOf(wallet, stakes.losses)),
    'folded_slash_losses',
  );
  const names = coinNames(reference);
  const proved = followed.map((wallet) => ({ ...proveWallet(wallet, names), followed: wallet }));
  await database.create('opening_balances');
  await database.append<OpeningBalance>(
    'opening_balances',
    proved.flatMap(({ proof, opening: coins }) =>
      [...coins.liquid].map(([denom, amount]) => ({ address: proof.address, denom, amount })),
    ),
  );
  await makeModuleAccounts(database, facts, { further: 'tables/withdrawing_records', moved: 'denoms' });
  await database.run('tables/native_changes');
  await database.create('native_holdings');
  await database.append<NativeHolding>(
    'native_holdings',
    found.wallets.flatMap((wallet, i) => holdingsOf(wallet, proved[i]!.opening, native)),
  );
  await addStates(database, proved, found, { last, names, progress });
  await database.run('tables/earlier_slashes', { first, opening, native });
  await database.run('tables/proposal_deposits');
  await database.run('tables/not_refunds', { opening });
  await database.run('tables/not_commissions');
  await database.run('tables/state_events', { first, opening, native, gov: facts.module('gov') });
  await addValidators(database, found, last);
  await addShareRates(database, found.validators, slashes);
  await database.run('tables/tracked_daily_holdings', { native });
  const trackedWallets: OwnWallets = proved.map(({ proof }) => proof);
  for (const { address, state, missing, unconfirmed, sequences } of trackedWallets) {
    const reasons = state === 'complete' ? unconfirmed : missing;
    const text = reasons.length > 0 ? `: ${reasons.join('; ')}` : '';
    progress.say(`${address}: ${state}${text}`, { address, state, missing, unconfirmed });
    if (missing.length > 0 && sequences) searchAgain(foundFolder(found.folder), address);
  }
  const edges = (await edgesInIndex(database, span, context)).filter((edge) => isLocated(edge, found));
  return {
    facts: 'facts',
    holdings: TRACKED_HOLDINGS_TABLES,
    closed_holdings: [],
    accumulated,
    tracked_wallets: trackedWallets,
    edges,
  };
}

/** Returns true if the dataset has the blocks before and after an edge. Else other blocks are between them. */
const isLocated = ({ at, height }: ManifestEdge, { edgeStates, blocks }: FoundChain): boolean =>
  edgeStates.before(parseTime(at))?.height === height && blocks.some((block) => block.height === height + 1);

async function followWallets(
  database: Database,
  { wallets, validators, openingValidators = [] }: FoundChain,
  slashes: readonly Slash[],
  { native, first }: { readonly native: string; readonly first: number },
): Promise<FollowedWallet[]> {
  const acts = await stakeActs(database, native);
  const movements = await movementsOf(database);
  return wallets.map((wallet) => {
    const actsOfWallet = withSlashes(acts.get(wallet.address) ?? [], slashes);
    const even = { before: wallet.opening && evenAmong(openingValidators), after: evenAmong(validators) };
    const stakes = followStakes(actsOfWallet, stakesOf(wallet.opening), stakesOf(wallet.closing), first, even);
    return { wallet, stakes, movements: movements.get(wallet.address) ?? [], first };
  });
}

const ONE = 10n ** 18n;

/** Returns the operators of validators that have as many tokens as shares. */
const evenAmong = (validators: readonly NodeValidator[]): ReadonlySet<string> =>
  new Set(validators.filter(({ tokens, shares }) => tokens * ONE === shares).map(({ operator }) => operator));

const coinNames = ({ chain, rules }: Reference): CoinNames => ({
  native: chain.native_denom,
  shown(denom, amount) {
    const { symbol, decimals } = rules.denomination(denom);
    return `${formatDecimal(amount, decimals)} ${symbol}`;
  },
});

async function stakeActs(database: Database, native: string): Promise<Map<string, StakeAct[]>> {
  const rows = await database.all<{
    address: string;
    height: number;
    category: string;
    validator: string;
    source: string | null;
    begun: number | null;
    amount: string;
    unbonded: string | null;
  }>(readSql('tables/tracked_acts'), { native });
  const acts = new Map<string, StakeAct[]>();
  for (const { address, height, category, validator, source, begun, amount: text, unbonded } of rows) {
    const actsOfWallet = acts.get(address) ?? [];
    acts.set(address, actsOfWallet);
    const amount = BigInt(text);
    const act = (
      kind: 'delegated' | 'unbonding',
      change: bigint,
      more: { readonly source?: string; readonly begun?: number } = {},
    ) => actsOfWallet.push({ kind, height, validator, amount: change, ...more });
    if (category === 'delegate' || category === 'redeem_shares') act('delegated', amount);
    else if (category === 'tokenize_shares') act('delegated', -amount);
    else if (category === 'redelegate') act('delegated', amount, source === null ? {} : { source });
    else if (category === 'unbonding_complete') act('unbonding', -amount);
    else if (category === 'cancel_unbonding') {
      act('delegated', amount);
      act('unbonding', -amount, begun === null ? {} : { begun });
    } else {
      act('delegated', -amount);
      act('unbonding', unbonded === null ? amount : BigInt(unbonded));
    }
  }
  return acts;
}

/**
 * Inserts each slash before the other stake changes of its block, because slashes happen at the beginning of a block.
 */
function withSlashes(acts: readonly StakeAct[], slashes: readonly Slash[]): StakeAct[] {
  const all: StakeAct[] = [
    ...slashes.map((slash): StakeAct => ({ kind: 'slash', height: slash.height, slash })),
    ...acts,
  ];
  const rank = ({ kind }: StakeAct) => (kind === 'slash' ? 0 : 1);
  return all
    .map((act, i) => ({ act, i }))
    .sort((a, b) => a.act.height - b.act.height || rank(a.act) - rank(b.act) || a.i - b.i)
    .map(({ act }) => act);
}

const stakesOf = (state: WalletState | undefined): KnownStakes | undefined => {
  if (!state) return undefined;
  const unbonding = new Map<string, bigint>();
  for (const { validator, balance } of state.entries) {
    unbonding.set(validator, (unbonding.get(validator) ?? 0n) + balance);
  }
  return { delegated: state.delegations, unbonding, entries: state.entries };
};

const lossesOf = ({ address }: FoundWallet, losses: FollowedWallet['stakes']['losses']): SlashLoss[] =>
  losses.map(({ slash, delegated, unbonding, redelegated }) => ({
    height: slash.height,
    time: slash.time,
    place: -1,
    tx_hash: `block:${slash.height}`,
    event: slash.event,
    delegator: address,
    validator: slash.validator,
    reason: slash.reason,
    delegated,
    unbonding,
    redelegated,
  }));

async function movementsOf(database: Database): Promise<Map<string, Movement[]>> {
  const rows = await database.all<{ address: string; denom: string; height: number; amount: string }>(
    readSql('tables/tracked_movements'),
  );
  const movements = new Map<string, Movement[]>();
  for (const { address, amount, ...row } of rows) {
    const movementsOfWallet = movements.get(address) ?? [];
    movements.set(address, movementsOfWallet);
    movementsOfWallet.push({ ...row, amount: BigInt(amount) });
  }
  return movements;
}

const total = (amounts: Iterable<bigint>) => [...amounts].reduce((sum, amount) => sum + amount, 0n);

function holdingsOf(
  { address, closing }: FoundWallet,
  opening: ReturnType<typeof proveWallet>['opening'],
  native: string,
): NativeHolding[] {
  const at = (moment: string, liquid: bigint, stakes: KnownStakes): NativeHolding[] => {
    const [staked, unbonding] = [total(stakes.delegated.values()), total(stakes.unbonding.values())];
    return liquid + staked + unbonding === 0n ? [] : [{ address, moment, liquid, staked, unbonding }];
  };
  return [
    ...at('opening', opening.liquid.get(native) ?? 0n, opening),
    ...(closing ? at('closing', closing.balances.get(native) ?? 0n, stakesOf(closing)!) : []),
  ];
}

/** Fills a table that is empty after its creation. In a dataset of the whole chain, the fold fills this table. */
async function fill<Row>(database: Database, table: string, rows: readonly Row[], as: string): Promise<void> {
  await database.dropView(as);
  await database.create(table, as);
  await database.append<Row>(table, rows, as);
}

/**
 * Adds the validators that nodes list now or listed before the index: their names, and whether they have delegations.
 */
async function addValidators(
  database: Database,
  { validators, openingValidators = [] }: FoundChain,
  last: number,
): Promise<void> {
  await fill<ValidatorName>(
    database,
    'validator_names',
    [...openingValidators, ...validators].map(({ operator, moniker }, position) => ({
      height: 0,
      position,
      validator: operator,
      moniker,
    })),
    'starting_validator_names',
  );
  await fill<ValidatorDay>(
    database,
    'validator_days',
    validators.map(({ operator, tokens, shares }) => ({
      validator: operator,
      day: '1970-01-01',
      close_height: last,
      tokens,
      shares,
      ratio: '',
      commission: '',
      commission_rate: null,
    })),
    'folded_validator_days',
  );
}

/**
 * Fills validator_days with the rate of each validator's shares at the last block of each day. The rate is the price of
 * tokenized shares. Only slashes change the rate, so earlier rates are computed back from the latest rates.
 */
async function addShareRates(
  database: Database,
  validators: readonly NodeValidator[],
  slashes: readonly Slash[],
): Promise<void> {
  const closes = await database.all<{ day: string; close_height: number }>(readSql('tables/tracked_closes'));
  const days: ValidatorDay[] = [];
  for (const { operator, tokens, shares } of validators) {
    const laterSlashes = slashes.filter(({ validator }) => validator === operator).reverse();
    let left = tokens;
    for (const close of closes.toReversed()) {
      while (laterSlashes[0] && laterSlashes[0].height > close.close_height)
        left = beforeSlash(left, laterSlashes.shift()!);
      const unknown = { ratio: '', commission: '', commission_rate: null };
      days.push({ validator: operator, ...close, tokens: left, shares, ...unknown });
    }
  }
  await database.create('validator_days');
  await database.append<ValidatorDay>('validator_days', days);
}
