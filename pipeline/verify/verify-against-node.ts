/** Compares a dataset's holdings with a node's state. */
import { LcdClient } from '../chain/nodes/lcd-client.js';
import { chainFacts } from '../classify/chain-facts.js';
import { loadReference } from '../reference.js';
import { nodeHoldings } from './node-holdings.js';
import { type Facts, KINDS, PublishedHoldings } from './published-holdings.js';
import type { Check } from './verify.js';

/** Maximum number of heights. */
const HEIGHTS = 3;

/**
 * Yields a check for each account and kind of holdings: balances, delegations, unbonding entries and exact unclaimed
 * rewards. Compares at the last block and at closes of earlier days that the node has not pruned.
 * @param lcdUrls at least one
 * @param sampleSize number of accounts, delegators first; always the same for one generation
 * @throws ConfigError if the dataset has no holdings or no node answers
 */
export async function* verifyAgainstNode(
  folder: string,
  lcdUrls: readonly string[],
  sampleSize: number,
): AsyncGenerator<Check> {
  const node = new LcdClient(lcdUrls);
  const published = await PublishedHoldings.open(folder);
  try {
    const { chain, contracts } = loadReference();
    const accounts = await published.sample(sampleSize, chainFacts(chain, contracts));
    const heights = await heightsOf(node, published, accounts[0]!);
    yield {
      ok: heights.length > 0,
      text: `node: has the state of heights ${heights.join(', ') || '(none of the indexed days)'}`,
    };
    for (const height of heights) yield* compare(node, published, accounts, height);
  } finally {
    published.close();
  }
}

/** Returns the last published close and closes spread over the index, as far as the node has their state. */
async function heightsOf(node: LcdClient, published: PublishedHoldings, account: string): Promise<number[]> {
  const closes = await published.closes();
  const known: number[] = [];
  for (const height of [...closes.slice(-1), ...spread(closes.slice(0, -1))]) {
    if (known.length === HEIGHTS) break;
    if (await nodeHoldings(node, account, height)) known.push(height);
  }
  return known;
}

/** Yields every element once: the middle, then the middles of both halves, and so on. */
function* spread(list: readonly number[]): Generator<number> {
  const parts = [list];
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (part.length === 0) continue;
    const middle = part.length >> 1;
    yield part[middle]!;
    parts.push(part.slice(middle + 1), part.slice(0, middle));
  }
}

async function* compare(
  node: LcdClient,
  published: PublishedHoldings,
  accounts: readonly string[],
  height: number,
): AsyncGenerator<Check> {
  const ours = await published.at(height, accounts);
  for (const account of accounts) {
    const theirs = await nodeHoldings(node, account, height);
    for (const kind of KINDS) {
      const differences = theirs
        ? differencesOf(ours.get(account)![kind], theirs[kind])
        : ['the node has pruned this height'];
      const text = `${account} at ${height}: ${kind}`;
      yield { ok: differences.length === 0, text: [text, ...differences].join('\n  ') };
    }
  }
}

function differencesOf(ours: Facts, theirs: Facts): string[] {
  return [...new Set([...ours.keys(), ...theirs.keys()])]
    .filter((name) => (ours.get(name) ?? '') !== (theirs.get(name) ?? ''))
    .map((name) => `${name}: ${ours.get(name) || 'nothing'}, the node has ${theirs.get(name) || 'nothing'}`);
}
