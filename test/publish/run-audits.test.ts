import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readSql } from '../../pipeline/base/duckdb/database.js';
import { projectRoot } from '../../pipeline/base/project.js';
import { chainFacts } from '../../pipeline/classify/chain-facts.js';
import { readManifest, tableFiles } from '../../pipeline/publish/generation.js';
import { auditParameters, holdingsParameters, makeAuditTables, runAudits } from '../../pipeline/publish/run-audits.js';
import { loadReference } from '../../pipeline/reference.js';
import type { Manifest } from '../../schemas/types.generated.js';
import { openDatabase } from '../open-database.js';
import { FOLDED, NightCase } from '../pipeline/night-case.js';

const AUDITS = readdirSync(join(projectRoot(), 'pipeline/audits'))
  .map((file) => file.replace('.sql', ''))
  .sort();

const chain = new NightCase(FOLDED);
const reference = loadReference();
const parameters = auditParameters(reference);
const facts = chainFacts(reference.chain, reference.contracts);
const module = facts.module('gov');
let folder: string;
let manifest: Manifest;
before(async () => {
  const { generation } = await chain.published('data');
  folder = chain.path('data/generations', generation);
  manifest = readManifest(folder);
});
after(() => chain.remove());

/** Slips in one table, and the audit that each must be found by. One row is changed unless the whole table is meant. */
const SLIPS: readonly [audit: string, slip: string][] = [
  ['blocks_have_no_hole', 'delete from blocks where height = 300'],
  ['blocks_have_no_hole', 'insert into blocks from blocks where height = 300'],
  ['blocks_have_no_hole', 'update blocks set time = time - interval 40 day where height = 300'],
  ['rows_have_block_times', 'update priced_events set time = time + interval 1 second where height = 381'],
  [
    'movements_explained',
    "update priced_events set received_amount = received_amount + 1 where id = (select min(id) from priced_events where category = 'staking_reward')",
  ],
  [
    'movements_explained',
    "delete from priced_events where id = (select min(id) from priced_events where category = 'transfer_in')",
  ],
  ['movements_explained', "insert into priced_events from priced_events where category = 'delegate' limit 1"],
  ['unique_ids', 'insert into priced_events from priced_events limit 1'],
  ['positions_count_up', 'delete from priced_events where position = 1 and height = 381'],
  ['positions_count_up', 'update priced_events set position = 1 where position = 2 and height = 381'],
  [
    'positions_count_up',
    'update priced_events set time = time + interval 1 second where position = 0 and height = 381',
  ],
  [
    'transactions_are_the_rows',
    'update transactions set fee_amount = fee_amount + 1 where fee_amount = (select max(fee_amount) from transactions)',
  ],
  ['transactions_are_the_rows', 'update transactions set payer = $module where height = 381 and payer is not null'],
  ['transactions_are_the_rows', 'update transactions set code = 5 where code = 0'],
  ['transactions_are_the_rows', 'delete from transactions where "index" = 1'],
  ['transactions_are_the_rows', 'insert into transactions from transactions limit 1'],
  ['transactions_are_the_rows', 'update transactions set height = 1 where height = 381'],
  ['transactions_are_the_rows', "update transactions set memo = memo || 'x'"],
  ['transactions_are_the_rows', "update priced_events set tx_hash = tx_hash || 'x' where category = 'fee'"],
  ['amounts_are_positive', "update priced_events set sent_amount = 0 where category = 'transfer_out'"],
  [
    'amounts_are_positive',
    "update priced_events set received_amount = -received_amount where category = 'transfer_in'",
  ],
  ['amounts_are_positive', "update priced_events set received_denom = null where category = 'transfer_in'"],
  ['amounts_are_positive', "update priced_events set fee_amount = null, fee_denom = null where category = 'fee'"],
  ['amounts_are_positive', "update priced_events set category = 'transfer_out' where category = 'fee'"],
  ['names_are_known', "update priced_events set category = 'staking' where category = 'delegate'"],
  ['names_are_known', "update priced_events set reward_trigger = 'magic' where category = 'staking_reward'"],
  [
    'names_are_known',
    "update priced_events set reward_trigger = 'validator_removed' where category = 'staking_reward'",
  ],
  ['names_are_known', "update priced_events set reward_trigger = null where category = 'staking_reward'"],
  ['names_are_listed', "delete from categories where category = 'slash'"],
  ['names_are_listed', "delete from assets where not registered and denom like '%valoper1%'"],
  ['names_are_listed', "delete from assets where denom = 'uatom'"],
  ['names_are_listed', 'insert into assets from assets limit 1'],
  ['no_module_accounts', 'update priced_events set address = $module where position = 0'],
  [
    'daily_holdings_are_the_days',
    'update daily_holdings set liquid = liquid + 1 where close_height = (select max(close_height) from daily_holdings)',
  ],
  [
    'daily_holdings_are_the_days',
    'update daily_holdings set staked = staked + 1 where day = (select min(day) from daily_holdings)',
  ],
  ['daily_holdings_are_the_days', 'delete from daily_holdings where day = (select min(day) from daily_holdings)'],
  ['daily_holdings_are_the_days', 'delete from daily_holdings where unbonding > 0'],
  ['daily_holdings_are_the_days', 'insert into daily_holdings from daily_holdings limit 1'],
  ['daily_holdings_are_the_days', 'update daily_holdings set day = day - 1'],
  ['daily_holdings_are_the_days', 'update delegation_intervals set shares = 2 * shares'],
  ['daily_holdings_are_the_days', 'update unbonding_intervals set to_height = to_height + 100'],
  ['daily_holdings_are_the_days', "delete from coin_movements where denom = 'uatom' and height > 300"],
  [
    'opening_not_negative',
    "update native_holdings set liquid = -liquid - staked - unbonding - 1000000 where moment = 'opening' and liquid > 0",
  ],
  ['fees_once', "delete from priced_events where id = (select min(id) from priced_events where category = 'fee')"],
  ['fees_once', "insert into priced_events from priced_events where category = 'fee' limit 1"],
  [
    'fees_once',
    "update priced_events set fee_amount = fee_amount - 1 where id = (select min(id) from priced_events where category = 'fee')",
  ],
  ['prices_as_published', 'update priced_events set sent_price = sent_price + 0.000001 where sent_price is not null'],
  ['prices_as_published', 'update priced_events set received_price = null where received_price is not null'],
  ['prices_as_published', "delete from prices where day = '2026-02-05'"],
  ['prices_once', 'insert into prices from prices limit 1'],
  ['prices_once', 'update prices set usd = 0'],
  [
    'rates_once',
    "insert into exchange_rates values ('2026-02-02', 'USD', 1.18, 'bank'), ('2026-02-02', 'USD', 1.18, 'bank')",
  ],
  ['rates_once', "insert into exchange_rates values ('2026-02-02', 'USD', 0, 'bank')"],
  ['rates_once', "insert into exchange_rates values ('2026-02-02', 'USD', 1.18, '')"],
  ['rates_once', "insert into exchange_rates values ('2026-02-02', 'EUR', 1, 'bank')"],
  ['journal_is_sound', 'update ledger_entries set amount_usd = -1 where leg = 0 and amount_usd > 0'],
  ['journal_is_sound', 'update ledger_entries set credit_account = debit_account'],
  ['journal_is_sound', 'insert into ledger_entries from ledger_entries limit 1'],
  ['journal_is_sound', "update ledger_entries set event_id = event_id || 'x'"],
  [
    'assets_match_positions',
    "update ledger_entries set amount_usd = amount_usd + 0.01 where (event_id, leg) = (select min((event_id, leg)) from ledger_entries where debit_account = 'Digital Assets: ATOM')",
  ],
  ['flags_are_receipts', "update flagged_receipts set record_id = record_id || 'x'"],
  ['flags_are_receipts', 'update flagged_receipts set quantity = quantity + 1'],
  ['flags_are_receipts', 'insert into flagged_receipts from flagged_receipts limit 1'],
  ['flags_are_receipts', 'update priced_events set unsolicited = false'],
  ['assets_match_positions', 'update closing_positions set cost_basis_usd = cost_basis_usd + 0.01'],
  ['balances_not_negative', "delete from opening_balances where denom = 'uatom'"],
  ['supply', "update supply_changes set minted = minted + 1 where denom = 'uatom' and height = 300"],
  ['supply', 'delete from coin_movements where height = 300 and place = -1'],
  ['pools_hold_the_stakes', 'update unbonding_intervals set balance = balance - 1 where to_height is null'],
  [
    'pools_hold_the_stakes',
    'update validator_days set tokens = tokens + 1 where validator = (select min(validator) from validator_days)',
  ],
  ['shares_add_up', 'update delegation_intervals set shares = shares + 0.000000000000000001 where to_height is null'],
  ['shares_add_up', 'update delegation_intervals set to_height = to_height - 20'],
  ['holdings_change_by_rows', "delete from priced_events where category = 'slash'"],
  ['holdings_change_by_rows', "update native_holdings set staked = staked + 1000 where moment = 'closing'"],
  [
    'income_adds_up',
    "update ledger_entries set amount_usd = amount_usd + 0.02 where (event_id, leg) = (select min((event_id, leg)) from ledger_entries where credit_account = 'Income: Staking Rewards' and amount_usd > 0)",
  ],
  ['payouts_are_booked', 'update validator_payouts set amount = amount + 1'],
  ['payouts_are_booked', 'update validator_payouts set usd = usd - 0.01 where usd > 0'],
  ['payouts_are_booked', "delete from validator_payouts where category = 'validator_commission'"],
  [
    'rewards_add_up',
    'update reward_months set earned = earned + 1 where month = (select max(month) from reward_months)',
  ],
  ['rewards_add_up', 'update reward_months set paid = paid + 1, earned = earned + 1 where paid > 0'],
  [
    'rewards_add_up',
    'update reward_months set unclaimed = unclaimed + 1, earned = earned + 1 where month = (select max(month) from reward_months)',
  ],
  ['rewards_add_up', 'delete from reward_months where unclaimed > 0'],
  ['rewards_add_up', 'insert into reward_months from reward_months limit 1'],
  ['rewards_add_up', "update reward_months set month = '2025-01'"],
  ['rewards_add_up', "delete from priced_events where category = 'staking_reward'"],
  ['validators_are_known', 'delete from validators where on_chain'],
  ['validators_are_known', 'insert into validators from validators limit 1'],
  ['lots_are_the_rows', 'update closing_positions set quantity = quantity + 1'],
  ['lots_are_the_rows', 'update closing_positions set opening_quantity = 0'],
  ['books_are_the_holdings', 'update closing_positions set opening_quantity = opening_quantity + 1'],
  ['books_are_the_holdings', "update ledger_entries set quantity = quantity + 1000 where act = 'acquire'"],
  ['books_are_the_holdings', "delete from ledger_entries where act = 'dispose' and category = 'transfer_out'"],
  ['books_are_the_holdings', 'update unbonding_intervals set balance = balance + 1000'],
  [
    'books_are_the_holdings',
    "update ledger_entries set height = (select max(height) from ledger_entries) where act = 'acquire'",
  ],
  ['books_are_the_holdings', "delete from coin_movements where denom <> 'uatom'"],
  ['lots_are_the_rows', "delete from priced_events where category = 'gov_deposit'"],
];

test('a dataset of the sample passes every audit, and each says what it claims', async () => {
  const names = [];
  for await (const { audit, claim, differences } of runAudits(folder, manifest, reference)) {
    names.push(audit);
    assert.deepEqual(differences, [], audit);
    assert.match(claim, /^.{20,}\.$/, audit);
  }
  assert.deepEqual(names, AUDITS);
  assert.deepEqual([...new Set(SLIPS.map(([audit]) => audit))].sort(), names, 'an audit without a slip that it finds');
});

test('every audit finds the slips it is there for', async () => {
  const database = await openDatabase();
  for (const { name } of manifest.tables) {
    const files = tableFiles(folder, manifest, name).map((file) => `'${file}'`);
    await database.execute(`create table "${name}" as from read_parquet([${files}])`);
  }
  const all = { ...parameters, ...holdingsParameters(manifest) };
  const find = async (audit: string) => (await database.all(readSql(`audits/${audit}`), all)).length;
  for (const [audit, slip] of SLIPS) {
    await database.execute('begin');
    await database.execute(slip, { module });
    await makeAuditTables(database, facts, all);
    assert.notEqual(await find(audit), 0, slip);
    await database.execute('rollback');
  }
  await makeAuditTables(database, facts, all);
  for (const audit of AUDITS) assert.equal(await find(audit), 0, `${audit}: a slip was not taken back`);
  database.close();
});
