import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Shares } from '../../../../server/api/quotas/shares.js';
import { LIMITS } from '../../../../server/http/limits.js';
import { Problem } from '../../../../server/http/problem.js';

const { max: MOST } = LIMITS.nodes.ofAddress;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Questions that a node answers when it is told to. */
class Questions {
  readonly begun: string[] = [];
  private readonly answers: (() => void)[] = [];

  ask(shares: Shares, address: string): Promise<string> {
    return shares.run(address, async () => {
      this.begun.push(address);
      await new Promise<void>((resolve) => this.answers.push(resolve));
      return address;
    });
  }

  answerNext(): void {
    this.answers.shift()!();
  }
}

test('a few questions of one address are under way at a time, and other addresses do not wait for them', async () => {
  const shares = new Shares();
  const questions = new Questions();
  const asked = Array.from({ length: MOST + 2 }, () => questions.ask(shares, 'a'));
  asked.push(questions.ask(shares, 'b'));
  await settled();
  assert.deepEqual(questions.begun, [...Array(MOST).fill('a'), 'b']);
  questions.answerNext();
  await settled();
  assert.equal(questions.begun.length, MOST + 2, 'the next one follows');
  for (let i = 1; i < asked.length; i++, await settled()) questions.answerNext();
  assert.equal((await Promise.all(asked)).length, MOST + 3);
});

test('a question whose turn does not come in time is told to come again, and one that fails leaves its place', async () => {
  const shares = new Shares(20);
  const questions = new Questions();
  const failing = Array.from({ length: MOST }, () => shares.run('a', () => Promise.reject(new Error('down'))));
  assert.ok((await Promise.allSettled(failing)).every(({ status }) => status === 'rejected'));
  const asked = Array.from({ length: MOST }, () => questions.ask(shares, 'a'));
  const isBusy = (error: unknown) => error instanceof Problem && error.code === 'unavailable' && error.retryAfter === 5;
  await assert.rejects(questions.ask(shares, 'a'), isBusy);
  for (let i = 0; i < asked.length; i++, await settled()) questions.answerNext();
  await Promise.all(asked);
});
