import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { inOrder, inTurns, joinTexts, nextTurn, PipelinedRequest } from '../../../server/http/event-loop.js';
import { LIMITS } from '../../../server/limits.js';

/** Holds the event loop, by default for longer than a turn. */
function hold(ms = 3): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('of all long work one piece goes on in each round of the event loop', async () => {
  let steps = 0;
  let most = 0;
  let isOver = false;
  const round = () => {
    most = Math.max(most, steps);
    steps = 0;
    if (!isOver) setImmediate(round);
  };
  function* work(): Generator<undefined, number, undefined> {
    for (let i = 0; i < 5; i++) {
      steps++;
      hold();
      yield;
    }
    return 5;
  }
  const begun = [];
  for (let i = 0; i < 10; i++) {
    begun.push(inTurns(work()));
    await new Promise(setImmediate);
  }
  steps = 0;
  round();
  const results = await Promise.all(begun);
  isOver = true;
  assert.deepEqual(results, new Array(10).fill(5));
  assert.ok(most <= 2, `${most} steps in one round`);
});

test('pieces of work behind one another share a turn, however short each is', async () => {
  function* wallet(): Generator<undefined, void, undefined> {
    hold(1.5);
    yield;
  }
  let rounds = 0;
  let isOver = false;
  const round = () => {
    rounds++;
    if (!isOver) setImmediate(round);
  };
  setImmediate(round);
  for (let i = 0; i < 20; i++) await inTurns(wallet());
  isOver = true;
  assert.ok(rounds >= 5, `${rounds} rounds for 20 pieces`);
});

/** Most of those who waited for their turn that went on in one round of the event loop. */
async function mostInARound(goOn: () => void): Promise<number> {
  let inRound = 0;
  let most = 0;
  let isOver = false;
  const round = () => {
    inRound = 0;
    if (!isOver) setImmediate(round);
  };
  const wait = async () => {
    await nextTurn();
    inRound++;
    most = Math.max(most, inRound);
    goOn();
  };
  round();
  await Promise.all(Array.from({ length: 20 }, wait));
  isOver = true;
  return most;
}

test('who waits goes on in one round with others as long as these are short', async (t) => {
  assert.ok((await mostInARound(hold)) <= 2);
  t.mock.method(performance, 'now', () => 0); // however busy the machine is, no time passes
  assert.equal(await mostInARound(() => {}), 20);
});

test('a text that is made at once waits for nobody', async (t) => {
  t.mock.method(performance, 'now', () => 0); // however busy the machine is, no time passes
  let rounds = 0;
  setImmediate(() => rounds++);
  const texts = [];
  for await (const text of joinTexts(['[', '1', ']'])) texts.push(text);
  assert.deepEqual([texts, rounds], [['[1]'], 0]);
});

/** Starts a server that answers in order. @returns opens a connection that has sent a text at once */
async function answering(t: TestContext, answer: RequestListener, IncomingMessage = PipelinedRequest) {
  const server = createServer({ IncomingMessage }, inOrder(answer)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  return (sent: string) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(sent);
    return socket;
  };
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const LAST = get('/last', 'Connection: close\r\n');
const numbered = (count: number) => Array.from({ length: count }, (_, i) => get(`/${i}`)).join('');
const pathsOf = (answers: string) => [...answers.matchAll(/<(\/\w+)>/g)].map(([, path]) => path);

test('of the requests of one packet one is answered in each round of the event loop, in their order', async (t) => {
  let inRound = 0;
  let most = 0;
  const begin = () => {
    inRound = 0;
  };
  const send = await answering(t, ({ url }, response) => {
    if (inRound === 0) setImmediate(begin);
    inRound++;
    most = Math.max(most, inRound);
    response.end(`<${url}>`);
  });
  const paths = pathsOf(await text(send(numbered(50) + LAST)));
  assert.deepEqual(paths, [...Array.from({ length: 50 }, (_, i) => `/${i}`), '/last']);
  assert.ok(most <= 2, `${most} in one round`);
});

test('what comes while requests wait is read once they are answered, bodies among it', async (t) => {
  const send = await answering(t, async (request, response) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    response.end(`<${request.url}>${(await text(request)).length};`);
  });
  const body = 'x'.repeat(300_000);
  const posted = `POST /posted HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const socket = send(numbered(20) + posted + numbered(20));
  const answers = text(socket);
  await once(socket, 'readable');
  socket.write(posted + LAST);
  const paths = pathsOf(await answers);
  assert.equal(paths.length, 43);
  assert.deepEqual([paths[20], paths[41], paths[42]], ['/posted', '/posted', '/last']);
  assert.equal((await answers).split(`${body.length};`).length, 3);
});

test('a connection with too many requests that wait is cut off before the rest of them is parsed', async (t) => {
  let parsed = 0;
  class Counted extends PipelinedRequest {
    constructor(socket: Socket) {
      super(socket);
      parsed++;
    }
  }
  const asked: unknown[] = [];
  const answer: RequestListener = ({ url }, response) => {
    asked.push(url);
    if (url === '/last') response.end(`<${url}>`);
  };
  const send = await answering(t, answer, Counted);
  const socket = send(numbered(3000));
  await new Promise((resolve) => socket.resume().on('error', resolve).on('close', resolve));
  assert.deepEqual(asked, ['/0']);
  assert.ok(parsed <= LIMITS.answers.pipelined.max + 2, `${parsed} are parsed`);
  assert.deepEqual(pathsOf(await text(send(LAST))), ['/last'], 'others are answered');
});
