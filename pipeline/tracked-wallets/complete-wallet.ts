/**
 * Completes the search for one wallet: fetches the blocks that only its first blocks reveal, and returns in sentences
 * what could not be found or confirmed.
 */
import type { Reach } from '../chain/nodes/search-client.js';
import { ADD_NODE } from './advice.js';
import type { StateCheck } from './ask-state.js';
import type { BlockStore } from './block-store.js';
import type { Ends, Nodes, States } from './end-states.js';
import type { BlockFetcher } from './fetch-blocks.js';
import { type Finding, foundFolder, type HeightFinder, type Searched, searchAgain } from './find-heights.js';
import type { FoundWallet } from './found-chain.js';

/** What the steps for one wallet share. */
export interface Search {
  readonly folder: string;
  readonly nodes: Nodes;
  readonly ends: Ends;
  readonly states: States;
  readonly store: BlockStore;
  readonly finder: HeightFinder;
  readonly fetcher: BlockFetcher;
  /** Heights of slashes. */
  readonly slashes: readonly number[];
  /** Heights of the proposals for which a wallet deposited coins. */
  readonly proposals: Map<string, readonly number[]>;
}

export interface SearchedWallet extends FoundWallet {
  /** Heights of the wallet's blocks, also of blocks before the index. */
  readonly allHeights: readonly number[];
}

/** Fetches the blocks that only the first blocks of a wallet reveal: single transactions, and ends of proposals. */
export async function completeWallet(address: string, first: Finding, search: Search): Promise<SearchedWallet> {
  const { folder, ends, states, store, finder, fetcher } = search;
  const [opening, closing] = [states.openings.get(address), states.closings.get(address)];
  let finding = first;
  let facts = factsOfWallet(address, store, finding);
  const lacking = closing ? lackingSequences(facts.sequences, opening?.sequence, closing.sequence) : [];
  if (lacking.length > 0) {
    finding = await finder.ofSequences(address, lacking.slice(0, SEQUENCES_SEARCHED));
    await fetcher.fetch(finding.heights);
    facts = factsOfWallet(address, store, finding);
  }
  const allHeights = [...finding.heights, ...(await heightsOfProposals(facts.proposals, search))];
  const lackedKeys = keyFaults(finder.searchedFor(address), address, store);
  if (lackedKeys.length > 0) searchAgain(foundFolder(folder), address);
  const doubts = await stateDoubts(address, finding, search);
  return {
    address,
    heights: allHeights.filter((height) => height >= ends.first),
    allHeights,
    opening,
    closing,
    isConfirmed: states.checks.get(address)?.isConfirmed ?? false,
    sequences: facts.sequences,
    missing: [
      ...fetcher.missing(finding, allHeights),
      ...indexFaults(await finder.reach(), ends.last),
      ...lackedKeys,
      ...doubts.missing,
    ],
    unconfirmed: doubts.unconfirmed,
  };
}

/**
 * Says in sentences what only one host's word supports. If two search indexes find all rows, a second host must confirm
 * the balances before or after them. One index could leave rows out, so a second host must confirm both balances.
 */
async function stateDoubts(
  address: string,
  finding: Finding,
  search: Search,
): Promise<Pick<FoundWallet, 'missing' | 'unconfirmed'>> {
  const { client, hasSecond } = search.nodes;
  const { first, last } = search.ends;
  const latest = search.states.checks.get(address);
  if (!hasSecond || !latest) return { missing: [], unconfirmed: [] };
  const { nodes } = await search.finder.reach();
  const whole = nodes.filter(({ id, until = 0 }) => until >= last && finding.nodes.includes(id));
  const indexes = new Set(client.namesOf(whole.map(({ id }) => id)));
  const isOneIndex = indexes.size < 2;
  const before = latest.isConfirmed && !isOneIndex ? NO_CHECK : await checkOpening(address, search);
  const isProved = isOneIndex ? latest.isConfirmed && before.isConfirmed : latest.isConfirmed || before.isConfirmed;
  const checks = [
    { height: last, ...latest },
    { height: first - 1, ...before },
  ];
  const differing = checks.filter((check) => !check.isConfirmed && check.differing.length > 0);
  const names = indexes.size > 0 ? ` of ${[...indexes].join()}` : '';
  return {
    missing: differing.map(
      ({ height, differing: hosts }) =>
        `the state of it after block ${height} by ${hosts.join(', ')} differs from another node's: remove the node that is wrong`,
    ),
    unconfirmed: isProved
      ? []
      : [
          ...(latest.isConfirmed || latest.differing.length > 0
            ? []
            : [
                "its balances rest on one node's word: name a second node that reports them in HUBLEDGER_RPC_URLS or HUBLEDGER_LCD_URLS",
              ]),
          ...(isOneIndex && !before.isConfirmed
            ? [`it rests on one search index${names}: name a second node with an index in HUBLEDGER_RPC_URLS`]
            : []),
        ],
  };
}

const NO_CHECK: StateCheck = { isConfirmed: false, differing: [] };

async function checkOpening(address: string, { states, nodes: { state }, ends }: Search): Promise<StateCheck> {
  const { genesis } = states;
  if (genesis) return { isConfirmed: await genesis.isConfirmed(), differing: [] };
  const opening = states.openings.get(address);
  return opening ? state.check(address, ends.first - 1, opening) : NO_CHECK;
}

async function heightsOfProposals(
  ids: readonly string[],
  { proposals, finder, fetcher }: Search,
): Promise<readonly number[]> {
  for (const id of ids) {
    if (proposals.has(id)) continue;
    const { heights } = await finder.ofProposal(id);
    proposals.set(id, heights);
    await fetcher.fetch(heights);
  }
  return ids.flatMap((id) => proposals.get(id)!);
}

/** At most this many missing transactions are searched for one by one. */
const SEQUENCES_SEARCHED = 200;
/** A node may report any sequence number, so at most this many missing numbers are listed. */
const LACKING_MAX = 10_000;

/**
 * Returns the sequence numbers that are missing in `found`, but at most LACKING_MAX.
 * @param start sequence number before the first block; if undefined, the lowest number in `found` is used
 */
export function lackingSequences(found: readonly number[], start: number | undefined, end: number): number[] {
  const there = new Set(found);
  const lacking: number[] = [];
  for (let sequence = start ?? found[0] ?? end; sequence < end && lacking.length < LACKING_MAX; sequence++) {
    if (!there.has(sequence)) lacking.push(sequence);
  }
  return lacking;
}

/** Returns a sentence if no index reaches the last block. */
function indexFaults({ until, nodes }: Reach, last: number): string[] {
  if (until === undefined || until >= last) return [];
  const names = nodes.map(({ name }) => name).join(', ');
  return [
    `the search index of ${names} ends at block ${until}, before block ${last}. Run again later: the next run searches the rest`,
  ];
}

/**
 * Compares the searches for a wallet with the events of its blocks. Each event with the wallet's address must be found
 * by its own search, or the index lacks the key of this search.
 */
function keyFaults(searched: Searched | undefined, address: string, store: BlockStore): string[] {
  if (!searched) return [];
  const { from, until, heights, nodes } = searched;
  const found = new Set([...heights.values()].flatMap((one) => [...one]));
  const lacking = new Map<string, number>();
  for (const { height, searches = [] } of store.factsAt(found)) {
    if (height < from || height > until) continue;
    for (const search of searches) {
      if (search.endsWith(`='${address}'`) && !heights.get(search)!.has(height)) {
        lacking.set(search, Math.min(height, lacking.get(search) ?? height));
      }
    }
  }
  return [...lacking].map(([search, height]) => {
    const key = search.replace(/^\w+ |='.*$/g, '');
    return `the search index of ${nodes.join(', ')} lacks ${key} of block ${height}, so other blocks may be missing. ${ADD_NODE}`;
  });
}

function factsOfWallet(address: string, store: BlockStore, { heights }: Finding) {
  const [sequences, proposals] = [new Set<number>(), new Set<string>()];
  const valuesOf = (texts: readonly string[]) =>
    texts.flatMap((text) => (text.startsWith(`${address}/`) ? [text.slice(address.length + 1)] : []));
  for (const facts of store.factsAt(new Set(heights))) {
    for (const sequence of valuesOf(facts.sequences)) sequences.add(Number(sequence));
    for (const proposal of valuesOf(facts.deposits)) if (/^\d{1,15}$/.test(proposal)) proposals.add(proposal);
  }
  return { sequences: [...sequences].sort((a, b) => a - b), proposals: [...proposals].sort() };
}
