/**
 * Handles requests to action endpoints. Checks origin and body, and stores the answers to requests with an
 * Idempotency-Key.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { toJson } from '../../pipeline/base/json/exact-json.js';
import { projectRoot, readSchema, VERSION } from '../../pipeline/base/project.js';
import { CACHE_CONTROL, dataTag, weakETag } from '../http/etag.js';
import { LIMITS } from '../http/limits.js';
import { type FieldError, Problem } from '../http/problem.js';
import { parseBody, readJsonBody, readQuery } from '../http/request-input.js';
import { accountDeleted } from '../people/accounts/accounts.js';
import { browserCookies, readVisits } from '../people/accounts/sessions.js';
import { StatementError } from '../people/store/session.js';
import type { Queries, Store, Transactions } from '../people/store/store.js';
import { JSON_TYPE } from '../tax/formats/json.js';
import { invalidBody } from '../tax/parameters/faults.js';
import { type Lengths, lengthFault, parametersOf } from '../tax/parameters/parameter-schemas.js';
import { readParameters } from '../tax/parameters/parameters.js';
import { truncatedNames } from '../tax/parameters/reading.js';
import { isUnchanged, respond, senderOf, tellIgnored, whole } from './answer.js';
import type { AnswerThreads } from './answer-threads.js';
import { bodyLimit } from './body-limit.js';
import type { Context, Middleware, Services } from './context.js';
import { type ActionEndpoint, type Caller, type Outcome, type RequestName, successOf } from './endpoint.js';
import { type Quotas, rowCharge } from './quotas/quotas.js';

interface Sources extends Services {
  readonly threads: AnswerThreads;
  readonly quotas: Quotas | undefined;
}

export function performAction(endpoint: ActionEndpoint, services: Sources): Middleware {
  const { config, store } = services;
  return async (ctx) => {
    const { caller } = ctx.state;
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (!isRead) requireSameOrigin(ctx.req.headers.origin, caller, config.baseUrl);
    const now = config.now();
    const { act, body } = await readRequest(ctx, endpoint, services, now);
    const key = endpoint.idempotent ? readIdempotencyKey(ctx.req.headers['idempotency-key']) : undefined;
    if (key === undefined || !caller) return answer(ctx, endpoint, await act(store).catch(refuseDeleted));
    const request = { account: caller.account, endpoint: `${ctx.method} ${ctx.path}`, key, body };
    const { answer: outcome, replayed } = await once(store, request, now, act).catch(refuseDeleted);
    if (replayed) ctx.set('Idempotent-Replayed', 'true');
    await answer(ctx, endpoint, outcome);
  };
}

const FOREIGN_KEY_VIOLATION = '23503';

/** Throws a Problem if an insert failed because its account has just been deleted. Rethrows other errors. */
function refuseDeleted(error: unknown): never {
  throw error instanceof StatementError && error.sqlState === FOREIGN_KEY_VIOLATION ? accountDeleted() : error;
}

async function readRequest(ctx: Context, endpoint: ActionEndpoint, services: Sources, now: Date) {
  const { config, datasets, networks, threads, quotas } = services;
  const { reference } = datasets;
  const context = { reference, networks, today: now.toISOString().slice(0, 10) };
  const given = { path: ctx.params ?? {}, query: readQuery(ctx.querystring) };
  const parameters = readParameters(parametersOf(endpoint), given, context);
  const body = endpoint.body === undefined ? NO_BODY : await readJsonBody(ctx.req, bodyLimit(endpoint));
  const value = endpoint.body === undefined ? {} : parseBody(body);
  const unknown = endpoint.body === undefined ? [] : unknownMembers(endpoint.body, value);
  tellIgnored(ctx, truncatedNames([...parameters.ignored, ...unknown]));
  if (endpoint.body !== undefined) requireValidBody(endpoint.body, value);
  const chargeRows = rowCharge(quotas, ctx);
  const act = (store: Transactions) =>
    endpoint.act({
      caller: ctx.state.caller,
      parameters,
      query: ctx.querystring,
      ifMatch: ctx.req.headers['if-match'],
      body: value,
      browser: {
        session: ctx.state.session,
        visits: readVisits(ctx.req.headers.cookie),
        userAgent: ctx.req.headers['user-agent'],
      },
      store,
      reference,
      lease: () => datasets.lease(),
      fitDecisions: (given, address, dataset) =>
        threads.fitDecisions({ given, address }, dataset, { chargeRows }, senderOf(ctx)),
      config,
      now,
    });
  return { act, body };
}

const NO_BODY = Buffer.alloc(0);

/** Program version in ETags. Another version may serialize the same content differently. */
const PROGRAM = dataTag(VERSION);

async function answer(ctx: Context, endpoint: ActionEndpoint, outcome: Outcome): Promise<void> {
  const { json, etag, browser, location } = outcome;
  ctx.set('Cache-Control', CACHE_CONTROL.private);
  if (browser) ctx.append('Set-Cookie', browserCookies(browser));
  if (location !== undefined) ctx.set('Location', location);
  if (json === undefined) {
    ctx.body = null;
  } else {
    const text = toJson(json);
    if (endpoint.method === 'GET' && isUnchanged(ctx, etag ?? weakETag(PROGRAM, text))) return;
    if (etag !== undefined) ctx.compress = false; // not compressed, because each content coding would need its own strong ETag
    respond(ctx, whole(JSON_TYPE, text));
  }
  ctx.status = successOf(endpoint);
}

/** Prevents cross-site request forgery: refuses requests with a session from other sites (decision U2). */
function requireSameOrigin(origin: string | undefined, caller: Caller | undefined, baseUrl: string): void {
  if (caller?.by === 'key' || (origin === undefined && !caller)) return;
  if (origin === new URL(baseUrl).origin) return;
  throw new Problem('forbidden', 'requests with a session must come from this site: the header Origin must match it');
}

/**
 * Requests with an Idempotency-Key (specification, "Limits"). A retry within 24 hours gets the first answer. The change
 * and its answer are committed in one transaction. So after a crash, either both exist or neither.
 */
const WELL_FORMED = /^[A-Za-z0-9._:-]{1,255}$/;
const ANSWER_KEPT_MS = 24 * 3_600_000;

interface IdempotentRequest {
  readonly account: string;
  readonly endpoint: string;
  readonly key: string;
  readonly body: Uint8Array;
}

function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined || (typeof header === 'string' && WELL_FORMED.test(header))) return header;
  throw new Problem('idempotency_key_invalid', 'Idempotency-Key must have 1 to 255 letters, digits, or . _ : -');
}

/** Requests that this process is handling now. A database lock does the same between several servers. */
const underWay = new Set<string>();

/**
 * Runs `work` only once for each key. If an answer is already stored, returns this answer. If `work` fails, the client
 * can retry.
 * @param work must use only the transactions that it receives
 */
export async function once<Answer>(
  store: Store,
  request: IdempotentRequest,
  now: Date,
  work: (transactions: Transactions) => Promise<Answer>,
): Promise<{ answer: Answer; replayed: boolean }> {
  const { hash, secret, bodyHash } = digest(request);
  const name = hash.toString('hex');
  if (underWay.has(name)) throw inProgress();
  underWay.add(name);
  try {
    const outcome = await store.transaction(async (queries) => {
      const number = hash.readBigInt64BE().toString();
      const [lock] = await queries.query<{ is_first: boolean }>('idempotency/lock', { number });
      if (!lock?.is_first) throw inProgress();
      const [known] = await queries.query<Known>('idempotency/find', { hash, now });
      if (known) return { answer: recall<Answer>(known, bodyHash, secret), replayed: true };
      await requireFreeKey(queries, request.account, now);
      const answer = await work({
        query: queries.query,
        lookups: store.lookups,
        transaction: (inner) => inner(queries),
      });
      const expires = new Date(now.getTime() + ANSWER_KEPT_MS);
      await queries.query('idempotency/add', {
        hash,
        account: request.account,
        bodyHash,
        answer: seal(answer, secret),
        expires,
      });
      return { answer, replayed: false };
    });
    if (!outcome.replayed) store.lookups.clear();
    return outcome;
  } finally {
    underWay.delete(name);
  }
}

const { max: KEYS_MAX } = LIMITS.accounts.idempotencyKeys;

interface StoredKeys {
  readonly keys: number;
  /** Null if there are no keys. */
  readonly oldest_expires_at: Date | null;
}

/** Locks the account until the transaction ends, so that concurrent requests cannot exceed the limit. */
async function requireFreeKey(queries: Queries, account: string, now: Date): Promise<void> {
  await queries.query('accounts/lock', { account });
  const [stored] = await queries.query<StoredKeys>('idempotency/count', { account, now });
  const { keys, oldest_expires_at: expires } = stored!;
  if (keys < KEYS_MAX || !expires) return;
  throw new Problem(
    'rate_limited',
    `an account can use ${KEYS_MAX} Idempotency-Keys in 24 hours: wait until the oldest expires, or send the request without a key`,
    { retryAfter: Math.ceil((expires.getTime() - now.getTime()) / 1000) },
  );
}

interface Known {
  readonly body_hash: Uint8Array;
  readonly sealed_answer: Uint8Array;
}

function recall<Answer>({ body_hash, sealed_answer }: Known, bodyHash: Buffer, secret: Buffer): Answer {
  if (bodyHash.equals(body_hash)) return open(Buffer.from(sealed_answer), secret) as Answer;
  throw new Problem('idempotency_key_reused', 'this Idempotency-Key was used with another body');
}

const inProgress = () =>
  new Problem('idempotency_in_progress', 'the first request with this Idempotency-Key is still running', {
    retryAfter: 1,
  });

const sha256 = (...parts: (string | Uint8Array)[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\n');
  return hash.digest();
};

/**
 * Returns the hash under which an answer is stored. The key that encrypts the answer cannot be derived from this hash.
 */
function digest({ account, endpoint, key, body }: IdempotentRequest) {
  return {
    hash: sha256('request', account, endpoint, key),
    secret: sha256('answer', account, endpoint, key, body),
    bodyHash: sha256(body),
  };
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts an answer, because it may contain a new API key. */
function seal(answer: unknown, secret: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, secret, nonce);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(answer)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

function open(sealed: Buffer, secret: Buffer): unknown {
  const decipher = createDecipheriv(CIPHER, secret, sealed.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  return JSON.parse(text.toString());
}

/** Validates the request bodies of actions (endpoints that change data) with schemas/requests/*.json. */
const ajv = new Ajv2020({ allErrors: true, strict: false, code: { optimize: false } });
formats.default(ajv);
// These parts are accepted here, because the parsers of decisions and lots report better errors.
for (const unchecked of ['asset-decision', 'stated-lot']) ajv.addSchema({ $id: `/schemas/${unchecked}.json` });
for (const shared of ['scope.json', 'webhook-event-type.json']) ajv.addSchema(readSchema(shared));
for (const file of readdirSync(join(projectRoot(), 'schemas/requests')).sort())
  ajv.addSchema(readSchema(`requests/${file}`));

interface BodySchema {
  readonly properties: Readonly<Record<string, Lengths>>;
}

const validatorOf = (name: RequestName) => ajv.getSchema<unknown>(`/schemas/requests/${name}.json`)!;
const propertiesOf = (name: RequestName) => (validatorOf(name).schema as BodySchema).properties;

const unknownMembers = (name: RequestName, body: object): string[] =>
  Object.keys(body).filter((member) => !Object.hasOwn(propertiesOf(name), member));

export function requireValidBody(name: RequestName, body: Readonly<Record<string, unknown>>): void {
  const validate = validatorOf(name);
  const overlong = Object.entries(propertiesOf(name)).flatMap(([path, schema]) => {
    const message = lengthFault(schema, body[path]);
    return message === undefined ? [] : [{ path, message }];
  });
  if (overlong.length > 0) throw invalidBody(overlong);
  if (validate(body)) return;
  throw invalidBody((validate.errors ?? []).filter(({ keyword }) => keyword !== 'const').map(fieldError));
}

const MESSAGES: Readonly<Record<string, string>> = {
  format: 'must be an RFC 3339 instant, such as 2027-01-31T00:00:00Z',
  minItems: 'must not be empty',
  minLength: 'must not be empty',
  minProperties: 'must not be empty',
  oneOf: 'must be one of the listed values',
  pattern: 'does not match its pattern: see the OpenAPI document',
  uniqueItems: 'contains a duplicate',
};

function fieldError({ instancePath, keyword, params, message = 'is invalid' }: ErrorObject): FieldError {
  const path = instancePath.slice(1);
  if (keyword === 'required')
    return { path: `${instancePath}/${params.missingProperty}`.slice(1), message: 'is required' };
  if (keyword === 'enum') return { path, message: `must be ${(params.allowedValues as string[]).join(' or ')}` };
  return { path, message: MESSAGES[keyword] ?? message };
}
