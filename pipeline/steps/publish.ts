/** The last steps: seal the generation, put it in force, and look for releases of the node software. */

import type { Manifest } from '../../schemas/types.generated.js';
import type { Artifacts, Span } from '../artifacts.js';
import { rawFolder } from '../chain/raw-files.js';
import { chainFacts } from '../classify/chain-facts.js';
import { knownTypes } from '../classify/modules/index.js';
import { readsNode } from '../config.js';
import { unknownUpgrade, unknownUpgradeNote } from '../holdings/state-changes.js';
import type { StepContext } from '../night.js';
import { type DatasetFigures, datasetFigures } from '../publish/dataset-figures.js';
import { generationId, lastGeneration } from '../publish/generation.js';
import { LossError, lossesOf, refutedRows } from '../publish/losses.js';
import { placeWalletIndex } from '../publish/place-wallet-index.js';
import { makeCurrent, removeOldGenerations, sealGeneration } from '../publish/publish-generation.js';
import type { DatasetCoverage } from '../reports/coverage.js';
import { SCHEMA_VERSION } from '../reports/versions.js';
import { oversizedTokens } from './audit.js';

type Inputs =
  | 'start'
  | 'corrections'
  | 'folded'
  | 'span'
  | 'notes'
  | 'accumulated'
  | 'chain_events'
  | 'coin_movements'
  | 'prices'
  | 'priced_events'
  | 'audited_tables';

/**
 * Writes the manifest. If a generation with the same content exists, it stays.
 * @throws LossError if data of the current generation would be lost and the operator has not allowed it
 */
export async function seal(
  inputs: Pick<Artifacts, Inputs>,
  context: StepContext,
): Promise<Pick<Artifacts, 'manifest'>> {
  const { chain, contracts } = context.reference;
  const figures = await datasetFigures(context.database, context.reference, chainFacts(chain, contracts));
  const manifest = makeManifest(inputs, context, figures);
  if (!context.options.allowLoss) await expectNoLoss(context, manifest);
  const { generation } = manifest;
  const { isNew, damaged } = await sealGeneration(context.config.dataDir, context.folder, manifest);
  if (damaged !== undefined) {
    context.progress.say('this generation was damaged and is made again', { generation, file: damaged });
  } else if (!isNew) context.progress.say('nothing new: this generation already exists', { generation });
  return { manifest };
}

async function expectNoLoss({ config, nodeChainId, database }: StepContext, manifest: Manifest): Promise<void> {
  const last = lastGeneration(config.dataDir);
  if (last === undefined || lossesOf(last.manifest, manifest).length === 0) return;
  const refuted = await refutedRows(database, rawFolder(config.dataDir, nodeChainId), last, manifest);
  const losses = lossesOf(last.manifest, manifest, refuted);
  if (losses.length > 0) throw new LossError(losses);
}

const datasetCoverage = (span: Span, { start, folded }: Pick<Artifacts, 'start' | 'folded'>): DatasetCoverage => ({
  index_start: span.firstTime.slice(0, 10),
  index_end: span.lastTime.slice(0, 10),
  // A night stops at a missing height, so no height in between is missing.
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
  { start, corrections, folded, span, notes, accumulated, audited_tables }: Pick<Artifacts, Inputs>,
  { reference, nodeChainId }: StepContext,
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
    methodology_version: reference.methodology.version,
    classifier_version: reference.classification.version,
    unclassified: notes.unclassified,
    unreviewed_moves: notes.unreviewedMoves,
    unknown_message_types: notes.unknownTypes,
    undecoded_messages: notes.undecoded,
    message_types: [...knownTypes],
    ...figures,
    oversized: oversizedTokens({ start, notes, accumulated }),
    tables: [...audited_tables],
  };
  const draft: Manifest = { schema_version: SCHEMA_VERSION, generation: '', ...content };
  return { ...draft, generation: generationId(draft) };
}

/** Puts the wallet index in place before the generation becomes current. */
export async function placeIndex(
  { wallet_index, manifest: { generation } }: Pick<Artifacts, 'wallet_index' | 'manifest'>,
  { config, reference }: StepContext,
): Promise<Pick<Artifacts, 'placed_index'>> {
  await placeWalletIndex(config.dataDir, generation, reference, wallet_index);
  return { placed_index: generation };
}

export async function putInForce(
  { placed_index: generation }: Pick<Artifacts, 'placed_index'>,
  { config }: StepContext,
): Promise<Pick<Artifacts, 'published'>> {
  makeCurrent(config.dataDir, generation);
  removeOldGenerations(config.dataDir);
  return { published: generation };
}

/** Looks for releases unless the source is a recording. The dataset is already published, so a failure is only logged. */
export async function watchUpstream(
  _published: Pick<Artifacts, 'published'>,
  { config, reference, progress }: StepContext,
): Promise<Pick<Artifacts, 'releases'>> {
  if (!readsNode(config)) return { releases: null };
  const { watchReleases } = await import('../chain/watch-releases.js');
  const { error, pending_upgrade: upgradePlan } = await watchReleases(config, reference);
  const unknown = unknownUpgrade({ upgradePlan }, reference.upgrades);
  if (unknown && config.genesis === undefined) progress.say(unknownUpgradeNote(unknown)); // otherwise the fold has reported it
  if (error !== null) progress.say(`releases: ${error}`);
  return { releases: error };
}
