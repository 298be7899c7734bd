/** Programs that start in a fresh clone must not import packages. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../../pipeline/base/project.js';

const PROGRAMS = ['start', 'test', 'dev', 'check-api', 'check-spark'].map((name) => `scripts/${name}.mjs`);

/** Lists the static imports of a module, direct and indirect, with the importing module. */
function importsOf(file: string, seen = new Set<string>()): [specifier: string, by: string][] {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = readFileSync(join(projectRoot(), file), 'utf8');
  const specifiers = [...text.matchAll(/^(?:import|export)\s(?:[^'"();=]*\sfrom\s)?'([^']+)'/gm)].map(
    ([, specifier]) => specifier!,
  );
  return specifiers.flatMap((specifier): [string, string][] =>
    specifier.startsWith('.')
      ? importsOf(relative(projectRoot(), join(projectRoot(), dirname(file), specifier)), seen)
      : [[specifier, file]],
  );
}

test('programs for a fresh clone check the version of Node.js first', () => {
  for (const program of ['start.mjs', 'test.mjs', 'dev.mjs', 'build/build.mjs', 'launch.js']) {
    const text = readFileSync(join(projectRoot(), 'scripts', program), 'utf8');
    assert.match(/^import .*/m.exec(text)![0], /require-node\.mjs';$/, program);
  }
});

test('programs for a fresh clone import no package', () => {
  for (const program of PROGRAMS) {
    const imports = importsOf(program);
    assert.ok(imports.length > 0, program);
    const packages = imports.filter(([specifier]) => !specifier.startsWith('node:'));
    assert.deepEqual(packages, [], program);
  }
});

test('compiled parts for this system are missing without optional packages, but other optional packages are not', async () => {
  const { missingPackages } = await import(join(projectRoot(), 'scripts/build/ensure-dependencies.mjs'));
  const { platform, arch } = process;
  const part = { version: '1.0.0', optional: true, os: [platform], cpu: [arch] };
  const wanted = {
    '': {},
    'node_modules/driver': { version: '1.0.0', optional: true },
    'node_modules/part': part,
    'node_modules/part-elsewhere': { ...part, os: ['plan9'] },
    'node_modules/program': { version: '2.0.0' },
  };
  assert.deepEqual(missingPackages(wanted, { 'node_modules/program': { version: '2.0.0' } }), ['node_modules/part']);
  assert.deepEqual(missingPackages(wanted, { 'node_modules/part': part }), ['node_modules/program']);
});
