/**
 * Limits on the cost of a request, client or account for the service, with reasons. Code and documentation read the
 * values from this file.
 */
import { ISSUES_MAX } from '../../pipeline/books/ledger/decisions.js';

type Unit = 'bytes' | 'characters' | 'items' | 'milliseconds' | 'a minute' | 'a day' | 'days';

export interface Limit {
  readonly max: number;
  readonly unit: Unit;
  readonly of: string;
}

const limitsIn =
  (unit: Unit) =>
  (max: number, of: string): Limit => ({ max, unit, of });

const bytes = limitsIn('bytes');
const characters = limitsIn('characters');
const items = limitsIn('items');
const aMinute = limitsIn('a minute');
const aDay = limitsIn('a day');
const days = limitsIn('days');
const seconds = (count: number, of: string) => limitsIn('milliseconds')(count * 1000, of);

const KIB = 1024;

/** Limits on the content of a request. They are checked before the request is processed. */
const input = {
  // Room for the longest URL and as much again for headers.
  head: bytes(128 * KIB, 'head of a request'),
  // A longer query can be sent as a POST body.
  url: bytes(64 * KIB, 'URL'),
  // Room for a busy wallet’s entries of a year.
  bookkeepingBody: bytes(1024 * KIB, 'body with tags, decisions or lots'),
  // The message to the contract needs most of it.
  queryBody: bytes(80 * KIB, 'body of a contract query'),
  // Room for a note of 2,000 characters, even if each is escaped.
  body: bytes(16 * KIB, 'any other body'),
  // The sender can then read the refusal.
  drained: bytes(16 * KIB * KIB, 'bytes still read from a body after it exceeds its limit'),
  // Tags, decisions and lots need three levels.
  depth: items(16, 'nesting depth of a JSON body'),
  // Parsing more values would block other requests.
  values: items(40_000, 'values in a JSON body'),
  // Longer headers are ignored, because parsing them is expensive.
  accept: characters(KIB, 'header Accept-Encoding'),
  // Every line of a journal may repeat it.
  accountName: characters(200, 'account name in the parameter accounts'),
  // The server reads one wallet for each address.
  addresses: items(50, 'addresses in a request'),
  // A body can contain ten thousand errors.
  faults: items(ISSUES_MAX, 'errors listed in an answer'),
  // Log lines stay readable.
  loggedPath: characters(200, 'path in a log line'),
  // A member name of a megabyte is not sent back.
  pointer: characters(300, 'path of an error'),
};

const waits = {
  // Slow senders hold a connection.
  head: seconds(20, 'time to receive the head of a request'),
  // Enough for a megabyte over a slow line.
  request: seconds(60, 'time to receive a whole request'),
  // Most proxies close idle connections after 60 s, so they close first.
  nextRequest: seconds(65, 'idle time of a connection before its next request'),
  // Browsers and proxies wait for a minute.
  place: seconds(10, 'time that a request waits for earlier requests'),
  // After this time the thread ends, and a new one starts.
  thread: seconds(20, 'time in which a thread must make a long answer'),
  // Short network faults are tolerated.
  slowReader: seconds(20, 'time in which a client must read a part of its answer'),
  // The refusal fits into one packet.
  refusal: seconds(2, 'time until a connection closes after a refusal that ends it'),
  // After this time the server counts requests by itself.
  redis: seconds(0.5, 'time to wait for Redis'),
  // Load balancers check every server once a second or two.
  handOver: seconds(4, 'time for load balancers to switch before a shutdown'),
  // Supervisors kill a process after 10 to 30 seconds.
  drain: seconds(6, 'time for running requests to finish at a shutdown'),
};

const saved = {
  // Room for hundreds of them.
  entry: bytes(64 * KIB, 'saved entry of an address'),
  // A person has a few wallets.
  entries: items(200, 'addresses for which an account has saved entries'),
};

const accounts = {
  // A program needs one key.
  keys: items(50, 'valid keys of an account'),
  // An operator has a few sites.
  widgetKeys: items(50, 'widget keys in force of a validator'),
  // A person uses a few browsers; a new session ends the oldest.
  sessions: items(20, 'sessions of an account'),
  // A sibling domain can add cookies.
  cookies: items(8, 'session cookies tried for a request'),
  // A stolen session does not last forever.
  sessionDays: days(180, 'age at which a session ends, even if it is in use'),
  // Nobody needs it.
  unusedDays: days(90, 'age at which an unused, empty account is deleted'),
  // The first answer to each is stored for this time.
  idempotencyKeys: items(1000, 'Idempotency-Keys of an account in 24 hours'),
  // A person reviews each of them.
  submissions: items(20, 'unreviewed submissions of an account'),
};

const answers = {
  // Computing them takes about 15 milliseconds.
  longRows: items(1000, 'rows of a short answer'),
  // A larger body takes milliseconds to parse.
  longBody: bytes(64 * KIB, 'request body of a short answer'),
  // A thousand unread bodies fit into memory.
  longBytes: bytes(512 * KIB, 'body of a short answer'),
  // It may contain texts of nodes and callers.
  problem: bytes(16_000, 'body of an error answer'),
  // Each needs a thread.
  threads: items(2, 'running long answers'),
  // Another address always finds a free thread beside it.
  threadsOfAddress: items(1, 'running long answers of an address'),
  // Each keeps the body of its request in memory.
  threadWaiting: items(64, 'long answers that wait for a thread'),
  // A program may send ten requests at once.
  threadWaitingOfClient: items(16, 'long answers of a client that wait for a thread'),
  // The temporary folder has room for other files.
  onDisk: bytes(2048 * KIB * KIB, 'long answers on disk that are not read yet'),
  // One client cannot fill the disk.
  onDiskOfAddress: bytes(512 * KIB * KIB, 'long answers of an address on disk'),
  // Every connection in use is faster.
  read: bytes(80 * KIB, 'part of an answer that a client must read in 20 s'),
  // Each takes some kilobytes and a file descriptor.
  connections: items(4000, 'connections'),
  // A browser opens six.
  connectionsOfAddress: items(100, 'connections of an address'),
  // New connections and running answers continue in between.
  begun: items(32, 'requests that begin in one turn of the event loop'),
  // A browser sends six at once.
  running: items(64, 'running requests of an address'),
  // Above it the server is overloaded and refuses new requests.
  waiting: items(1000, 'requests that wait to begin'),
  // Clients send a few at once.
  pipelined: items(200, 'pipelined requests of a connection'),
};

const quotas = {
  // The specification sets it; HUBLEDGER_RATE_LIMIT changes it.
  tax: aMinute(60, 'requests of the tax API'),
  // Each may send a query to a node.
  contract: aMinute(120, 'requests of the contract API'),
  // A few people share an address.
  addressFactor: items(5, 'requests of an address, as a multiple of one account’s quota'),
  // Enough for five sign-ins of two requests each.
  signIn: aMinute(10, 'sign-in requests of an address'),
  // Accounts are free, and each has its own quotas.
  signInDay: aDay(100, 'sign-in requests of an address'),
  // A Parquet reader fetches each part of a file separately.
  datasets: aMinute(1200, 'requests for published files'),
  // Each writes a log line.
  unknownPath: aMinute(60, 'requests for unknown paths'),
  // The default quota allows 300,000 rows a minute, a tenth of a server’s capacity.
  rowsFactor: items(5000, 'rows of long answers, as a multiple of the request quota'),
};

const webhooks = {
  // Each event is sent to all of them.
  endpoints: items(20, 'webhook endpoints of an account'),
  // Each holds a connection.
  underWay: items(100, 'running delivery attempts'),
  // Accounts are free.
  underWayOfAccount: items(4, 'running delivery attempts of an account'),
  // Its receiver may be slow.
  underWayOfEndpoint: items(2, 'running delivery attempts to an endpoint'),
  // It may never answer.
  answer: seconds(8, 'time until the receiver has answered'),
  // The next attempt may begin 10 seconds after it.
  attempt: seconds(9, 'total time of a delivery attempt'),
  // They are free, and the owner chooses the target.
  tests: items(5, 'test deliveries to an endpoint in an hour'),
  // Each delivery is signed with all these secrets.
  rotations: items(5, 'rotations of a webhook’s secret in 24 hours'),
  // The receiver may no longer exist.
  failures: items(5, 'consecutive failed deliveries that pause a webhook'),
};

const nodes = {
  // The whole answer is in memory.
  answer: bytes(8 * KIB * KIB, 'answer of a node'),
  // Parsing more values takes too long.
  values: items(200_000, 'JSON values in an answer of a node'),
  // Queries of one client address may use at most 64 MiB of it.
  underWay: bytes(96 * KIB * KIB, 'large node answers that are being read, together'),
  // It is cached, and error answers repeat it.
  refusal: characters(2000, 'error text of a node or contract'),
  // Slow queries hold a connection.
  answerTime: seconds(5, 'time in which one or two nodes must answer a query'),
  // Nodes limit them, too.
  connections: items(32, 'connections to a node'),
  // Each waits for a node.
  queries: items(256, 'running queries'),
  // One address cannot take all connections.
  ofAddress: items(8, 'running queries of a client address'),
  // Each is a request.
  waiting: items(1000, 'waiting queries of a client address'),
};

export const LIMITS = { input, waits, saved, accounts, answers, quotas, webhooks, nodes };
