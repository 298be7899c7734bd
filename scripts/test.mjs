/**
 * `npm test`: installs what is missing, builds, lints, looks for stale generated files and runs the tests. Exit code 0
 * only when everything passed. Words after `npm test --` select test files by their path.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build/build.mjs';
import { ensureDependencies, root, run } from './build/ensure-dependencies.mjs';

const words = process.argv.slice(2);

ensureDependencies();
console.log('▸ build');
build();
console.log('▸ lint');
run(process.execPath, 'node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.');
console.log('▸ generated files');
run(process.execPath, 'dist/scripts/build/generate-types.js', '--check');

const files = readdirSync(join(root, 'dist/test'), { recursive: true })
  .filter((file) => file.endsWith('.test.js') && (words.length === 0 || words.some((word) => file.includes(word))))
  .map((file) => join('dist/test', file))
  .sort();
if (files.length === 0) {
  console.error(`no test file has ${words.join(' or ')} in its path`);
  process.exit(1);
}
console.log(`▸ ${files.length} test files`);
// The operator's own settings must not decide what a test sees.
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('HUBLEDGER_')));
const { status } = spawnSync(process.execPath, ['--test', '--test-concurrency=2', '--test-reporter=spec', ...files], {
  cwd: root,
  stdio: 'inherit',
  env: environment,
});
process.exit(status ?? 1);
