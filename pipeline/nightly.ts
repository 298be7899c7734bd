/** The night, step by step. */
import type { Step } from './night.js';
import { classifyRanges } from './steps/classify-ranges.js';
import { flagReceipts } from './steps/flag-receipts.js';
import { indexChain } from './steps/index-chain.js';
import { collectDailyPrices, writeTables } from './steps/make-tables.js';
import { audit, placeStore, putInForce, seal } from './steps/publish.js';
import { replayWallets } from './steps/replay-wallets.js';

export const steps: readonly Step[] = [
  { name: 'index blocks', reads: ['chain node'], writes: ['raw_blocks'], run: indexChain },
  {
    name: 'classify',
    reads: ['raw_blocks'],
    writes: ['chain_events', 'coin_movements', 'notes'],
    run: classifyRanges,
  },
  { name: 'collect prices', reads: ['price files'], writes: ['prices'], run: collectDailyPrices },
  {
    name: 'write tables',
    reads: ['chain_events', 'coin_movements', 'prices'],
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
    reads: ['priced_events', 'prices', 'flagged_receipts'],
    writes: ['ledger_entries', 'closing_positions', 'wallet store'],
    run: replayWallets,
  },
  { name: 'audit', reads: ['every table'], writes: [], run: audit },
  { name: 'seal generation', reads: ['every table', 'notes'], writes: ['manifest'], run: seal },
  { name: 'place wallet store', reads: ['wallet store', 'manifest'], writes: ['wallet store'], run: placeStore },
  { name: 'publish', reads: ['manifest', 'wallet store'], writes: ['CURRENT'], run: putInForce },
];
