/** Flagged receipts: cases one can read, then every transaction of the sample that was made as spam. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { projectRoot } from '../../../pipeline/base/project.js';
import { parseDecimal } from '../../../pipeline/base/values/amount.js';
import { chainFacts } from '../../../pipeline/classify/chain-facts.js';
import { classifyBlock } from '../../../pipeline/classify/classify-blocks.js';
import type { TokenIdentity } from '../../../pipeline/holdings/start/starting-state.js';
import { Pieces } from '../../../pipeline/night/pieces.js';
import { factsFile } from '../../../pipeline/night/steps/carry-facts.js';
import { figureParameters } from '../../../pipeline/night/steps/dataset-figures.js';
import { flagReceipts } from '../../../pipeline/night/steps/flag-receipts.js';
import { tableFiles } from '../../../pipeline/publish/generation.js';
import { loadReference } from '../../../pipeline/reference.js';
import type { ChainEvent, DenomMetadata, FlaggedReceipt, Price } from '../../../schemas/types.generated.js';
import { makeEvent } from '../../books/ledger/wallets.js';
import { sampleBlocks } from '../../classify/sample.js';
import { openDatabase } from '../../open-database.js';

interface Case {
  title: string;
  category?: string;
  denom?: string;
  /** Trace of the voucher that came, in place of its denom. */
  voucher?: string;
  amount: string;
  day?: string;
  memo?: string;
  sender?: string;
  receiver?: string;
  signed?: boolean;
  receivers?: number;
  amounts_rise?: boolean;
  flagged: FlaggedReceipt['reason'] | null;
  evidence?: string[];
  claimed?: string;
}

const read = (path: string) => JSON.parse(readFileSync(join(projectRoot(), 'test/night/steps', path), 'utf8'));
const file: {
  prices: Record<string, Record<string, string>>;
  metadata: DenomMetadata[];
  traces_before: string[];
  traces: string[];
  cases: Case[];
} = read('flag-receipts.json');
const reference = loadReference();
const folder = mkdtempSync(join(tmpdir(), 'hubledger-flags-'));
after(() => rmSync(folder, { recursive: true }));

/** What is known beside the rows. */
interface Known {
  identities?: readonly TokenIdentity[];
  /** Traces of vouchers in the starting state. */
  before?: readonly string[];
  /** Traces of vouchers in packets. */
  traces?: readonly string[];
  /** Rows of all wallets in the blocks of a dataset of single wallets. */
  whole?: readonly ChainEvent[];
}

const pieces = new Pieces(join(folder, 'pieces'), false, (path) => assert.fail(path));

/** The month that is closed in these runs; all other months are open. */
const CLOSED = '2026-02';

/** Runs the step on these rows. */
async function flaggedOf(
  name: string,
  events: readonly ChainEvent[],
  prices: readonly Price[],
  denomMetadata: readonly DenomMetadata[],
  { identities = [], before = [], traces = [], whole = [] }: Known = {},
): Promise<FlaggedReceipt[]> {
  const [database, published] = [await openDatabase(), await openDatabase()];
  const generation = join(folder, name);
  const notes = {
    unclassified: {},
    unreviewedMoves: {},
    unknownTypes: {},
    undecoded: {},
    oversized: [],
    denomMetadata,
    voucherTraces: traces,
  };
  const state = { chainId: 'test', height: 5, oversized: [], differences: [], folder };
  const start = { ...state, identities, voucherTraces: before };
  try {
    await database.create('chain_events');
    await database.append('chain_events', events);
    await database.create('prices');
    await database.append('prices', prices);
    await database.run('tables/priced_events');
    await database.accumulate('priced_events', [], 'month_events');
    await database.create('chain_events', 'whole_blocks');
    await database.append('chain_events', whole, 'whole_blocks');
    await database.run('tables/unsolicited_receipts', figureParameters(reference));
    const ofClosed = `from month_receipts where strftime(time, '%Y-%m') = '${CLOSED}'`;
    const closed = await pieces.make('figures', name, async (making) => {
      await database.execute(`create view closed as ${ofClosed}`);
      await database.keepSorted('closed', factsFile({ folder: making }, 'receipts'));
    });
    await database.execute(`delete ${ofClosed}`);
    const span = { months: [{ month: CLOSED }, { month: '2026-03' }] };
    const written = await flagReceipts(
      { start, span, closed_figures: [closed], notes, figures: 'figures' },
      { database, reference, pieces, folder: generation },
    );
    const tables = { tables: [written.flagged_receipts] };
    await published.attach('flagged_receipts', tableFiles(generation, tables, 'flagged_receipts'));
    const found: FlaggedReceipt[] = [];
    for await (const rows of published.sorted<FlaggedReceipt>('flagged_receipts')) found.push(...rows);
    return found;
  } finally {
    published.close();
    database.close();
  }
}

const denomOf = (trace: string) => `ibc/${createHash('sha256').update(trace).digest('hex').toUpperCase()}`;

/** The rows of a case: its height is its place in the file. */
function rowsOf(one: Case, n: number): ChainEvent[] {
  return Array.from({ length: one.receivers ?? 1 }, (_, i) => {
    const { sent_price, received_price, fee_price, ...row } = makeEvent(
      n + 1,
      one.day ?? '2026-02-10',
      one.category ?? 'transfer_in',
      {
        address: one.receiver ?? `receiver ${n} ${i}`,
        received_amount: BigInt(one.amount) + BigInt(one.amounts_rise ? i : 0),
        received_denom: one.voucher === undefined ? (one.denom ?? 'uatom') : denomOf(one.voucher),
        counterparty: one.sender ?? `sender ${n}`,
        memo: one.memo ?? '',
      },
    );
    assert.deepEqual([sent_price, received_price, fee_price], [null, null, null]);
    return { ...row, unsolicited: !one.signed };
  });
}

const prices = Object.entries(file.prices).flatMap(([denom, days]) =>
  Object.entries(days).map(
    ([day, usd]): Price => ({
      denom,
      day,
      usd: parseDecimal(usd, 6),
      found: true,
      sources: 'test',
      rejected: '',
      quotes: '',
      methodology_version: '1.1.0',
    }),
  ),
);

let found: FlaggedReceipt[];
before(async () => {
  found = await flaggedOf('cases', file.cases.flatMap(rowsOf), prices, file.metadata, {
    before: file.traces_before,
    traces: file.traces,
  });
});

for (const [n, one] of file.cases.entries()) {
  test(`${one.flagged ?? 'left alone'}: ${one.title}`, () => {
    const flagged = found.filter(({ height }) => height === n + 1);
    assert.equal(flagged.length, one.flagged === null ? 0 : (one.receivers ?? 1));
    for (const receipt of flagged) {
      assert.equal(receipt.reason, one.flagged);
      if (!one.amounts_rise) assert.equal(receipt.quantity, BigInt(one.amount));
      if (one.evidence) assert.deepEqual(JSON.parse(receipt.evidence), one.evidence);
      if (one.claimed !== undefined) assert.equal(receipt.claimed_symbol, one.claimed);
    }
  });
}

test("a token keeps the name that it had before the first block; names of vouchers are nobody's word", async () => {
  const token = 'factory/cosmos1maker/gift';
  const voucher = 'ibc/0000000000000000000000000000000000000000000000000000000000000001';
  const rows = [token, voucher].flatMap((denom, n) => rowsOf({ title: '', denom, amount: '7', flagged: null }, n));
  const names = { symbol: 'ATOM', name: 'Cosmos Hub Atom' };
  const flagged = await flaggedOf('before', rows, [], [], {
    identities: [token, voucher].map((denom) => ({ denom, ...names })),
  });
  assert.deepEqual(
    flagged.map(({ denom, reason, claimed_symbol }) => [denom, reason, claimed_symbol]),
    [[token, 'identity_mismatch', 'ATOM']],
  );
});

test('a name that a token claims later flags receipts of closed months', async () => {
  const denom = 'factory/cosmos1other/gift';
  const rows = rowsOf({ title: '', denom, amount: '7', flagged: null }, 1);
  const claim = { denom, symbol: 'ATOM', name: 'Cosmos Hub Atom', height: 1, tx_hash: 'block:1' };
  const reasonsWith = async (name: string, metadata: readonly DenomMetadata[]) =>
    (await flaggedOf(name, rows, [], metadata)).map(({ reason }) => reason);
  assert.deepEqual(await reasonsWith('unnamed', []), ['suspected_spam']);
  assert.deepEqual(await reasonsWith('named', [claim]), ['identity_mismatch']);
});

test('a dataset of single wallets counts other receivers in the same transaction', async () => {
  const dust = { title: '', amount: '7', receivers: 20, flagged: null };
  const [own, ...others] = rowsOf(dust, 1);
  const [, ...ofAnotherSender] = rowsOf({ ...dust, sender: 'another' }, 1);
  const flaggedWith = (name: string, whole: readonly ChainEvent[]) => flaggedOf(name, [own!], [], [], { whole });
  assert.deepEqual(
    (await flaggedWith('whole', [own!, ...others])).map(({ record_id, reason }) => [record_id, reason]),
    [[own!.id, 'suspected_spam']],
  );
  assert.deepEqual(await flaggedWith('few', [own!, ...ofAnotherSender]), []);
});

test('of the sample all that was sent as spam is flagged, and beside it only what the rules name', async () => {
  const { spam }: { spam: Record<string, number> } = read('sample-spam.json');
  const chain = chainFacts(reference.chain, reference.contracts);
  const classified = [...sampleBlocks()].map((block) => classifyBlock(block, chain));
  const events = classified.flatMap((block) => block.events);
  const metadata = classified.flatMap((block) => block.denomMetadata);
  const traces = classified.flatMap((block) => block.voucherTraces);
  const flagged = await flaggedOf('sample', events, [], metadata, { traces });
  const count = (rows: readonly { tx_hash: string }[], hash: string) =>
    rows.filter(({ tx_hash }) => tx_hash === hash).length;
  for (const [hash, receipts] of Object.entries(spam)) assert.equal(count(flagged, hash), receipts, hash);
  // Spam tokens that others sent on, and a few base units beside a memo that an honest sender would not write.
  const isNamed = ({ denom, quantity, memo }: FlaggedReceipt) =>
    denom.startsWith('factory/') || (denom === 'uatom' && quantity <= 1000n && memo.includes('http://evil.example'));
  const others = flagged.filter(({ tx_hash }) => spam[tx_hash] === undefined);
  assert.deepEqual(
    others.filter((receipt) => !isNamed(receipt)),
    [],
  );
  const tokens = events.filter(
    ({ received_denom, unsolicited }) => unsolicited && received_denom?.startsWith('factory/'),
  );
  assert.equal(flagged.filter(({ denom }) => denom.startsWith('factory/')).length, tokens.length);
  assert.ok(flagged.every(({ denom, reason }) => denom.endsWith('/uatom') === (reason === 'identity_mismatch')));
});
