import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countriesIn } from '../../../server/submissions/countries.js';

test('countries are known by their names and codes, and by nothing else', () => {
  const cases: [string, string[]][] = [
    ['We are a company in Germany.', ['DE']],
    ['based in switzerland, see https://example.org/FR/about', ['CH']],
    ['country: KR', ['KR']],
    ['Somewhere in the EU, it is nice', []],
    ['Germanyland, DEx, xDE', []],
    ['', []],
  ];
  for (const [text, codes] of cases) assert.deepEqual(countriesIn(text), codes, text);
});
