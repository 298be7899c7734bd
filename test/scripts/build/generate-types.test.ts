import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../../pipeline/base/project.js';

test('types of a new schema are generated without a build', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hubledger-generate-'));
  try {
    cpSync(join(projectRoot(), 'scripts/build'), join(folder, 'scripts/build'), { recursive: true });
    symlinkSync(join(projectRoot(), 'node_modules'), join(folder, 'node_modules'));
    mkdirSync(join(folder, 'schemas'));
    const schema = {
      $id: '/schemas/news.json',
      title: 'News',
      type: 'object',
      properties: { day: { type: 'string' } },
    };
    writeFileSync(join(folder, 'schemas/news.json'), JSON.stringify(schema));
    const [first] = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')).scripts.generate.split(
      ' && ',
    );
    const { status, stderr } = spawnSync('sh', ['-c', first], { cwd: folder, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.match(readFileSync(join(folder, 'schemas/types.generated.ts'), 'utf8'), /interface News \{\s+day\?: string/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
