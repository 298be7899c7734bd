import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../../pipeline/base/project.js';
import type { Assets } from '../../../schemas/types.generated.js';

const { assets }: Assets = JSON.parse(readFileSync(join(projectRoot(), 'data/reference/assets.json'), 'utf8'));

test('the denom of a voucher is the hash of its trace, and every voucher has one', () => {
  for (const { denom, trace } of assets) {
    assert.equal(denom.startsWith('ibc/'), trace !== undefined, denom);
    if (trace) assert.equal(denom, `ibc/${createHash('sha256').update(trace).digest('hex').toUpperCase()}`);
  }
});

test('a denom and a symbol name one asset', () => {
  assert.equal(new Set(assets.map((asset) => asset.denom)).size, assets.length);
  assert.equal(new Set(assets.map((asset) => asset.symbol)).size, assets.length);
});

test('the vouchers of the recorded chain resolve', () => {
  const symbolOf = new Map(assets.map((asset) => [asset.trace ?? asset.denom, `${asset.symbol} ${asset.decimals}`]));
  const expected: Record<string, string> = {
    uatom: 'ATOM 6',
    'transfer/channel-536/uusdc': 'USDC 6',
    'transfer/channel-141/uosmo': 'OSMO 6',
    'transfer/channel-391/stuatom': 'stATOM 6',
    'transfer/channel-391/ustrd': 'STRD 6',
    'transfer/channel-569/untrn': 'NTRN 6',
  };
  for (const [trace, symbol] of Object.entries(expected)) assert.equal(symbolOf.get(trace), symbol);
});

test('denoms that claims pay resolve, the eighteen places of some among them', () => {
  const stride = {
    stusomm: 'stSOMM 6',
    stustars: 'stSTARS 6',
    stuumee: 'stUMEE 6',
    stinj: 'stINJ 18',
    staevmos: 'stEVMOS 18',
    stucmdx: 'stCMDX 6',
    stadydx: 'stDYDX 18',
    stutia: 'stTIA 6',
    stadym: 'stDYM 18',
    stuluna: 'stLUNA 6',
  };
  const traces = new Map(Object.entries(stride).map(([base, shown]) => [`transfer/channel-391/${base}`, shown]));
  traces.set('transfer/channel-569/transfer/channel-2/uusdc', 'USDC.ntrn 6');
  traces.set('transfer/channel-1266/transfer/channel-2/uusdc', 'USDC.elys 6');
  traces.set('transfer/channel-1266/uelys', 'ELYS 6');
  const known = new Map(assets.map(({ denom, symbol, decimals }) => [denom, `${symbol} ${decimals}`]));
  for (const [trace, shown] of traces) {
    const denom = `ibc/${createHash('sha256').update(trace).digest('hex').toUpperCase()}`;
    assert.equal(known.get(denom), shown, trace);
  }
});
