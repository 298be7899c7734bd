/**
 * Finds and fetches the blocks of the wallets in HUBLEDGER_WALLETS. Each block passes the same checks as in a run over
 * the whole chain. A second node confirms the events, and the signatures of validators confirm the block.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ConfigError, SpanError, VariableError } from '../base/config-error.js';
import { makeFolder, replaceFile } from '../base/disk/atomic-files.js';
import { type Database, readSql } from '../base/duckdb/database.js';
import { addressFault } from '../base/values/address.js';
import { BlockError } from '../chain/block-error.js';
import { CheckedSource } from '../chain/cross-check.js';
import { behindTip, firstHeightOfDay, furthestBack, headingOf, lastHeight } from '../chain/index-blocks.js';
import { NodeHeaders } from '../chain/light/node-headers.js';
import type { ChainStatus } from '../chain/nodes/chain-source.js';
import { endpointsOf } from '../chain/nodes/endpoint.js';
import { openSource } from '../chain/nodes/open-source.js';
import { RpcQuestions } from '../chain/nodes/rpc-questions.js';
import { type Reach, SearchClient } from '../chain/nodes/search-client.js';
import { openChunks } from '../holdings/start/load-starting-state.js';
import type { Artifacts, Span, SpanMonth } from '../night/artifacts.js';
import type { StepContext } from '../night/night.js';
import { ADD_NODE } from './advice.js';
import { AskedState, type StateCheck } from './ask-state.js';
import { BlockProofs } from './block-proofs.js';
import { BlockStore, blocksFolder, ownWalletsFolder } from './block-store.js';
import { BlockFetcher } from './fetch-blocks.js';
import {
  type Finding,
  foundFolder,
  HeightFinder,
  type Searched,
  type SearchRange,
  searchAgain,
} from './find-heights.js';
import { type GenesisState, readGenesis } from './genesis.js';
import type { NodeValidator, SlashFractions, WalletState } from './node-facts.js';
import { confirmationOf, signBlocks } from './sign-blocks.js';
import { readSlashedCoins, type SlashedCoins } from './slashed-coins.js';

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
  /** Sentences for the user, each about what only one node confirms, or about signatures that are not checked. */
  readonly unconfirmed: readonly string[];
}

export interface StoredBlock {
  readonly height: number;
  /** Hash of the block with its events. */
  readonly content: string;
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
  readonly slashedCoins: SlashedCoins;
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

/** Nodes of a run, each with the client for one kind of question. */
interface Nodes {
  /** True if a second node can confirm a block. */
  readonly hasSecond: boolean;
  readonly source: CheckedSource;
  readonly client: SearchClient;
  readonly headers: readonly NodeHeaders[];
  readonly state: AskedState;
}

/** States after the last block. */
interface LatestStates {
  readonly closings: ReadonlyMap<string, WalletState | undefined>;
  /** Comparisons of the closing states with other hosts. */
  readonly checks: ReadonlyMap<string, StateCheck>;
  readonly validators: readonly NodeValidator[];
  readonly slashFractions: SlashFractions | undefined;
}

/** States of the wallets and validators at both ends of the index. */
interface States extends LatestStates {
  readonly openings: ReadonlyMap<string, WalletState | undefined>;
  /** An earlier state, if no node has the state before the index but the nodes have all blocks since then. */
  readonly genesis: EarlierState | undefined;
}

interface EarlierState extends GenesisState {
  /** Returns true if the user or a second host confirms the state. */
  readonly isConfirmed: () => Promise<boolean>;
}

/** What the steps for one wallet share. */
interface Search {
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

interface SearchedWallet extends FoundWallet {
  /** Heights of the wallet's blocks, also of blocks before the index. */
  readonly own: readonly number[];
}

/**
 * @throws ConfigError if no node has a search index, or if no node responds
 * @throws BlockError if a block does not match its hashes
 */
export async function findAndFetch(
  _none: Record<never, never>,
  context: StepContext,
): Promise<Pick<OwnArtifacts, Outputs>> {
  const { config, options, nodeChainId, database, progress } = context;
  const addresses = config.wallets!;
  checkSettings(addresses, context);
  const folder = ownWalletsFolder(config.dataDir, nodeChainId);
  makeFolder(folder);
  const nodes = openNodes(context);
  const { status, tip } = await askTip(nodes, context);
  // Nodes soon prune the newest state, so it is asked for first.
  const early = options.until === undefined ? await askLatest(nodes, tip.latest, context) : undefined;
  const ends = await endsOf(nodes.source, tip, folder, context);
  const { first, last } = ends;
  const store = await BlockStore.open(database, blocksFolder(folder), new Set(addresses), (file) =>
    progress.say('a file of blocks is damaged: its blocks are fetched again', { file }),
  );
  const latest = early ?? (await askLatest(nodes, last, context));
  const states = { ...latest, ...(await askOpenings(nodes, store, ends, tip, context)) };
  /** Blocks since an earlier state prove what a wallet held before the index. */
  const from = states.genesis?.firstHeight ?? first;
  const range = { ...(states.genesis ? { from, last } : ends.search), earliest: tip.earliest };
  const finder = openFinder(folder, nodes.client, range, context);
  const proofs = BlockProofs.open(join(folder, 'proofs.json'));
  const { source, hasSecond } = nodes;
  const fetcher = new BlockFetcher({ source, store, proofs, status, ends: { first: from, last }, hasSecond }, context);
  const findings = await findHeights(finder, context);
  const slashes = (await finder.ofSlashes()).heights;
  const common = [from, first, last, ...slashes];
  await fetcher.fetch([...common, ...[...findings.values()].flatMap(({ heights }) => heights)]);

  const search = { folder, nodes, ends, states, store, finder, fetcher, slashes, proposals: new Map() };
  const searched: SearchedWallet[] = [];
  for (const address of addresses) searched.push(await completeWallet(address, findings.get(address)!, search));
  nodes.client.tellDifferences();
  const wallets = await confirmWallets(searched, search, { proofs, latest: status.latest }, context);
  const stored = storedBlocks([...common, ...searched.flatMap(({ own }) => own)], store, proofs);
  const blocks = stored.filter(({ height }) => height >= first);
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
      earlier: stored.filter(({ height }) => height < first),
      slashes: slashes.filter((height) => store.has(height)),
      slashedCoins: await slashedCoins(search, context),
      validators: states.validators,
      openingValidators: states.genesis?.validators ?? (await nodes.state.validators(first - 1)),
      slashFractions: states.slashFractions,
    },
    span: await spanOf(database, blocks, ends),
    block_times: 'blocks',
  };
}

function checkSettings(addresses: readonly string[], { config, reference, progress }: StepContext): void {
  for (const address of addresses) {
    const fault = addressFault(address, reference.chain.bech32_prefix);
    if (fault) throw new VariableError(`HUBLEDGER_WALLETS: ${fault}`);
  }
  if (config.corrections !== undefined) progress.say('HUBLEDGER_CORRECTIONS has no effect with HUBLEDGER_WALLETS');
}

function openNodes({ config, nodeChainId, reference, progress, signal }: StepContext): Nodes {
  const endpoints = endpointsOf(config.rpcUrls, config.nodeHeaders);
  const hasSecond = new Set(endpoints.map(({ name }) => name)).size > 1;
  const crossCheck = hasSecond ? { share: 1, secret: '' } : undefined;
  const source = new CheckedSource(openSource(endpoints, { crossCheck }), {
    chainId: nodeChainId,
    now: () => config.now().getTime(),
  });
  const client = new SearchClient(endpoints, { signal, say: progress.say });
  const stateNodes = { rpc: endpoints, rest: endpointsOf(config.lcdUrls, config.nodeHeaders) };
  const state = new AskedState(stateNodes, reference.chain.native_denom, signal, progress.say);
  const headers = endpoints.map((endpoint) => new NodeHeaders(new RpcQuestions(endpoint, signal)));
  return { hasSecond, source, client, headers, state };
}

/** @returns the status of the nodes, and the status up to the last block of the dataset */
async function askTip(
  { source }: Nodes,
  { config, nodeChainId }: StepContext,
): Promise<{ readonly status: ChainStatus; readonly tip: ChainStatus }> {
  const status = await source.status();
  if (status.chainId !== nodeChainId) {
    throw new ConfigError(
      `the node's chain is ${status.chainId}, expected ${nodeChainId}: name a node of that chain, or set HUBLEDGER_NODE_CHAIN_ID`,
    );
  }
  return { status, tip: behindTip(status, config.tipDistance) };
}

/** @param last height of the states, which is the same for all wallets */
async function askLatest({ state }: Nodes, last: number, { config }: StepContext): Promise<LatestStates> {
  const closings = new Map<string, WalletState | undefined>();
  for (const address of config.wallets!) closings.set(address, await state.wallet(address, last));
  const checks = new Map<string, StateCheck>();
  for (const [address, closing] of closings) {
    if (closing) checks.set(address, await state.check(address, last, closing));
  }
  const validators = (await state.validators(last)) ?? [];
  return { closings, checks, validators, slashFractions: await state.slashFractions(last) };
}

async function askOpenings(
  nodes: Nodes,
  store: BlockStore,
  ends: Ends,
  tip: ChainStatus,
  context: StepContext,
): Promise<Pick<States, 'openings' | 'genesis'>> {
  const openings = new Map<string, WalletState | undefined>();
  let asked: Promise<EarlierState | undefined> | undefined;
  for (const address of context.config.wallets!) {
    const known = await nodes.state.wallet(address, ends.first - 1);
    openings.set(address, known);
    if (known) continue;
    asked ??= stateBefore(ends, nodes, store, tip, context);
    if (await asked) break;
  }
  const genesis = await asked;
  return { openings: genesis?.wallets ?? openings, genesis };
}

function openFinder(
  folder: string,
  client: SearchClient,
  range: SearchRange,
  { config, progress }: StepContext,
): HeightFinder {
  const total = config.wallets!.length * HeightFinder.SEARCHES + 1;
  let searched = 0;
  return new HeightFinder(foundFolder(folder), client, range, () => {
    searched++;
    progress.update(Math.min(searched, total), total);
  });
}

async function findHeights(finder: HeightFinder, { config, progress }: StepContext): Promise<Map<string, Finding>> {
  const findings = new Map<string, Finding>();
  for (const address of config.wallets!) {
    const finding = await finder.ofWallet(address);
    findings.set(address, finding);
    progress.say(`${address}: ${finding.heights.length} heights`, { address, heights: finding.heights.length });
  }
  return findings;
}

/** Fetches the blocks that only the first blocks of a wallet reveal: single transactions, and ends of proposals. */
async function completeWallet(address: string, first: Finding, search: Search): Promise<SearchedWallet> {
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
  const own = [...finding.heights, ...(await heightsOfProposals(facts.proposals, search))];
  const lackedKeys = keyFaults(finder.searchedFor(address), address, store);
  if (lackedKeys.length > 0) searchAgain(foundFolder(folder), address);
  const doubts = await stateDoubts(address, finding, search);
  return {
    address,
    heights: own.filter((height) => height >= ends.first),
    own,
    opening,
    closing,
    sequences: facts.sequences,
    missing: [
      ...fetcher.missing(finding, own),
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

/** Checks signatures, and adds what nodes disagree on or do not confirm. */
async function confirmWallets(
  searched: readonly SearchedWallet[],
  { folder, store, slashes, nodes: { headers: providers, source, hasSecond } }: Search,
  { proofs, latest }: { readonly proofs: BlockProofs; readonly latest: number },
  context: StepContext,
): Promise<FoundWallet[]> {
  const checked = new Map(
    searched.map(({ address, own }) => [address, [...slashes, ...own].filter((height) => store.has(height))]),
  );
  const path = join(folder, 'headers.json');
  const parts = { source, store, proofs, providers, path, chainId: context.nodeChainId, latest };
  const signing = await signBlocks([...checked.values()].flat(), parts, context);
  await store.flush();
  return searched.map(({ own: _, ...wallet }) => {
    const { missing, unconfirmed } = confirmationOf(checked.get(wallet.address)!, proofs, signing, hasSecond);
    return {
      ...wallet,
      missing: [...wallet.missing, ...missing],
      unconfirmed: [...unconfirmed, ...wallet.unconfirmed],
    };
  });
}

function slashedCoins(
  { slashes, store, folder, nodes: { headers: providers, state } }: Search,
  { database }: StepContext,
): Promise<SlashedCoins> {
  const heights = slashes.filter((height) => store.has(height));
  return readSlashedCoins(heights, { database, store, state, providers, path: join(folder, 'slashed-coins.json') });
}

function storedBlocks(heights: Iterable<number>, store: BlockStore, proofs: BlockProofs): StoredBlock[] {
  return [...new Set(heights)]
    .filter((height) => store.has(height))
    .sort((a, b) => a - b)
    .map((height) => ({ height, content: proofs.at(height)?.content ?? '', file: store.fileOf(height) }));
}

/**
 * Reads the state of HUBLEDGER_GENESIS or, if it does not help, the genesis of the nodes.
 * @returns undefined if the nodes lack readable blocks between each state and the index
 */
async function stateBefore(
  { first }: Ends,
  { client, source }: Nodes,
  store: BlockStore,
  { earliest, chainId }: ChainStatus,
  { config: { genesis, wallets }, progress }: StepContext,
): Promise<EarlierState | undefined> {
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
    if (state) return { ...state, isConfirmed: async () => true };
    progress.say(`HUBLEDGER_GENESIS is not used: it is not the state before a block from ${lowest} to ${first}`);
  }
  if (earliest > first) return undefined;
  const geneses = client.geneses();
  for (const [i, { name, chunks }] of geneses.entries()) {
    const state = await read(chunks, `the genesis of ${name}`);
    if (!state) continue;
    const fault = store.has(state.firstHeight) ? undefined : await blockFault(source, state.firstHeight);
    if (fault !== undefined) {
      progress.say(`the genesis of ${name} is not used: block ${state.firstHeight} cannot be read (${fault})`);
      return undefined;
    }
    let confirmed: Promise<boolean> | undefined;
    const others = geneses.slice(i + 1).filter((other) => other.name !== name);
    const isSame = async () => {
      for (const other of others) {
        if (isDeepStrictEqual(await read(other.chunks, `the genesis of ${other.name}`), state)) return true;
      }
      return false;
    };
    return { ...state, isConfirmed: () => (confirmed ??= isSame()) };
  }
  return undefined;
}

/** Blocks of an archive may be older than CometBFT 0.38, whose form of results is the only one that is read. */
async function blockFault(source: CheckedSource, height: number): Promise<string | undefined> {
  try {
    for await (const _ of source.blocksAt([height])) return undefined;
    return 'no node returns it';
  } catch (error) {
    if (!(error instanceof BlockError)) throw error;
    return error.reason;
  }
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

/** Fills the table `blocks` with the heights and times of blocks. */
async function spanOf(database: Database, blocks: FoundChain['blocks'], { first, last }: Ends): Promise<Span> {
  const files = [...new Set(blocks.map(({ file }) => file))];
  const heights = blocks.map(({ height }) => String(height));
  await database.run('tables/own_blocks', { files, heights });
  const [times] = await database.all<{ first_time: string; last_time: string }>(readSql('tables/span'), { first });
  const months = await database.all<SpanMonth>(readSql('tables/months'));
  return { first, last, firstTime: times!.first_time, lastTime: times!.last_time, months };
}
