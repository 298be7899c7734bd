/**
 * Reads the generation in force with Spark and Delta Lake, as docs/datasets.md says: every table and its earlier versions, whole, held
 * against the manifests, and the page's own examples. Spark is half a gigabyte and needs Java 17, so that this is no part of the tests.
 * Both packages come by pip into .cache/spark, Delta Lake's jars from Maven Central.
 *
 *   node scripts/check-spark.mjs [data folder, data/local by default]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './build/ensure-dependencies.mjs';

const PACKAGES = ['pyspark==4.0.1', 'delta-spark==4.0.0'];

const dataDir = process.argv[2] ?? join(root, 'data/local');
const place = join(root, '.cache/spark');
const python = join(place, 'bin/python3');

function run(program, words, input) {
  const { status, error } = spawnSync(program, words, {
    input,
    stdio: [input ? 'pipe' : 'ignore', 'inherit', 'inherit'],
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(python)) run('python3', ['-m', 'venv', place]);
run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES]);

const page = readFileSync(join(root, 'docs/datasets.md'), 'utf8');
const examples = [...page.matchAll(/^```python\n(.*?)\n```$/gms)]
  .map(([, code]) => code)
  .filter((code) => code.includes('spark'));
run(python, [join(root, 'scripts/check-spark/read-generation.py'), dataDir], JSON.stringify(examples));
