/** Programs that begin in a fresh clone, where nothing is installed: what they import must not stand in a package. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../../pipeline/project.js';

const PROGRAMS = ['start', 'test', 'dev', 'check-api', 'check-spark'].map((name) => `scripts/${name}.mjs`);

/** Everything that a module imports before it runs, with the module that does. */
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

test('what begins in a fresh clone checks the version of Node.js before anything else', () => {
  for (const program of ['start.mjs', 'test.mjs', 'dev.mjs', 'build/build.mjs', 'launch.js']) {
    const text = readFileSync(join(projectRoot(), 'scripts', program), 'utf8');
    assert.match(/^import .*/m.exec(text)![0], /require-node\.mjs';$/, program);
  }
});

test('what begins in a fresh clone imports no package', () => {
  for (const program of PROGRAMS) {
    const imports = importsOf(program);
    assert.ok(imports.length > 0, program);
    const packages = imports.filter(([specifier]) => !specifier.startsWith('node:'));
    assert.deepEqual(packages, [], program);
  }
});
