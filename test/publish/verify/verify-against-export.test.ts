/** A published dataset against an export of the recorded chain, which the chain's own program wrote. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { ConfigError } from '../../../pipeline/base/config-error.js';
import { projectRoot } from '../../../pipeline/base/project.js';
import { readManifest, tableFiles } from '../../../pipeline/publish/generation.js';
import { type Check, publishedFolder } from '../../../pipeline/publish/verify/verify.js';
import { verifyAgainstExport } from '../../../pipeline/publish/verify/verify-against-export.js';
import { openDatabase } from '../../open-database.js';
import { NightCase, SAMPLE_CHAIN } from '../../pipeline/night-case.js';

const EXPORT = join(projectRoot(), 'test/holdings/hub-short/export-1000.json.gz');
const chain = new NightCase(SAMPLE_CHAIN);
before(() => chain.published('data'));
after(() => chain.remove());

async function compare(source: string, folder = publishedFolder(chain.path('data'))): Promise<Check[]> {
  const checks: Check[] = [];
  for await (const check of verifyAgainstExport(folder, source)) checks.push(check);
  return checks;
}

/** The parts of an export that the test alters. */
interface Export {
  chain_id: string;
  initial_height: number;
  app_state: {
    bank: { balances: { address: string; coins: { amount: string }[] }[] };
    staking: {
      delegations: { delegator_address: string; validator_address: string; shares: string }[];
      unbonding_delegations: { entries: { balance: string }[] }[];
    };
    distribution: { validator_current_rewards: { rewards: { rewards: { denom: string; amount: string }[] } }[] };
  };
}

/** The export with something changed. */
function altered(name: string, change: (document: Export) => void): string {
  const document = JSON.parse(gunzipSync(readFileSync(EXPORT)).toString());
  change(document);
  writeFileSync(chain.path(name), JSON.stringify(document));
  return chain.path(name);
}

const SAME = [
  'export at 1000: balances: 662 compared, 0 differ',
  'export at 1000: validators: 6 compared, 0 differ',
  'export at 1000: delegations: 313 compared, 0 differ',
  'export at 1000: rewards: 313 compared, 0 differ',
  'export at 1000: unbonding: 61 compared, 0 differ',
];

test('every account holds what the export has, to the last decimal of its rewards', async () => {
  assert.deepEqual(
    await compare(EXPORT),
    SAME.map((text) => ({ ok: true, text })),
  );
});

test('what differs is named, kind by kind', async () => {
  const source = altered('altered.json', ({ app_state: { bank, staking, distribution } }) => {
    const [account] = bank.balances;
    account!.coins[0]!.amount = String(BigInt(account!.coins[0]!.amount) + 1n);
    const [delegation] = staking.delegations;
    delegation!.shares = delegation!.shares.replace(/.$/, '1');
    staking.unbonding_delegations[0]!.entries = [];
    distribution.validator_current_rewards[0]!.rewards.rewards = [{ denom: 'uatom', amount: '7.000000000000000000' }];
  });
  const [balances, validators, delegations, rewards, unbonding] = await compare(source);
  assert.match(balances!.text, /^[^\n]+662 compared, 1 differ\n {2}cosmos1\w+ \w+: \d+, the export has \d+$/);
  assert.match(validators!.text, /, 1 differ\n {2}cosmosvaloper1\w+: \d+ tokens, [^\n]+$/);
  assert.match(
    delegations!.text,
    /, 1 differ\n {2}cosmos1\w+ at cosmosvaloper1\w+: [\d.]+0 shares, (\d+), the export has [\d.]+1 shares, \1$/,
  );
  assert.match(rewards!.text, / differ\n {2}cosmos1\w+ at cosmosvaloper1\w+: [^\n]*, the export has [^\n]+uatom/);
  assert.match(
    unbonding!.text,
    / differ\n {2}cosmos1\w+ at cosmosvaloper1\w+ begun at \d+: \d+, the export has nothing/,
  );
  assert.ok([balances, validators, delegations, rewards, unbonding].every((check) => check!.ok === false));
});

test('what the export has beside is named, and of many differences the first twenty', async () => {
  const source = altered('beside.json', ({ app_state: { bank } }) => {
    for (const { coins } of bank.balances) for (const coin of coins) coin.amount = `${coin.amount}0`;
    bank.balances.push({ address: 'cosmos1new', coins: bank.balances[0]!.coins });
  });
  const [balances] = await compare(source);
  const lines = balances!.text.split('\n');
  assert.deepEqual([lines[0], lines.length], ['export at 1000: balances: 663 compared, 663 differ', 22]);
  assert.equal(lines[21], '  and 643 more');
});

test('at a height that closes no day stakes are valued by the export', async () => {
  const folder = chain.path('no-close');
  cpSync(publishedFolder(chain.path('data')), folder, { recursive: true });
  const database = await openDatabase();
  const files = tableFiles(folder, readManifest(folder), 'validator_days');
  await database.attach('validator_days', files, 'all_days');
  await database.execute('create table days as from all_days where close_height <> 1000');
  await database.keep('days', files.at(-1)!);
  database.close();
  const lines = await compare(EXPORT, folder);
  const expected = SAME.with(1, 'export at 1000: is not the end of a day; validators are taken from the export');
  assert.deepEqual(
    lines.map(({ text }) => text),
    expected,
  );
});

test('an export of another chain or of a height outside the dataset is one line', async () => {
  const refused = (change: (document: Export) => void, expected: RegExp) =>
    assert.rejects(
      () => compare(altered('refused.json', change)),
      (error) => error instanceof ConfigError && expected.test(error.message),
    );
  await refused((document) => {
    document.chain_id = 'other-1';
  }, /^[^\n]+refused\.json belongs to other-1, the dataset to localhub-1$/);
  await refused((document) => {
    document.initial_height = 2000;
  }, /^[^\n]+refused\.json has height 1999, but the dataset has holdings from 2 to 1000$/);
  await assert.rejects(() => compare(chain.path('none.json')), ConfigError);
});

test('the command compares all, and says by its exit code that something differs', async () => {
  const good = await chain.command('data', 'verify', '--against-export', EXPORT);
  assert.equal(good.code, 0, good.error);
  assert.match(good.out, /\nok {3}export at 1000: unbonding: 61 compared, 0 differ\n$/);
  const bad = await chain.command('data', 'verify', '--against-export', chain.path('altered.json'), '--all');
  assert.equal(bad.code, 3);
  assert.match(bad.out, /\nFAIL export at 1000: balances: 662 compared, 1 differ\n {2}cosmos1/);
});

test('what cannot be compared is refused before the audits, which take long', async () => {
  const cases: [exitCode: number, ...words: string[]][] = [
    [2, '--all'],
    [2, '--accounts', '3'],
    [2, '--against-node', '--against-export', EXPORT],
    [2, '--against-node'], // no node is named
    [2, '--against-export', chain.path('--against-node.json')], // is not there
  ];
  for (const [exitCode, ...words] of cases) {
    const { code, out, error } = await chain.command('data', 'verify', ...words);
    assert.deepEqual([code, out], [exitCode, ''], words.join(' '));
    assert.match(error, /^hubledger: [^\n]*--against-node[^\n]*\n$/);
  }
});
