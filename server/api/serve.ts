/** Serves everything that needs no dataset: reference and service endpoints, and the files of pages. */

import { join } from 'node:path';
import { send } from '@koa/send';
import { toJson } from '../../pipeline/base/json/exact-json.js';
import { VERSION } from '../../pipeline/base/project.js';
import { DAY_MS } from '../../pipeline/base/values/day.js';
import type { Reference } from '../../pipeline/reference.js';
import { CACHE_CONTROL, dataTag, weakETag } from '../http/etag.js';
import { readQuery } from '../http/request-input.js';
import { WEB_FOLDER } from '../http/web-pages.js';
import { JSON_TYPE, responseExtras } from '../tax/formats/json.js';
import { parametersOf } from '../tax/parameters/parameter-schemas.js';
import { readParameters } from '../tax/parameters/parameters.js';
import { CodedBody, isUnchanged, recode, respond, setIgnoredHeader, whole, wholeOf } from './answer.js';
import type { Middleware, Services } from './context.js';
import type { ReferenceEndpoint, ServiceEndpoint } from './endpoint.js';
import type { OtherPaths } from './routers.js';

/** Returns middleware for a reference endpoint, which answers from reviewed data. */
export function readReference(endpoint: ReferenceEndpoint, { config, datasets, networks }: Services): Middleware {
  return async (ctx) => {
    const context = { reference: datasets.reference, networks, now: config.now() };
    const parameters = readParameters(parametersOf(endpoint), { query: readQuery(ctx.querystring) }, context);
    setIgnoredHeader(ctx, parameters.ignored);
    const lease = datasets.lease();
    let json: object;
    try {
      if (lease) ctx.set('X-Dataset', lease.dataset.said);
      json = endpoint.handle({ reference: datasets.reference, dataset: lease?.dataset });
    } finally {
      lease?.release();
    }
    const text = toJson({ ...json, ...responseExtras(parameters) });
    if (isUnchanged(ctx, weakETag(lease?.dataset.tag ?? dataTag(VERSION), text))) return;
    respond(ctx, await recode(whole(JSON_TYPE, text), ctx.state.coding));
  };
}

/**
 * Returns middleware for a service endpoint. Caches a response until `dependsOn` changes. Never caches responses of
 * volatile endpoints.
 */
export function serve(endpoint: ServiceEndpoint, reference: Reference): Middleware {
  if (endpoint.volatile) {
    return async (ctx) => {
      ctx.set('Cache-Control', CACHE_CONTROL.none);
      respond(ctx, wholeOf(await endpoint.serve(reference, ctx.params)));
    };
  }
  const cacheControl = endpoint.revalidated ? CACHE_CONTROL.revalidated : CACHE_CONTROL.public;
  let made: ReturnType<typeof make> | undefined;
  let madeOf: unknown;
  return async (ctx) => {
    const of = endpoint.dependsOn?.();
    if (of !== madeOf) made = undefined;
    madeOf = of;
    made ??= make(endpoint, reference);
    const { body, etag } = await made;
    if (isUnchanged(ctx, etag, cacheControl)) return;
    respond(ctx, await body.in(ctx.state.coding));
  };
}

async function make(endpoint: ServiceEndpoint, reference: Reference) {
  const body = wholeOf(await endpoint.serve(reference));
  return { body: new CodedBody(body), etag: weakETag(dataTag(VERSION), Buffer.from(body.bytes).toString('latin1')) };
}

const PREFIX = '/assets/';
const YEAR_MS = 365 * DAY_MS;
const METHODS = ['GET', 'HEAD'];

export const ASSETS: OtherPaths = { has: (path) => path.startsWith(PREFIX), allow: METHODS.join(', ') };

/**
 * Serves the built files of pages, compressed if the client accepts it. Their names contain a hash of the content, so
 * browsers may cache them forever.
 */
export const staticFiles: Middleware = async (ctx, next) => {
  const { path, method } = ctx;
  if (!ASSETS.has(path) || !METHODS.includes(method)) return next();
  const name = path.slice(PREFIX.length);
  // Rejects paths in subfolders, and the names of compressed files.
  if (!/^[\w.-]+\.(?:js|css|svg)$/.test(name)) return next();
  const sent = await send(ctx as Parameters<typeof send>[0], name, {
    root: join(WEB_FOLDER, 'assets'),
    maxage: YEAR_MS,
    immutable: true,
  }).catch((error: { status?: number }) => {
    if (error.status !== 404) throw error;
  });
  if (sent === undefined) await next();
};
