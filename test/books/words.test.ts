/** A rule of the books and its sentence are in one place: no other text names the lot method or the currency. */
import { test } from 'node:test';
import { expectNone, files, type SourceFile } from '../source-files.js';

const METHOD = /\b(?:FIFO|LIFO|HIFO)\b|\b(?:first|last) in,? first out\b/;
const CURRENCY = /\bUSD\b|\bUS dollars?\b/;

/** Reviewed data, tests, and pages about the default. */
const EXCEPTED =
  /^(data|test|pipeline\/books)\/|^(docs\/(how-lots-work|countries|glossary)|README|CONTRIBUTING|CHANGELOG|server\/docs\/site\/guides\/start)\.md$/;

/** Prices and the values in spam.json are always in US dollars. */
const IN_DOLLARS = /^pipeline\/(prices\/|classify\/receipt-flags\.ts$)/;

/** An example of an answer contains the sentence itself. */
const EXAMPLES = /"note": "[^"]*"/g;

function expectNowhere(word: RegExp, from: readonly SourceFile[], textOf: (file: SourceFile) => string): void {
  const found = from.filter(({ path }) => !EXCEPTED.test(path)).filter((file) => word.test(textOf(file)));
  expectNone(found.map(({ path }) => path));
}

test('no text outside the books names a lot method', () => {
  expectNowhere(METHOD, files, ({ text }) => text.replace(EXAMPLES, ''));
});

test('no code outside the books names the currency of the books', () => {
  const code = files.filter(({ path }) => /\.tsx?$/.test(path) && !/\.generated\.ts$/.test(path));
  expectNowhere(
    CURRENCY,
    code.filter(({ path }) => !IN_DOLLARS.test(path)),
    (file) => file.code,
  );
});

test('no page, file or answer writes the sign of a currency', () => {
  const shown = files.filter(({ path }) => /^server\/(web|tax|endpoints|docs)\/.*\.tsx?$/.test(path));
  expectNone(shown.filter((file) => file.code.includes('$${')).map(({ path }) => path));
});

/** Files where members of requests and columns of tables get their names. */
const EDGES = /^pipeline\/books\/(ledger\/(entry|decisions|opening-lots)\.ts|reports\/)/;

test('no name inside the books contains its currency', () => {
  const inside = files.filter(({ path }) => /^pipeline\/books\/.*\.ts$/.test(path) && !EDGES.test(path));
  expectNone(inside.filter((file) => /_usd\b|Usd\b/.test(file.code)).map(({ path }) => path));
});
