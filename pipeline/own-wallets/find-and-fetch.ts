/**
 * Finds and fetches the blocks of the wallets in HUBLEDGER_WALLETS. Each block passes the same checks as in a run over
 * the whole chain, with one exception. The results of a block are not checked against the next block's hashes, because
 * that block is not fetched.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, SpanError, VariableError } from '../base/config-error.js';
import { makeFolder, replaceFile } from '../base/disk/atomic-files.js';
import { type Database, readSql } from '../base/duckdb/database.js';
import { addressFault } from '../base/values/address.js';
import { BlockError } from '../chain/block-error.js';
import { CheckedSource, crossCheckSecret } from '../chain/cross-check.js';
import { behindTip, firstHeightOfDay, furthestBack, headingOf, lastHeight } from '../chain/index-blocks.js';
import type { ChainStatus } from '../chain/nodes/chain-source.js';
import { endpointsOf } from '../chain/nodes/endpoint.js';
import { LcdClient } from '../chain/nodes/lcd-client.js';
import { openSource } from '../chain/nodes/open-source.js';
import { type Reach, SearchClient } from '../chain/nodes/search-client.js';
import { openChunks } from '../holdings/start/load-starting-state.js';
import type { Artifacts, Span, SpanMonth } from '../night/artifacts.js';
import type { StepContext } from '../night/night.js';
import { BlockStore, blocksFolder, ownWalletsFolder } from './block-store.js';
import {
  type Finding,
  foundFolder,
  HEIGHTS_MAX,
  HeightFinder,
  type Searched,
  type SearchRange,
  searchAgain,
} from './find-heights.js';
import { type GenesisState, readGenesis } from './genesis.js';
import { NodeState, type NodeValidator, type SlashFractions, type WalletState } from './node-facts.js';

/** Information from nodes about one wallet, and what the search could not find. */
export interface FoundWallet {
  readonly address: string;
  /** Heights of the wallet's blocks, from the first block of the index on. */
  readonly heights: readonly number[];
  /** State before the index if a node has it, else an earlier state if the nodes have all blocks since then. */
  readonly opening: WalletState | undefined;
  readonly closing: WalletState | undefined;
  /** Sequence numbers of the wallet's own transactions that were found, ascending. */
  readonly sequences: readonly number[];
  /** Sentences for the user, each about something that could not be found. */
  readonly missing: readonly string[];
}

export interface StoredBlock {
  readonly height: number;
  readonly file: string;
}

export interface FoundChain {
  /** Folder with all data for these wallets. */
  readonly folder: string;
  readonly wallets: readonly FoundWallet[];
  /** All blocks in ascending order of height, each with its file. */
  readonly blocks: readonly StoredBlock[];
  /** Blocks between `opening` and the index, if `opening` is an earlier state. */
  readonly earlier: readonly StoredBlock[];
  readonly slashes: readonly number[];
  readonly validators: readonly NodeValidator[];
  /** Validators at the same height as the wallets' `opening` states. */
  readonly openingValidators: readonly NodeValidator[] | undefined;
  /** Undefined if no node responds. */
  readonly slashFractions: SlashFractions | undefined;
}

/** Values that only the steps of a run over single wallets pass to each other. */
export interface OwnArtifacts extends Artifacts {
  readonly found: FoundChain;
}

type Outputs = 'corrections' | 'start' | 'folded' | 'found' | 'span' | 'block_times';

/**
 * @throws ConfigError if no node has a search index, or if no node responds
 * @throws BlockError if a block does not match its hashes
 */
export async function findAndFetch(
  _none: Record<never, never>,
  context: StepContext,
): Promise<Pick<OwnArtifacts, Outputs>> {
  const { config, nodeChainId, database, reference, progress, signal } = context;
  const addresses = config.wallets!;
  for (const address of addresses) {
    const fault = addressFault(address, reference.chain.bech32_prefix);
    if (fault) throw new VariableError(`HUBLEDGER_WALLETS: ${fault}`);
  }
  if (config.corrections !== undefined) progress.say('HUBLEDGER_CORRECTIONS has no effect with HUBLEDGER_WALLETS');
  const folder = ownWalletsFolder(config.dataDir, nodeChainId);
  makeFolder(folder);
  const crossCheck =
    config.rpcUrls.length > 1 ? { share: config.crossCheck, secret: crossCheckSecret(config.dataDir) } : undefined;
  const endpoints = endpointsOf(config.rpcUrls, config.nodeHeaders);
  const source = new CheckedSource(openSource(endpoints, { crossCheck }), {
    chainId: nodeChainId,
    now: () => config.now().getTime(),
    crossCheck,
  });
  const said = behindTip(await source.status(), config.tipDistance);
  if (said.chainId !== nodeChainId) {
    throw new ConfigError(`the node's chain is ${said.chainId}, expected ${nodeChainId} (HUBLEDGER_NODE_CHAIN_ID)`);
  }
  const ends = await endsOf(source, said, folder, context);
  const { first, last } = ends;
  const store = await BlockStore.open(database, blocksFolder(folder), new Set(addresses), (file) =>
    progress.say('a file of blocks is damaged: its blocks are fetched again', { file }),
  );
  const client = new SearchClient(endpoints, { signal, say: progress.say });
  const restEndpoints = endpointsOf(config.lcdUrls, config.nodeHeaders);
  const state =
    restEndpoints.length > 0 ? new NodeState(new LcdClient(restEndpoints), reference.chain.native_denom) : undefined;
  if (!state) progress.say('HUBLEDGER_LCD_URLS is not set: nothing can be compared with balances of a node');
  let unanswered = 0;
  const ask = async <Answer>(question: (state: NodeState) => Promise<Answer>): Promise<Answer | undefined> => {
    if (!state || unanswered === UNANSWERED_MAX) return undefined;
    try {
      const answer = await question(state);
      unanswered = 0;
      return answer;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      progress.say(error.message);
      if (++unanswered === UNANSWERED_MAX) progress.say('no node of HUBLEDGER_LCD_URLS is asked again in this run');
      return undefined;
    }
  };
  const openings = new Map<string, WalletState | undefined>();
  let asked: Promise<GenesisState | undefined> | undefined;
  for (const address of addresses) {
    const known = await ask((nodes) => nodes.wallet(address, first - 1));
    openings.set(address, known);
    if (known) continue;
    asked ??= stateBefore(ends, client, said, context);
    if (await asked) break;
  }
  const genesis = await asked;
  /** Blocks since an earlier state prove what a wallet held before the index. */
  const from = genesis?.firstHeight ?? first;
  const search = { ...(genesis ? { from, last } : ends.search), earliest: said.earliest };
  const total = addresses.length * HeightFinder.SEARCHES + 1;
  let searched = 0;
  const finder = new HeightFinder(foundFolder(folder), client, search, () => {
    searched++;
    progress.update(Math.min(searched, total), total);
  });
  const fetcher = new Fetcher(source, store, said, { first: from, last }, context);
  const findings = new Map<string, Finding>();
  for (const address of addresses) {
    const finding = await finder.ofWallet(address);
    findings.set(address, finding);
    progress.say(`${address}: ${finding.heights.length} heights`, { address, heights: finding.heights.length });
  }
  const slashes = await finder.ofSlashes();
  const wanted = [first, last, ...slashes.heights];
  await fetcher.fetch([...wanted, ...[...findings.values()].flatMap(({ heights }) => heights)]);

  const proposals = new Map<string, number[]>();
  const wallets: FoundWallet[] = [];
  for (const address of addresses) {
    let finding = findings.get(address)!;
    const opening = (genesis?.wallets ?? openings).get(address);
    const closing = await ask((nodes) => nodes.wallet(address, last));
    let facts = factsOfWallet(address, store, finding);
    if (closing) {
      const lacking = lackingSequences(facts.sequences, opening?.sequence, closing.sequence);
      if (lacking.length > 0) {
        finding = await finder.ofSequences(address, lacking.slice(0, SEQUENCES_SEARCHED));
        await fetcher.fetch(finding.heights);
        facts = factsOfWallet(address, store, finding);
      }
    }
    for (const proposal of facts.proposals) {
      if (proposals.has(proposal)) continue;
      const { heights } = await finder.ofProposal(proposal);
      proposals.set(proposal, [...heights]);
      await fetcher.fetch(heights);
    }
    const own = [...finding.heights, ...facts.proposals.flatMap((proposal) => proposals.get(proposal)!)];
    wanted.push(...own);
    const lackedKeys = keyFaults(finder.searchedFor(address), address, store);
    if (lackedKeys.length > 0) searchAgain(foundFolder(folder), address);
    wallets.push({
      address,
      heights: own.filter((height) => height >= first),
      opening,
      closing,
      sequences: facts.sequences,
      missing: [...fetcher.missing(finding, own), ...indexFaults(await finder.reach(), last), ...lackedKeys],
    });
  }
  client.tellDifferences();
  await store.flush();
  const stored = [...new Set(wanted)]
    .filter((height) => store.has(height))
    .sort((a, b) => a - b)
    .map((height) => ({ height, file: store.fileOf(height) }));
  const [earlier, blocks] = [
    stored.filter(({ height }) => height < first),
    stored.filter(({ height }) => height >= first),
  ];
  const span = await spanOf(database, blocks, ends);
  const validators = (await ask((nodes) => nodes.validators(last))) ?? [];
  return {
    corrections: null,
    start: {
      chainId: nodeChainId,
      height: first - 1,
      oversized: [],
      differences: [],
      identities: [],
      voucherTraces: [],
      folder,
    },
    folded: { folders: [], until: last, stop: undefined },
    found: {
      folder,
      wallets,
      blocks,
      earlier,
      slashes: slashes.heights.filter((height) => store.has(height)),
      validators,
      openingValidators: genesis?.validators ?? (await ask((nodes) => nodes.validators(first - 1))),
      slashFractions: await ask((nodes) => nodes.slashFractions(last)),
    },
    span,
    block_times: 'blocks',
  };
}

/**
 * Reads the state of HUBLEDGER_GENESIS or, if it does not help, the genesis of the nodes.
 * @returns undefined if the nodes lack blocks between each state and the index
 */
async function stateBefore(
  { first }: Ends,
  client: SearchClient,
  { earliest, chainId }: ChainStatus,
  { config: { genesis, wallets }, progress }: StepContext,
): Promise<GenesisState | undefined> {
  const lowest = Math.min(earliest, first);
  const read = async (chunks: AsyncIterable<Uint8Array>, name: string) => {
    try {
      return await readGenesis(chunks, wallets!, { chainId, heights: [lowest, first] });
    } catch (error) {
      progress.say(`${name} cannot be read: ${(error as Error).message}`);
      return undefined;
    }
  };
  if (genesis !== undefined) {
    const state = await read(openChunks(genesis), 'HUBLEDGER_GENESIS');
    if (state) return state;
    progress.say(`HUBLEDGER_GENESIS is not used: it is not the state before a block from ${lowest} to ${first}`);
  }
  if (earliest > first) return undefined;
  for (const { name, chunks } of client.geneses()) {
    const state = await read(chunks, `the genesis of ${name}`);
    if (state) return state;
  }
  return undefined;
}

/** After this many unanswered requests in a row, the nodes count as away for the rest of the run. */
const UNANSWERED_MAX = 3;

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
  return [`the search index of ${names} ends at block ${until}, before block ${last}: the next run searches the rest`];
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
    return `the search index of ${nodes.join(', ')} lacks ${key} of block ${height}, so other blocks may be missing: name another node`;
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

interface Ends {
  readonly first: number;
  readonly last: number;
  readonly search: Omit<SearchRange, 'earliest'>;
}

/**
 * Returns the first and last height of the index. Stores the first height, so that it stays the same when nodes later
 * prune blocks. If a node later has blocks between the index's first day and this height, the first height moves there.
 */
async function endsOf(source: CheckedSource, status: ChainStatus, folder: string, context: StepContext): Promise<Ends> {
  const { config, options, progress } = context;
  const { indexStart } = config;
  const path = join(folder, 'first.json');
  const stored: { indexStart: string; first: number; isPruned: boolean } | undefined = existsSync(path)
    ? JSON.parse(readFileSync(path, 'utf8'))
    : undefined;
  let found = stored?.indexStart === indexStart ? stored : undefined;
  if (found?.isPruned && status.earliest < found.first) found = undefined;
  if (options.from !== undefined) found = { indexStart, first: options.from, isPruned: false };
  if (!found) {
    const first = await firstHeightOfDay(source, indexStart, status.earliest, status.latest);
    if (first > status.latest) throw new SpanError(`there is no block yet from ${indexStart} on`);
    const isPruned = first === status.earliest && !(await headingOf(source, first)).isFirst;
    if (isPruned) {
      const earliest = await furthestBack(source);
      if (earliest < status.earliest) return endsOf(source, { ...status, earliest }, folder, context);
    }
    found = { indexStart, first, isPruned };
    replaceFile(path, `${JSON.stringify(found)}\n`);
  }
  const { first, isPruned } = found;
  if (isPruned) {
    progress.say(`the nodes have blocks from height ${first} on, not from ${indexStart}: earlier ones are missing`);
  }
  const last = await lastHeight({ source, until: options.until }, status, first, undefined);
  if (last < first) throw new SpanError(`there is no block yet from ${indexStart} on`);
  return { first, last, search: { from: isPruned ? 1 : first, last } };
}

const PROGRESS_BLOCKS = 50;

class Fetcher {
  private readonly lost = new Map<number, string>();

  constructor(
    private readonly source: CheckedSource,
    private readonly store: BlockStore,
    private readonly status: ChainStatus,
    private readonly ends: Pick<Ends, 'first' | 'last'>,
    private readonly context: StepContext,
  ) {}

  /** Fetches the blocks that are not stored yet, and records the heights that no node has. */
  async fetch(heights: Iterable<number>): Promise<void> {
    const { progress, signal } = this.context;
    const isOpen = (height: number) =>
      height >= this.ends.first && height <= this.ends.last && !this.store.has(height) && !this.lost.has(height);
    let open = [...new Set(heights)].filter(isOpen).sort((a, b) => a - b);
    for (const height of open) {
      if (height < this.status.earliest) this.lost.set(height, 'all nodes have pruned it');
    }
    open = open.filter((height) => !this.lost.has(height));
    const [total, began] = [open.length, performance.now()];
    let [done, unanswered] = [0, 0];
    try {
      while (open.length > 0) {
        try {
          for await (const block of this.source.blocksAt(open)) {
            signal.throwIfAborted();
            await this.source.crossCheck(block);
            await this.store.add(block.row, block.block);
            unanswered = 0;
            progress.update(++done, total);
            if (done === PROGRESS_BLOCKS) {
              const seconds = Math.ceil(((performance.now() - began) / done / 1000) * (total - done));
              progress.say(`${total - done} more blocks to fetch, which takes about ${seconds} s`, { blocks: total });
            }
          }
          break;
        } catch (error) {
          if (!(error instanceof BlockError && error.isNowhere)) throw error;
          await this.source.status(); // throws if no node answers; the next run then fetches the rest
          unanswered = error.isAbsent ? 0 : unanswered + 1;
          if (unanswered === UNANSWERED_MAX) {
            throw new ConfigError(`${error.message}: the next nightly run continues from here`);
          }
          this.lost.set(error.height, error.reason);
          open = open.filter((height) => height > error.height);
          done++;
        }
      }
    } finally {
      await this.store.flush();
    }
  }

  /**
   * Returns one sentence for each part of a wallet's history that could not be found.
   * @param heights heights of the wallet's blocks
   */
  missing({ pruned, isTooLarge, heights: found }: Finding, heights: readonly number[]): string[] {
    const { first } = this.ends;
    const before = found.filter((height) => height < first).length + pruned;
    const lost = heights.filter((height) => this.lost.has(height)).sort((a, b) => a - b);
    return [
      ...(isTooLarge
        ? [`it has more than ${HEIGHTS_MAX} heights, which is too many for a dataset of single wallets`]
        : []),
      ...(before > 0
        ? [`${before} blocks of the wallet before height ${first} are pruned on all nodes: name an archive node`]
        : []),
      ...(lost.length > 0
        ? [
            `no node returns the blocks ${lost.slice(0, 10).join(', ')}${lost.length > 10 ? ` and ${lost.length - 10} more` : ''}`,
          ]
        : []),
    ];
  }
}

/** Fills the table `blocks` with the heights and times of blocks. */
async function spanOf(database: Database, blocks: FoundChain['blocks'], { first, last }: Ends): Promise<Span> {
  const files = [...new Set(blocks.map(({ file }) => file))];
  const heights = blocks.map(({ height }) => String(height));
  await database.run('tables/own_blocks', { files, heights });
  const [times] = await database.all<{ first_time: string; last_time: string }>(readSql('tables/span'), { first });
  const months = await database.all<SpanMonth>(readSql('tables/months'));
  return { first, last, firstTime: times!.first_time, lastTime: times!.last_time, months };
}
