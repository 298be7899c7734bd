/** The node's answers about wallets at recorded heights of the sample. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { projectRoot } from '../../pipeline/base/project.js';
import { formatDecimal } from '../../pipeline/base/values/amount.js';
import { loadReference } from '../../pipeline/reference.js';

interface Coin {
  readonly denom: string;
  readonly amount: string;
}

/** What a node answered about a wallet at a height. */
export interface NodeState {
  readonly address: string;
  readonly answers: {
    readonly balances: { readonly balances: readonly Coin[] };
    readonly delegations?: { readonly delegation_responses?: readonly { readonly balance: Coin }[] };
    readonly unbonding_delegations?: {
      readonly unbonding_responses?: readonly { readonly entries: readonly { readonly balance: string }[] }[];
    };
    readonly rewards?: { readonly rewards?: readonly { readonly reward: readonly Coin[] }[] };
  };
}

export const nodeStates = (height: number): NodeState[] =>
  gunzipSync(readFileSync(join(projectRoot(), `test/holdings/hub-short/state/${height}/wallets.jsonl.gz`)))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Amounts by denom: liquid, staked, unbonding, unclaimed; only denoms with some. */
export function nodeAssets({ answers }: NodeState): Map<string, string[]> {
  const { rules } = loadReference();
  const sums = new Map<string, [bigint, bigint, bigint, bigint]>();
  const add = (denom: string, part: 0 | 1 | 2 | 3, amount: string) => {
    const own = sums.get(denom) ?? [0n, 0n, 0n, 0n];
    own[part] += BigInt(amount.split('.')[0]!);
    sums.set(denom, own);
  };
  for (const { denom, amount } of answers.balances.balances) add(denom, 0, amount);
  for (const { balance } of answers.delegations?.delegation_responses ?? []) add(balance.denom, 1, balance.amount);
  for (const { entries } of answers.unbonding_delegations?.unbonding_responses ?? [])
    for (const { balance } of entries) add('uatom', 2, balance);
  for (const { reward } of answers.rewards?.rewards ?? [])
    for (const { denom, amount } of reward) add(denom, 3, amount);
  const shown = [...sums].map(([denom, amounts]): [string, string[]] => [
    denom,
    amounts.map((amount) => formatDecimal(amount, rules.denomination(denom).decimals)),
  ]);
  return new Map(shown.filter(([, amounts]) => amounts.some((amount) => amount !== '0')).sort());
}
