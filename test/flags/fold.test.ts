import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeFold } from '../../pipeline/flags/fold.js';
import { loadReference } from '../../pipeline/reference.js';

const { confusables } = loadReference();
const fold = makeFold(confusables);

test('what was folded stays as it is, and case never matters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
      assert.equal(fold(fold(text)), fold(text));
    }),
    { seed: 7, numRuns: 2000 },
  );
  for (const letter of 'abcdefghijklmnopqrstuvwxyz0123456789') assert.equal(fold(letter.toUpperCase()), fold(letter));
});

test('a form stands for one letter only, and is written as it is looked for', () => {
  const forms = confusables.flatMap(({ written }) => written);
  assert.equal(new Set(forms).size, forms.length);
  for (const { looks_like, written } of confusables) {
    for (const form of written) {
      assert.equal(form, form.normalize('NFKD').toLowerCase(), `${form} is never met`);
      assert.equal(fold(form), fold(looks_like), form);
    }
  }
});

test('accents leave before a text is normalized: to put a long run of them in order takes time by its square', ({
  mock,
}) => {
  const normalize = mock.method(String.prototype, 'normalize');
  assert.equal(fold(`A${'\u0315\u0300'.repeat(1000)}TÖM`), 'atom');
  assert.deepEqual(
    normalize.mock.calls.map((call) => String(call.this)),
    ['ATÖM'],
  );
});
