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
  head: bytes(128 * KIB, 'head of a request', 'beyond a URL of full length there is room for headers only'),
  url: bytes(64 * KIB, 'URL', 'what is longer has a POST form'),
  bookkeepingBody: bytes(1024 * KIB, 'body with tags, decisions or lots', 'a year of a busy wallet fits'),
  queryBody: bytes(80 * KIB, 'body of a contract query', 'its message is the largest member'),
  body: bytes(16 * KIB, 'any other body', 'a note of 2,000 characters fits, however it is escaped'),
  drained: bytes(16 * KIB * KIB, 'too large a body that is read on', 'its sender gets to read the refusal'),
  depth: items(16, 'values within values of a body', 'bookkeeping nests three deep'),
  values: items(40_000, 'values of a body', 'more take longer to parse than others should wait'),
  accept: characters(KIB, 'headers Accept and Accept-Encoding', 'a longer one is ignored: to weigh it is dear'),
  accountName: characters(200, 'name of an account in accounts', 'each line of a journal may have it'),
  addresses: items(50, 'addresses of a request', 'each is a wallet to read'),
  faults: items(ISSUES_MAX, 'faults that are reported', 'a body can be wrong in ten thousand places'),
  loggedPath: characters(200, 'path in the log', 'a line of it is for reading'),
  pointer: characters(300, 'path of a fault', 'a member’s name of a megabyte is not sent back'),
};

/** Times after which a wait ends, whatever the other side does. */
const waits = {
  head: seconds(20, 'head of a request', 'slow senders hold a connection'),
  request: seconds(60, 'whole request', 'a megabyte over a slow line takes as long'),
  nextRequest: seconds(65, 'next request of a connection', 'usual proxies close first, after 60'),
  longAnswer: seconds(10, 'place among the long answers', 'browsers and proxies wait for a minute'),
  question: seconds(10, 'turn of a contract query among others of its address', 'the others end within 5'),
  silentReader: seconds(20, 'reader that takes nothing of its answer', 'it stays in memory'),
  slowReader: seconds(60, 'reader that is slower than any line', 'it may be a short fault'),
  eventLoop: seconds(0.5, 'mean delay of the event loop within a second', 'a crowd of requests is then refused, too'),
  refusal: seconds(2, 'reader of a refusal that ends its connection', 'it reads one packet'),
  redis: seconds(0.5, 'Redis', 'a request that it keeps waiting is counted here'),
  handOver: seconds(4, 'clients that go elsewhere at the end', 'balancers look every second or two'),
  drain: seconds(6, 'answers under way after that', 'supervisors kill after 10 to 30 seconds'),
};

/** Limits of what an account may save about wallets. */
const saved = {
  entry: bytes(64 * KIB, 'saved decisions or opening lots of an address', 'hundreds of them fit'),
  entries: items(200, 'addresses of which an account has saved such', 'a person has a few wallets'),
};

/** Limits of what an account may have. */
const accounts = {
  keys: items(50, 'keys in force of an account', 'a program has one; the oldest of the others are forgotten'),
  sessions: items(20, 'sessions of an account', 'a person has a few browsers; the oldest ends'),
  cookies: items(8, 'cookies of a name that are tried', 'pages of a sibling domain can plant some beside one’s own'),
  sessionDays: days(180, 'a session, however often it is used', 'a stolen one ends'),
  unusedDays: days(90, 'an account that owns nothing, after its last use', 'nobody misses it'),
  submissions: items(20, 'submissions of an account that wait for a review', 'a person reads them'),
};

/** Limits of answers that are under way. */
const answers = {
  longRows: items(1000, 'rows of an answer that is not long', 'they are read and written in some 15 milliseconds'),
  longBody: bytes(64 * KIB, 'body of a request whose answer is not long', 'a larger one takes milliseconds to parse'),
  longBytes: bytes(
    512 * KIB,
    'answer that is not long',
    'a thousand of them that wait for their readers fit into memory',
  ),
  problem: bytes(16_000, 'body of a problem', 'texts of nodes and of callers are in it'),
  threads: items(2, 'long answers that are made at a time', 'each has a thread'),
  long: items(6, 'long answers that are made or sent at a time', 'each holds some megabytes'),
  longOfClient: items(2, 'long answers of one client, until they are read', 'nobody takes all the places'),
  unread: items(24, 'long answers that wait for their readers', 'then the slowest of these is cut off'),
  waiting: items(64, 'requests that wait for a place', 'they hold what they brought'),
  waitingOfClient: items(8, 'of them, those of one client', 'nobody fills the queue'),
  waitingBytes: bytes(128 * KIB * KIB, 'answers of nodes that wait for a place', 'each is held in memory'),
  bytesPerSecond: bytes(4 * KIB, 'a second that a slow reader takes, at least', 'slower than any line in use'),
  connections: items(4000, 'connections', 'each takes some kilobytes and a file descriptor'),
  connectionsOfAddress: items(100, 'of them, those of one address', 'browsers open six'),
  turns: items(
    250,
    'answers that wait for their turn of the event loop',
    'then new requests are refused: these end soon',
  ),
  crowd: items(
    100,
    'requests under way while the event loop is late',
    'then new requests are refused; a few requests on a busy machine are not',
  ),
  pipelined: items(200, 'requests of a connection that wait for earlier ones', 'clients send a few at once'),
};

/** Quotas of a client, which is an account or an address. */
const quotas = {
  tax: aMinute(60, 'requests of the tax API', 'the specification says so; HUBLEDGER_RATE_LIMIT sets another'),
  contract: aMinute(120, 'requests of the contract API', 'each may ask a node'),
  addressFactor: items(
    5,
    'requests of an address with all its accounts and keys, for each that one account has',
    'a few people share one',
  ),
  signIn: aMinute(10, 'requests that sign in, of an address', 'five sign-ins: each asks first, then signs'),
  signInDay: aDay(100, 'requests that sign in, of an address', 'accounts are free, and each has quotas'),
  datasets: aMinute(1200, 'requests of published files', 'a reader of Parquet asks for each part of a file'),
  unknownPath: aMinute(60, 'requests where nothing is served', 'each is a line of the log'),
  rowsFactor: items(
    5000,
    'rows of long answers, for each request of the tax API that a client has a minute',
    'by default 300,000 a minute, a tenth of what a server makes in that time',
  ),
};

/** Limits of deliveries, so that nobody's receivers keep those of others waiting. */
const webhooks = {
  endpoints: items(20, 'endpoints of an account', 'each event is sent to all of them'),
  underWay: items(100, 'attempts under way', 'each holds a connection'),
  underWayOfAccount: items(4, 'attempts under way of an account', 'accounts cost nothing'),
  underWayOfEndpoint: items(2, 'attempts under way to an endpoint', 'it may be slow to each'),
  answer: seconds(8, 'attempt with its look-up and connection', 'receivers may stay silent'),
  attempt: seconds(9, 'attempt, whatever the sender does', 'the next may begin after 10 seconds'),
  tests: items(5, 'tests of an endpoint an hour', 'they are free, and go where their owner says'),
  failures: items(5, 'failed deliveries in a row before a test must arrive', 'nobody may be there any more'),
};

/** Limits of questions to the nodes of the contract API. */
const nodes = {
  answer: bytes(8 * KIB * KIB, 'answer of a node', 'it is held in memory'),
  values: items(200_000, 'values of an answer of a node', 'more brackets take too long to parse'),
  underWay: bytes(
    96 * KIB * KIB,
    'answers of nodes that are being read, of those that are large',
    'one address has 64 MiB at most',
  ),
  refusal: characters(2000, 'words of a node or contract that refuses', 'they are kept, and go out two or three times'),
  answerTime: seconds(5, 'answer of one node or two', 'slow questions hold a connection'),
  connections: items(32, 'connections to a node', 'nodes limit them, too'),
  ofAddress: items(8, 'questions of one address under way', 'nobody takes all the connections'),
};

export const LIMITS = { input, waits, saved, accounts, answers, quotas, webhooks, nodes };
