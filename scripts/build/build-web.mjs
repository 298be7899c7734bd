/**
 * Bundles the pages of server/web/ into dist/web. Writes scripts and styles to assets/, also compressed as .br and .gz.
 * Their names contain a hash of their content. Equal sources give equal bytes.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { root } from './ensure-dependencies.mjs';

/** Imports esbuild only when it is used, because a fresh clone has no packages yet. */
const runEsbuild = (options) => createRequire(import.meta.url)('esbuild').buildSync(options);

const SOURCES = join(root, 'server/web');
const OUTPUT = join(root, 'dist/web');
const ASSETS = join(OUTPUT, 'assets');
const FRAME = 'frame.html';
const PUBLIC_PATH = '/assets/';

const ENTRIES = {
  report: 'report.tsx',
  holdings: 'holdings.tsx',
  docs: 'docs.tsx',
  account: 'account.tsx',
  validator: 'validator.tsx',
  pages: 'styles/pages.css',
};

function bundle() {
  const { metafile } = runEsbuild({
    entryPoints: Object.entries(ENTRIES).map(([out, file]) => ({ in: join(SOURCES, file), out })),
    absWorkingDir: root,
    outdir: ASSETS,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    metafile: true,
    logLevel: 'warning',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  const outputs = Object.entries(metafile.outputs).filter(([, { entryPoint }]) => entryPoint !== undefined);
  return new Map(outputs.map(([path, { entryPoint }]) => [basename(entryPoint), basename(path)]));
}

/** Bundles the widget into one file. Its name has no hash, because other sites use its URL for years. */
function bundleWidget() {
  runEsbuild({
    entryPoints: [join(SOURCES, 'widget.ts')],
    outfile: join(OUTPUT, 'widget.js'),
    bundle: true,
    format: 'iife',
    target: 'es2022',
    minify: true,
    logLevel: 'warning',
  });
}

/** Copies a file. @returns the copy's name, which contains a hash of the content */
function copyWithHash(file) {
  const bytes = readFileSync(join(SOURCES, file));
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8).toUpperCase();
  const name = basename(file).replace(/\.\w+$/, `-${hash}$&`);
  writeFileSync(join(ASSETS, name), bytes);
  return name;
}

const CURRENT = { 'report.html': '/', 'holdings.html': '/holdings', 'docs.html': '/docs', 'account.html': '/account' };

/** Inserts a page into the frame that all pages share. Lines before `<body>` in the page go into the frame's head. */
function framed(page, frame) {
  const [head, body] = readFileSync(join(SOURCES, 'html', page), 'utf8').split('<body>\n');
  return frame
    .replace(`<a href="${CURRENT[page]}">`, `<a href="${CURRENT[page]}" aria-current="true">`)
    .replace('<!-- head -->\n', () => head)
    .replace('<!-- body -->\n', () => body);
}

/** Writes the pages, and replaces each `/assets/<source file>` by the name of the built file. */
function writePages(names) {
  const frame = readFileSync(join(SOURCES, 'html', FRAME), 'utf8');
  for (const page of readdirSync(join(SOURCES, 'html')).filter((name) => name !== FRAME)) {
    const named = framed(page, frame).replaceAll(/\/assets\/([\w.-]+)/g, (_, source) => {
      if (!names.has(source)) throw new Error(`${page} names ${source}, which the build does not make`);
      return PUBLIC_PATH + names.get(source);
    });
    writeFileSync(join(OUTPUT, page), named);
  }
}

function compressAssets() {
  for (const name of readdirSync(ASSETS)) {
    const bytes = readFileSync(join(ASSETS, name));
    writeFileSync(join(ASSETS, `${name}.br`), brotliCompressSync(bytes));
    writeFileSync(join(ASSETS, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  }
}

export function buildWeb() {
  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(ASSETS, { recursive: true });
  const names = bundle();
  bundleWidget();
  names.set('icon.svg', copyWithHash('icon.svg'));
  copyFileSync(join(SOURCES, 'icon.svg'), join(OUTPUT, 'icon.svg'));
  writePages(names);
  compressAssets();
}

if (process.argv[1] === import.meta.filename) buildWeb();
