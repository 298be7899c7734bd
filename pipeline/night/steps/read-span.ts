import { SpanError } from '../../base/config-error.js';
import { readSql } from '../../base/duckdb/database.js';
import { listRanges, rawFolder } from '../../chain/raw-files.js';
import type { Artifacts, Span, SpanMonth } from '../artifacts.js';
import type { StepContext } from '../night.js';

interface SpanTimes {
  readonly day_before: string | null;
  readonly blocks: number;
  readonly first_time: string;
  readonly last_time: string;
}

/**
 * Fills the table `blocks` after all blocks have been stored.
 * @throws Error for a missing or duplicate block
 * @throws SpanError if the index starts in the middle of a day after the starting state, because the stakes at its
 * start are then unknown
 */
export async function readSpan(
  { blocks: { from, first, last, arrived } }: Pick<Artifacts, 'blocks'>,
  { config, database, nodeChainId }: StepContext,
): Promise<{ span: Span; block_times: Artifacts['block_times'] }> {
  await arrived;
  const heights = { first, last };
  const ranges = listRanges(rawFolder(config.dataDir, nodeChainId));
  const files = ranges.filter((range) => range.from <= last && range.to >= from).map(({ path }) => path);
  await database.attach('raw_blocks', files, 'raw_blocks', ['height', 'time']);
  await database.run('tables/blocks', { ...heights, files });
  const [times] = await database.all<SpanTimes>(readSql('tables/span'), { first });
  if (times!.blocks !== last - first + 1) {
    throw new Error(`${times!.blocks} raw blocks on disk from ${first} to ${last}: some are missing or duplicate`);
  }
  const day = times!.first_time.slice(0, 10);
  if (from < first && times!.day_before === day) {
    throw new SpanError(
      `the index cannot begin at ${first}, within ${day}: stakes are known only at the end of a day, ` +
        `or in a starting state of height ${first - 1} (HUBLEDGER_GENESIS)`,
    );
  }
  const months = await database.all<SpanMonth>(readSql('tables/months'));
  const span = { ...heights, firstTime: times!.first_time, lastTime: times!.last_time, months };
  return { span, block_times: 'blocks' };
}
