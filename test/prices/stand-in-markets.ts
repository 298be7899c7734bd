/** Servers that answer as exchanges and CoinGecko do, from figures that they published. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** UTC day → close, as the market writes it. */
export type Closes = Readonly<Record<string, string>>;

/** Host → market or coin → closes. 'down': the connection is closed. A number: every answer has this status. */
export type Figures = Readonly<Record<string, Readonly<Record<string, Closes>> | 'down' | number>>;

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

const milliseconds = (day: string) => Date.parse(`${day}T00:00:00Z`);
const candle = (day: string, close: string) => [String(milliseconds(day)), close, close, close, close, '1', '1'];

/** Kraken names old pairs in its answers differently from the request. */
const KRAKEN_NAMES: Readonly<Record<string, string>> = { USDTUSD: 'USDTZUSD', XRPUSD: 'XXRPZUSD' };

/** Answers about a market that an exchange does not list. */
const UNLISTED: Readonly<Record<string, Reply>> = {
  'api.binance.com': { status: 400, body: '{"code":-1121,"msg":"Invalid symbol."}' },
  'api.bybit.com': { status: 200, body: '{"retCode":10001,"retMsg":"Not supported symbols","result":{}}' },
  'api.exchange.coinbase.com': { status: 404, body: '{"message":"NotFound"}' },
  'api.kraken.com': { status: 200, body: '{"error":["EQuery:Unknown asset pair"]}' },
  'api.coingecko.com': { status: 404, body: '{"error":"coin not found"}' },
};

const ANSWERS: Readonly<Record<string, (closes: Closes, url: URL) => unknown>> = {
  'api.binance.com': (closes) =>
    Object.entries(closes).map(([day, close]) => [
      milliseconds(day),
      ...candle(day, close).slice(1, 6),
      0,
      '0',
      1,
      '0',
      '0',
      '0',
    ]),
  'api.bybit.com': (closes, url) => ({
    retCode: 0,
    retMsg: 'OK',
    result: {
      category: 'spot',
      symbol: url.searchParams.get('symbol'),
      list: Object.entries(closes)
        .map(([day, close]) => candle(day, close))
        .reverse(),
    },
  }),
  'api.kraken.com': (closes, url) => ({
    error: [],
    result: {
      [KRAKEN_NAMES[url.searchParams.get('pair')!] ?? url.searchParams.get('pair')!]: Object.entries(closes).map(
        ([day, close]) => [milliseconds(day) / 1000, '1', '1', '1', close, '1', '1', 1],
      ),
      last: 1,
    },
  }),
};

/** JSON whose numbers stay as they are written. */
const coinbase = (closes: Closes) =>
  `[${Object.entries(closes).map(([day, close]) => `[${milliseconds(day) / 1000},1,1,1,${close},1]`)}]`;

/** The point of a day's close is the midnight after it; the last point is the present one. */
const coingecko = (closes: Closes) => {
  const points = Object.entries(closes).map(([day, close]) => `[${milliseconds(day) + 86_400_000},${close}]`);
  return `{"prices":[${[...points, '[1769700123456,99]']}],"market_caps":[],"total_volumes":[]}`;
};

const marketOf = (url: URL): string =>
  url.searchParams.get('symbol') ??
  url.searchParams.get('pair') ??
  /\/(?:products|coins)\/([^/]+)\//.exec(url.pathname)![1]!;

function bodyOf(host: string, closes: Closes, url: URL): string {
  if (host === 'api.exchange.coinbase.com') return coinbase(closes);
  if (host === 'api.coingecko.com') return coingecko(closes);
  return JSON.stringify(ANSWERS[host]!(closes, url));
}

export class StandInMarkets {
  figures: Figures = {};
  /** Replies that take precedence over figures, by `<host>` or `<host> <market>`; several are given one after the other. */
  replies: Readonly<Record<string, readonly Reply[]>> = {};
  /** `<host> <market>` of every request. */
  asked: string[] = [];
  /** URLs of all requests. */
  urls: URL[] = [];
  /** Waits that the program asked for, in milliseconds. */
  waits: number[] = [];
  readonly wait = async (ms: number): Promise<void> => void this.waits.push(ms);

  private constructor(private readonly server: Server) {}

  static async open(): Promise<StandInMarkets> {
    const server = createServer();
    const markets = new StandInMarkets(server);
    server.on('request', (request, response) => {
      const [, host, ...path] = request.url!.split('/');
      const url = new URL(`/${path.join('/')}`, `https://${host}`);
      const market = marketOf(url);
      markets.asked.push(`${host} ${market}`);
      markets.urls.push(url);
      const reply = markets.replyTo(host!, market, url);
      if (!reply) return void request.socket.destroy();
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      response.end(reply.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return markets;
  }

  /** Returns undefined if the host is down. */
  private replyTo(host: string, market: string, url: URL): Reply | undefined {
    const asked = `${host} ${market}`;
    const replies = this.replies[asked] ?? this.replies[host];
    const before = this.asked.filter((other) => other === asked).length - 1;
    if (replies) return replies[before] ?? replies.at(-1);
    const figures = this.figures[host] ?? 'down';
    if (figures === 'down') return undefined;
    if (typeof figures === 'number') return { status: figures, body: '' };
    const closes = figures[market];
    return closes ? { status: 200, body: bodyOf(host, closes, url) } : UNLISTED[host];
  }

  /** fetch that leads every host here. */
  get fetch(): typeof fetch {
    const base = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return (input, init) => {
      const url = new URL(String(input));
      return fetch(`${base}/${url.host}${url.pathname}${url.search}`, { method: init?.method ?? 'GET' });
    };
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
