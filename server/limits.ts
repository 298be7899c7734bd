/**
 * Limits: every figure that bounds what one request, one client or one account may cost all the others, with the reason for it. The code
 * takes its figures from here, and so do the documents.
 */
import { ISSUES_MAX } from '../pipeline/ledger/decisions/issues.js';

type Unit = 'bytes' | 'characters' | 'items' | 'milliseconds' | 'a minute' | 'a day' | 'days';

export interface Limit {
  readonly max: number;
  readonly unit: Unit;
  /** The thing that is bounded, as the first cell of a table names it. */
  readonly of: string;
  readonly reason: string;
}

const limit = (max: number, unit: Unit, of: string, reason: string): Limit => ({ max, unit, of, reason });

const KIB = 1024;
const SECOND = 1000;

/** Limits of what a request may bring. They are checked before anything of it is compared, matched or decoded. */
const input = {
  head: limit(128 * KIB, 'bytes', 'head of a request', 'beyond a URL of full length there is room for headers only'),
  url: limit(64 * KIB, 'bytes', 'URL', 'what is longer has a POST form'),
  bookkeepingBody: limit(1024 * KIB, 'bytes', 'body with tags, decisions or lots', 'a year of a busy wallet fits'),
  queryBody: limit(80 * KIB, 'bytes', 'body of a contract query', 'its message is the largest member'),
  body: limit(16 * KIB, 'bytes', 'any other body', 'a note of 2,000 characters fits, however it is escaped'),
  drained: limit(16 * KIB * KIB, 'bytes', 'too large a body that is read on', 'its sender gets to read the refusal'),
  depth: limit(16, 'items', 'values within values of a body', 'bookkeeping nests three deep'),
  values: limit(40_000, 'items', 'values of a body', 'more take longer to parse than others should wait'),
  accept: limit(
    KIB,
    'characters',
    'headers Accept and Accept-Encoding',
    'a longer one is ignored: to weigh it is dear',
  ),
  accountName: limit(200, 'characters', 'name of an account in accounts', 'each line of a journal may have it'),
  addresses: limit(50, 'items', 'addresses of a request', 'each is a wallet to read'),
  faults: limit(ISSUES_MAX, 'items', 'faults that are told', 'a body can be wrong in ten thousand places'),
  loggedPath: limit(200, 'characters', 'path in the log', 'a line of it is for reading'),
  pointer: limit(300, 'characters', 'path of a fault', 'a member’s name of a megabyte is not sent back'),
} satisfies Record<string, Limit>;

/** Times after which a wait ends, whatever the other side does. */
const waits = {
  head: limit(20 * SECOND, 'milliseconds', 'head of a request', 'slow senders hold a connection'),
  request: limit(60 * SECOND, 'milliseconds', 'whole request', 'a megabyte over a slow line takes as long'),
  nextRequest: limit(
    65 * SECOND,
    'milliseconds',
    'next request of a connection',
    'usual proxies close first, after 60',
  ),
  longAnswer: limit(
    10 * SECOND,
    'milliseconds',
    'place among the long answers',
    'browsers and proxies wait for a minute',
  ),
  silentReader: limit(20 * SECOND, 'milliseconds', 'reader that takes nothing of its answer', 'it stays in memory'),
  slowReader: limit(60 * SECOND, 'milliseconds', 'reader that is slower than any line', 'it may be a short fault'),
  redis: limit(500, 'milliseconds', 'Redis', 'a request that it keeps waiting is counted here'),
  handOver: limit(
    4 * SECOND,
    'milliseconds',
    'clients that go elsewhere at the end',
    'balancers look every second or two',
  ),
  drain: limit(6 * SECOND, 'milliseconds', 'answers under way after that', 'supervisors kill after 10 to 30 seconds'),
} satisfies Record<string, Limit>;

/** Limits of what an account may save about wallets. */
const saved = {
  entry: limit(64 * KIB, 'bytes', 'saved decisions or opening lots of an address', 'hundreds of them fit'),
  entries: limit(200, 'items', 'addresses of which an account has saved such', 'a person has a few wallets'),
} satisfies Record<string, Limit>;

/** Limits of what an account may have. */
const accounts = {
  keys: limit(50, 'items', 'keys in force of an account', 'a program has one; the oldest of the others are forgotten'),
  sessions: limit(20, 'items', 'sessions of an account', 'a person has a few browsers; the oldest ends'),
  sessionDays: limit(180, 'days', 'a session, however often it is used', 'a stolen one ends'),
  unusedDays: limit(90, 'days', 'an account that owns nothing, after its last use', 'nobody misses it'),
  submissions: limit(20, 'items', 'submissions of an account that wait for a review', 'a person reads them'),
} satisfies Record<string, Limit>;

/** Limits of answers that are under way. */
const answers = {
  longRows: limit(
    2000,
    'items',
    'rows of an answer that is not long',
    'they are read and written in a tenth of a second',
  ),
  longBody: limit(128 * KIB, 'bytes', 'body of a request whose answer is not long', 'read, it takes ten times as much'),
  long: limit(6, 'items', 'long answers that are made at a time', 'each holds some megabytes'),
  longOfClient: limit(2, 'items', 'long answers of one client, until they are read', 'nobody takes all the places'),
  unread: limit(24, 'items', 'long answers that wait for their readers', 'then the slowest of these is cut off'),
  waiting: limit(64, 'items', 'requests that wait for a place', 'they hold what they brought'),
  waitingOfClient: limit(8, 'items', 'of them, those of one client', 'nobody fills the queue'),
  bytesPerSecond: limit(4 * KIB, 'bytes', 'a second that a slow reader takes, at least', 'slower than any line in use'),
  connections: limit(4000, 'items', 'connections', 'each takes some kilobytes and a file descriptor'),
  connectionsOfAddress: limit(100, 'items', 'of them, those of one address', 'browsers open six'),
  pipelined: limit(200, 'items', 'requests of a connection that wait for earlier ones', 'clients send a few at once'),
} satisfies Record<string, Limit>;

/** Quotas of a client, which is an account or an address. */
const quotas = {
  tax: limit(60, 'a minute', 'requests of the tax API', 'the specification says so; HUBLEDGER_RATE_LIMIT sets another'),
  contract: limit(120, 'a minute', 'requests of the contract API', 'each may ask a node'),
  addressFactor: limit(
    5,
    'items',
    'requests of an address with all its accounts and keys, for each that one account has',
    'a few people share one',
  ),
  signIn: limit(10, 'a minute', 'requests that sign in, of an address', 'five sign-ins: each asks first, then signs'),
  signInDay: limit(100, 'a day', 'requests that sign in, of an address', 'accounts are free, and each has quotas'),
  datasets: limit(1200, 'a minute', 'requests of published files', 'a reader of Parquet asks for each part of a file'),
  unknownPath: limit(60, 'a minute', 'requests where nothing is served', 'each is a line of the log'),
  rowsFactor: limit(
    5000,
    'items',
    'rows of long answers, for each request of the tax API that a client has a minute',
    'by default 300,000 a minute, a tenth of what a server makes in that time',
  ),
} satisfies Record<string, Limit>;

/** Limits of deliveries, so that nobody's receivers keep those of others waiting. */
const webhooks = {
  endpoints: limit(20, 'items', 'endpoints of an account', 'each event is sent to all of them'),
  underWay: limit(100, 'items', 'attempts under way', 'each holds a connection'),
  underWayOfAccount: limit(4, 'items', 'attempts under way of an account', 'accounts cost nothing'),
  underWayOfEndpoint: limit(2, 'items', 'attempts under way to an endpoint', 'it may be slow to each'),
  answer: limit(8 * SECOND, 'milliseconds', 'attempt with its look-up and connection', 'receivers may stay silent'),
  attempt: limit(
    9 * SECOND,
    'milliseconds',
    'attempt, whatever the sender does',
    'the next may begin after 10 seconds',
  ),
  tests: limit(5, 'items', 'tests of an endpoint an hour', 'they are free, and go where their owner says'),
  failures: limit(5, 'items', 'failed deliveries in a row before a test must arrive', 'nobody may be there any more'),
} satisfies Record<string, Limit>;

/** Limits of questions to the nodes of the contract API. */
const nodes = {
  answer: limit(8 * KIB * KIB, 'bytes', 'answer of a node', 'it is held in memory'),
  values: limit(200_000, 'items', 'values of an answer of a node', 'more brackets take too long to parse'),
  answerTime: limit(5 * SECOND, 'milliseconds', 'answer of one node or two', 'slow questions hold a connection'),
  connections: limit(32, 'items', 'connections to a node', 'nodes limit them, too'),
} satisfies Record<string, Limit>;

export const LIMITS = { input, waits, saved, accounts, answers, quotas, webhooks, nodes };
