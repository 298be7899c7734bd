/** The step that gives the generation its manifest and its name. */
import type { ContractSeen, Manifest } from '../../schemas/types.generated.js';
import type { Artifacts } from '../artifacts.js';
import { knownTypes } from '../classify/modules/index.js';
import { readSql } from '../duckdb/database.js';
import type { StepContext } from '../night.js';
import { generationId, sealGeneration } from '../publish/publish-generation.js';
import { SCHEMA_VERSION } from '../reports/versions.js';
import { oversizedTokens } from './audit.js';
import { datasetCoverage } from './dataset-coverage.js';

type Inputs = 'start' | 'folded' | 'span' | 'notes' | 'coin_movements' | 'audited_tables';

/** Writes the manifest. A generation with the same content may be there already: then that one stays. */
export async function seal(
  inputs: Pick<Artifacts, Inputs>,
  context: StepContext,
): Promise<Pick<Artifacts, 'manifest'>> {
  const manifest = makeManifest(inputs, context, await contractsSeen(context));
  const isNew = await sealGeneration(context.config.dataDir, context.folder, manifest);
  if (!isNew) {
    context.progress.say('nothing new: this generation is there already', { generation: manifest.generation });
  }
  return { manifest };
}

/** Known contracts that the index has met. */
function contractsSeen({ database, reference }: StepContext): Promise<ContractSeen[]> {
  const addresses = reference.contracts.contracts.map(({ address }) => address);
  return database.all<ContractSeen>(readSql('tables/contracts_seen'), { addresses });
}

function makeManifest(
  { start, folded, span, notes, audited_tables }: Pick<Artifacts, Inputs>,
  { reference, nodeChainId }: StepContext,
  contracts_seen: ContractSeen[],
): Manifest {
  const content = {
    chain_id: reference.chain.chain_id,
    node_chain_id: nodeChainId,
    height: span.last,
    time: span.lastTime,
    ...datasetCoverage(span, { start, folded }),
    methodology_version: reference.methodology.version,
    classifier_version: reference.classification.version,
    unclassified: notes.unclassified,
    unknown_message_types: notes.unknownTypes,
    undecoded_messages: notes.undecoded,
    message_types: [...knownTypes],
    contracts_seen,
    oversized: oversizedTokens(start, notes),
    tables: [...audited_tables],
  };
  const draft: Manifest = { schema_version: SCHEMA_VERSION, generation: '', ...content };
  return { ...draft, generation: generationId(draft) };
}
