/** A rule of the books and its sentence are in one place: no other text names the lot method. */
import { test } from 'node:test';
import { expectNone, files } from '../source-files.js';

const METHOD = /\b(?:FIFO|LIFO|HIFO)\b|\b(?:first|last) in,? first out\b/;

/** Reviewed data, tests, and pages about the default. */
const EXCEPTED =
  /^(data|test|pipeline\/books)\/|^(docs\/(how-lots-work|glossary)|README|CONTRIBUTING|CHANGELOG|server\/docs\/site\/guides\/start)\.md$/;

/** An example of an answer contains the sentence itself. */
const EXAMPLES = /"note": "[^"]*"/g;

test('no text outside the books names a lot method', () => {
  const offences = files
    .filter(({ path }) => !EXCEPTED.test(path))
    .filter(({ text }) => METHOD.test(text.replace(EXAMPLES, '')));
  expectNone(offences.map(({ path }) => path));
});
