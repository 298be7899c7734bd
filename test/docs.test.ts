/** Pages for people against the code: links lead somewhere, paths exist, and what a comment cites is written down. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path/posix';
import { test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { projectRoot } from '../pipeline/base/project.js';
import { files, type SourceFile } from './source-files.js';

/** The offences of a rule must be none; each is named by its page. */
function expectNone(offences: readonly string[]): void {
  assert.deepEqual(offences, []);
}

const pages = files.filter(({ path }) => /^(docs\/.*|README|CONTRIBUTING|CHANGELOG)\.md$/.test(path));
const exists = (path: string) => existsSync(join(projectRoot(), path));
const headingsOf = ({ text }: SourceFile) => [...text.matchAll(/^#{1,6} (.+)$/gm)].map((match) => match[1]!);

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

interface Link {
  readonly page: string;
  readonly target: string;
  /** Path from the project's root; the page itself for a link that is an anchor alone. */
  readonly path: string;
  readonly anchor: string | undefined;
}

const links: readonly Link[] = pages.flatMap((page) =>
  [...page.text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, target]) => {
    const [path, anchor] = target!.split('#') as [string, string?];
    return { page: page.path, target: target!, anchor, path: path === '' ? page.path : join(dirname(page.path), path) };
  }),
);

test('every relative link of a page leads to a file, and to a heading of it', () => {
  const isThere = ({ path, anchor }: Link) => {
    if (anchor === undefined) return exists(path);
    const page = pages.find((one) => one.path === path);
    return page !== undefined && headingsOf(page).some((heading) => anchorOf(heading) === anchor);
  };
  expectNone(links.filter((link) => !isThere(link)).map(({ page, target }) => `${page} → ${target}`));
});

test('every page is reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const page of reached) for (const link of links) if (link.page === page) reached.add(link.path);
  expectNone(pages.filter(({ path }) => !reached.has(path)).map(({ path }) => path));
});

/** A path of the project in prose, a code span or a drawing; a text with a place to fill in (`<name>`, `*`, `…`) is a pattern instead. */
const PATH = /(?<![\w/.<…-])((?:pipeline|server|scripts|schemas|test|docs|data\/(?:reference|sample))\/[\w./<>*…-]*)/g;

test('every file and folder that a page names exists', () => {
  const named = pages
    .filter(({ path }) => path !== 'CHANGELOG.md') // it tells what was
    .flatMap(({ path, text }) => [...text.matchAll(PATH)].map((match) => ({ page: path, name: match[1]! })));
  const isConcrete = ({ name }: { name: string }) => !/[<>*…]/.test(name);
  const missing = named.filter(isConcrete).filter(({ name }) => !exists(name.replace(/\.+$/, '')));
  expectNone(missing.map(({ page, name }) => `${page}: ${name}`));
});

test('the architecture names every room of the night and of the server', () => {
  const { text } = pages.find(({ path }) => path === 'docs/architecture.md')!;
  const rooms = files.flatMap(({ path }) => /^(?:pipeline|server)\/[\w-]+\//.exec(path) ?? []);
  expectNone([...new Set(rooms)].filter((room) => !text.includes(`\`${room}\``)));
});

test('the glossary has each word once, in the order of letters', () => {
  const sections = pages
    .find(({ path }) => path === 'docs/glossary.md')!
    .text.split('\n## ')
    .slice(1);
  const words = sections.map((one) =>
    [...one.matchAll(/^\| (?!Word)([^|]+?) \|/gm)].map(([, word]) => word!.toLowerCase()),
  );
  for (const section of words) assert.deepEqual(section, [...section].sort());
  assert.equal(new Set(words.flat()).size, words.flat().length);
});

test('every npm script and every command that a page names exists', () => {
  const { scripts } = JSON.parse(files.find(({ path }) => path === 'package.json')!.text);
  const isScript = (name: string) => ['ci', 'install', 'pack'].includes(name) || Object.hasOwn(scripts, name);
  const isCommand = (name: string) => exists(`scripts/commands/${name}.ts`);
  const absent = (text: string, form: RegExp, isKnown: (name: string) => boolean) =>
    [...text.matchAll(form)].filter(([, name]) => !isKnown(name!)).map(([what]) => what);
  const named = pages
    .filter(({ path }) => path !== 'CHANGELOG.md') // it tells what was
    .map(({ path, text }) => ({
      path,
      missing: [
        ...absent(text, /\bnpm (?:run )?([a-z]+)/g, isScript),
        ...absent(text, /(?:\.\/|`)hubledger ([a-z][\w-]*)/g, isCommand),
      ],
    }));
  expectNone(named.flatMap(({ path, missing }) => missing.map((what) => `${path}: ${what}`)));
});

test('pages and messages write a command as it is typed in a checkout', () => {
  const commands = files.flatMap(
    ({ path }) => /^scripts\/commands\/(?!arguments|with-store)([\w-]+)\.ts$/.exec(path)?.[1] ?? [],
  );
  assert.ok(commands.length > 15);
  const bare = new RegExp(`(?<![\\w./-])hubledger (?:${commands.join('|')})\\b`, 'g');
  const offences = ({ path, code }: SourceFile) => [...code.matchAll(bare)].map(([what]) => `${path}: ${what}`);
  const shown = files.filter(({ path }) => /^(docs|server|scripts|pipeline|schemas|data)\/|^[A-Z]+\.md$/.test(path));
  expectNone(shown.filter(({ path }) => !path.endsWith('.sql')).flatMap(offences));
});

test('the way into a night that CONTRIBUTING shows finds rows', async () => {
  const { text } = pages.find(({ path }) => path === 'CONTRIBUTING.md')!;
  const [command] = /^G=data\/sample-dataset[\s\S]*?(?=^```)/m.exec(text)!;
  const folder = mkdtempSync(join(tmpdir(), 'hubledger-look-'));
  try {
    mkdirSync(join(folder, 'data/sample-dataset/generations/h7-ab/priced_events'), { recursive: true });
    writeFileSync(join(folder, 'data/sample-dataset/CURRENT'), 'h7-ab\n');
    symlinkSync(join(projectRoot(), 'node_modules'), join(folder, 'node_modules'));
    const database = await (await DuckDBInstance.create()).connect();
    const row = "7 as height, 'AB' as tx_hash, 'cosmos1x' as address, 'found' as detail, 'unclassified' as category";
    await database.run(
      `copy (select ${row}) to '${folder}/data/sample-dataset/generations/h7-ab/priced_events/a.parquet'`,
    );
    assert.match(execFileSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' }), /'found'/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const decisionPages = pages.filter(({ path }) => /^docs\/(decisions\/|how-lots-work\.md$)/.test(path));
/** A decision's heading begins with its identifier: `### R1 · Addresses`. */
const identifiers = decisionPages.flatMap(headingsOf).flatMap((heading) => /^[A-Z]\d+(?= · )/.exec(heading)?.[0] ?? []);

/** Comments of code, one after the other, without the signs that only lay them out. */
function commentsOf({ path, text }: SourceFile): string {
  const comments = path.endsWith('.sql')
    ? text.match(/--.*$/gm)
    : text.match(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|\s\/\/ .*$/gm);
  return (comments ?? []).join('\n').replace(/^\s*(\*|\/\/|--)/gm, '');
}

const commented = files
  .filter(({ path }) => /\.(ts|tsx|mjs|sql)$/.test(path) && !path.endsWith('.generated.ts'))
  .map((file) => ({ path: file.path, comments: commentsOf(file) }));

test('a decision has one place', () => {
  assert.ok(identifiers.length > 0);
  assert.deepEqual([...new Set(identifiers)], identifiers);
});

test('every decision that a comment cites is written down', () => {
  const titles = new Set(decisionPages.flatMap(headingsOf));
  const cited = commented.flatMap(({ path, comments }) => [
    ...[...comments.matchAll(/\b[ADNRU]\d{1,2}\b/g)].map(([name]) => ({
      path,
      name,
      known: identifiers.includes(name),
    })),
    ...[...comments.matchAll(/\bdecisions?\b[^()"]*"([^"]+)"/g)].map(([, name]) => ({
      path,
      name: name!,
      known: titles.has(name!),
    })),
  ]);
  assert.ok(cited.length > 0);
  expectNone(cited.filter(({ known }) => !known).map(({ path, name }) => `${path}: ${name}`));
});

test('every promise of the interface that a comment cites is written down', () => {
  const specification = pages.find(({ path }) => path === 'docs/specification.md');
  const titles = new Set(specification && headingsOf(specification));
  const cited = commented.flatMap(({ path, comments }) =>
    [...comments.matchAll(/\bspecification,? "([^"]+)"/g)].map((match) => ({ path, name: match[1]! })),
  );
  assert.ok(cited.length > 0);
  expectNone(cited.filter(({ name }) => !titles.has(name)).map(({ path, name }) => `${path}: ${name}`));
});
