/** Every recorded case: the rows of one transaction, or of one part of a block, exactly. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { projectRoot } from '../../pipeline/base/project.js';
import { chainFacts } from '../../pipeline/classify/chain-facts.js';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import { loadReference } from '../../pipeline/reference.js';
import { compactRow, formatCase, type RecordedCase, toBlock } from '../../scripts/recordings/recorded-case.js';

const folder = join(projectRoot(), 'test/classify');
const reference = loadReference();
const chain = chainFacts(reference.chain, reference.contracts);
const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.json'));

describe('recorded cases', () => {
  for (const path of paths.sort()) {
    const text = readFileSync(join(folder, path), 'utf8');
    const recorded: RecordedCase = JSON.parse(text);
    test(`${path.replace(/\.json$/, '')}: ${recorded.title}`, () => {
      const { events } = classifyBlock(toBlock(recorded), chain);
      assert.deepEqual(events.map(compactRow), recorded.rows);
      assert.equal(formatCase(recorded), text, 'the file is laid out as the recorder writes it');
    });
  }
});
