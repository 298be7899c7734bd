/**
 * Limits: every figure that bounds what one request, one client or one account may cost all the others, with the reason for it. The code
 * takes its figures from here, and so do the documents.
 */
import { ISSUES_MAX } from '../pipeline/ledger/decisions/decisions.js';

type Unit = 'bytes' | 'characters' | 'items' | 'milliseconds' | 'a minute' | 'a day' | 'days';

export interface Limit {
  readonly max: number;
  readonly unit: Unit;
  /** The thing that is bounded, as the first cell of a table names it. */
  readonly of: string;
  readonly reason: string;
}

/** Makes limits of one unit. */
const limitsIn =
  (unit: Unit) =>
  (max: number, of: string, reason: string): Limit => ({ max, unit, of, reason });

const bytes = limitsIn('bytes');
const characters = limitsIn('characters');
const items = limitsIn('items');
const aMinute = limitsIn('a minute');
const aDay = limitsIn('a day');
const days = limitsIn('days');
const seconds = (count: number, of: string, reason: string) => limitsIn('milliseconds')(count * 1000, of, reason);

const KIB = 1024;

/** Limits of what a request may bring. They are checked before anything of it is compared, matched or decoded. */
const input = {
  head: bytes(128 * KIB, 'head of a request', 'a full URL, and the same again for headers'),
  url: bytes(64 * KIB, 'URL', 'longer requests use the POST form'),
  bookkeepingBody: bytes(1024 * KIB, 'body with tags, decisions or lots', 'a year of a busy wallet fits'),
  queryBody: bytes(80 * KIB, 'body of a contract query', 'its message is the largest member'),
  body: bytes(16 * KIB, 'any other body', 'a note of 2,000 characters fits, however it is escaped'),
  drained: bytes(
    16 * KIB * KIB,
    'rest of a too large body that is still read',
    'so that its sender can read the refusal',
  ),
  depth: items(16, 'nesting depth of a body', 'bookkeeping needs three levels'),
  values: items(40_000, 'values of a body', 'more would block other requests'),
  accept: characters(
    KIB,
    'headers Accept and Accept-Encoding',
    'longer ones are ignored, since parsing them is expensive',
  ),
  accountName: characters(200, 'name of an account in accounts', 'each line of a journal may repeat it'),
  addresses: items(50, 'addresses of a request', 'each is a wallet to read'),
  faults: items(ISSUES_MAX, 'reported errors', 'a body can have ten thousand'),
  loggedPath: characters(200, 'path in the log', 'log lines stay readable'),
  pointer: characters(300, 'path of an error', 'a name of a megabyte is not sent back'),
};

/** Times after which a wait ends, whatever the other side does. */
const waits = {
  head: seconds(20, 'head of a request', 'slow senders hold a connection'),
  request: seconds(60, 'whole request', 'enough for a megabyte over a slow line'),
  nextRequest: seconds(65, 'next request of a connection', 'usual proxies close first, after 60'),
  longAnswer: seconds(10, 'wait for a place among the long answers', 'browsers and proxies wait for a minute'),
  question: seconds(10, 'wait of a contract query for earlier queries of its address', 'each query ends within 5 s'),
  silentReader: seconds(20, 'client that reads nothing of its answer', 'the answer stays in memory'),
  slowReader: seconds(60, 'client that reads less than 4 KiB a second', 'short network faults are allowed'),
  eventLoop: seconds(0.5, 'mean delay of the event loop within a second', 'beyond it new requests are refused'),
  refusal: seconds(2, 'connection after a refusal that ends it', 'one packet is enough'),
  redis: seconds(0.5, 'Redis', 'then the server counts by itself'),
  handOver: seconds(4, 'time for balancers to use other servers before the end', 'they check every second or two'),
  drain: seconds(6, 'running answers after that', 'supervisors kill after 10 to 30 seconds'),
};

/** Limits of what an account may save about wallets. */
const saved = {
  entry: bytes(64 * KIB, 'saved decisions or opening lots of an address', 'hundreds of them fit'),
  entries: items(200, 'addresses with saved entries of an account', 'a person has a few wallets'),
};

/** Limits of what an account may have. */
const accounts = {
  keys: items(50, 'valid keys of an account', 'a program needs one'),
  sessions: items(20, 'sessions of an account', 'a person has a few browsers; the oldest session ends'),
  cookies: items(8, 'session cookies that are tried', 'a sibling domain can add cookies'),
  sessionDays: days(180, 'life of a session, however often it is used', 'a stolen one ends'),
  unusedDays: days(90, 'life of an unused account that owns nothing', 'it is not needed'),
  submissions: items(20, 'unreviewed submissions of an account', 'a person reads them'),
};

/** Limits of answers that are under way. */
const answers = {
  longRows: items(1000, 'rows of a short answer', 'they take some 15 milliseconds'),
  longBody: bytes(64 * KIB, 'body of a request with a short answer', 'a larger one takes milliseconds to parse'),
  longBytes: bytes(512 * KIB, 'body of a short answer', 'a thousand unread ones fit into memory'),
  problem: bytes(16_000, 'body of a problem', 'it may contain texts of nodes and callers'),
  threads: items(2, 'long answers that are being made', 'each needs a thread'),
  long: items(6, 'long answers that are being made or sent', 'each holds some megabytes'),
  longOfClient: items(2, 'long answers of a client, until they are read', 'one client cannot take all places'),
  unread: items(24, 'unread long answers', 'beyond it the slowest reader is disconnected'),
  waiting: items(64, 'requests that wait for a place', 'each holds its body'),
  waitingOfClient: items(8, 'waiting requests of a client', 'one client cannot fill the queue'),
  waitingBytes: bytes(128 * KIB * KIB, 'answers of nodes that wait for a place', 'each is in memory'),
  bytesPerSecond: bytes(4 * KIB, 'lowest accepted read rate of a client, per second', 'every line in use is faster'),
  connections: items(4000, 'connections', 'each takes some kilobytes and a file descriptor'),
  connectionsOfAddress: items(100, 'connections of an address', 'browsers open six'),
  crowd: items(100, 'running requests while the event loop is late', 'beyond it new requests are refused'),
  pipelined: items(200, 'pipelined requests of a connection', 'clients send a few at once'),
};

/** Quotas of a client, which is an account or an address. */
const quotas = {
  tax: aMinute(60, 'requests of the tax API', 'from the specification; HUBLEDGER_RATE_LIMIT changes it'),
  contract: aMinute(120, 'requests of the contract API', 'each may ask a node'),
  addressFactor: items(
    5,
    'requests of an address with all its accounts, as a multiple of the account’s quota',
    'a few people share an address',
  ),
  signIn: aMinute(10, 'sign-in requests of an address', 'five sign-ins of two requests each'),
  signInDay: aDay(100, 'sign-in requests of an address', 'accounts are free, and each has quotas'),
  datasets: aMinute(1200, 'requests of published files', 'a Parquet reader fetches each part of a file'),
  unknownPath: aMinute(60, 'requests of unknown paths', 'each is a log line'),
  rowsFactor: items(
    5000,
    'rows of long answers, for each request of the quota',
    'by default 300,000 a minute, a tenth of a server’s capacity',
  ),
};

/** Limits of deliveries, so that nobody's receivers keep those of others waiting. */
const webhooks = {
  endpoints: items(20, 'endpoints of an account', 'each event goes to all of them'),
  underWay: items(100, 'running attempts', 'each holds a connection'),
  underWayOfAccount: items(4, 'running attempts of an account', 'accounts are free'),
  underWayOfEndpoint: items(2, 'running attempts to an endpoint', 'it may be slow'),
  answer: seconds(8, 'attempt with look-up and connection', 'receivers may not answer'),
  attempt: seconds(9, 'attempt in any case', 'the next may begin after 10 seconds'),
  tests: items(5, 'tests of an endpoint an hour', 'they are free, and the owner chooses the target'),
  failures: items(5, 'failed deliveries in a row before a test must succeed', 'the receiver may no longer exist'),
};

/** Limits of questions to the nodes of the contract API. */
const nodes = {
  answer: bytes(8 * KIB * KIB, 'answer of a node', 'it is in memory'),
  values: items(200_000, 'values of an answer of a node', 'more take too long to parse'),
  underWay: bytes(
    96 * KIB * KIB,
    'large node answers that are being read, together',
    'of these, at most 64 MiB for one address',
  ),
  refusal: characters(2000, 'error text of a node or contract', 'it is cached, and repeated in problems'),
  answerTime: seconds(5, 'answer time of one or two nodes', 'slow queries hold a connection'),
  connections: items(32, 'connections to a node', 'nodes limit them, too'),
  ofAddress: items(8, 'running queries of an address', 'one address cannot take all connections'),
};

export const LIMITS = { input, waits, saved, accounts, answers, quotas, webhooks, nodes };
