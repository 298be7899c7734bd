/** Requests of service endpoints, which need no dataset: their answers are the same until the process ends, or never kept. */
import { VERSION } from '../../pipeline/project.js';
import type { Middleware } from '../context.js';
import type { ServiceEndpoint } from '../endpoint.js';
import { CACHE_CONTROL, dataTag, weakETag } from '../http/etag.js';
import { bodyOf, recode } from './answer-body.js';
import { isUnchanged, respond } from './respond.js';
import type { ResponseCache } from './response-cache.js';

/** @param responses keeps the answer in the codings that clients asked for */
export function serve(endpoint: ServiceEndpoint, responses: ResponseCache): Middleware {
  let made: ReturnType<typeof make> | undefined;
  return async (ctx) => {
    if (endpoint.volatile) {
      ctx.set('Cache-Control', CACHE_CONTROL.none);
      return respond(ctx, await bodyOf(endpoint.serve()));
    }
    made ??= make(endpoint);
    const { body, etag } = await made;
    if (isUnchanged(ctx, etag)) return;
    const { coding } = ctx.state;
    const name = `${coding} ${endpoint.path}`;
    const kept = responses.body(name);
    if (kept) return respond(ctx, kept);
    const coded = await recode(body, coding);
    if ('bytes' in coded) responses.keep(name, coded);
    respond(ctx, coded);
  };
}

/** The answer, and the tag of its bytes. */
async function make(endpoint: ServiceEndpoint) {
  const body = await bodyOf(endpoint.serve());
  if (!('bytes' in body)) throw new TypeError(`${endpoint.path} is too long to be made at once`);
  return { body, etag: weakETag(dataTag(VERSION), body.bytes.toString('latin1')) };
}
