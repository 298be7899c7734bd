/** Documents the published tables: an overview, and a page for each table with columns, files and a sample query. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../pipeline/base/project.js';
import { CATALOG } from '../../pipeline/publish/generation.js';
import type { Manifest, ManifestTable } from '../../schemas/types.generated.js';
import { escapeHtml, fillPage, readPage } from '../http/web-pages.js';

interface Published {
  readonly manifest: Manifest;
  /** Base URL of all published generations (versions of the dataset). */
  readonly url: string;
}

export function datasetPage({ manifest, url }: Published): string {
  const { chain_id, generation, height, tables } = manifest;
  const body = [
    `<p>Generation <code>${escapeHtml(generation)}</code>, up to block ${height.toLocaleString('en')}. Every table is Parquet and a Delta
Lake table; <a href="${url}/manifest.json">manifest.json</a> names each file with its SHA-256, and
<a href="${url}/latest"><code>latest</code></a> is the current generation.</p>`,
    '<p>In DuckDB, one statement makes all tables and ready queries available:</p>',
    sql(`attach '${url.slice(0, url.lastIndexOf('/'))}/${CATALOG}' as hub (read_only);`),
    table(
      ['Table', 'Rows', 'Content'],
      tables.map(({ name, rows, description }) => [
        `<a href="${url}/${name}">${name}</a>`,
        rows.toLocaleString('en'),
        escapeHtml(description),
      ]),
      [1],
    ),
  ];
  return page({ title: `Dataset ${chain_id}`, lead: 'The published tables, for queries by URL.' }, body);
}

export function tablePage(
  { name, description, columns, sorted_by, rows, files }: ManifestTable,
  where: Published,
): string {
  const root = `${where.url}/${where.manifest.generation}`;
  const recipe = RECIPES.get(name);
  const body = [
    `<p>${rows.toLocaleString('en')} rows, sorted by ${sorted_by.map((column) => `<code>${column}</code>`).join(', ')}. One of the
<a href="${where.url}">tables of the dataset</a>.</p>`,
    '<h2>Columns</h2>',
    table(
      ['Column', 'Type', 'Meaning'],
      columns.map((column) => [
        `<code>${column.name}</code>`,
        `<code>${column.type}</code>`,
        escapeHtml(column.description),
      ]),
    ),
    ...(recipe ? ['<h2>Recipe</h2>', `<p>${escapeHtml(recipe.words)}</p>`, sql(byUrl(recipe.sql, where))] : []),
    '<h2>Files</h2>',
    table(
      ['File', 'Rows', 'Bytes', 'SHA-256'],
      files.map((file) => [
        `<a href="${root}/${file.path}">${file.path}</a>`,
        file.rows.toLocaleString('en'),
        file.bytes.toLocaleString('en'),
        `<code>${file.sha256.slice(0, 16)}…</code>`,
      ]),
      [1, 2],
    ),
    `<p>In the data folder it is also a Delta Lake table: <code>generations/${where.manifest.generation}/${name}</code>.</p>`,
  ];
  return page({ title: name, lead: description }, body);
}

const TABLE_PAGE = readPage('dataset.html');

const page = (texts: { readonly title: string; readonly lead: string }, body: readonly string[]): string =>
  fillPage(TABLE_PAGE, texts).replace('<!-- body -->', () => body.join('\n'));

const sql = (text: string) =>
  `<figure class="code"><figcaption>SQL</figcaption><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></figure>`;

/**
 * Returns an HTML table. @param rows cells as HTML
 * @param numbers indexes of numeric columns
 */
function table(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  numbers: readonly number[] = [],
): string {
  const cells = (tag: 'th' | 'td', texts: readonly string[]) =>
    texts.map((text, i) => `<${tag}${numbers.includes(i) ? ' class="number"' : ''}>${text}</${tag}>`).join('');
  const lines = rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('\n');
  return `<div class="scroller" tabindex="0"><table class="figures"><thead><tr>${cells('th', heads)}</tr></thead><tbody>\n${lines}\n</tbody></table></div>`;
}

interface Recipe {
  readonly words: string;
  readonly sql: string;
}

/** Sample queries from docs/datasets.md, by table name. */
const RECIPES: ReadonlyMap<string, Recipe> = new Map(
  [
    ...readFileSync(join(projectRoot(), 'docs/datasets.md'), 'utf8').matchAll(
      /^### (\w+)\n+([\s\S]*?)\n+```sql\n([\s\S]*?)\n```/gm,
    ),
  ].map(([, name, words, query]) => [name!, { words: words!.replaceAll('\n', ' '), sql: query! }]),
);

/** Replaces file patterns in a query by lists of URLs, because HTTP cannot list a directory. */
export function byUrl(query: string, { manifest, url }: Published): string {
  return query.replace(/'(\w+)\/(\*|open)\.parquet'/g, (pattern, name: string, file: string) => {
    const files = manifest.tables.find((one) => one.name === name)?.files ?? [];
    const urls = files.filter(({ path }) => file === '*' || path.endsWith(`/${file}.parquet`));
    if (urls.length === 0) return pattern;
    const list = urls.map(({ path }) => `  '${url}/${manifest.generation}/${path}'`);
    return `read_parquet([\n${list.join(',\n')}\n])`;
  });
}
