/** Handles requests to reference endpoints, which answer from reviewed data. They need no dataset. */
import { toJson } from '../../pipeline/base/json/exact-json.js';
import { VERSION } from '../../pipeline/base/project.js';
import { dayOf } from '../../pipeline/base/values/day.js';
import { dataTag, weakETag } from '../http/etag.js';
import { readQuery } from '../http/request-input.js';
import { JSON_TYPE, responseExtras } from '../tax/formats/json.js';
import { parametersOf } from '../tax/parameters/parameter-schemas.js';
import { readParameters } from '../tax/parameters/parameters.js';
import { isUnchanged, recode, respond, tellIgnored, whole } from './answer.js';
import type { Middleware, Services } from './context.js';
import type { ReferenceEndpoint } from './endpoint.js';

export function readReference(endpoint: ReferenceEndpoint, { config, datasets, networks }: Services): Middleware {
  return async (ctx) => {
    const context = { reference: datasets.reference, networks, today: dayOf(config.now().getTime()) };
    const parameters = readParameters(parametersOf(endpoint), { query: readQuery(ctx.querystring) }, context);
    tellIgnored(ctx, parameters.ignored);
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
