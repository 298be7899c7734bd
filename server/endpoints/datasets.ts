/**
 * Serves the published dataset below /datasets/<chain>. Manifest and table pages describe the current generation
 * (published version of the dataset). Files of a generation never change. `latest` redirects to the current generation.
 * /datasets/catalog.duckdb and /datasets/<generation>/catalog.duckdb are catalogs with the addresses of this server.
 */
import { open, readFile } from 'node:fs/promises';
import type { Config } from '../../pipeline/config.js';
import { withAddress } from '../../pipeline/publish/catalog/catalog-files.js';
import { CATALOG, generationDir, isGenerationFile, SIGNATURE } from '../../pipeline/publish/generation.js';
import type { Manifest } from '../../schemas/types.generated.js';
import { type Body, CodedBody, isUnchanged, respond, sendStream, whole } from '../api/answer.js';
import type { Context, Middleware } from '../api/context.js';
import { isPreflight, PUBLIC_ACCESS, preflightHeaders } from '../api/middleware/cors.js';
import { methodNotAllowed, notFound, type OtherPaths } from '../api/routers.js';
import { datasetPage, tablePage } from '../docs/table-pages.js';
import { CACHE_CONTROL, strongETag, weakETag } from '../http/etag.js';
import { Problem } from '../http/problem.js';
import { HTML_TYPE, PAGE_POLICY } from '../http/web-pages.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import type { Datasets } from '../tax/dataset/dataset-holder.js';
import { JSON_TYPE } from '../tax/formats/json.js';

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a byte range (RFC 9110, section 14). Readers of Parquet files request ranges. Ignores invalid ranges, ranges
 * in other units, and requests for several ranges.
 * @param size size of the file in bytes
 * @returns undefined for the whole file
 */
function byteRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '')
    return Number(last) === 0 || size === 0
      ? 'unsatisfiable'
      : { start: Math.max(0, size - Number(last)), end: size - 1 };
  const [start, end] = [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)];
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}

const TYPES: Readonly<Record<string, string>> = {
  parquet: 'application/vnd.apache.parquet',
  duckdb: 'application/octet-stream',
  json: JSON_TYPE,
  sig: 'text/plain; charset=utf-8',
};

/**
 * Sends a file. This works even if the file is deleted in the meantime.
 * @param name unique name of the content, for the ETag
 * @returns false if the file does not exist
 */
async function sendPublished(ctx: Context, file: string, name: string): Promise<boolean> {
  const handle = await open(file).catch(noFile);
  if (!handle) return false;
  let isSent = false;
  try {
    const { size, mtimeMs } = await handle.stat();
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]!;
    // Only the signature of a generation may change, because the operator may change the key.
    const version = name.endsWith(SIGNATURE)
      ? { etag: strongETag(`${name} ${mtimeMs}`), cacheControl: CACHE_CONTROL.revalidated }
      : { etag: strongETag(name), cacheControl: CACHE_CONTROL.immutable };
    const part = partOf(ctx, { size, type, ...version });
    isSent = part !== undefined && ctx.method !== 'HEAD';
    if (isSent) sendStream(ctx, handle.createReadStream(part), lengthOf(part!));
    else if (part) ctx.length = lengthOf(part);
  } finally {
    if (!isSent) await handle.close();
  }
  return true;
}

const lengthOf = ({ start, end }: ByteRange) => end - start + 1;

interface Published {
  readonly size: number;
  readonly type: string;
  readonly etag: string;
  readonly cacheControl: string;
}

/**
 * Sets the headers of a response with a whole file or a part of it.
 * @returns the bytes to send; undefined if the status is 304
 * @throws Problem range_not_satisfiable
 */
function partOf(ctx: Context, { size, type, etag, cacheControl }: Published): ByteRange | undefined {
  ctx.compress = false; // ranges refer to uncompressed bytes
  ctx.set({ 'Accept-Ranges': 'bytes', 'Content-Type': type });
  if (isUnchanged(ctx, etag, cacheControl)) return undefined; // If-None-Match takes precedence over Range (RFC 9110, 13.2.2)
  const { start, end, isPart } = requestedBytes(ctx, size, etag);
  if (isPart) {
    ctx.status = 206;
    ctx.set('Content-Range', `bytes ${start}-${end}/${size}`);
  }
  return { start, end };
}

function requestedBytes({ req: { headers } }: Context, size: number, etag: string) {
  const condition = headers['if-range'];
  const range = condition === undefined || condition === etag ? byteRange(headers.range, size) : undefined;
  if (range !== 'unsatisfiable') return { start: 0, end: size - 1, ...range, isPart: range !== undefined };
  throw new Problem('range_not_satisfiable', `the file has ${size} bytes`, {
    headers: { 'Content-Range': `bytes */${size}` },
  });
}

function noFile(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

interface Sources {
  readonly config: Pick<Config, 'dataDir' | 'baseUrl'>;
  readonly datasets: Datasets;
  /** Middleware that counts requests in the quota, except preflight requests. */
  readonly charge: Middleware;
}

const PREFIX = '/datasets/';
const METHODS = ['GET', 'HEAD', 'OPTIONS'];

export const DATASETS: OtherPaths = { has: (path) => path.startsWith(PREFIX), allow: METHODS.join(', ') };

const MANIFEST = 'manifest.json';
const GENERATION = /^h\d+-[0-9a-f]{12}$/;
const CATALOG_PATH = /^(?:(h\d+-[0-9a-f]{12})\/)?catalog\.duckdb$/;
/** Headers that allow scripts of other sites to read the files. */
const READER_HEADERS = {
  ...PUBLIC_ACCESS,
  'Access-Control-Expose-Headers': `${PUBLIC_ACCESS['Access-Control-Expose-Headers']}, Accept-Ranges, Content-Length, Content-Range`,
};

export function datasetFiles({ config, datasets, charge }: Sources): Middleware {
  const manifests: Manifests = new WeakMap();
  return async (ctx, next) => {
    if (!DATASETS.has(ctx.path)) return next();
    ctx.set(READER_HEADERS);
    if (!METHODS.includes(ctx.method)) throw methodNotAllowed(ctx.method, DATASETS);
    if (ctx.method === 'OPTIONS') return answerOptions(ctx);
    await charge(ctx, async () => {
      const lease = datasets.requireLease();
      try {
        await answer(ctx, lease.dataset, config, manifests);
      } finally {
        lease.release();
      }
    });
  };
}

function answerOptions(ctx: Context): void {
  ctx.set('Allow', DATASETS.allow);
  if (isPreflight(ctx)) {
    const { 'Access-Control-Allow-Headers': headers, ...others } = preflightHeaders(DATASETS.allow);
    ctx.set({ ...others, 'Access-Control-Allow-Headers': `${headers}, Range, If-Range` });
  }
  ctx.status = 204;
}

/** Caches serialized manifests, because manifests of large chains list thousands of files. */
type Manifests = WeakMap<Dataset, CodedBody>;

async function answer(
  ctx: Context,
  dataset: Dataset,
  { dataDir, baseUrl }: Sources['config'],
  manifests: Manifests,
): Promise<void> {
  const { generation, manifest } = dataset;
  const catalog = CATALOG_PATH.exec(ctx.path.slice(PREFIX.length));
  if (catalog) return sendCatalog(ctx, dataset, { dataDir, baseUrl }, catalog[1]);
  const [chain, name, ...rest] = ctx.path.slice(PREFIX.length).split('/');
  if (chain !== manifest.chain_id) throw notFound(ctx.path);
  const root = `${PREFIX}${chain}`;
  const path = rest.join('/');
  if (name === 'latest') return redirect(ctx, `${root}/${generation}`, path || MANIFEST);
  if (GENERATION.test(name ?? '')) {
    if (path === '') return redirect(ctx, `${root}/${name}`, MANIFEST);
    const isSent =
      isGenerationFile(path) &&
      (await sendPublished(ctx, `${generationDir(dataDir, name!)}/${path}`, `${name}/${path}`));
    if (isSent) return;
  }
  if (rest.length > 0) throw notFound(ctx.path);
  const table = manifest.tables.find((one) => one.name === name);
  if (name !== undefined && name !== MANIFEST && !table) throw notFound(ctx.path);
  if (name === MANIFEST) return sendManifest(ctx, dataset, manifests);
  ctx.set('Content-Security-Policy', PAGE_POLICY);
  if (isUnchanged(ctx, weakETag(dataset.tag, baseUrl + ctx.path), CACHE_CONTROL.revalidated)) return;
  const where = { manifest, url: `${baseUrl}${root}` };
  respond(ctx, whole(HTML_TYPE, table ? tablePage(table, where) : datasetPage(where)));
}

/** Sends the manifest. Each content coding has its own ETag. Byte ranges refer to the uncompressed text. */
async function sendManifest(ctx: Context, dataset: Dataset, manifests: Manifests): Promise<void> {
  const coded = manifests.get(dataset) ?? new CodedBody(whole(JSON_TYPE, JSON.stringify(fromHere(dataset.manifest))));
  manifests.set(dataset, coded);
  const body = (await coded.in(ctx.headers.range === undefined ? ctx.state.coding : 'identity')) as Body;
  const { bytes, coding, type } = body;
  const etag = strongETag(`${dataset.tag} ${ctx.path} ${coding}`);
  const part = partOf(ctx, { size: bytes.length, type, etag, cacheControl: CACHE_CONTROL.revalidated });
  if (part) respond(ctx, { ...body, bytes: bytes.subarray(part.start, part.end + 1) });
}

/**
 * Sends the catalog with the address of this server's files.
 * @param given generation in the path; undefined for the current generation
 */
async function sendCatalog(
  ctx: Context,
  dataset: Dataset,
  { dataDir, baseUrl }: Sources['config'],
  given: string | undefined,
): Promise<void> {
  const generation = given ?? dataset.generation;
  const sealed = await readFile(`${generationDir(dataDir, generation)}/${CATALOG}`).catch(noFile);
  if (!sealed) throw notFound(ctx.path);
  const address = `${baseUrl}${PREFIX}${dataset.manifest.chain_id}/${generation}/`;
  const bytes = withAddress(sealed, address);
  const cacheControl = given === undefined ? CACHE_CONTROL.revalidated : CACHE_CONTROL.immutable;
  const part = partOf(ctx, {
    size: bytes.length,
    type: TYPES.duckdb!,
    etag: strongETag(`${address}${CATALOG}`),
    cacheControl,
  });
  if (part) respond(ctx, { type: TYPES.duckdb!, coding: 'identity', bytes: bytes.subarray(part.start, part.end + 1) });
}

/** Converts the manifest's file paths to paths relative to the folder of the generation. */
const fromHere = (manifest: Manifest): Manifest => ({
  ...manifest,
  tables: manifest.tables.map((table) => ({
    ...table,
    files: table.files.map((file) => ({ ...file, path: `${manifest.generation}/${file.path}` })),
  })),
});

/** @throws Problem route_not_found for a path that cannot be a file */
function redirect(ctx: Context, folder: string, path: string): void {
  if (!isGenerationFile(path)) throw notFound(ctx.path);
  ctx.set('Cache-Control', CACHE_CONTROL.revalidated);
  ctx.redirect(`${folder}/${path}`);
  ctx.status = 307;
}
