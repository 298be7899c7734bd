/**
 * Folds a recording and compares every figure that its node said of holdings: from the state at each recorded height, and
 * from the rows alone at each recorded day. `node dist/scripts/recordings/prove-holdings.js <folder> [starting state]`
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FullBlock } from '../../pipeline/chain/block.js';
import { Recording } from '../../pipeline/chain/nodes/recording.js';
import { readBlock } from '../../pipeline/chain/read-blocks.js';
import { foldBlocks } from '../../pipeline/holdings/fold-blocks.js';
import { openRows, startingRows } from '../../pipeline/holdings/modules/intervals.js';
import { loadStartingState } from '../../pipeline/holdings/start/load-starting-state.js';
import type { HoldingsState } from '../../pipeline/holdings/state.js';
import { formatDecimal18 } from '../../pipeline/holdings/values/decimal18.js';
import { loadReference } from '../../pipeline/reference.js';
import { HoldingsRows, stateFacts } from './holdings-facts.js';
import { compareFacts, type Facts, recordedDays, recordedFacts, recordedHeights } from './recorded-holdings.js';

export interface Proof {
  /** Figures compared: from the state at recorded heights, from the rows alone at recorded heights and days. */
  readonly statePoints: number;
  readonly rowPoints: number;
  /** Differences, a line each. */
  readonly differences: readonly string[];
  readonly rows: HoldingsRows;
  readonly state: HoldingsState;
}

/** The blocks of a recording from a height to its last. */
export async function* blocksOf(folder: string, from: number): AsyncGenerator<FullBlock> {
  const recording = new Recording(pathToFileURL(folder).href);
  const { latest } = await recording.status();
  if (from > latest) return;
  for await (const { height, record } of recording.records(from, latest)) yield readBlock({ height, hash: '', record });
}

/**
 * Folds from a starting state to the recording's end, and compares.
 * @param blocks folder of a recording
 * @param states folder with the answers of its node: state/<height>/*.jsonl.gz and state/daily.jsonl.gz
 * @param start genesis or export
 */
export async function proveHoldings(blocks: string, states: string, start: string): Promise<Proof> {
  const { state: opened } = await loadStartingState(start);
  const first = opened.height;
  const heights = recordedHeights(states).filter((height) => height >= first);
  const recorded = new Map(heights.map((height) => [height, recordedFacts(states, height)]));
  const differences = new Map<number, string[]>(); // by height: a block that is folded again counts as it is in the end
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

/** Compares each wallet's unclaimed reward at each validator, from the rows alone. */
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
  if (!folder) throw new Error('which recording?');
  const began = Date.now();
  const proof = await proveHoldings(folder, folder, start ?? join(folder, 'genesis.json.gz'));
  for (const line of proof.differences.slice(0, 50)) console.log(line);
  console.log(
    `${proof.statePoints} figures of the state and ${proof.rowPoints} of the rows compared, ` +
      `${proof.differences.length} differ; ${proof.rows.count} rows, ${Date.now() - began} ms`,
  );
  process.exitCode = proof.differences.length > 0 ? 1 : 0;
}
