/**
 * Reads the current generation with Spark and Delta Lake. Compares all tables and their earlier versions with the
 * manifests. Needs a build, Java 17, Python with venv, and the network for packages.
 *
 *   node scripts/check-spark.mjs [data folder, default: two nightly runs on the bundled sample]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './build/ensure-dependencies.mjs';

const PACKAGES = ['pyspark==4.0.1', 'delta-spark==4.0.0'];

const place = join(root, '.cache/spark');
const python = join(place, 'bin/python3');

function run(program, words, env = process.env) {
  const { status, error } = spawnSync(program, words, { env, stdio: ['ignore', 'inherit', 'inherit'] });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

function makeDataset() {
  const folder = mkdtempSync(join(tmpdir(), 'hubledger-spark-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const otherVariables = Object.entries(process.env).filter(([name]) => !name.startsWith('HUBLEDGER_'));
  const env = { ...Object.fromEntries(otherVariables), HUBLEDGER_DATA_DIR: folder };
  for (const words of [['--until', '2026-03-01'], []]) {
    run(process.execPath, [join(root, 'dist/scripts/hubledger.js'), 'nightly', ...words], env);
  }
  return folder;
}

const dataDir = process.argv[2] ?? makeDataset();
if (!existsSync(python)) run('python3', ['-m', 'venv', place]);
run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES]);
run(python, [join(root, 'scripts/check-spark/read-generation.py'), dataDir]);
