import { parentPort, workerData } from 'node:worker_threads';
import { loadReference, withJurisdictions } from '../pipeline/reference.js';
import { type Body, bodyOf, type LongList, recode, spool } from './api/answer.js';
import type { FromThread, Job, Reply, ThreadData, ToThread } from './api/answer-threads.js';
import { type AnswerNotes, makeAnswer, readRequest } from './api/make-answer.js';
import { SpoolError } from './api/spools.js';
import { endpoints } from './endpoints/index.js';
import { clientLeft } from './http/limiter.js';
import { Problem } from './http/problem.js';
import { readDecisions } from './people/decisions.js';
import { type OpenDataset, openDataset, withReference } from './tax/dataset/dataset.js';

const { dataDir, leaving } = workerData as ThreadData;
const port = parentPort!;

/** If the thread gets no job for this time, it closes the dataset, so that old generations do not stay open. */
const IDLE_MS = 30_000;

let open: OpenDataset | undefined;
let idle: NodeJS.Timeout | undefined;

/** Calls to the main thread that are still waiting for a reply, oldest first. */
const calls: ((reply: Reply) => void)[] = [];

async function call<Value>(name: 'query' | 'chargeRows', args: readonly unknown[]): Promise<Value> {
  post({ call: { name, args } });
  const reply = await new Promise<Reply>((resolve) => calls.push(resolve));
  if ('value' in reply) return reply.value as Value;
  throw problemOf(reply);
}

const problemOf = ({ problem: { code, detail, extras } }: Extract<Reply, { problem: unknown }>) =>
  new Problem(code, detail, extras);

const post = (message: FromThread, transfer: readonly ArrayBuffer[] = []) => port.postMessage(message, [...transfer]);

/** Opens the job's generation. Uses the main thread's list of validators' countries. */
async function datasetOf({ generation, tag, jurisdictions }: Job): Promise<OpenDataset> {
  if (open && (open.generation !== generation || open.isReplaced())) await close();
  open ??= openDataset(dataDir, generation, loadReference());
  if (open.tag !== tag) open = withReference(open, withJurisdictions(loadReference(), jurisdictions));
  return open;
}

async function close(): Promise<void> {
  const dataset = open;
  open = undefined;
  await dataset?.close();
}

const write = (body: Body | LongList, job: Extract<Job, { request: unknown }>) =>
  'chunks' in body ? spool(body, job.request.coding, job.spool) : recode(body, job.request.coding);

/** Stops the work at the next group of rows if the client has left. Every long answer reads rows. */
function* whileAwaited<Rows>(segments: Iterable<Rows>): Generator<Rows, void, undefined> {
  for (const segment of segments) {
    if (Atomics.load(leaving, 0) === 1) throw clientLeft();
    yield segment;
  }
}

async function run(job: Job): Promise<FromThread> {
  const notes: AnswerNotes = { ignored: [], isPersonal: false };
  try {
    const dataset = await datasetOf(job);
    if ('fitting' in job) return { notes, value: readDecisions(job.fitting.given, job.fitting.address, dataset) };
    const endpoint = endpoints.find(({ path }) => path === job.request.path)!;
    const sources = {
      endpoint,
      dataset: { ...dataset, events: (address: string) => whileAwaited(dataset.events(address)) },
      store: { query: <Row>(name: string, parameters?: unknown) => call<Row[]>('query', [name, parameters]) },
      chargeRows: (rows: number) => call<void>('chargeRows', [rows]),
    };
    const answer = await makeAnswer(job.request, readRequest(job.request, sources), sources, notes);
    return { notes, value: answer && (await write(bodyOf(answer), job)) };
  } catch (error) {
    if (error instanceof SpoolError) return { notes, spoolError: error.message };
    if (!(error instanceof Problem)) return { notes, error: error as Error };
    const { code, detail, extras } = error;
    return { notes, problem: { code, detail, extras } };
  }
}

async function answer(job: Job): Promise<void> {
  clearTimeout(idle);
  const done = await run(job);
  idle = setTimeout(close, IDLE_MS).unref();
  const bytes = 'value' in done && done.value && 'bytes' in done.value ? done.value.bytes : undefined;
  if (!bytes) return post(done);
  // Small buffers share memory in Node.js, and shared memory cannot be transferred to another thread.
  const transferable = Uint8Array.from(bytes as Buffer);
  post({ ...done, value: { ...(done as { value: object }).value, bytes: transferable } } as FromThread, [
    transferable.buffer,
  ]);
}

port.on('message', (message: ToThread) => {
  if ('job' in message) void answer(message.job);
  else if ('reply' in message) calls.shift()!(message.reply);
  else void close().then(() => port.close());
});
