/** The parameter `method`: a what-if of the journal, positions and summary. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedServer, WALLETS } from '../harness.js';

const server = sharedServer();
const { big, busy } = WALLETS;
const METHODS = ['fifo', 'lifo', 'hifo'];

const get = (path: string, query: Record<string, string>) =>
  server.ask(`/api/tax/v1/${path}?${new URLSearchParams(query)}`);

interface Line {
  readonly account: string;
  readonly debit_usd: string;
  readonly credit_usd: string;
}
const cents = (text: string) => (text === '' ? 0n : BigInt(text.replace('.', '')));

test('without the parameter, answers are those of the usual method', async () => {
  for (const path of ['positions', 'journal', 'summary']) {
    const [usual, named] = [await get(path, { address: busy }), await get(path, { address: busy, method: 'fifo' })];
    assert.equal(named.text, usual.text, path);
  }
});

test('every method keeps the journal and positions equal, and another order changes them', async () => {
  const costs = new Set<bigint>();
  for (const method of METHODS) {
    const { lines } = (await get('journal', { address: big, method, format: 'json' })).json<{ lines: Line[] }>();
    const booked = lines
      .filter(({ account }) => account.startsWith('Digital Assets') && account !== 'Digital Assets: Deposits')
      .reduce((sum, line) => sum + cents(line.debit_usd) - cents(line.credit_usd), 0n);
    const { positions } = (await get('positions', { address: big, method })).json<{
      positions: { cost_basis_usd: string }[];
    }>();
    const held = positions.reduce((sum, position) => sum + cents(position.cost_basis_usd), 0n);
    assert.equal(booked, held, method);
    costs.add(held);
  }
  assert.ok(costs.size > 1);
});

test('answers name the method, and a what-if is called one', async () => {
  const notes = async (method: string) => {
    const [positions, summary] = [
      await get('positions', { address: big, method }),
      await get('summary', { address: big, method }),
    ];
    return [positions, summary].map((answer) => answer.json<{ note: string }>().note);
  };
  for (const note of await notes('lifo')) {
    assert.match(note, /newest lots are sold first \(last in, first out\)/);
    assert.match(note, /what-if/);
    assert.doesNotMatch(note.replace(/This is a what-if.*?\./, ''), /first in/);
  }
  for (const note of await notes('hifo')) assert.match(note, /highest cost first/);
  for (const note of await notes('fifo')) assert.doesNotMatch(note, /what-if/);
});

test('Form 8949 keeps the usual method, and an unknown method is refused', async () => {
  const form = await get('journal', { address: busy, profile: 'form8949', method: 'lifo' });
  assert.equal(form.status, 400);
  assert.match(form.text, /"method"|method/);
  assert.match(form.text, /must be fifo/);
  assert.equal((await get('journal', { address: busy, profile: 'form8949', method: 'fifo' })).status, 200);
  assert.equal((await get('positions', { address: busy, method: 'average' })).status, 400);
});
