import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../../../schemas/types.generated.js';
import { ConfigError } from '../../base/config-error.js';
import { fileSha256 } from '../../base/disk/atomic-files.js';
import { loadReference } from '../../reference.js';
import { damagedDeltaFile } from '../delta/delta-logs.js';
import {
  generationDir,
  generationId,
  manifestFile,
  publishedGeneration,
  readManifest,
  SIGNATURE,
  sealedFiles,
} from '../generation.js';
import { schemaFaults } from '../manifest-schema.js';
import { describe, runAudits } from '../run-audits.js';
import { isSignedBy, readSignature } from '../signature.js';

export interface Check {
  readonly ok: boolean;
  /** One line about the check. If the check failed, more lines follow, one for each difference. */
  readonly text: string;
}

/** @throws ConfigError if nothing is published */
export const publishedFolder = (dataDir: string): string => generationDir(dataDir, publishedGeneration(dataDir));

/**
 * @param keys public keys (PEM) of which one must have signed the manifest; undefined if it needs no signature
 * @throws ConfigError if the folder has no manifest
 */
export async function* verify(folder: string, keys?: readonly string[]): AsyncGenerator<Check> {
  if (!existsSync(manifestFile(folder))) throw new ConfigError(`${folder} contains no manifest.json`);
  const manifestText = readFileSync(manifestFile(folder), 'utf8');
  if (keys !== undefined) {
    const ok = isSignedBy(keys, manifestText, readSignature(folder));
    yield { ok, text: ok ? 'signature: fits the manifest' : `signature: ${SIGNATURE} is missing or fits no key` };
  }
  const faults = manifestFaults(manifestText);
  yield {
    ok: faults.length === 0,
    text: ['manifest: matches its schema and its content hash', ...faults].join('\n  '),
  };
  if (faults.length > 0) return;
  const manifest = readManifest(folder);
  let whole = true;
  for (const { path, sha256 } of sealedFiles(manifest)) {
    const found = existsSync(join(folder, path)) ? await fileSha256(join(folder, path)) : 'no file';
    whole &&= found === sha256;
    yield { ok: found === sha256, text: `${path}: ${found === sha256 ? sha256 : `${found}, not ${sha256}`}` };
  }
  const damaged = await damagedDeltaFile(folder, manifest);
  const text = damaged === undefined ? 'Delta Lake logs: match the tables' : `${damaged}: is missing or damaged`;
  yield { ok: damaged === undefined, text };
  if (!whole) return;
  for await (const result of runAudits(folder, manifest, loadReference())) {
    yield { ok: result.differences.length === 0, text: describe(result) };
  }
}

function manifestFaults(text: string): string[] {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(text);
  } catch (error) {
    return [`not valid JSON: ${(error as Error).message}`];
  }
  const faults = schemaFaults(manifest);
  if (faults.length > 0) return faults;
  const id = generationId(manifest);
  return id === manifest.generation ? [] : [`/generation is ${manifest.generation}, but the content has the id ${id}`];
}
