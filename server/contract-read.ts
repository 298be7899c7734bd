/** From a routed request to what a contract or node answered. */
import { memberSlices } from '../pipeline/ledger/json-slices.js';
import type { Reference } from '../pipeline/reference.js';
import { CACHE_CONTROL, matches } from './conditional.js';
import type { Context } from './context.js';
import type { ContractEndpoint } from './endpoint.js';
import { Reading } from './parameter-reading.js';
import { refusal } from './parameters.js';
import { Problem } from './problem.js';
import { reply } from './reply.js';
import { readQuery, readRawJson } from './request-input.js';
import { pathValues } from './routes.js';
import { sendPacked } from './send.js';
import type { ContractAnswer } from './wasm/contract-answers.js';
import type { Networks } from './wasm/networks.js';
import type { Question } from './wasm/question.js';
import type { ContractReading } from './wasm/questions.js';

/** @throws Problem */
export async function readFromContract(
  ctx: Context,
  endpoint: ContractEndpoint,
  { networks, reference }: { networks: Networks; reference: Reference },
): Promise<void> {
  const given = await readRequest(ctx, endpoint, networks, reference);
  const question = endpoint.ask(given);
  const { reading } = given;
  if (!question || reading.faults.length > 0) throw refusal(reading.source, reading.faults);
  const answer = await networks.answers.get(question);
  const headers = ['X-Block-Height', String(answer.height)];
  if (answer.refusal) throw problemOf(answer, given, headers);
  if (ctx.req.method === 'POST' || ctx.state.caller) headers.push('Cache-Control', CACHE_CONTROL.private);
  else headers.push('ETag', answer.etag, 'Cache-Control', cacheControl(question));
  if (headers.includes('ETag') && matches(ctx.req.headers['if-none-match'], answer.etag))
    return reply(ctx, 304, headers);
  sendPacked(ctx, await answer.pack(ctx.req.headers['accept-encoding']), headers);
}

/** The latest state is asked for again each time, which costs a 304; what was after a block is so for good. */
const cacheControl = ({ height }: Question) =>
  height === undefined ? CACHE_CONTROL.revalidated : CACHE_CONTROL.public;

async function readRequest(
  { req, state }: Context,
  { path }: ContractEndpoint,
  networks: Networks,
  reference: Reference,
): Promise<ContractReading> {
  const context = { reference, today: '' };
  if (req.method === 'POST') {
    const { body, value } = await readRawJson(req);
    return { reading: new Reading(value, context), networks, written: messageIn(body.toString()) };
  }
  const values = new Map(readQuery(state.query));
  for (const [name, text] of Object.entries(pathValues(path, state.path) ?? {})) values.set(name, [text]);
  return { reading: new Reading(values, context), networks, written: undefined };
}

/** The member query as it is written in a body: the last one, as for every JSON parser. */
function messageIn(body: string): string | undefined {
  let written: string | undefined;
  for (const [name, text] of memberSlices(body)) if (JSON.parse(`"${name}"`) === 'query') written = text;
  return written;
}

function problemOf(
  { refusal: refused }: ContractAnswer,
  { reading }: ContractReading,
  [name, value]: readonly string[],
): Problem {
  const { code, detail, parameter } = refused!;
  if (parameter) return refusal(reading.source, [{ name: parameter, path: '', message: detail }]);
  return new Problem(code, detail, { headers: { [name!]: value! } });
}
