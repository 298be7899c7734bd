/** A published dataset for tests: a few wallets of the recorded sample, with the rows that a night made of them. */

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { sealFolder } from '../../pipeline/base/disk/sealed-folder.js';
import { projectRoot } from '../../pipeline/base/project.js';
import type { RowContext } from '../../pipeline/books/reports/event-row.js';
import { SCHEMA_VERSION } from '../../pipeline/books/reports/versions.js';
import { operatorAccount } from '../../pipeline/holdings/modules/validator.js';
import { generationId } from '../../pipeline/publish/generation.js';
import {
  eventsFormat,
  INDEX_OPTIONS,
  restatementsFormat,
  SEGMENT_ROWS,
  type WalletRestatement,
  walletKey,
} from '../../pipeline/publish/wallet-index/events-format.js';
import { nameLayers } from '../../pipeline/publish/wallet-index/open-index.js';
import { accruedFormat, payoutsFormat } from '../../pipeline/publish/wallet-index/payouts-format.js';
import { loadReference } from '../../pipeline/reference.js';
import type {
  FlaggedReceipt,
  Manifest,
  PricedEvent,
  ValidatorDay,
  ValidatorPayout,
} from '../../schemas/types.generated.js';
import { serializeEvents, serializeFlagged } from './serialize-events.js';

const NO_LEGS = {
  legs: 0,
  priced_legs: 0,
  never_priced_legs: 0,
  value_usd: '0.00',
  estimated_usd: '0.00',
  share: null,
};

const readFixture = (name: string) => JSON.parse(readFileSync(join(projectRoot(), 'test/server', name), 'utf8'));

const recorded: { prices: Record<string, [string, string][]>; wallets: Record<string, unknown[]> } =
  readFixture('wallets.json');

/** Holdings of these wallets by the fold of the recorded chain, serialised as in the wallet index. */
export interface SerializedHoldings {
  readonly days: readonly (readonly [day: string, closeHeight: number])[];
  readonly wallets: Readonly<Record<string, readonly unknown[]>>;
  readonly validators: Readonly<Record<string, unknown>>;
}

const [light, busy, short] = Object.keys(recorded.wallets) as [string, string, string];

/** Addresses of the dataset. */
export const WALLETS = {
  /** A wallet of 21 rows: receipts, payments, one delegation from beginning to end. */
  light,
  /** A wallet of 29 rows with two redelegations. */
  busy,
  /** A wallet of 7 rows. */
  short,
  /** A wallet with the rows of `busy` a hundred times over, later and later, which are several segments. */
  big: 'cosmos1qqqsyqcyq5rqwzqfpg9scrgwpugpzysnrk363e',
  /** A wallet with the rows of `short`; the receipt that they begin with is flagged. */
  flagged: 'cosmos1zg69vy352cfrg4sjx3tpydzkzg69vy35d685nn',
  /** An address that is well formed and has no rows. */
  silent: 'cosmos1jhhykys9xmfd03sad53zdq9jvmyzm2gn42qy4q',
};

const BIG_COPIES = 100;

export function recordedEvents(address: string): PricedEvent[] {
  if (address === WALLETS.flagged) {
    return recordedEvents(WALLETS.short).map((event) => ({ ...event, address, id: `f${event.id}` }));
  }
  if (address !== WALLETS.big) return eventsFormat.parse(address, JSON.stringify(recorded.wallets[address] ?? []));
  return recordedEvents(WALLETS.busy).flatMap((event) =>
    Array.from({ length: BIG_COPIES }, (_, n) => {
      const position = event.position * BIG_COPIES + n;
      return { ...event, address, position, id: `${n}-${event.id}` };
    }),
  );
}

/** The flagged receipt that a row makes. */
export function flaggedReceipt(event: PricedEvent, more: Partial<FlaggedReceipt> = {}): FlaggedReceipt {
  const { id: record_id, address, height, position, time, tx_hash, memo } = event;
  return {
    ...{ record_id, address, height, position, time, tx_hash, memo },
    denom: event.received_denom!,
    quantity: event.received_amount!,
    sender: event.counterparty,
    reason: 'suspected_spam',
    evidence: '["The receiver did not sign the transaction."]',
    claimed_symbol: '',
    ...more,
  };
}

/** The content of a dataset. */
export interface Content {
  /** Rows by address. */
  readonly wallets: Readonly<Record<string, readonly PricedEvent[]>>;
  readonly flagged: readonly FlaggedReceipt[];
  /** Days and micro-USD by denom. */
  readonly prices: Readonly<Record<string, readonly (readonly [day: string, price: string])[]>>;
  /** Units × 10^6 of currencies for one euro. */
  readonly rates?: readonly (readonly [day: string, currency: string, perEur: string])[];
  readonly quotes?: Readonly<Record<string, readonly (readonly [day: string, quotes: string])[]>>;
  /** Holdings; absent when the night had no starting state. */
  readonly holdings?: SerializedHoldings;
  /** Base units of denoms that wallets held before the index, by address. */
  readonly opening?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Validators: operator address, moniker, whether it is on chain. */
  readonly validators?: readonly (readonly [operator: string, moniker: string, onChain: boolean])[];
  /** Payouts of one validator, in the order of their table. */
  readonly payouts?: readonly ValidatorPayout[];
  /** Changed figures of closed months, by address. */
  readonly restatements?: Readonly<Record<string, readonly WalletRestatement[]>>;
  /** Commission that was not withdrawn at the end of months, by operator. */
  readonly accrued?: Readonly<Record<string, readonly Pick<ValidatorDay, 'day' | 'commission'>[]>>;
}

/** Operators of the recorded chain, and one that has gone. */
export const OPERATORS = {
  alpha: 'cosmosvaloper1l64h4yr73pf8pdgj4rh9v7rdcerugkmalj7v4v',
  bravo: 'cosmosvaloper17ezrv8mztyd5z2dpg3dt22juunweqxqx45fy7f',
  gone: 'cosmosvaloper1fgs5ttmyvv3wl6wc3r5jers8clj945mwmq3lg9',
  /** An operator whose country is in data/reference/validator-jurisdictions.json. */
  disclosed: 'cosmosvaloper17mggn4znyeyg25wd7498qxl7r2jhgue8u4qjcq',
};

/** Validators by the monikers that their operators wrote. */
export const VALIDATORS = [
  [OPERATORS.disclosed, '01node | now', true],
  [OPERATORS.bravo, '@Bravo; GmbH', true],
  [OPERATORS.gone, "'Charlie'", false],
  [OPERATORS.alpha, 'Alpha Node', true],
] as const;

/** The account that operates `alpha`. */
const ALPHA_ACCOUNT = operatorAccount(OPERATORS.alpha);

/** Denoms of commission beside the native coin: a registered one, and one that no registry knows. */
export const OTHER_DENOMS = {
  usdc: 'ibc/F663521BF1836B00F5F177680F74BFB9A8B5654A694D0D2BC249E03CF2509013',
  unknown: `ibc/${'0'.repeat(64)}`,
};

/**
 * Payouts of `alpha`: to one delegator in two months, to a second on a day without a price, in April to its operator's own delegation
 * and commission of other denoms.
 */
function payoutsOfAlpha(): ValidatorPayout[] {
  const payout = (day: string, address: string, amount: bigint, usd: bigint | null, payouts = 1): ValidatorPayout => ({
    ...{ validator: OPERATORS.alpha, day, category: 'staking_reward', denom: 'uatom', last_height: 1 },
    ...{ address, amount, usd, payouts },
  });
  const commission = (day: string, denom: string, amount: bigint, usd: bigint | null): ValidatorPayout => ({
    ...payout(day, ALPHA_ACCOUNT, amount, usd),
    category: 'validator_commission',
    denom,
  });
  return [
    payout('2026-01-02', WALLETS.light, 1_500_000n, 314n, 2),
    { ...payout('2026-01-02', WALLETS.short, 2_000_000n, 418n), category: 'validator_commission' },
    payout('2026-03-01', WALLETS.busy, 700_001n, null),
    payout('2026-03-15', WALLETS.light, 1n, 0n),
    payout('2026-04-02', WALLETS.light, 500_000n, 110n),
    payout('2026-04-02', ALPHA_ACCOUNT, 3_000_000n, 660n, 2),
    commission('2026-04-02', OTHER_DENOMS.usdc, 12_500_000n, 1250n),
    commission('2026-04-02', OTHER_DENOMS.unknown, 7n, null),
    commission('2026-04-03', OTHER_DENOMS.usdc, 500_000n, null),
  ];
}

export function recordedContent(): Content {
  const { light, busy, short, big, flagged } = WALLETS;
  const wallets = Object.fromEntries([light, busy, short, big, flagged].map((one) => [one, recordedEvents(one)]));
  return {
    wallets,
    flagged: [flaggedReceipt(wallets[flagged]![0]!)],
    prices: recorded.prices,
    holdings: readFixture('holdings.json'),
    validators: VALIDATORS,
    payouts: payoutsOfAlpha(),
    accrued: {
      [OPERATORS.alpha]: [
        { day: '2026-01-31', commission: `5${OTHER_DENOMS.usdc},1234567uatom` },
        { day: '2026-03-31', commission: '' },
      ],
    },
  };
}

/** The row context of a dataset's answers. */
export function contextOf(validators: NonNullable<Content['validators']>): RowContext {
  const monikers = new Map(validators.map(([operator, moniker]) => [operator, moniker]));
  return { rules: loadReference().rules, monikerOf: (operator) => monikers.get(operator) ?? '' };
}

/** Height of the generation that publish() makes when it is told none. */
export const HEIGHT = 1000;

/**
 * Writes a generation and its wallet index below a data directory and puts it in force.
 * @param more members of the manifest that differ from what a night of this program would write
 * @returns the generation's id
 */
export async function publish(
  dataDir: string,
  height = HEIGHT,
  content = recordedContent(),
  more: Partial<Manifest> = {},
): Promise<string> {
  const written = { ...manifest('', height), ...(content.holdings ? {} : NO_HOLDINGS), ...more };
  const generation = generationId(written);
  const folder = join(dataDir, 'generations', generation);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...written, generation }));
  const index = join(dataDir, 'stores', generation);
  await writeIndex(`${index}-unsealed`, content);
  rmSync(join(`${index}-unsealed`, 'lock.mdb'), { force: true });
  rmSync(index, { recursive: true, force: true });
  await sealFolder(`${index}-unsealed`, index);
  writeFileSync(join(dataDir, 'CURRENT'), `${generation}\n`);
  return generation;
}

/** Members of the manifest of a dataset without a starting state. */
const NO_HOLDINGS = { holdings_from: null, holdings_until: null };

/** The id of the generation of recorded content that ends with a block. */
export const generationOf = (height: number) => generationId(manifest('', height));

export function manifest(generation: string, height: number): Manifest {
  const { methodology, classification } = loadReference();
  return {
    schema_version: SCHEMA_VERSION,
    generation,
    chain_id: 'cosmoshub',
    node_chain_id: 'localhub-2',
    height,
    time: '2026-04-14T12:00:00Z',
    index_start: '2025-12-31',
    index_end: '2026-04-14',
    coverage: { first_height: 1, last_height: height, starting_height: null, missing: [] },
    holdings_from: 1,
    holdings_until: height,
    holdings_stop: null,
    starting_differences: [],
    corrections: null,
    methodology_version: methodology.version,
    classifier_version: classification.version,
    unclassified: {},
    unreviewed_moves: {},
    unknown_message_types: {},
    undecoded_messages: {},
    message_types: ['/cosmos.bank.v1beta1.MsgSend', '/cosmos.gov.v1.MsgVote'],
    wallets: 0,
    price_coverage: { total: NO_LEGS, months: [], denoms: [] },
    contracts_seen: [],
    oversized: [],
    restatements: [],
    tables: [],
  };
}

async function writeIndex(
  folder: string,
  { wallets, flagged, prices, holdings, opening = {}, validators = [], payouts = [], accrued = {}, ...more }: Content,
): Promise<void> {
  const index = open<Buffer>({ path: folder, ...INDEX_OPTIONS, noSync: true });
  const base = `base-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;
  const closed = open<Buffer>({ path: `${folder}-base`, ...INDEX_OPTIONS, noSync: true });
  for (const [address, events] of Object.entries(wallets)) {
    putEvents(
      closed,
      address,
      events.filter(({ time }) => time < OPEN_MONTH),
    );
    putEvents(
      index,
      address,
      events.filter(({ time }) => time >= OPEN_MONTH),
    );
    const receipts = flagged.filter((receipt) => receipt.address === address);
    if (receipts.length > 0) index.put(walletKey.flagged(address), Buffer.from(serializeFlagged(receipts)));
  }
  const putAll = (key: (name: string) => string[], members: Readonly<Record<string, unknown>>) => {
    for (const [name, value] of Object.entries(members)) index.put(key(name), Buffer.from(JSON.stringify(value)));
  };
  putAll(walletKey.prices, prices);
  putAll(walletKey.quotes, more.quotes ?? {});
  index.put(walletKey.exchangeRates(), Buffer.from(JSON.stringify(more.rates ?? [])));
  putAll(walletKey.opening, opening);
  for (const [address, rows] of Object.entries(more.restatements ?? {})) {
    index.put(walletKey.restatements(address), Buffer.from(restatementsFormat.serialize(rows)));
  }
  index.put(walletKey.validators(), Buffer.from(JSON.stringify(validators)));
  for (const [operator, months] of Object.entries(accrued)) {
    index.put(walletKey.accrued(operator), Buffer.from(accruedFormat.serialize(months)));
  }
  const paying = { native: 'uatom', account: ALPHA_ACCOUNT, numbers: new Map<string, number>() };
  for (const month of new Set(payouts.map(({ day }) => day.slice(0, 7)))) {
    const rows = payouts.filter(({ day }) => day.startsWith(month));
    index.put(walletKey.payouts(rows[0]!.validator, month), Buffer.from(payoutsFormat.serialize(rows, paying)));
  }
  if (holdings) {
    index.put(walletKey.days(), Buffer.from(JSON.stringify(holdings.days)));
    const wallets = Object.entries(holdings.wallets);
    for (const [i, key] of [walletKey.liquid, walletKey.intervals, walletKey.unbonding].entries()) {
      putAll(key, Object.fromEntries(wallets.map(([address, members]) => [address, members[i]])));
    }
    putAll(walletKey.validator, holdings.validators);
    for (const [key, value] of instantsOf(holdings)) index.put(key, Buffer.from(value));
  }
  for (const layer of [closed, index]) {
    await layer.flushed;
    await layer.close();
  }
  rmSync(join(`${folder}-base`, 'lock.mdb'), { force: true });
  rmSync(join(dirname(folder), base), { recursive: true, force: true });
  await sealFolder(`${folder}-base`, join(dirname(folder), base));
  nameLayers(folder, [base]);
}

type Liquid = readonly (readonly [day: string, amount: string])[];
type Intervals = readonly [
  validator: string,
  from: number,
  to: unknown,
  shares: string,
  stake: string,
  ...rest: [number, string],
][];
type History = readonly [days: [string, number, string, string, string][], slashes: unknown];

/** What holdings after any block need, from the holdings of days: blocks at equal distances, and changes at the ends of days. */
function* instantsOf({
  days,
  wallets,
  validators,
}: SerializedHoldings): Generator<[key: (string | number)[], value: string]> {
  const closes = new Map(days);
  let first = 1;
  for (const [day, close] of days) {
    const count = close - first + 1;
    const nanos = Array.from({ length: count }, (_, i) => Math.floor((i * 86_400_000) / count) * 1_000_000);
    yield [walletKey.blockTimes(day), JSON.stringify([first, nanos])];
    first = close + 1;
  }
  for (const [address, [liquid, intervals]] of Object.entries(wallets) as [string, [Liquid, Intervals]][]) {
    const moves = liquid.map(([day, amount], i) => [
      closes.get(day),
      'uatom',
      String(BigInt(amount) - BigInt(liquid[i - 1]?.[1] ?? 0)),
    ]);
    yield [walletKey.moves(address, 0), JSON.stringify([[], moves])];
    for (const [validator, from, , , , period, ratio] of intervals)
      yield [walletKey.start(validator, from, period), ratio || '0.000000000000000000uatom'];
  }
  for (const [validator, [closed, slashes]] of Object.entries(validators) as [string, History][]) {
    yield [walletKey.slashes(validator), JSON.stringify(slashes)];
    for (const [, height, ...valuation] of closed)
      yield [walletKey.valuation(validator, height), JSON.stringify(valuation)];
  }
}

/** Rows before this month are in the base layer of the index. */
const OPEN_MONTH = '2026-03-01';

function putEvents(layer: RootDatabase<Buffer>, address: string, events: readonly PricedEvent[]): void {
  if (events.length === 0) return;
  let segments = 0;
  for (let i = 0; i < events.length; i += SEGMENT_ROWS) {
    const segment = serializeEvents(events.slice(i, i + SEGMENT_ROWS));
    layer.put(walletKey.segment(address, segments++), Buffer.from(segment));
  }
  layer.put(walletKey.extent(address), Buffer.from(JSON.stringify({ rows: events.length, segments })));
}
