import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../server/http/limits.js';
import { expectNone, sources } from '../../source-files.js';

const limits = Object.entries(LIMITS).flatMap(([group, members]) =>
  Object.entries(members).map(([name, limit]) => ({ group, name, ...limit })),
);

test('every limit is above zero, says what it bounds, and has a comment that says why', () => {
  const { text } = sources.find(({ path }) => path === 'server/http/limits.ts')!;
  for (const { group, name, max, of } of limits) {
    assert.ok(Number.isFinite(max) && max > 0, `${group}.${name}`);
    assert.ok(of.length >= 3, `${group}.${name}`);
    assert.match(text, new RegExp(`// .{10,}\\n {2}${name}: `), `${group}.${name}`);
  }
});

test('every limit is used', () => {
  const code = sources.filter(({ path }) => path.startsWith('server/') && path !== 'server/http/limits.ts');
  const isUsed = (group: string, name: string) => {
    const taken = new RegExp(`\\b${group}\\.${name}\\b|\\{[^{}]*\\b${name}\\b[^{}]*\\} = LIMITS\\.${group}\\b`);
    return code.some(({ code: text }) => text.includes('LIMITS') && taken.test(text));
  };
  expectNone(limits.filter(({ group, name }) => !isUsed(group, name)).map(({ group, name }) => `${group}.${name}`));
});
