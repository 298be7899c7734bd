/** Assets of pages. Their names contain a content hash, so browsers may cache them forever. */
import { join } from 'node:path';
import { send } from '@koa/send';
import { DAY_MS } from '../../pipeline/base/values/day.js';
import { WEB_FOLDER } from '../http/web-pages.js';
import type { Middleware } from './context.js';
import type { OtherPaths } from './routers.js';

const PREFIX = '/assets/';
const YEAR_MS = 365 * DAY_MS;
const METHODS = ['GET', 'HEAD'];

export const ASSETS: OtherPaths = { has: (path) => path.startsWith(PREFIX), allow: METHODS.join(', ') };

/** Serves the built files. Their compressed versions were built, too. */
export const staticFiles: Middleware = async (ctx, next) => {
  const { path, method } = ctx;
  if (!ASSETS.has(path) || !METHODS.includes(method)) return next();
  const name = path.slice(PREFIX.length);
  // Excludes subfolders and the compressed versions.
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
