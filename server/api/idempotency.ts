/**
 * Requests with an Idempotency-Key (specification, "Limits"). A retry within 24 hours gets the first answer. The change
 * and its answer are committed in one transaction. So after a crash, either both exist or neither.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { LIMITS } from '../http/limits.js';
import { Problem } from '../http/problem.js';
import type { Queries, Store, Transactions } from '../people/store/store.js';

const WELL_FORMED = /^[A-Za-z0-9._:-]{1,255}$/;
const ANSWER_KEPT_MS = 24 * 3_600_000;

interface IdempotentRequest {
  readonly account: string;
  readonly endpoint: string;
  readonly key: string;
  readonly body: Uint8Array;
}

export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
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
