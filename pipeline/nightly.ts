/**
 * Defines the steps of a nightly run, with their inputs and outputs. A step starts as soon as its inputs are available,
 * so independent steps run in parallel. If the process is killed during a step, the next run repeats the step.
 */
import type { Config } from './config.js';
import type { StepContext } from './night/night.js';
import { stepsOf } from './night/run-steps.js';
import { audit, auditMonths } from './night/steps/audit.js';
import { classify } from './night/steps/classify.js';
import { collectDailyPrices } from './night/steps/collect-prices.js';
import { collectRates } from './night/steps/collect-rates.js';
import { flagReceipts } from './night/steps/flag-receipts.js';
import { indexAndFold } from './night/steps/index-and-fold.js';
import { joinHoldings } from './night/steps/join-holdings.js';
import { loadCorrections } from './night/steps/load-corrections.js';
import { loadStart } from './night/steps/load-starting-state.js';
import { makeMonths } from './night/steps/make-months.js';
import { placeIndex, putInForce, seal, watchUpstream } from './night/steps/publish.js';
import { readSpan } from './night/steps/read-span.js';
import { replayWallets } from './night/steps/replay-wallets.js';
import { buildIndex } from './night/steps/wallet-rows.js';
import { writeTables } from './night/steps/write-tables.js';
import { classifyTracked } from './tracked-wallets/classify-tracked.js';
import { findAndFetch } from './tracked-wallets/find-and-fetch.js';
import type { WalletArtifacts } from './tracked-wallets/found-chain.js';
import { joinWallets } from './tracked-wallets/join-wallets.js';

const step = stepsOf<WalletArtifacts, StepContext>();

/** Steps that make rows and holdings of the whole chain. */
const ofTheChain = [
  step({ name: 'load corrections', inputs: [], outputs: ['corrections'], run: loadCorrections }),
  step({ name: 'load starting state', inputs: [], outputs: ['state'], run: loadStart }),
  // `blocks` is available when the range of heights is known. Other steps can then read the first blocks while later
  // blocks are being fetched.
  step({
    name: 'index and fold',
    inputs: ['state', 'corrections'],
    outputs: ['blocks', 'start', 'folded'],
    run: indexAndFold,
  }),
  step({ name: 'classify', inputs: ['blocks', 'corrections'], outputs: ['classified', 'notes'], run: classify }),
  step({ name: 'read span', inputs: ['blocks'], outputs: ['span', 'block_times'], run: readSpan }),
  step({
    name: 'join holdings',
    inputs: ['start', 'span', 'classified', 'notes', 'folded'],
    outputs: ['facts', 'holdings', 'closed_holdings', 'accumulated', 'tracked_wallets', 'edges'],
    run: joinHoldings,
  }),
];

/** Steps that make rows and holdings of single wallets (HUBLEDGER_WALLETS). They replace the steps above. */
const ofWallets = [
  step({
    name: 'find and fetch',
    inputs: [],
    outputs: ['corrections', 'start', 'folded', 'found', 'span', 'block_times'],
    run: findAndFetch,
  }),
  step({ name: 'classify', inputs: ['found'], outputs: ['classified', 'notes'], run: classifyTracked }),
  step({
    name: 'join and prove',
    inputs: ['found', 'span', 'classified'],
    outputs: ['facts', 'holdings', 'closed_holdings', 'accumulated', 'tracked_wallets', 'edges'],
    run: joinWallets,
  }),
];

const publishing = [
  step({
    name: 'collect prices',
    inputs: ['span', 'block_times', 'facts', 'holdings'],
    outputs: ['prices', 'price_gaps', 'unreached_prices'],
    run: collectDailyPrices,
  }),
  step({ name: 'collect rates', inputs: ['span'], outputs: ['exchange_rates'], run: collectRates }),
  step({
    name: 'make months',
    inputs: ['start', 'span', 'block_times', 'classified', 'folded', 'facts', 'holdings', 'tracked_wallets', 'prices'],
    outputs: ['month_pieces', 'priced_events', 'month_tables', 'figures', 'closed_figures'],
    run: makeMonths,
  }),
  step({
    name: 'write tables',
    inputs: [
      'span',
      'folded',
      'facts',
      'figures',
      'prices',
      'exchange_rates',
      'holdings',
      'closed_holdings',
      'month_tables',
    ],
    outputs: ['other_tables'],
    run: writeTables,
  }),
  step({
    name: 'flag receipts',
    inputs: ['start', 'span', 'figures', 'closed_figures', 'notes'],
    outputs: ['denom_metadata', 'flagged_receipts'],
    run: flagReceipts,
  }),
  step({
    name: 'replay wallets',
    inputs: ['start', 'span', 'holdings', 'priced_events'],
    outputs: ['replayed', 'ledger_entries', 'closing_positions'],
    run: replayWallets,
  }),
  step({
    name: 'build wallet index',
    inputs: ['start', 'span', 'priced_events', 'flagged_receipts', 'other_tables'],
    outputs: ['wallet_index'],
    run: buildIndex,
  }),
  step({
    name: 'audit months',
    inputs: ['span', 'month_pieces', 'replayed', 'priced_events', 'other_tables', 'flagged_receipts'],
    outputs: ['audited_months'],
    run: auditMonths,
  }),
  step({
    name: 'audit',
    inputs: [
      'start',
      'span',
      'folded',
      'notes',
      'accumulated',
      'tracked_wallets',
      'figures',
      'audited_months',
      'closed_holdings',
      'month_pieces',
      'replayed',
      'priced_events',
      'other_tables',
      'denom_metadata',
      'flagged_receipts',
      'ledger_entries',
      'closing_positions',
    ],
    outputs: ['audited_tables'],
    run: audit,
  }),
  // Sealing renames the generation's folder. So this step waits for all steps that read tables in the folder.
  step({
    name: 'seal generation',
    inputs: [
      'wallet_index',
      'start',
      'corrections',
      'folded',
      'span',
      'notes',
      'accumulated',
      'tracked_wallets',
      'edges',
      'facts',
      'figures',
      'prices',
      'price_gaps',
      'unreached_prices',
      'priced_events',
      'audited_tables',
    ],
    outputs: ['manifest'],
    run: seal,
  }),
  step({
    name: 'place wallet index',
    inputs: ['wallet_index', 'manifest'],
    outputs: ['placed_index'],
    run: placeIndex,
  }),
  step({ name: 'publish', inputs: ['placed_index'], outputs: ['published'], run: putInForce }),
  step({ name: 'watch releases', inputs: ['published'], outputs: ['releases'], run: watchUpstream }),
];

export const stepsFor = ({ wallets }: Pick<Config, 'wallets'>) => [
  ...(wallets ? ofWallets : ofTheChain),
  ...publishing,
];
