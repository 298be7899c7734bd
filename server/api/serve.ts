/**
 * Handles service endpoints, which need no dataset. Caches a response until `dependsOn` changes; responses of volatile
 * endpoints are not cached.
 */
import { VERSION } from '../../pipeline/base/project.js';
import type { Reference } from '../../pipeline/reference.js';
import { CACHE_CONTROL, dataTag, weakETag } from '../http/etag.js';
import { CodedBody, isUnchanged, respond, wholeOf } from './answer.js';
import type { Middleware } from './context.js';
import type { ServiceEndpoint } from './endpoint.js';

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
