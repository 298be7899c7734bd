/**
 * The last steps of a nightly run. Each change on disk is atomic, so the dataset stays intact if the process is killed.
 */
import { existsSync, linkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../../../schemas/types.generated.js';
import { fileSha256, finishFolder, removeFolder, unfinished } from '../../base/disk/atomic-files.js';
import type { DatasetCoverage } from '../../books/reports/coverage.js';
import { SCHEMA_VERSION } from '../../books/reports/versions.js';
import { rawFolder } from '../../chain/raw-files.js';
import { knownTypes } from '../../classify/modules/index.js';
import { readsNode } from '../../config.js';
import { unknownUpgrade, unknownUpgradeNote } from '../../holdings/state-changes.js';
import { addRestatements } from '../../publish/build-wallet-index.js';
import { makeCatalog } from '../../publish/catalog/make-catalog.js';
import { writeDeltaLogs } from '../../publish/delta/delta-logs.js';
import {
  damagedGenerationFile,
  dateAfter,
  generationDir,
  generationId,
  lastOf,
  makeCurrent,
  manifestFile,
  readableGenerations,
  removeOldGenerations,
  replacedGeneration,
  type SealedGeneration,
  sealedFiles,
} from '../../publish/generation.js';
import { expectNoLoss, knownLosses } from '../../publish/losses.js';
import { placeWalletIndex, removeUnusedBaseLayers } from '../../publish/place-wallet-index.js';
import {
  compareClosedMonths,
  RestatementError,
  restatementsTable,
  writeRestatements,
} from '../../publish/restatements.js';
import { signManifest } from '../../publish/signature.js';
import type { Artifacts, Span } from '../artifacts.js';
import type { StepContext } from '../night.js';
import { oversizedTokens } from './audit.js';
import { type DatasetFigures, datasetFigures } from './dataset-figures.js';

type Inputs =
  | 'start'
  | 'corrections'
  | 'folded'
  | 'span'
  | 'notes'
  | 'accumulated'
  | 'tracked_wallets'
  | 'edges'
  | 'facts'
  | 'figures'
  | 'prices'
  | 'price_gaps'
  | 'unreached_prices'
  | 'priced_events'
  | 'audited_tables';

/**
 * Completes the generation and gives the folder its id.
 * @throws LossError if the new generation lacks data of the current one, unless the operator allows it
 * @throws RestatementError if amounts of closed months change without a known cause, unless the operator allows it
 */
export async function seal(
  inputs: Pick<Artifacts, Inputs>,
  context: StepContext,
): Promise<Pick<Artifacts, 'manifest'>> {
  const figures = await datasetFigures(context.database, context.reference);
  const draft = makeManifest(inputs, context, figures);
  if (!context.options.allowLoss) {
    const { config, nodeChainId, database } = context;
    await expectNoLoss(config.dataDir, database, rawFolder(config.dataDir, nodeChainId), draft);
  }
  const manifest = await restate(draft, context);
  const { generation } = manifest;
  const { isNew, damaged } = await sealGeneration(context.config.dataDir, context.folder, manifest);
  if (damaged !== undefined) {
    context.progress.say('this generation was damaged and is made again', { generation, file: damaged });
  } else if (!isNew) context.progress.say('nothing new: this generation already exists', { generation });
  const { dataDir, signingKey } = context.config;
  if (signingKey !== undefined) signManifest(generationDir(dataDir, generation), signingKey);
  return { manifest };
}

/** Adds all restatements (changed amounts of closed months), old and new, to the manifest. */
async function restate(draft: Manifest, { config, database, folder, options, reference, progress }: StepContext) {
  const last = replacedGeneration(config.dataDir);
  const compared =
    last &&
    (await compareClosedMonths(
      database,
      last,
      { folder, manifest: draft },
      {
        native: reference.chain.native_denom,
        hasLoss: options.allowLoss === true && knownLosses(last.manifest, draft).length > 0,
        now: config.now(),
      },
    ));
  const restated = compared && 'lines' in compared ? compared : undefined;
  if (restated && !restated.isAllowed && !options.allowRestatement) throw new RestatementError(restated.lines);
  for (const line of restated?.lines ?? []) progress.say(`restated: ${line}`);
  const earlier = last?.manifest.restatements ?? [];
  const restatements = [...earlier, ...(restated ? [{ ...restated.entry, generation_after: '' }] : [])];
  const uncompared =
    compared && 'reason' in compared ? [{ generation_before: last!.manifest.generation, reason: compared.reason }] : [];
  for (const { generation_before, reason } of uncompared)
    progress.say(`closed months are not compared with ${generation_before}: ${reason}`);
  const not_compared = [...(last?.manifest.not_compared ?? []), ...uncompared];
  const catalog = await makeCatalog(folder, [...draft.tables, restatementsTable(last, restated)]);
  const content = { ...draft, ...(not_compared.length > 0 && { not_compared }), catalog };
  const generation = generationId({ ...content, restatements });
  const table = await writeRestatements(database, folder, last, restated, generation);
  return {
    ...content,
    generation,
    restatements: restatements.map((one) => ({ ...one, generation_after: one.generation_after || generation })),
    tables: [...draft.tables, table].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

const datasetCoverage = (span: Span, { start, folded }: Pick<Artifacts, 'start' | 'folded'>): DatasetCoverage => ({
  index_start: span.firstTime.slice(0, 10),
  index_end: span.lastTime.slice(0, 10),
  // The range of blocks has no gaps, because a nightly run stops at a missing height.
  coverage: {
    first_height: span.first,
    last_height: span.last,
    starting_height: start?.height ?? null,
    missing: [],
  },
  holdings_from: start ? Math.max(span.first, start.height) : null,
  holdings_until: folded?.until ?? null,
  holdings_stop: folded?.stop ?? null,
});

function makeManifest(
  {
    start,
    corrections,
    folded,
    span,
    notes,
    accumulated,
    tracked_wallets,
    edges,
    price_gaps,
    unreached_prices,
    audited_tables,
  }: Pick<Artifacts, Inputs>,
  { reference, nodeChainId, program }: StepContext,
  figures: DatasetFigures,
): Manifest {
  const content = {
    chain_id: reference.chain.chain_id,
    node_chain_id: nodeChainId,
    height: span.last,
    time: span.lastTime,
    ...datasetCoverage(span, { start, folded }),
    starting_differences: [...(start?.differences ?? [])],
    corrections,
    program,
    methodology_version: reference.methodology.version,
    classifier_version: reference.classification.version,
    unclassified: notes.unclassified,
    unreviewed_moves: notes.unreviewedMoves,
    unknown_message_types: notes.unknownTypes,
    undecoded_messages: notes.undecoded,
    ...(price_gaps.length > 0 && { price_gaps: [...price_gaps] }),
    ...(unreached_prices.length > 0 && { unreached_prices: [...unreached_prices] }),
    message_types: [...knownTypes],
    ...figures,
    oversized: oversizedTokens({ start, notes, accumulated }),
    restatements: [],
    ...(tracked_wallets && { own_wallets: tracked_wallets }),
    ...(edges.length > 0 && { edges: [...edges] }),
    tables: [...audited_tables],
  };
  return { schema_version: SCHEMA_VERSION, generation: '', ...content };
}

/** Moves the wallet index to its final path before the generation becomes current, so that readers always find it. */
export async function placeIndex(
  { wallet_index, manifest }: Pick<Artifacts, 'wallet_index' | 'manifest'>,
  { config, reference }: StepContext,
): Promise<Pick<Artifacts, 'placed_index'>> {
  const { generation } = manifest;
  await addRestatements(generationDir(config.dataDir, generation), manifest, wallet_index);
  await placeWalletIndex(config.dataDir, generation, reference, wallet_index);
  return { placed_index: generation };
}

export async function putInForce(
  { placed_index: generation }: Pick<Artifacts, 'placed_index'>,
  { config, pieces, progress, store }: StepContext,
): Promise<Pick<Artifacts, 'published'>> {
  await store?.publish(generation, pieces.list, progress.update);
  makeCurrent(config.dataDir, generation);
  removeOldGenerations(config.dataDir, KEPT_GENERATIONS);
  await removeUnusedBaseLayers(config.dataDir);
  pieces.tidy();
  return { published: generation };
}

/**
 * Looks for new releases of the node software, except with a recording. A failure is only logged, because the dataset
 * is already published.
 */
export async function watchUpstream(
  _published: Pick<Artifacts, 'published'>,
  { config, reference, progress }: StepContext,
): Promise<Pick<Artifacts, 'releases'>> {
  if (!readsNode(config)) return { releases: null };
  const { watchReleases } = await import('../../chain/watch-releases.js');
  const { error, pending_upgrade: upgradePlan } = await watchReleases(config, reference);
  const unknown = unknownUpgrade({ upgradePlan }, reference.upgrades);
  if (unknown && config.genesis === undefined) progress.say(unknownUpgradeNote(unknown)); // with a genesis, the fold has already logged the unreviewed upgrade
  if (error !== null) progress.say(`releases: ${error}`);
  return { releases: error };
}

/**
 * Number of generations that stay on disk, including the current one. Running requests can finish with an older
 * generation, and the operator can return to it.
 */
const KEPT_GENERATIONS = 3;

interface Sealed {
  readonly isNew: boolean;
  readonly damaged?: string;
}

/** Renames the folder to the generation's id. If the generation already exists undamaged, keeps the existing folder. */
async function sealGeneration(dataDir: string, folder: string, manifest: Manifest): Promise<Sealed> {
  const target = generationDir(dataDir, manifest.generation);
  const isNew = !existsSync(target);
  const damaged = isNew ? undefined : await damagedGenerationFile(target, manifest, manifestText(manifest));
  if (!isNew && damaged === undefined) {
    rmSync(folder, { recursive: true });
    return { isNew };
  }
  const readable = readableGenerations(dataDir);
  await shareUnchangedFiles(lastOf(readable, dataDir), folder, manifest);
  await writeDeltaLogs({ folder, manifest }, earlierThan(readable, target));
  writeManifest(folder, manifest, readable);
  removeFolder(target);
  finishFolder(folder, target);
  return { isNew, ...(damaged !== undefined && { damaged }) };
}

/** Writes the manifest. Its modification time is later than the previous manifest's, even if the clock was set back. */
function writeManifest(folder: string, manifest: Manifest, [last]: readonly SealedGeneration[]): void {
  writeFileSync(manifestFile(folder), manifestText(manifest));
  if (last !== undefined) dateAfter(folder, last);
}

const earlierThan = (readable: readonly SealedGeneration[], target: string): SealedGeneration[] =>
  readable
    .filter(({ folder }) => folder !== target)
    .slice(0, KEPT_GENERATIONS - 1)
    .reverse();

const manifestText = (manifest: Manifest) => `${JSON.stringify(manifest, null, 1)}\n`;

const hasHash = async (file: string, sha256: string): Promise<boolean> =>
  existsSync(file) && (await fileSha256(file).catch(() => '')) === sha256;

/** Replaces each file that equals a file of the previous generation by a hard link to that file. */
async function shareUnchangedFiles(
  previous: SealedGeneration | undefined,
  folder: string,
  manifest: Manifest,
): Promise<void> {
  if (previous === undefined) return;
  const known = new Map(sealedFiles(previous.manifest).map((file) => [file.path, file.sha256]));
  for (const { path, sha256 } of sealedFiles(manifest)) {
    if (known.get(path) !== sha256) continue;
    const [old, made] = [join(previous.folder, path), join(folder, path)];
    // Skips files that are already hard links to each other. `rename` would do nothing.
    if (inodeOf(old) !== inodeOf(made) && (await hasHash(old, sha256))) share(old, made);
  }
}

const inodeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.ino;

/** Replaces `path` by a hard link to `file`. If the file system has no hard links, `path` stays a copy. */
function share(file: string, path: string): void {
  const aside = unfinished(path);
  try {
    linkSync(file, aside);
  } catch {
    return;
  }
  renameSync(aside, path);
}
