/**
 * Books as hledger and Beancount read them: neither has a word to say, and both tell what a file holds. They run beside this process,
 * whose server would else find connections idle for too long, and close them as they are used again.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

export interface ReadBooks {
  /** Quantities by account and commodity, `<account> <commodity>`, as plain decimals without trailing zeros; none of zero. */
  readonly quantities: ReadonlyMap<string, string>;
  /** Cost of what an account holds, with two decimals; accounts without a cost are left out. */
  readonly costs: ReadonlyMap<string, string>;
}

const shortest = (text: string) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

async function run(program: string, words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(program, words, { maxBuffer: 2 ** 28 });
  assert.equal(stderr, '', words.join(' '));
  return stdout;
}

/** Loads a file, and prints its errors, and the units and costs of every account. */
const READ_BEANCOUNT = `
import json, sys
from decimal import Decimal
from beancount import loader
from beancount.core import data, inventory
entries, errors, _ = loader.load_file(sys.argv[1])
held = {}
for entry in entries:
    if isinstance(entry, data.Transaction):
        for posting in entry.postings:
            held.setdefault(posting.account, inventory.Inventory()).add_position(posting)
quantities, costs = {}, {}
for account, lots in held.items():
    for lot in lots:
        key = account + ' ' + lot.units.currency
        quantities[key] = quantities.get(key, Decimal()) + lot.units.number
        if lot.cost:
            costs[account] = costs.get(account, Decimal()) + lot.units.number * lot.cost.number
print(json.dumps([
    [error.message for error in errors],
    {key: format(number, 'f') for key, number in quantities.items() if number},
    {account: format(round(number, 2), 'f') for account, number in costs.items()},
]))`;

type Printed = [errors: string[], quantities: Record<string, string>, costs: Record<string, string>];

/** @param python one with the package beancount */
export async function readBeancount(python: string, file: string, text: string): Promise<ReadBooks> {
  writeFileSync(file, text);
  const [errors, quantities, costs]: Printed = JSON.parse(await run(python, ['-c', READ_BEANCOUNT, file]));
  assert.deepEqual(errors, []);
  return {
    quantities: new Map(Object.entries(quantities).map(([key, number]) => [key, shortest(number)])),
    costs: new Map(Object.entries(costs)),
  };
}

/** Every account and commodity must be declared (`check --strict`). */
export async function readHledger(hledger: string, file: string, text: string): Promise<ReadBooks> {
  writeFileSync(file, text);
  assert.equal(await run(hledger, ['-f', file, 'check', '--strict']), '');
  const balances = async (...words: string[]) => {
    const csv = await run(hledger, [
      '-f',
      file,
      'balance',
      '--no-total',
      '--flat',
      '--layout=bare',
      '-O',
      'csv',
      ...words,
    ]);
    const lines = csv.trim().split('\n').slice(1);
    return lines.map((line) => line.slice(1, -1).split('","') as [account: string, commodity: string, balance: string]);
  };
  return {
    quantities: new Map((await balances()).map(([account, coin, number]) => [`${account} ${coin}`, shortest(number)])),
    costs: new Map(
      (await balances('-B')).flatMap(([account, coin, number]) => (coin === 'USD' ? [[account, number] as const] : [])),
    ),
  };
}
