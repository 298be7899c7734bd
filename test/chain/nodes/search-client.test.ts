import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { ConfigError } from '../../../pipeline/base/config-error.js';
import { SearchClient } from '../../../pipeline/chain/nodes/search-client.js';

/** A wallet's blocks: one transaction in each. */
const HEIGHTS = [...Array(75).keys()].map((i) => 13 * i + 5);
const LAST = 1000;
const SEARCH = { method: 'tx_search', query: "message.sender='a'" } as const;
const BLOCKS = { method: 'block_search', query: "coin_received.receiver='a'" } as const;

interface Question {
  readonly method: string;
  readonly from: number;
  readonly to: number;
  readonly perPage: number;
  /** Number of earlier questions. */
  readonly asked: number;
}

interface Answered {
  readonly status?: number;
  readonly result?: unknown;
  readonly error?: string;
}

const hashOf = (height: number) => createHash('sha256').update(String(height)).digest('hex').toUpperCase();
const within = ({ from, to }: Question) => HEIGHTS.filter((height) => height >= from && height <= to);
const item = (method: string, height: number) =>
  method === 'tx_search' ? { height: String(height) } : { block: { header: { height: String(height) } } };

function page(question: Question, heights: readonly number[], total: unknown = String(within(question).length)) {
  const list = heights.map((height) => item(question.method, height));
  return { result: { [question.method === 'tx_search' ? 'txs' : 'blocks']: list, total_count: total } };
}

const honest = (question: Question): Answered => page(question, within(question).slice(0, question.perPage));

/** Starts a node whose searches are answered by `answer`; undefined cuts the connection. */
async function start(context: TestContext, answer: (question: Question) => Answered | undefined): Promise<string> {
  let asked = 0;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://node');
    const method = pathname.slice(1);
    const reply = ({ status, result, error }: Answered) => {
      const body =
        error === undefined ? { result } : { error: { code: -32603, message: 'Internal error', data: error } };
      response.writeHead(status ?? (error === undefined ? 200 : 500)).end(JSON.stringify(body));
    };
    if (method === 'status') return reply({ result: { sync_info: { earliest_block_height: '1' } } });
    if (method === 'tx') {
      const found = HEIGHTS.find((height) => `0x${hashOf(height)}` === searchParams.get('hash'));
      return reply({ result: { height: String(found) } });
    }
    const query = searchParams.get('query')!;
    const bound = (sign: string) => Number(new RegExp(`height${sign}(\\d+)`).exec(query)?.[1] ?? Number.NaN);
    const perPage = Number(searchParams.get('per_page'));
    const answered = answer({ method, from: bound('>='), to: bound('<='), perPage, asked: asked++ });
    if (answered) return reply(answered);
    request.socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const clientOf = (...urls: string[]) => new SearchClient(urls, { signal: new AbortController().signal, say: () => {} });

const BEHAVIOURS: Readonly<Record<string, (question: Question) => Answered | undefined>> = {
  'returns fewer matches than requested': (question) => page(question, within(question).slice(0, 30)),
  'counts only the matches of the page': (question) => {
    const shown = within(question).slice(0, 30);
    return page(question, shown, String(shown.length));
  },
  'does not count': (question) => page(question, within(question).slice(0, 100), undefined),
  'returns a part of a cancelled search as all': (question) => {
    const shown = within(question).slice(0, 1);
    return page(question, shown, String(shown.length));
  },
  'returns only hashes': (question) => ({
    result: {
      txs: within(question).map((height) => ({ hash: hashOf(height) })),
      total_count: String(within(question).length),
    },
  }),
  'answers 504 to wide ranges': (question) => (question.to - question.from > 200 ? { status: 504 } : honest(question)),
  'cuts the connection on wide ranges': (question) =>
    question.to - question.from > 200 ? undefined : honest(question),
};

for (const [name, answer] of Object.entries(BEHAVIOURS)) {
  test(`all heights are found with a node that ${name}`, async (context) => {
    const found = await clientOf(await start(context, answer)).heights(SEARCH, 1, LAST);
    assert.deepEqual(found.heights, HEIGHTS);
    assert.deepEqual([found.pruned, found.isCut], [0, false]);
  });
}

test('blocks that one node behind a load balancer has pruned are found with the other one', async (context) => {
  const url = await start(context, (question) => {
    const all = within(question);
    return page(question, question.asked % 2 === 0 ? all.filter((height) => height >= 500) : all);
  });
  const found = await clientOf(url).heights(BLOCKS, 1, LAST);
  assert.deepEqual([found.heights, found.pruned], [HEIGHTS, 0]);
});

test('blocks that a node counts but never returns are counted as pruned', async (context) => {
  const url = await start(context, (question) =>
    page(
      question,
      within(question).filter((height) => height >= 500),
    ),
  );
  const found = await clientOf(url).heights(BLOCKS, 1, LAST);
  assert.deepEqual(
    found.heights,
    HEIGHTS.filter((height) => height >= 500),
  );
  assert.equal(found.pruned, HEIGHTS.filter((height) => height < 500).length);
});

const LIES: Readonly<Record<string, readonly [(question: Question) => Answered, RegExp]>> = {
  'counts matches that it never returns': [
    (question) => page(question, [], '9007199254740991'),
    /counts 9007199254740991 matches/,
  ],
  'returns heights outside of the range': [(question) => page(question, [LAST + 1]), /other heights/],
  'has no searches': [() => ({ error: 'the TxIndexer.Search method is not supported' }), /does not support searches/],
};

for (const [name, [answer, reason]] of Object.entries(LIES)) {
  test(`a node that ${name} fails by name, and another node is used`, async (context) => {
    const liar = await start(context, answer);
    const isNamed = (error: unknown) =>
      error instanceof ConfigError && error.message.includes(new URL(liar).host) && reason.test(error.message);
    await assert.rejects(clientOf(liar).heights(SEARCH, 1, LAST), isNamed);
    const found = await clientOf(liar, await start(context, honest)).heights(SEARCH, 1, LAST);
    assert.deepEqual(found.heights, HEIGHTS);
  });
}

test('a node that finds more than is possible is not used', async (context) => {
  const liar = await start(context, (question) => {
    const all = [...Array(question.to - question.from + 1).keys()].map((i) => question.from + i);
    return page(question, all.slice(0, question.perPage), String(all.length));
  });
  const search = { ...BLOCKS, possible: (blocks: number) => blocks / 10 };
  await assert.rejects(clientOf(liar).heights(search, 1, LAST), /more than is possible/);
  const found = await clientOf(liar, await start(context, honest)).heights(search, 1, LAST);
  assert.deepEqual(found.heights, HEIGHTS);
});

test('the reach of an index is the last block that it contains', async (context) => {
  for (const [until, reached] of [
    [LAST, LAST],
    [LAST - 9, LAST - 9],
    [10, undefined],
  ] as const) {
    const { until: found } = await clientOf(await startIndex(context, until)).reach(900, LAST);
    assert.equal(found, reached);
  }
});

/** Starts a node whose index of blocks ends at a height. */
async function startIndex(context: TestContext, until: number): Promise<string> {
  const server = createServer((request, response) => {
    const query = new URL(request.url!, 'http://node').searchParams.get('query')!;
    const height = Number(/^"block\.height=(\d+)"$/.exec(query)![1]);
    const blocks = height <= until ? [item('block_search', height)] : [];
    response.end(JSON.stringify({ result: { blocks, total_count: String(blocks.length) } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
