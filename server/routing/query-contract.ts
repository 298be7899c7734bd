/** Requests of contract endpoints: what a contract or node answers. */
import { memberSlices } from '../../pipeline/json/json-slices.js';
import type { Reference } from '../../pipeline/reference.js';
import type { Context, Middleware } from '../context.js';
import type { ContractAnswer } from '../contracts/answer-cache.js';
import type { Networks } from '../contracts/networks.js';
import type { Question } from '../contracts/node-query.js';
import type { ContractReading } from '../contracts/read-query.js';
import type { ContractEndpoint } from '../endpoint.js';
import { negotiateCoding } from '../http/content-coding.js';
import { CACHE_CONTROL } from '../http/etag.js';
import { readQuery, readRawJson } from '../http/request-input.js';
import type { Source } from '../parameters/parameter-schemas.js';
import { refusal } from '../parameters/parameters.js';
import { Reading } from '../parameters/reading.js';
import { Problem } from '../problem.js';
import { setBody } from './answer-body.js';
import { isUnchanged } from './is-unchanged.js';

export interface ContractSources {
  readonly networks: Networks;
  readonly reference: () => Reference;
}

/** @throws Problem */
export function queryContract(endpoint: ContractEndpoint, sources: ContractSources): Middleware {
  return async (ctx) => {
    const isPost = ctx.method === 'POST';
    const question = isPost ? await readBody(ctx, endpoint, sources) : readUrl(ctx, endpoint, sources);
    const answer = await sources.networks.answers.get(question);
    ctx.set('X-Block-Height', String(answer.height));
    if (answer.refusal) throw problemOf(answer, isPost ? 'body' : 'query');
    if (isPost) ctx.set('Cache-Control', CACHE_CONTROL.private);
    else if (isUnchanged(ctx, answer.etag, cacheControl(question))) return;
    setBody(ctx, await answer.coded(negotiateCoding(ctx.req)));
  };
}

/** The latest state is asked for again each time, which costs a 304; what was after a block is so for good. */
const cacheControl = ({ height }: Question) =>
  height === undefined ? CACHE_CONTROL.revalidated : CACHE_CONTROL.public;

function readUrl(ctx: Context, endpoint: ContractEndpoint, { networks, reference }: ContractSources): Question {
  const values = new Map(readQuery(ctx.querystring));
  for (const [name, text] of Object.entries(ctx.params ?? {})) values.set(name, [text]);
  const reading = new Reading(values, { reference: reference(), today: '' });
  return questionOf(endpoint, { reading, networks, written: undefined });
}

async function readBody(
  ctx: Context,
  endpoint: ContractEndpoint,
  { networks, reference }: ContractSources,
): Promise<Question> {
  const { body, value } = await readRawJson(ctx.req);
  const reading = new Reading(value, { reference: reference(), today: '' });
  return questionOf(endpoint, { reading, networks, written: messageIn(body.toString()) });
}

function questionOf(endpoint: ContractEndpoint, given: ContractReading): Question {
  const question = endpoint.ask(given);
  const { source, faults } = given.reading;
  if (!question || faults.length > 0) throw refusal(source, faults);
  return question;
}

/** The member query as it is written in a body: the last one, as for every JSON parser. */
function messageIn(body: string): string | undefined {
  let written: string | undefined;
  for (const [name, text] of memberSlices(body)) if (JSON.parse(`"${name}"`) === 'query') written = text;
  return written;
}

function problemOf({ refusal: refused }: ContractAnswer, source: Source): Problem {
  const { code, detail, parameter } = refused!;
  if (parameter) return refusal(source, [{ name: parameter, path: '', message: detail }]);
  return new Problem(code, detail);
}
