/**
 * Folds a recording and compares every holding that its node reported: from the state at each recorded height, and from the rows alone at
 * each recorded day. `node dist/test/holdings/prove-holdings.js <folder> [starting state]`
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { FullBlock } from '../../pipeline/chain/block.js';
import { Recording } from '../../pipeline/chain/nodes/open-source.js';
import { readBlock } from '../../pipeline/chain/read-blocks.js';
import { foldBlocks } from '../../pipeline/holdings/fold-blocks.js';
import { openRows, startingRows } from '../../pipeline/holdings/modules/stake-rows.js';
import { loadStartingState } from '../../pipeline/holdings/start/load-starting-state.js';
import type { HoldingsState } from '../../pipeline/holdings/state.js';
import { formatDecimal18 } from '../../pipeline/holdings/values/decimal18.js';
import { parseTime } from '../../pipeline/holdings/values/time.js';
import { loadReference } from '../../pipeline/reference.js';
import { compareFacts, type Facts, formatTime, HoldingsRows, stateFacts } from './holdings-facts.js';

interface Coin {
  readonly denom: string;
  readonly amount: string;
}

interface Entry {
  readonly creation_height: string | number;
  readonly completion_time: string;
  readonly initial_balance: string;
  readonly balance: string;
  readonly shares_dst: string;
}

/** The compared members of REST answers. */
interface Answer {
  readonly validators?: {
    operator_address: string;
    tokens: string;
    delegator_shares: string;
    status: string;
    jailed: boolean;
    commission: { commission_rates: { rate: string } };
  }[];
  readonly delegation_responses?: {
    delegation: { delegator_address: string; validator_address: string; shares: string };
    balance: Coin;
  }[];
  readonly unbonding_responses?: { delegator_address: string; validator_address: string; entries: Entry[] }[];
  readonly redelegation_responses?: {
    redelegation: { delegator_address: string; validator_src_address: string; validator_dst_address: string };
    entries: { redelegation_entry: Entry }[];
  }[];
  readonly rewards?: { validator_address: string; reward: Coin[] }[] | { rewards: Coin[] };
  readonly total?: Coin[];
  readonly commission?: { commission: Coin[] };
  readonly slashes?: { validator_period: string; fraction: string }[];
  readonly records?: { id: string; owner: string; validator: string }[];
  readonly pool?: Coin[] | { bonded_tokens: string; not_bonded_tokens: string };
}

const coins = (list: readonly Coin[]) =>
  [...list]
    .sort((a, b) => (a.denom < b.denom ? -1 : 1))
    .map(({ denom, amount }) => amount + denom)
    .join(',');

const inNanoseconds = (time: string) => formatTime(parseTime(time));

/** Returns the heights with a recorded state, ascending. */
function recordedHeights(folder: string): number[] {
  return readdirSync(join(folder, 'state'))
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

const unpack = (path: string) => gunzipSync(readFileSync(path)).toString('utf8');
const readLines = <Line>(path: string): Line[] =>
  unpack(path)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

function recordedFacts(folder: string, height: number): Facts {
  const facts: Facts = new Map();
  const place = join(folder, 'state', String(height));
  const chain: { answers: { request: { path: string }; status: number; body: Answer }[] } = JSON.parse(
    unpack(join(place, 'chain.json.gz')),
  );
  for (const { request, status, body } of chain.answers) if (status === 200) addAnswer(facts, body, request.path);
  const wallets = readLines<{ address: string; answers: Record<string, Answer> }>(join(place, 'wallets.jsonl.gz'));
  for (const { address, answers } of wallets) {
    for (const answer of Object.values(answers)) addAnswer(facts, answer, address);
  }
  return facts;
}

/** @param about path of the request, or the wallet */
function addAnswer(facts: Facts, answer: Answer, about: string): void {
  const operator = /validators\/(\w+)/.exec(about)?.[1];
  for (const { operator_address, tokens, delegator_shares, status, jailed, commission } of answer.validators ?? []) {
    facts.set(`validator ${operator_address}`, `${tokens} ${delegator_shares} ${status} ${jailed}`);
    facts.set(`rate ${operator_address}`, commission.commission_rates.rate);
  }
  for (const { delegation, balance } of answer.delegation_responses ?? []) {
    const { delegator_address, validator_address, shares } = delegation;
    facts.set(`delegation ${delegator_address} ${validator_address}`, `${shares} ${balance.amount}`);
  }
  for (const { delegator_address, validator_address, entries } of answer.unbonding_responses ?? []) {
    for (const entry of entries) {
      const name = `unbonding ${delegator_address} ${validator_address} ${entry.creation_height}`;
      facts.set(`${name} ${inNanoseconds(entry.completion_time)}`, `${entry.initial_balance} ${entry.balance}`);
    }
  }
  for (const { redelegation, entries } of answer.redelegation_responses ?? []) {
    const { delegator_address, validator_src_address, validator_dst_address } = redelegation;
    entries.forEach(({ redelegation_entry: entry }, i) => {
      facts.set(
        `redelegation ${delegator_address} ${validator_src_address} ${validator_dst_address} ${i}`,
        [entry.creation_height, inNanoseconds(entry.completion_time), entry.initial_balance, entry.shares_dst].join(
          ' ',
        ),
      );
    });
  }
  if (Array.isArray(answer.rewards)) {
    for (const { validator_address, reward } of answer.rewards) {
      facts.set(`reward ${about} ${validator_address}`, coins(reward));
    }
  } else if (answer.rewards && operator) facts.set(`outstanding ${operator}`, coins(answer.rewards.rewards));
  if (answer.total) facts.set(`total ${about}`, coins(answer.total));
  if (answer.commission?.commission && about.endsWith('/commission')) {
    facts.set(`commission ${operator}`, coins(answer.commission.commission));
  }
  for (const { validator_period, fraction } of answer.slashes ?? []) {
    facts.set(`slash ${operator} ${validator_period}`, fraction);
  }
  for (const { id, owner, validator } of answer.records ?? []) facts.set(`share record ${id}`, `${owner} ${validator}`);
  if (Array.isArray(answer.pool)) facts.set('community pool', coins(answer.pool));
  else if (answer.pool) facts.set('pool', `${answer.pool.bonded_tokens} ${answer.pool.not_bonded_tokens}`);
}

/** A wallet at a day's close. Rewards are unclaimed, with 18 decimals. */
interface RecordedDay {
  readonly day: string;
  readonly height: number;
  readonly address: string;
  readonly staked_uatom: string;
  readonly unbonding_uatom: string;
  readonly rewards_uatom: string;
}

export function recordedDays(folder: string): RecordedDay[] {
  return readLines(join(folder, 'state', 'daily.jsonl.gz'));
}

interface Proof {
  /** Number of compared figures: from the state, and from the rows alone. */
  readonly statePoints: number;
  readonly rowPoints: number;
  /** One line each. */
  readonly differences: readonly string[];
  readonly rows: HoldingsRows;
  readonly state: HoldingsState;
}

export async function* blocksOf(folder: string, from: number): AsyncGenerator<FullBlock> {
  const recording = new Recording(pathToFileURL(folder).href);
  const { latest } = await recording.status();
  if (from > latest) return;
  for await (const { height, record } of recording.records(from, latest)) yield readBlock({ height, hash: '', record });
}

/**
 * Folds a recording from a starting state and compares.
 * @param blocks folder of the recording
 * @param states folder with answers of its node: state/<height>/*.jsonl.gz and state/daily.jsonl.gz
 * @param start genesis or export
 */
export async function proveHoldings(blocks: string, states: string, start: string): Promise<Proof> {
  const { state: opened } = await loadStartingState(start);
  const first = opened.height;
  const heights = recordedHeights(states).filter((height) => height >= first);
  const recorded = new Map(heights.map((height) => [height, recordedFacts(states, height)]));
  const differences = new Map<number, string[]>(); // by height: the last fold of a block counts
  const compareState = (state: HoldingsState) => {
    const facts = recorded.get(state.height);
    if (!facts) return;
    const lines = compareFacts(facts, stateFacts(state));
    differences.set(
      state.height,
      lines.map((line) => `${state.height}: ${line}`),
    );
  };
  compareState(opened);
  const rows = new HoldingsRows();
  startingRows(opened, rows.emit);
  const { upgrades } = loadReference();
  const from = (height: number) => blocksOf(blocks, height);
  const { state, assumed } = await foldBlocks(opened, from, rows.emit, {
    reviewed: { upgrades, corrections: [] },
    onBlock: compareState,
  });
  for (const { table, row } of assumed) rows.emit(table, row);
  openRows(state, rows.emit);
  const days = compareDays(rows, states, first);
  const later = [...recorded].filter(([height]) => height > first && rows.closes.has(height));
  const rewards = later.flatMap(([height, facts]) => compareRewards(rows, height, facts));
  return {
    statePoints: sumOf([...recorded.values()].map((facts) => facts.size)),
    rowPoints: days.points + sumOf(later.map(([, facts]) => rewardsIn(facts).length)),
    differences: [...[...differences.values()].flat(), ...days.differences, ...rewards],
    rows,
    state,
  };
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);
const rewardsIn = (facts: Facts) => [...facts].filter(([name]) => name.startsWith('reward '));

/** Compares unclaimed rewards by wallet and validator, from the rows alone. */
function compareRewards(rows: HoldingsRows, height: number, facts: Facts): string[] {
  return rewardsIn(facts).flatMap(([name, value]) => {
    const found = rows.holdings(name.split(' ')[1]!, height).rewardsByValidator.get(name);
    return found === value ? [] : [`${height}, rows: ${name}: recorded ${value}, found ${found}`];
  });
}

/** Compares staked, unbonding and unclaimed coins of wallets at the close of days, from the rows alone. */
function compareDays(rows: HoldingsRows, states: string, after: number): { points: number; differences: string[] } {
  const differences: string[] = [];
  let points = 0;
  for (const day of recordedDays(states)) {
    if (day.height <= after) continue;
    points += 3;
    const { staked, unbonding, rewards } = rows.holdings(day.address, day.height);
    const found = [staked, unbonding, formatDecimal18(rewards[rows.denoms.number('uatom')] ?? 0n)].join(' ');
    const recorded = [day.staked_uatom, day.unbonding_uatom, day.rewards_uatom].join(' ');
    if (found !== recorded) differences.push(`${day.day}, rows: ${day.address}: recorded ${recorded}, found ${found}`);
  }
  return { points, differences };
}

if (process.argv[1] === import.meta.filename) {
  const [folder, start] = process.argv.slice(2);
  if (!folder) throw new Error('pass the folder of a recording');
  const began = Date.now();
  const proof = await proveHoldings(folder, folder, start ?? join(folder, 'genesis.json.gz'));
  for (const line of proof.differences.slice(0, 50)) console.log(line);
  console.log(
    `${proof.statePoints} figures of the state and ${proof.rowPoints} of the rows compared, ` +
      `${proof.differences.length} differ; ${proof.rows.count} rows, ${Date.now() - began} ms`,
  );
  process.exitCode = proof.differences.length > 0 ? 1 : 0;
}
