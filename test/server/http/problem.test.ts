import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toJson } from '../../../pipeline/base/json/exact-json.js';
import { LIMITS } from '../../../server/http/limits.js';
import { Problem, problemBody } from '../../../server/http/problem.js';
import { sharedServer } from '../harness.js';

const CONTEXT = { baseUrl: 'http://localhost', requestId: 'a-request', now: new Date('2026-11-25') };
const BYTES_MAX = LIMITS.answers.problem.max;

/** Texts by what a character of theirs takes in JSON. */
const CHARACTERS = { 'one byte': 'x', 'two bytes': '"', 'four bytes': '😀', 'six bytes': '\u0001', half: '\ud83d' };

function writtenBody(detail: string, errors: { path: string; message: string }[], path = '/') {
  const text = toJson(problemBody(new Problem('validation_failed', detail, { errors }), { ...CONTEXT, path }));
  return { bytes: Buffer.byteLength(text), body: JSON.parse(text) };
}

for (const [name, character] of Object.entries(CHARACTERS)) {
  test(`a problem is short, whatever is in it: characters of ${name}`, () => {
    for (const length of [10, 1000, 2000, 4000, 9_000_000]) {
      const text = character.repeat(length);
      const errors = Array.from({ length: 80 }, () => ({ path: `query/${text}`, message: text }));
      const { bytes, body } = writtenBody(text, errors, `/${text}`);
      assert.ok(bytes <= BYTES_MAX, `${bytes} bytes for ${length} characters`);
      assert.ok(body.errors.length >= 1);
      assert.equal(body.errors.length + body.errors_omitted, errors.length);
      assert.ok(text.startsWith(body.detail.replace(/…$/, '')), 'it begins as it did, with whole characters');
      assert.equal(body.detail === text, length <= 10 || Buffer.byteLength(JSON.stringify(text)) <= 2600);
    }
  });
}

const server = sharedServer();

test('a long path makes no long refusal, be it a problem or a page', async () => {
  for (const accept of ['application/json', 'text/html']) {
    for (const character of ['x', '&', '%']) {
      const refused = await fetch(`${server.base}/${character.repeat(60_000)}`, { headers: { accept } });
      const { byteLength } = await refused.arrayBuffer();
      assert.ok([400, 404].includes(refused.status) && byteLength <= BYTES_MAX, `${refused.status}, ${byteLength}`);
    }
  }
});

test('a problem with a few faults has all of them, and no note', () => {
  const errors = [{ path: 'start', message: 'is no day' }];
  const { body } = writtenBody('start: is no day', errors);
  assert.deepEqual([body.detail, body.errors, body.errors_omitted], ['start: is no day', errors, undefined]);
});
