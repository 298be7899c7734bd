/**
 * Limits on the cost of a request, client or account for the service, with reasons. Code and documentation read the
 * values from this file.
 */
import { ISSUES_MAX } from '../../pipeline/ledger/decisions.js';

type Unit = 'bytes' | 'characters' | 'items' | 'milliseconds' | 'a minute' | 'a day' | 'days';

export interface Limit {
  readonly max: number;
  readonly unit: Unit;
  readonly of: string;
  readonly reason: string;
}

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

/** Limits on the content of a request. They are checked before the request is processed. */
const input = {
  head: bytes(128 * KIB, 'head of a request', 'room for the longest URL and as much again for headers'),
  url: bytes(64 * KIB, 'URL', 'a longer query can be sent as a POST body'),
  bookkeepingBody: bytes(1024 * KIB, 'body with tags, decisions or lots', 'room for a busy wallet’s entries of a year'),
  queryBody: bytes(80 * KIB, 'body of a contract query', 'the message to the contract needs most of it'),
  body: bytes(16 * KIB, 'any other body', 'room for a note of 2,000 characters, even if each is escaped'),
  drained: bytes(
    16 * KIB * KIB,
    'bytes still read from a body after it exceeds its limit',
    'the sender can then read the refusal',
  ),
  depth: items(16, 'nesting depth of a JSON body', 'tags, decisions and lots need three levels'),
  values: items(40_000, 'values in a JSON body', 'parsing more values would block other requests'),
  accept: characters(KIB, 'header Accept-Encoding', 'longer headers are ignored, because parsing them is expensive'),
  accountName: characters(200, 'account name in the parameter accounts', 'every line of a journal may repeat it'),
  addresses: items(50, 'addresses in a request', 'the server reads one wallet for each address'),
  faults: items(ISSUES_MAX, 'errors listed in an answer', 'a body can contain ten thousand errors'),
  loggedPath: characters(200, 'path in a log line', 'log lines stay readable'),
  pointer: characters(300, 'path of an error', 'a member name of a megabyte is not sent back'),
};

const waits = {
  head: seconds(20, 'time to receive the head of a request', 'slow senders hold a connection'),
  request: seconds(60, 'time to receive a whole request', 'enough for a megabyte over a slow line'),
  nextRequest: seconds(
    65,
    'idle time of a connection before its next request',
    'most proxies close idle connections after 60 s, so they close first',
  ),
  place: seconds(
    10,
    'time that a request waits for earlier ones of its client, address or server',
    'browsers and proxies wait for a minute',
  ),
  thread: seconds(
    20,
    'time in which a thread must have made a long answer',
    'then its thread ends, and a new one starts',
  ),
  slowReader: seconds(
    20,
    'time in which a client must read a part of its answer',
    'short network faults are tolerated',
  ),
  refusal: seconds(
    2,
    'time until a connection closes after a refusal that ends it',
    'the refusal fits into one packet',
  ),
  redis: seconds(0.5, 'time to wait for Redis', 'after that the server counts requests by itself'),
  handOver: seconds(
    4,
    'time that load balancers get to switch to other servers before this one shuts down',
    'they check every server once a second or two',
  ),
  drain: seconds(
    6,
    'time that running requests then get to finish',
    'supervisors kill a process after 10 to 30 seconds',
  ),
};

const saved = {
  entry: bytes(64 * KIB, 'saved decisions or saved opening lots of an address', 'room for hundreds of them'),
  entries: items(200, 'addresses for which an account has saved entries', 'a person has a few wallets'),
};

const accounts = {
  keys: items(50, 'valid keys of an account', 'a program needs one key'),
  widgetKeys: items(50, 'widget keys in force of a validator', 'an operator has a few sites'),
  sessions: items(20, 'sessions of an account', 'a person uses a few browsers; a new session ends the oldest'),
  cookies: items(8, 'session cookies that the server tries for a request', 'a sibling domain can add cookies'),
  sessionDays: days(180, 'age at which a session ends, even if it is in use', 'a stolen session does not last forever'),
  unusedDays: days(90, 'age at which an unused account that owns nothing is deleted', 'nobody needs it'),
  idempotencyKeys: items(
    1000,
    'Idempotency-Keys of an account in 24 hours',
    'the first answer to each is stored for this time',
  ),
  submissions: items(20, 'unreviewed submissions of an account', 'a person reviews each of them'),
};

const answers = {
  longRows: items(1000, 'rows of a short answer', 'computing them takes about 15 milliseconds'),
  longBody: bytes(64 * KIB, 'request body of a short answer', 'a larger body takes milliseconds to parse'),
  longBytes: bytes(512 * KIB, 'body of a short answer', 'a thousand unread bodies fit into memory'),
  problem: bytes(16_000, 'body of an error answer', 'it may contain texts of nodes and callers'),
  threads: items(2, 'long answers that are computed at the same time', 'each needs a thread'),
  threadsOfAddress: items(
    1,
    'long answers of an address that are computed at the same time',
    'another address always finds a free thread beside it',
  ),
  threadWaiting: items(64, 'long answers that wait for a thread', 'each keeps the body of its request in memory'),
  threadWaitingOfClient: items(
    16,
    'long answers of a client that wait for a thread',
    'a program may send ten requests at once',
  ),
  onDisk: bytes(
    2048 * KIB * KIB,
    'long answers on disk that are not read yet',
    'the temporary folder has room for other files',
  ),
  onDiskOfAddress: bytes(512 * KIB * KIB, 'long answers of an address on disk', 'one client cannot fill the disk'),
  read: bytes(80 * KIB, 'part of an answer that a client must read in 20 s', 'every connection in use is faster'),
  connections: items(4000, 'connections', 'each takes some kilobytes and a file descriptor'),
  connectionsOfAddress: items(100, 'connections of an address', 'a browser opens six'),
  begun: items(
    32,
    'requests that begin in one turn of the event loop',
    'new connections and running answers continue in between',
  ),
  running: items(64, 'running requests of an address', 'a browser sends six at once'),
  waiting: items(1000, 'requests that wait to begin', 'above it the server is overloaded and refuses new requests'),
  pipelined: items(200, 'pipelined requests of a connection', 'clients send a few at once'),
};

const quotas = {
  tax: aMinute(60, 'requests of the tax API', 'the specification sets it; HUBLEDGER_RATE_LIMIT changes it'),
  contract: aMinute(120, 'requests of the contract API', 'each may send a query to a node'),
  addressFactor: items(
    5,
    'requests of an address with all its accounts, as a multiple of one account’s quota',
    'a few people share an address',
  ),
  signIn: aMinute(10, 'sign-in requests of an address', 'enough for five sign-ins of two requests each'),
  signInDay: aDay(100, 'sign-in requests of an address', 'accounts are free, and each has its own quotas'),
  datasets: aMinute(1200, 'requests for published files', 'a Parquet reader fetches each part of a file separately'),
  unknownPath: aMinute(60, 'requests for unknown paths', 'each writes a log line'),
  rowsFactor: items(
    5000,
    'rows of long answers, as a multiple of the request quota',
    'the default quota allows 300,000 rows a minute, a tenth of a server’s capacity',
  ),
};

const webhooks = {
  endpoints: items(20, 'webhook endpoints of an account', 'each event is sent to all of them'),
  underWay: items(100, 'running delivery attempts', 'each holds a connection'),
  underWayOfAccount: items(4, 'running delivery attempts of an account', 'accounts are free'),
  underWayOfEndpoint: items(2, 'running delivery attempts to an endpoint', 'its receiver may be slow'),
  answer: seconds(8, 'time until the receiver has answered, with name look-up and connection', 'it may never answer'),
  attempt: seconds(9, 'total time of a delivery attempt', 'the next attempt may begin 10 seconds after it'),
  tests: items(5, 'test deliveries to an endpoint in an hour', 'they are free, and the owner chooses the target'),
  rotations: items(5, 'rotations of a webhook’s secret in 24 hours', 'each delivery is signed with all these secrets'),
  failures: items(
    5,
    'consecutive failed deliveries before a webhook is paused until a test succeeds',
    'the receiver may no longer exist',
  ),
};

const nodes = {
  answer: bytes(8 * KIB * KIB, 'answer of a node', 'the whole answer is in memory'),
  values: items(200_000, 'JSON values in an answer of a node', 'parsing more values takes too long'),
  underWay: bytes(
    96 * KIB * KIB,
    'large node answers that are being read, together',
    'queries of one client address may use at most 64 MiB of it',
  ),
  refusal: characters(2000, 'error text of a node or contract', 'it is cached, and error answers repeat it'),
  answerTime: seconds(5, 'time in which one or two nodes must answer a query', 'slow queries hold a connection'),
  connections: items(32, 'connections to a node', 'nodes limit them, too'),
  queries: items(256, 'running queries', 'each waits for a node'),
  ofAddress: items(8, 'running queries of a client address', 'one address cannot take all connections'),
  waiting: items(1000, 'queries that wait for earlier queries of their client address', 'each is a request'),
};

export const LIMITS = { input, waits, saved, accounts, answers, quotas, webhooks, nodes };
