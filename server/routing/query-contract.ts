/** From a routed request to what a contract or node answered. */
import type { Reference } from '../../pipeline/reference.js';
import type { Context } from '../context.js';
import type { ContractAnswer } from '../contracts/answer-cache.js';
import type { Networks } from '../contracts/networks.js';
import type { Question } from '../contracts/node-query.js';
import type { ContractEndpoint } from '../endpoint.js';
import { CACHE_CONTROL, matches } from '../http/etag.js';
import { readQuery, readRawJson } from '../http/request-input.js';
import type { Source } from '../parameters/faults.js';
import { type Given, parametersOf, readParameters, refusal } from '../parameters/parameters.js';
import { Problem } from '../problem.js';
import { reply } from '../reply.js';
import type { RequestMemory } from '../request-memory.js';
import { pathValues } from '../routes.js';
import { sendPacked } from '../send.js';

/** What a request asks a contract or node, the same for everybody. */
interface Asked {
  readonly shared: Question;
}

export type QuestionMemory = RequestMemory<Asked>;

interface Sources {
  readonly networks: Networks;
  readonly reference: Reference;
  readonly memory: QuestionMemory;
}

/** @throws Problem */
export async function readFromContract(ctx: Context, endpoint: ContractEndpoint, sources: Sources): Promise<void> {
  const { req, state } = ctx;
  const isPost = req.method === 'POST';
  const question = isPost ? await readBody(ctx, endpoint, sources) : recallQuery(ctx, endpoint, sources);
  const answer = await sources.networks.answers.get(question);
  const headers = ['X-Block-Height', String(answer.height)];
  if (answer.refusal) throw problemOf(answer, isPost ? 'body' : 'query', headers);
  if (isPost || state.caller) headers.push('Cache-Control', CACHE_CONTROL.private);
  else {
    headers.push('ETag', answer.etag, 'Cache-Control', cacheControl(question));
    if (matches(req.headers['if-none-match'], answer.etag)) return reply(ctx, 304, headers);
  }
  sendPacked(ctx, await answer.pack(req.headers['accept-encoding']), headers);
}

/** The latest state is asked for again each time, which costs a 304; what was after a block is so for good. */
const cacheControl = ({ height }: Question) =>
  height === undefined ? CACHE_CONTROL.revalidated : CACHE_CONTROL.public;

function recallQuery({ state }: Context, endpoint: ContractEndpoint, sources: Sources): Question {
  const read = (): Asked => {
    const given = { path: pathValues(endpoint.path, state.path) ?? {}, query: readQuery(state.query) };
    return { shared: questionOf(endpoint, given, sources) };
  };
  return sources.memory.recall('', state.path, state.query, read).shared;
}

async function readBody({ req }: Context, endpoint: ContractEndpoint, sources: Sources): Promise<Question> {
  const { body, value } = await readRawJson(req);
  return questionOf(endpoint, { body: value, bodyText: body.toString() }, sources);
}

function questionOf(endpoint: ContractEndpoint, given: Given, { networks, reference }: Sources): Question {
  const parameters = readParameters(parametersOf(endpoint), given, { reference, networks, today: '' });
  return endpoint.ask(parameters, networks.get(parameters.network)!);
}

function problemOf({ refusal: refused }: ContractAnswer, source: Source, [name, value]: readonly string[]): Problem {
  const { code, detail, parameter } = refused!;
  if (parameter) return refusal(source, [{ name: parameter, path: '', message: detail }]);
  return new Problem(code, detail, { headers: { [name!]: value! } });
}
