/** Answers requests that never reach the application: Node's HTTP parser rejects them, or the server is overloaded. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { toJson } from '../../pipeline/base/json/exact-json.js';
import type { Config } from '../../pipeline/config.js';
import { newestResponse } from '../http/connections.js';
import { LIMITS } from '../http/limits.js';
import { Problem, problemBody, problemHeaders } from '../http/problem.js';
import { pathOf, URL_TOO_LONG } from '../http/request-input.js';
import { PUBLIC_ACCESS } from './middleware/cors.js';
import { isClientGone, loggedPath, requestIdOf, securityHeaders } from './middleware/every-request.js';
import type { Metrics } from './middleware/metrics.js';
import { methodNotAllowed, notFound, type Routing } from './routers.js';

interface ParserError extends Error {
  readonly code?: string;
  /** The last bytes received. Valid requests may precede the rejected one in them. */
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

interface Options {
  readonly config: Config;
  readonly routing: Routing;
  readonly log: Logger;
}

export function answerParserErrors({ config, routing, log }: Options) {
  return (error: ParserError, socket: Duplex): void => {
    if (isClientGone(error)) {
      socket.destroy();
      return;
    }
    refuseRest(socket, () => {
      const { problem, path } = explain(error, routing);
      const id = requestIdOf(undefined);
      log.info(
        {
          request_id: id,
          path: loggedPath(path, routing.find(path)?.endpoint),
          status: problem.status,
          parser: error.code,
        },
        'unreadable request',
      );
      return rawAnswer(problem, path, id, config);
    });
  };
}

/** Refuses requests with the method CONNECT, because this server is not a proxy. */
export function refuseTunnels({ config, routing, log }: Options) {
  return ({ url = '', method = '' }: IncomingMessage, socket: Duplex): void => {
    socket.on('error', () => socket.destroy());
    refuseRest(socket, () => {
      const path = pathOf(url);
      const mounted = routing.find(path);
      const problem = mounted ? methodNotAllowed(method, mounted) : notFound(path);
      const id = requestIdOf(undefined);
      log.info({ request_id: id, method, path: loggedPath(path, mounted?.endpoint), status: problem.status });
      return rawAnswer(problem, path, id, config);
    });
  };
}

const OVERLOADED = new Problem('unavailable', 'the server is overloaded: ask again later', { retryAfter: 5 });
const REFUSED = { route: 'none', status: '5xx', kept: 'no' };
const LOG_EVERY_MS = 1000;
const PAUSE_MS = 1000;

/** Refuses requests that cannot begin in time. The application does not see them, because it would take ten times as long. */
export function refuseOverloaded({ config, log, metrics }: Omit<Options, 'routing'> & { readonly metrics: Metrics }) {
  let refused = 0;
  const report = () => {
    log.warn({ requests: refused }, 'overloaded: refused new requests');
    refused = 0;
  };
  return ({ url = '', headers: given, socket }: IncomingMessage, response: ServerResponse): void => {
    if (refused++ === 0) setTimeout(report, LOG_EVERY_MS).unref();
    metrics.requests.observe(REFUSED, 0);
    const { headers, body } = plainRefusal(OVERLOADED, pathOf(url), requestIdOf(given['x-request-id']), config);
    response.writeHead(OVERLOADED.status, headers).end(body);
    // Thousands of clients that ask again at once would occupy the event loop (attack "overload").
    response.once('close', () => {
      socket.pause();
      setTimeout(() => socket.resume(), PAUSE_MS).unref();
    });
  };
}

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+) HTTP\/1\.[01]\r?\n/;

/** Returns the unparsed text, from the start of the line in which the parser stopped. */
function unparsed({ rawPacket, bytesParsed = 0 }: ParserError): string {
  const text = rawPacket?.toString('latin1') ?? '';
  return text.slice(bytesParsed === 0 ? 0 : text.lastIndexOf('\n', bytesParsed - 1) + 1);
}

function explain(error: ParserError, routing: Routing): { problem: Problem; path: string } {
  const [, method = '', url = ''] = REQUEST_LINE.exec(unparsed(error)) ?? [];
  const path = pathOf(url);
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return { path, problem: new Problem('bad_request', `the request's headers are too large, or ${URL_TOO_LONG}`) };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { path, problem: new Problem('bad_request', 'the request took too long to arrive') };
    case 'HPE_INVALID_METHOD': {
      // The parser rejects the method, so the path is looked up here to list the allowed methods.
      const mounted = routing.find(path);
      if (mounted) return { path, problem: methodNotAllowed(method, mounted) };
      if (path.startsWith('/')) return { path, problem: notFound(path) };
    }
  }
  return { path, problem: new Problem('bad_request', `the request is not HTTP/1.1: ${error.message}`) };
}

/** Builds the response for a request that is refused outside the application. */
function plainRefusal(problem: Problem, path: string, id: string, config: Config) {
  const { baseUrl, now } = config;
  const body = toJson(problemBody(problem, { baseUrl, path, requestId: id, now: now() }));
  const headers = {
    'X-Request-Id': id,
    ...problemHeaders(problem),
    'Content-Length': String(Buffer.byteLength(body)),
    Vary: 'Accept-Encoding',
    ...securityHeaders(config),
    ...PUBLIC_ACCESS,
  };
  return { headers, body };
}

function rawAnswer(problem: Problem, path: string, id: string, config: Config): string {
  const { headers, body } = plainRefusal(problem, path, id, config);
  const all = { Date: new Date().toUTCString(), ...headers, Connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`;
}

const refused = new WeakSet<Duplex>();

/**
 * Sends a refusal after the earlier answers on the connection, then closes the connection. Ignores further input.
 * @param refusal returns the complete HTTP response
 */
function refuseRest(socket: Duplex, refusal: () => string): void {
  if (refused.has(socket)) return;
  refused.add(socket);
  const end = () => {
    if (!socket.writable) return;
    socket.end(refusal());
    setTimeout(() => socket.destroy(), LIMITS.waits.refusal.max).unref();
  };
  const newest = newestResponse(socket);
  if (!newest) end();
  else if (newest.req.complete) newest.writableFinished ? end() : newest.once('finish', end);
  // An earlier answer is partly sent, so the client would read the refusal as a part of it.
  else if (newest.headersSent) socket.destroy();
  else if (newest.socket) end();
  else newest.once('socket', end);
}
