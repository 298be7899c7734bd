/** The night, step by step. */
import type { Step } from './night.js';
import { readBlocks } from './steps/classify-and-fold.js';
import { flagReceipts } from './steps/flag-receipts.js';
import { indexChain } from './steps/index-blocks.js';
import { joinHoldings } from './steps/join-holdings.js';
import { loadStart } from './steps/load-starting-state.js';
import { audit, placeStore, putInForce, seal } from './steps/publish.js';
import { replayWallets } from './steps/replay-wallets.js';
import { watchUpstream } from './steps/watch-releases.js';
import { collectDailyPrices, writeTables } from './steps/write-tables.js';

export const steps: readonly Step[] = [
  { name: 'load starting state', reads: ['starting state'], writes: ['start'], run: loadStart },
  { name: 'index blocks', reads: ['chain node', 'start'], writes: ['raw_blocks'], run: indexChain },
  {
    name: 'classify and fold',
    reads: ['raw_blocks', 'start'],
    writes: ['classified_events', 'coin_movements', 'supply_changes', 'notes', 'holdings'],
    run: readBlocks,
  },
  {
    name: 'join holdings',
    reads: ['classified_events', 'coin_movements', 'holdings', 'start'],
    writes: ['chain_events', 'opening_balances', 'native_holdings'],
    run: joinHoldings,
  },
  {
    name: 'collect prices',
    reads: ['markets', 'price files', 'chain_events', 'holdings'],
    writes: ['prices'],
    run: collectDailyPrices,
  },
  {
    name: 'write tables',
    reads: [
      'chain_events',
      'coin_movements',
      'supply_changes',
      'prices',
      'holdings',
      'opening_balances',
      'native_holdings',
    ],
    writes: ['priced_events'],
    run: writeTables,
  },
  {
    name: 'flag receipts',
    reads: ['priced_events', 'notes'],
    writes: ['denom_metadata', 'flagged_receipts'],
    run: flagReceipts,
  },
  {
    name: 'replay wallets',
    reads: ['priced_events', 'prices', 'flagged_receipts', 'holdings', 'opening_balances', 'coin_movements'],
    writes: ['ledger_entries', 'closing_positions', 'wallet store'],
    run: replayWallets,
  },
  { name: 'audit', reads: ['every table'], writes: [], run: audit },
  { name: 'seal generation', reads: ['every table', 'notes'], writes: ['manifest'], run: seal },
  { name: 'place wallet store', reads: ['wallet store', 'manifest'], writes: ['wallet store'], run: placeStore },
  { name: 'publish', reads: ['manifest', 'wallet store'], writes: ['CURRENT'], run: putInForce },
  { name: 'watch releases', reads: ['GitHub', 'chain node'], writes: ['releases'], run: watchUpstream },
];
