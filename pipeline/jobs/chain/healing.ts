/**
 * Healing: where an audit or the fold contradicts blocks, nodes are asked for them again, and the night runs once more if an answer
 * differs. No hash of the chain covers events, so a wrong one is stored until something contradicts it.
 */
import { join } from 'node:path';
import type { HoldingsStop } from '../../../schemas/types.generated.js';
import {
  type Answer,
  type Answers,
  agreedOther,
  askAgain,
  disputeText,
  heightsText,
  misfit,
  type Nodes,
} from '../../chain/ask-again.js';
import { BlockError } from '../../chain/block-error.js';
import { listRanges, type RawRange, rawFolder } from '../../chain/raw-files.js';
import { ConfigError } from '../../config-error.js';
import { unfinished } from '../../disk/atomic-files.js';
import { Database } from '../../duckdb/database.js';
import { AuditError } from '../../publish/run-audits.js';
import { replaceBlocks } from './replace-blocks.js';

/** Times that one night may run again. */
const RUNS_MAX = 8;
/** Blocks before a stop of the fold that are asked for too: the wrong one may lie before it. */
const BEFORE_STOP = 200;

/** The part of a night that healing needs. */
export interface HealingOptions extends Nodes {
  readonly dataDir: string;
  /** Keeps a stored block that any node confirms. */
  readonly isUnanimous: boolean;
  readonly say: (text: string, facts?: Record<string, unknown>) => void;
}

/** Thrown by a step: these blocks differ, and cannot be replaced while steps run. */
class DifferentBlocks extends Error {
  constructor(readonly blocks: readonly Answer[]) {
    super(`nodes give other blocks: ${heightsText(blocks.map(({ row }) => row.height))}`);
  }
}

/** Blocks that take the place of stored ones. Where there are none, the verdict says what nodes answered. */
interface Finding {
  readonly blocks: readonly Answer[];
  readonly verdict?: string | undefined;
}

const NOTHING: Finding = { blocks: [] };

export class Healing {
  private runs = 0;
  /** Blocks that were stored in this night, by height, the first one first. */
  private readonly tried = new Map<number, Answer[]>();

  constructor(private readonly options: HealingOptions) {}

  /**
   * Replaces the blocks that an error is about, if nodes give others; else the error's message says what they gave.
   * @returns whether the night is to run again
   */
  async heal(error: unknown): Promise<boolean> {
    const { blocks, verdict }: Finding = error instanceof DifferentBlocks ? error : await this.findFor(error);
    if (blocks.length > 0) {
      this.runs++;
      await this.replace(blocks);
      return true;
    }
    if (verdict !== undefined && error instanceof Error) {
      const advice = 'report it, or end the night before with --until';
      error.message += `${error instanceof AuditError ? '\n' : '; '}${verdict}: ${advice}`;
    }
    return false;
  }

  /**
   * Asks for the block at which the fold stopped, then for those before it.
   * @throws DifferentBlocks when one of them differs
   */
  async expectSameAt({ height }: HoldingsStop): Promise<void> {
    const before = Array.from({ length: BEFORE_STOP }, (_, i) => height - BEFORE_STOP + i);
    const { blocks, verdict } = await this.find([[height], before]);
    if (blocks.length > 0) throw new DifferentBlocks(blocks);
    if (verdict !== undefined)
      this.options.say(`${verdict}: report it, or correct it by HUBLEDGER_CORRECTIONS`, { height });
  }

  private async findFor(error: unknown): Promise<Finding> {
    if (error instanceof AuditError) return this.find(error.suspects);
    // A block that is not stored yet may contradict the last one that is.
    return error instanceof BlockError ? this.find([[error.height], [error.height - 1]]) : NOTHING;
  }

  /** Asks for groups of heights, one after the other, until a block differs. The verdict is about the first group. */
  private async find(groups: readonly (readonly number[])[]): Promise<Finding> {
    if (this.runs === RUNS_MAX) return { ...NOTHING, verdict: `blocks were replaced ${RUNS_MAX} times in this night` };
    const database = await this.open();
    try {
      const verdicts: (string | undefined)[] = [];
      for (const group of groups) {
        const answers = await this.ask(
          database,
          [...new Set(group)].sort((a, b) => a - b),
        );
        const blocks = answers.flatMap((answer) => this.choose(answer) ?? []);
        if (blocks.length > 0) return await this.withNeighbours(database, blocks);
        verdicts.push(verdictOn(answers));
      }
      return { ...NOTHING, verdict: verdicts[0] };
    } catch (error) {
      if (error instanceof ConfigError)
        return { ...NOTHING, verdict: `blocks cannot be fetched again: ${error.message}` };
      throw error;
    } finally {
      database.close();
    }
  }

  /** Asks for the heights that are stored. */
  private async ask(database: Database, heights: readonly number[]): Promise<Answers[]> {
    const { dataDir, nodeChainId } = this.options;
    const answers: Answers[] = [];
    for (const range of listRanges(rawFolder(dataDir, nodeChainId))) {
      const stored = heights.filter((height) => range.from <= height && height <= range.to);
      if (stored.length > 0) answers.push(...(await askAgain(this.options, database, range, stored)));
    }
    return answers;
  }

  /** Chooses a block that was not stored in this night yet; when all were, the first one, if a node confirms it. */
  private choose({ stored, others }: Answers): Answer | undefined {
    const { height } = stored.row;
    const tried = this.tried.get(height) ?? [stored];
    const isTried = ({ content }: Answer) => tried.some((one) => one.content === content);
    const least = this.options.isUnanimous ? Number.POSITIVE_INFINITY : stored.nodes.length;
    const isLikely = ({ nodes }: Answer) => stored.nodes.length === 0 || nodes.length >= least;
    const other = others.find((answer) => isLikely(answer) && !isTried(answer));
    if (other) {
      this.tried.set(height, [...tried, other]);
      return other;
    }
    const [first] = tried;
    const isOver = tried.at(-1) === first;
    const back = isOver ? undefined : others.find(({ content }) => content === first!.content);
    if (back) this.tried.set(height, [...tried, first!]);
    return back;
  }

  /** Adds the blocks of the same files that every node gives otherwise: whoever was wrong once was so for a while. */
  private async withNeighbours(database: Database, blocks: readonly Answer[]): Promise<Finding> {
    const { dataDir, nodeChainId } = this.options;
    const folder = rawFolder(dataDir, nodeChainId);
    const chosen = new Map(blocks.map((block) => [block.row.height, block]));
    const isTouched = ({ from, to }: RawRange) => blocks.some(({ row: { height } }) => from <= height && height <= to);
    for (const range of listRanges(folder).filter(isTouched)) {
      const heights = Array.from({ length: range.to - range.from + 1 }, (_, i) => range.from + i);
      const others = heights.filter((height) => !chosen.has(height));
      if (others.length === 0) continue;
      for (const answers of await askAgain(this.options, database, range, others)) {
        const other = agreedOther(answers);
        if (other) chosen.set(other.row.height, other);
      }
    }
    const all = [...chosen.values()].sort((a, b) => a.row.height - b.row.height);
    const fault = await misfit(
      this.options,
      database,
      folder,
      all.map(({ row }) => row),
    );
    return fault
      ? { ...NOTHING, verdict: `other blocks do not fit the stored ones: ${fault.message}` }
      : { blocks: all };
  }

  private async replace(blocks: readonly Answer[]): Promise<void> {
    const { dataDir, nodeChainId, say } = this.options;
    const database = await this.open();
    try {
      const rows = blocks.map(({ row }) => row);
      const files = await replaceBlocks(database, dataDir, nodeChainId, rows);
      const heights = heightsText(rows.map(({ height }) => height));
      const nodes = [...new Set(blocks.flatMap(({ nodes }) => nodes))];
      say(`blocks were fetched again and differ: ${heights} (${nodes.join(', ')})`, {
        heights,
        nodes,
        set_aside: files,
      });
    } finally {
      database.close();
    }
  }

  private open(): Promise<Database> {
    return Database.open(unfinished(join(this.options.dataDir, 'healing-spill')), { threads: 1 });
  }
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four'];

/** Says what nodes answered about blocks for which they gave nothing new; undefined where none of the blocks is stored. */
function verdictOn(answers: readonly Answers[]): string | undefined {
  if (answers.length === 0) return undefined;
  const disputed = answers.find(({ stored, others }) => stored.nodes.length > 0 && others.length > 0);
  if (disputed) return disputeText(disputed);
  const blocks = `block${answers.length > 1 ? 's' : ''} ${heightsText(answers.map(({ stored }) => stored.row.height))}`;
  const nodes = [...new Set(answers.flatMap(({ stored }) => stored.nodes))];
  if (nodes.length === 0) return `no node gives ${blocks} again`;
  const count = NUMBERS[nodes.length] ?? String(nodes.length);
  const subject = nodes.length === 1 ? 'the node gives' : `${count} nodes give`;
  return `${subject} the same ${blocks} (${nodes.join(', ')})`;
}
