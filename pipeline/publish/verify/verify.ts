import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Manifest } from '../../../schemas/types.generated.js';
import { ConfigError } from '../../base/config-error.js';
import { fileSha256 } from '../../base/disk/atomic-files.js';
import { readSchema } from '../../base/project.js';
import { loadReference } from '../../reference.js';
import { damagedDeltaFile } from '../delta/delta-logs.js';
import { generationDir, generationId, manifestFile, publishedGeneration, readManifest } from '../generation.js';
import { describe, runAudits } from '../run-audits.js';

export interface Check {
  readonly ok: boolean;
  /** One line about the check. If the check failed, more lines follow, one for each difference. */
  readonly text: string;
}

/** @throws ConfigError if nothing is published */
export const publishedFolder = (dataDir: string): string => generationDir(dataDir, publishedGeneration(dataDir));

/** @throws ConfigError if the folder has no manifest */
export async function* verify(folder: string): AsyncGenerator<Check> {
  if (!existsSync(manifestFile(folder))) throw new ConfigError(`${folder} contains no manifest.json`);
  const faults = manifestFaults(readFileSync(manifestFile(folder), 'utf8'));
  yield {
    ok: faults.length === 0,
    text: ['manifest: matches its schema and its content hash', ...faults].join('\n  '),
  };
  if (faults.length > 0) return;
  const manifest = readManifest(folder);
  let whole = true;
  for (const { files } of manifest.tables) {
    for (const { path, sha256 } of files) {
      const found = existsSync(join(folder, path)) ? await fileSha256(join(folder, path)) : 'no file';
      whole &&= found === sha256;
      yield { ok: found === sha256, text: `${path}: ${found === sha256 ? sha256 : `${found}, not ${sha256}`}` };
    }
  }
  const damaged = await damagedDeltaFile(folder, manifest);
  const text = damaged === undefined ? 'Delta Lake logs: match the tables' : `${damaged}: is missing or damaged`;
  yield { ok: damaged === undefined, text };
  if (!whole) return;
  for await (const result of runAudits(folder, manifest, loadReference())) {
    yield { ok: result.differences.length === 0, text: describe(result) };
  }
}

let compiled: ValidateFunction | undefined;

function manifestSchema(): ValidateFunction {
  if (compiled) return compiled;
  const schemas = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } });
  formats.default(schemas);
  for (const name of ['reference/corrections', 'reference/state-change', 'starting-difference']) {
    schemas.addSchema(readSchema(`${name}.json`));
  }
  compiled = schemas.compile(readSchema('manifest.json'));
  return compiled;
}

function manifestFaults(text: string): string[] {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(text);
  } catch (error) {
    return [`not valid JSON: ${(error as Error).message}`];
  }
  const validate = manifestSchema();
  if (!validate(manifest)) {
    return validate.errors!.map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
  }
  const id = generationId(manifest);
  return id === manifest.generation ? [] : [`/generation is ${manifest.generation}, but the content has the id ${id}`];
}
