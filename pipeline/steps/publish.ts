/** The last steps of a night: prove the tables, give them and the store their names, put them in force. */
import type { ContractSeen, Manifest, OversizedToken } from '../../schemas/types.generated.js';
import { knownTypes } from '../classify/modules/index.js';
import { readSql } from '../duckdb/database.js';
import type { Night } from '../night.js';
import { auditParameters } from '../publish/audit-parameters.js';
import { placeWalletStore } from '../publish/build-wallet-store.js';
import { generationId, makeCurrent, removeOldGenerations, sealGeneration } from '../publish/publish-generation.js';
import { AuditError, runAudits } from '../publish/run-audits.js';
import { SCHEMA_VERSION } from '../reports/versions.js';
import { extentOf } from './extent.js';

/**
 * Runs every audit on the tables as written.
 * @throws AuditError with the differences
 */
export async function audit(night: Night): Promise<void> {
  const { folder, tables, reference } = night;
  const failed = [];
  for await (const result of runAudits(
    folder,
    { tables, oversized: oversizedTokens(night) },
    auditParameters(reference),
  )) {
    if (result.differences.length > 0) failed.push(result);
  }
  if (failed.length > 0) throw new AuditError(failed);
}

/** Writes the manifest and gives the generation its name. */
export async function seal(night: Night): Promise<void> {
  const manifest = makeManifest(night, await contractsSeen(night));
  night.manifest = manifest;
  const isNew = await sealGeneration(night.config.dataDir, night.folder, manifest);
  if (!isNew) night.progress.say('nothing new: this generation is there already', { generation: manifest.generation });
}

/** Gives the wallet store its name, before anything can be asked of the generation. */
export async function placeStore({ config, manifest, reference, storeFolder }: Night): Promise<void> {
  placeWalletStore(config.dataDir, manifest.generation, reference, storeFolder);
}

/** Puts the generation in force and clears away what is too old. */
export async function putInForce({ config, manifest }: Night): Promise<void> {
  makeCurrent(config.dataDir, manifest.generation);
  removeOldGenerations(config.dataDir);
}

/** Known contracts that the index has met. */
function contractsSeen({ database, reference }: Night): Promise<ContractSeen[]> {
  const addresses = reference.contracts.contracts.map(({ address }) => address);
  return database.all<ContractSeen>(readSql('tables/contracts_seen'), { addresses });
}

function makeManifest(night: Night, contracts_seen: ContractSeen[]): Manifest {
  const { reference, nodeChainId, span, notes, tables } = night;
  const content = {
    chain_id: reference.chain.chain_id,
    node_chain_id: nodeChainId,
    height: span.last,
    time: span.lastTime,
    ...extentOf(night),
    methodology_version: reference.methodology.version,
    classifier_version: reference.classification.version,
    unclassified: notes.unclassified,
    unknown_message_types: notes.unknownTypes,
    message_types: [...knownTypes],
    contracts_seen,
    oversized: oversizedTokens(night),
    tables: [...tables].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
  const draft: Manifest = { schema_version: SCHEMA_VERSION, generation: '', ...content };
  return { ...draft, generation: generationId(draft) };
}

/** Tokens left out of rows for their size, or of the balances before the first block. */
const oversizedTokens = ({ start, notes }: Night): OversizedToken[] => [
  ...(start?.oversized ?? []).map((denom) => ({ height: start!.height, tx_hash: 'starting state', denom })),
  ...notes.oversized,
];
