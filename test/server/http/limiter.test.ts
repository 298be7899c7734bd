/** The limiter: a few tasks of a client at a time, addresses and their clients in turn, and nothing is lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { type Bounds, type Client, Limiter } from '../../../server/http/limiter.js';
import { Problem } from '../../../server/http/problem.js';
import { until } from '../../until.js';

const BOUNDS: Bounds = {
  running: 4,
  runningOfAddress: 2,
  runningOfClient: 1,
  waiting: 100,
  waitingOfClient: 5,
  waitMs: 600_000,
};

/** Enters tasks by name, and records what begins and what is refused. */
class Desk {
  readonly limiter: Limiter;
  readonly begun: string[] = [];
  readonly refused: string[] = [];

  constructor(bounds: Partial<Bounds> = {}) {
    this.limiter = new Limiter({ ...BOUNDS, ...bounds });
  }

  enter(client: Client, name: string): () => void {
    return this.limiter.enter(
      client,
      () => this.begun.push(name),
      () => this.refused.push(name),
    );
  }

  async leave(client: Client): Promise<void> {
    this.limiter.leave(client);
    await turn();
  }
}

const client = (address: string, id = address): Client => ({ id, address });
const [ann, bob, eve] = [client('a', 'ann'), client('a', 'bob'), client('e')];

test('a client has one task at work, and its address two', async () => {
  const desk = new Desk();
  for (const name of ['ann1', 'ann2']) desk.enter(ann, name);
  desk.enter(bob, 'bob1');
  desk.enter(client('a', 'carol'), 'carol1');
  assert.deepEqual(desk.begun, ['ann1', 'bob1']);
  await desk.leave(ann);
  assert.deepEqual(desk.begun, ['ann1', 'bob1', 'carol1'], 'carol has had no place yet');
  await desk.leave(client('a', 'carol'));
  assert.deepEqual(desk.begun, ['ann1', 'bob1', 'carol1', 'ann2']);
});

test('a free place goes to the addresses in turn, and there to the clients in turn', async () => {
  const desk = new Desk({ running: 1 });
  for (const name of ['ann1', 'ann2', 'ann3', 'ann4']) desk.enter(ann, name);
  for (const name of ['bob1', 'bob2']) desk.enter(bob, name);
  for (const name of ['eve1', 'eve2']) desk.enter(eve, name);
  const order = [ann, eve, bob, eve, ann, bob, ann];
  for (const one of order) await desk.leave(one);
  assert.deepEqual(desk.begun, ['ann1', 'eve1', 'bob1', 'eve2', 'ann2', 'bob2', 'ann3', 'ann4']);
});

test('a client that fills its queue is refused, and another is not', () => {
  const desk = new Desk({ running: 1 });
  for (let i = 0; i < 8; i++) desk.enter(eve, `eve${i}`);
  assert.deepEqual(desk.refused, ['eve6', 'eve7']);
  desk.enter(ann, 'ann');
  assert.equal(desk.refused.length, 2);
});

test('all together may wait for a number of places', () => {
  const desk = new Desk({ running: 1, waiting: 2 });
  for (const [i, one] of [eve, ann, client('b'), client('c')].entries()) desk.enter(one, String(i));
  assert.deepEqual(desk.refused, ['3']);
});

test('a task whose turn does not come in time is refused, and takes no place later', async () => {
  const desk = new Desk({ running: 1, waitMs: 1 });
  desk.enter(eve, 'eve');
  desk.enter(ann, 'ann');
  await until(() => desk.refused.length > 0, 'it is refused');
  await desk.leave(eve);
  assert.deepEqual([desk.begun, desk.refused], [['eve'], ['ann']]);
});

test('a task that is withdrawn takes no place', async () => {
  const desk = new Desk({ running: 1 });
  desk.enter(eve, 'eve');
  const withdraw = desk.enter(ann, 'ann');
  desk.enter(bob, 'bob');
  withdraw();
  withdraw();
  await desk.leave(eve);
  assert.deepEqual([desk.begun, desk.refused], [['eve', 'bob'], []]);
});

test('a few tasks begin in a turn of the event loop, and the others in the next turns', async () => {
  const desk = new Desk({
    running: 1000,
    runningOfAddress: 1000,
    runningOfClient: 1000,
    waitingOfClient: 100,
    begunInTurn: 3,
  });
  for (let i = 0; i < 10; i++) desk.enter(eve, String(i));
  assert.equal(desk.begun.length, 3);
  await turn();
  assert.ok(desk.begun.length <= 6, 'three more in a turn');
  await until(() => desk.begun.length === 10, 'all begin');
  assert.deepEqual(
    desk.begun,
    Array.from({ length: 10 }, (_, i) => String(i)),
  );
});

test('waiting tasks that are put off begin a turn later, but not for ever', async () => {
  const desk = new Desk({ running: 1 });
  desk.enter(eve, 'eve');
  desk.enter(ann, 'ann');
  desk.limiter.putOff();
  await desk.leave(eve);
  assert.deepEqual(desk.begun, ['eve']);
  await turn();
  assert.deepEqual(desk.begun, ['eve', 'ann']);
  desk.enter(bob, 'bob');
  desk.limiter.leave(ann);
  for (let i = 0; i < 100; i++) {
    desk.limiter.putOff();
    await turn();
  }
  assert.deepEqual(desk.begun, ['eve', 'ann', 'bob']);
});

test('if too many tasks wait, the address with the most loses its newest, and new addresses wait', async () => {
  const desk = new Desk({ running: 1, waiting: 4 });
  desk.enter(ann, 'ann1');
  for (const name of ['ann2', 'ann3']) desk.enter(ann, name);
  for (const name of ['bob1', 'bob2']) desk.enter(bob, name);
  desk.enter(eve, 'eve1');
  desk.enter(client('a', 'carol'), 'carol1');
  assert.deepEqual(desk.refused, ['bob2', 'carol1']);
  desk.enter(eve, 'eve2');
  desk.enter(client('f'), 'f1');
  assert.deepEqual(desk.refused, ['bob2', 'carol1', 'eve2', 'bob1']);
  await desk.leave(ann);
  await desk.leave(eve);
  assert.deepEqual(desk.begun, ['ann1', 'eve1', 'f1']);
});

test('run waits for a place, passes on results and errors, and frees the place', async () => {
  const limiter = new Limiter({ ...BOUNDS, running: 1, waitingOfClient: 1 });
  const busy = new Problem('unavailable', 'busy');
  const { signal } = new AbortController();
  const sender = { client: eve, signal };
  const order: string[] = [];
  const first = limiter.run(sender, busy, async () => {
    await turn();
    order.push('first');
    return 1;
  });
  const second = limiter.run(sender, busy, async () => {
    order.push('second');
    throw new Error('broken');
  });
  await assert.rejects(
    limiter.run(sender, busy, async () => 3),
    busy,
  );
  assert.equal(await first, 1);
  await assert.rejects(second, /broken/);
  assert.deepEqual(order, ['first', 'second']);
  assert.equal(await limiter.run(sender, busy, async () => 4), 4);
});

test('a client that leaves while it waits is not run', async () => {
  const limiter = new Limiter({ ...BOUNDS, running: 1 });
  const busy = new Problem('unavailable', 'busy');
  const controller = new AbortController();
  const sender = { client: eve, signal: controller.signal };
  const first = limiter.run(sender, busy, () => turn(1));
  const second = limiter.run(sender, busy, async () => assert.fail('it runs'));
  controller.abort();
  await assert.rejects(second, { code: 'ECONNABORTED' });
  await first; // a task that runs ends by itself
  await assert.rejects(
    limiter.run(sender, busy, async () => 1),
    { code: 'ECONNABORTED' },
  );
});

const clients = ['a1', 'a2', 'b1', 'b2', 'c1'].map((id) => client(id[0]!, id));

/** Begins, ends and withdrawals of tasks in any order. */
const steps = fc.array(
  fc.record({ act: fc.constantFrom('enter', 'enter', 'leave', 'withdraw'), who: fc.nat(4), pick: fc.nat(100) }),
  { maxLength: 200 },
);

test('whatever happens, no bound is exceeded, each task begins, is refused or waits, and no place stays unused', () =>
  fc.assert(
    fc.asyncProperty(steps, async (acts) => {
      const bounds = { ...BOUNDS, waiting: 6, waitingOfClient: 3, running: 3 };
      const limiter = new Limiter(bounds);
      const running: Client[] = [];
      const waiting = new Map<number, { withdraw: () => void; who: Client }>();
      for (const [number, { act, who, pick }] of acts.entries()) {
        const one = clients[who]!;
        if (act === 'enter') {
          const begin = () => {
            waiting.delete(number);
            running.push(one);
          };
          let isRefused = false;
          const before = running.length;
          const refuse = () => {
            isRefused = !waiting.delete(number);
          };
          const withdraw = limiter.enter(one, begin, refuse);
          if (!isRefused && running.length === before) waiting.set(number, { withdraw, who: one });
          assert.ok(waiting.size <= bounds.waiting);
        } else if (act === 'leave' && running.length > 0) {
          limiter.leave(running.splice(pick % running.length, 1)[0]!);
        } else if (act === 'withdraw' && waiting.size > 0) {
          const [key, { withdraw }] = [...waiting][pick % waiting.size]!;
          waiting.delete(key);
          withdraw();
        }
        await turn();
        const count = (of: (other: Client) => boolean) => running.filter(of).length;
        assert.ok(running.length <= bounds.running);
        for (const { id, address } of clients) {
          assert.ok(count((other) => other.id === id) <= bounds.runningOfClient);
          assert.ok(count((other) => other.address === address) <= bounds.runningOfAddress);
        }
        for (const { who: waits } of waiting.values()) {
          const isBlocked =
            running.length === bounds.running ||
            count((other) => other.id === waits.id) === bounds.runningOfClient ||
            count((other) => other.address === waits.address) === bounds.runningOfAddress;
          assert.ok(isBlocked, 'a task waits beside a free place');
        }
      }
      for (const { withdraw } of waiting.values()) withdraw();
      for (const one of running) limiter.leave(one);
      await turn();
      const { addresses, clients: known } = limiter as unknown as Record<
        'addresses' | 'clients',
        Map<unknown, unknown>
      >;
      assert.deepEqual([addresses.size, known.size], [0, 0], 'nobody is remembered');
    }),
    { numRuns: 200 },
  ));
