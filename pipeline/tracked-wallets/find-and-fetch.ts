/**
 * Finds and fetches the blocks of the wallets in HUBLEDGER_WALLETS. Each block passes the same checks as in a run over
 * the whole chain. A second node confirms the events, and the signatures of validators confirm the block.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, SpanError, VariableError } from '../base/config-error.js';
import { makeFolder, replaceFile } from '../base/disk/atomic-files.js';
import { type Database, readSql } from '../base/duckdb/database.js';
import { addressFault } from '../base/values/address.js';
import { CheckedSource } from '../chain/cross-check.js';
import { behindTip, firstHeightOfDay, furthestBack, headingOf, lastHeight } from '../chain/index-blocks.js';
import { NodeHeaders } from '../chain/light/node-headers.js';
import type { ChainStatus } from '../chain/nodes/chain-source.js';
import { endpointsOf } from '../chain/nodes/endpoint.js';
import { openSource } from '../chain/nodes/open-source.js';
import { RpcQuestions } from '../chain/nodes/rpc-questions.js';
import { SearchClient } from '../chain/nodes/search-client.js';
import { parseTime } from '../holdings/values/time.js';
import type { Span, SpanMonth } from '../night/artifacts.js';
import type { StepContext } from '../night/night.js';
import { NodeStates } from './ask-state.js';
import { BlockProofs } from './block-proofs.js';
import { BlockStore, blocksFolder, readStoredBlocks, trackedWalletsFolder } from './block-store.js';
import { completeWallet, type Search, type SearchedWallet } from './complete-wallet.js';
import { EdgeStates } from './edge-states.js';
import { askLatest, askOpenings, type Ends, type Nodes } from './end-states.js';
import { BlockFetcher } from './fetch-blocks.js';
import { type Finding, foundFolder, HeightFinder, type SearchRange } from './find-heights.js';
import type { FoundChain, FoundWallet, StoredBlock, WalletArtifacts } from './found-chain.js';
import { confirmationOf, signBlocks } from './sign-blocks.js';
import { readSlashedCoins, type SlashedCoins } from './slashed-coins.js';
import { takeEdgeStates } from './take-edge-states.js';

type Outputs = 'corrections' | 'start' | 'folded' | 'found' | 'span' | 'block_times';

/**
 * @throws ConfigError if no node has a search index, or if no node responds
 * @throws BlockError if a block does not match its hashes
 */
export async function findAndFetch(
  _none: Record<never, never>,
  context: StepContext,
): Promise<Pick<WalletArtifacts, Outputs>> {
  const { config, options, nodeChainId, database, progress } = context;
  const addresses = config.wallets!;
  checkSettings(addresses, context);
  const folder = trackedWalletsFolder(config.dataDir, nodeChainId);
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
  const edgeStates = EdgeStates.open(config.dataDir, nodeChainId, (file) =>
    progress.say('a file of states at an edge is damaged: they are asked for again', { file }),
  );
  const timeOf = (height: number) => storedTime(height, store, database);
  const edges = await takeEdgeStates(edgeStates, nodes, { ...ends, earliest: tip.earliest }, timeOf, context);
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
  const common = [from, first, last, ...slashes, ...edges];
  await fetcher.fetch([...common, ...[...findings.values()].flatMap(({ heights }) => heights)]);

  const search = { folder, nodes, ends, states, store, finder, fetcher, slashes, proposals: new Map() };
  const searched: SearchedWallet[] = [];
  for (const address of addresses) searched.push(await completeWallet(address, findings.get(address)!, search));
  nodes.client.logDifferences();
  const wallets = await confirmWallets(searched, search, { proofs, latest: status.latest }, context);
  const stored = storedBlocks([...common, ...searched.flatMap(({ allHeights }) => allHeights)], store, proofs);
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
      edgeStates,
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

/** Returns the time of a block in nanoseconds since 1970; undefined if the block is not stored. */
async function storedTime(height: number, store: BlockStore, database: Database): Promise<bigint | undefined> {
  if (!store.has(height)) return undefined;
  for await (const { time } of readStoredBlocks(database, [store.fileOf(height)], [height])) return parseTime(time);
  return undefined;
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
  const state = new NodeStates(stateNodes, reference.chain.native_denom, signal, progress.say);
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

/** Checks signatures, and adds what nodes disagree on or do not confirm. */
async function confirmWallets(
  searched: readonly SearchedWallet[],
  { folder, store, slashes, nodes: { headers: providers, source, hasSecond } }: Search,
  { proofs, latest }: { readonly proofs: BlockProofs; readonly latest: number },
  context: StepContext,
): Promise<FoundWallet[]> {
  const checked = new Map(
    searched.map(({ address, allHeights }) => [
      address,
      [...slashes, ...allHeights].filter((height) => store.has(height)),
    ]),
  );
  const path = join(folder, 'headers.json');
  const parts = { source, store, proofs, providers, path, chainId: context.nodeChainId, latest };
  const signing = await signBlocks([...checked.values()].flat(), parts, context);
  await store.flush();
  return searched.map(({ allHeights: _, ...wallet }) => {
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
  await database.run('tables/tracked_blocks', { files, heights });
  const [times] = await database.all<{ first_time: string; last_time: string }>(readSql('tables/span'), { first });
  const months = await database.all<SpanMonth>(readSql('tables/months'));
  return { first, last, firstTime: times!.first_time, lastTime: times!.last_time, months };
}
