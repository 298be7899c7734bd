import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type Host, oneAtATime, runSteps, type Step, stepsOf } from '../../pipeline/night/run-steps.js';

interface Values {
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

const step = stepsOf<Values, AbortSignal>();

/** The log of steps that ran, in order: `+name` begins, `-name` is done, `!name` is not. */
class Log implements Host<AbortSignal> {
  readonly lines: string[] = [];

  async begin(name: string, signal: AbortSignal): Promise<AbortSignal> {
    this.lines.push(`+${name}`);
    return signal;
  }

  end(name: string, _signal: AbortSignal, isDone: boolean): void {
    this.lines.push(`${isDone ? '-' : '!'}${name}`);
  }
}

/** Resolves when the signal is aborted. */
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

const makeA = step({ name: 'make a', inputs: [], outputs: ['a'], run: async () => ({ a: 1 }) });
const makeB = step({ name: 'make b', inputs: ['a'], outputs: ['b'], run: async ({ a }) => ({ b: a + 1 }) });
const makeC = step({ name: 'make c', inputs: ['a', 'b'], outputs: ['c'], run: async ({ a, b }) => ({ c: a + b }) });

test('a step begins when its inputs are there, and all values come back', async () => {
  const log = new Log();
  assert.deepEqual(await runSteps([makeA, makeB, makeC], log), { a: 1, b: 2, c: 3 });
  assert.deepEqual(log.lines, ['+make a', '-make a', '+make b', '-make b', '+make c', '-make c']);
});

test('steps that do not need each other overlap', async () => {
  const log = new Log();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const waitsForOther = step({
    name: 'waits',
    inputs: ['a'],
    outputs: ['b'],
    run: async () => {
      await released;
      return { b: 0 };
    },
  });
  const other = step({
    name: 'releases',
    inputs: ['a'],
    outputs: ['c'],
    run: async () => {
      release();
      return { c: 0 };
    },
  });
  await runSteps([makeA, waitsForOther, other], log);
  assert.deepEqual(log.lines.slice(0, 4).sort(), ['+make a', '+releases', '+waits', '-make a']);
});

test('an output that is there before the others lets the next step begin', async () => {
  const log = new Log();
  let finish = (_: number) => {};
  const streams = step({
    name: 'streams',
    inputs: [],
    outputs: ['a', 'b'],
    run: async () => ({
      a: 1,
      b: new Promise<number>((resolve) => {
        finish = resolve;
      }),
    }),
  });
  const reads = step({
    name: 'reads',
    inputs: ['a'],
    outputs: ['c'],
    run: async ({ a }) => {
      finish(5);
      return { c: a };
    },
  });
  assert.deepEqual(await runSteps([streams, reads], log), { a: 1, b: 5, c: 1 });
  assert.deepEqual(log.lines.slice(0, 2), ['+streams', '+reads']);
});

test('the first failure aborts the others, begins nothing more, and is thrown when all are over', async () => {
  const log = new Log();
  let isCleanedUp = false;
  const fails = step({
    name: 'fails',
    inputs: ['a'],
    outputs: ['b'],
    run: async () => {
      throw new Error('first');
    },
  });
  const isAborted = step({
    name: 'is aborted',
    inputs: ['a'],
    outputs: ['c'],
    run: async (_, signal) => {
      await aborted(signal);
      await turn();
      isCleanedUp = true;
      throw new Error('second');
    },
  });
  const neverBegins = step({ name: 'never begins', inputs: ['b'], outputs: [], run: async () => ({}) });
  await assert.rejects(runSteps([makeA, isAborted, fails, neverBegins], log), new Error('first'));
  assert.ok(isCleanedUp);
  assert.deepEqual(log.lines.slice(-2), ['!fails', '!is aborted']);
  assert.ok(!log.lines.includes('+never begins'));
});

test('a promised output that fails ends the night like any other failure', async () => {
  const log = new Log();
  const streams = step({
    name: 'streams',
    inputs: [],
    outputs: ['a', 'b'],
    run: async () => ({ a: 1, b: turn().then(() => Promise.reject(new Error('late'))) }),
  });
  const reads = step({
    name: 'reads',
    inputs: ['a'],
    outputs: ['c'],
    run: async (_, signal) => {
      await aborted(signal);
      throw signal.reason;
    },
  });
  await assert.rejects(runSteps([streams, reads], log), new Error('late'));
  assert.deepEqual(log.lines.sort(), ['!reads', '!streams', '+reads', '+streams']);
});

const refusals: [title: string, steps: readonly Step<Values, AbortSignal>[], message: string][] = [
  ['an input that nothing makes', [makeA, makeC], 'make c needs b, which no step before it makes'],
  ['a step before the one that it needs', [makeB, makeA], 'make b needs a, which no step before it makes'],
  [
    'a circle',
    [makeA, step({ name: 'b from c', inputs: ['c'], outputs: ['b'], run: async () => ({ b: 0 }) }), makeC],
    'b from c needs c, which no step before it makes',
  ],
  ['an output that two make', [makeA, { ...makeA, name: 'again' }], 'make a and again both make a'],
];
for (const [title, steps, message] of refusals) {
  test(`${title} is refused before anything begins`, async () => {
    const log = new Log();
    await assert.rejects(runSteps(steps, log), new Error(message));
    assert.deepEqual(log.lines, []);
  });
}

test('one at a time, a step begins when the one before has ended, also after a failure', async () => {
  const log = new Log();
  const slow = (name: string, output: 'b' | 'c') =>
    step({
      name,
      inputs: ['a'],
      outputs: [output],
      run: async () => {
        await turn();
        return { [output]: 1 } as { b: number; c: number };
      },
    });
  await runSteps([makeA, slow('one', 'b'), slow('other', 'c')], oneAtATime(log));
  assert.deepEqual(log.lines, ['+make a', '-make a', '+one', '-one', '+other', '-other']);
  const fails = step({ name: 'fails', inputs: ['a'], outputs: ['b'], run: () => Promise.reject(new Error('no')) });
  const failed = new Log();
  await assert.rejects(runSteps([makeA, fails, slow('other', 'c')], oneAtATime(failed)), /^Error: no$/);
  assert.deepEqual(failed.lines.slice(0, 4), ['+make a', '-make a', '+fails', '!fails']);
});
