/**
 * Healing: where an audit or the fold contradicts blocks, nodes are asked for them again, and the night runs once more if an answer
 * differs. No hash of the chain covers events, so a wrong one is stored until something contradicts it.
 */
import { join } from 'node:path';
import type { HoldingsStop } from '../../../schemas/types.generated.js';
import {
  type Answers,
  agreedOther,
  askAgain,
  disputeText,
  heightsText,
  type Inquiry,
  isAnswered,
  misfit,
  type Nodes,
  type OtherBlock,
} from '../../chain/ask-again.js';
import { BlockError } from '../../chain/block-error.js';
import { listRanges, type RawRange, rawFolder } from '../../chain/raw-files.js';
import { unfinished } from '../../disk/atomic-files.js';
import { Database } from '../../duckdb/database.js';
import { LossError } from '../../publish/losses.js';
import { AuditError } from '../../publish/run-audits.js';
import { replaceBlocks } from './replace-blocks.js';

/** Times that one night may run again. */
const RUNS_MAX = 8;
/** Blocks before a stop of the fold that are fetched again too, since one of them may be the wrong one. */
const BEFORE_STOP = 200;

/** Settings of a night that healing needs. */
export interface HealingOptions extends Nodes {
  readonly dataDir: string;
  readonly say: (text: string, facts?: Record<string, unknown>) => void;
}

/** Thrown by a step that found wrong blocks: they cannot be replaced while steps run. */
class DifferentBlocks extends Error {
  constructor(readonly blocks: readonly OtherBlock[]) {
    super(`nodes give other blocks: ${heightsText(blocks.map(({ row }) => row.height))}`);
  }
}

/** Blocks that replace stored ones. If there are none, the verdict says what nodes answered. */
interface Finding {
  readonly blocks: readonly OtherBlock[];
  readonly verdict?: string | undefined;
}

const NOTHING: Finding = { blocks: [] };

export class Healing {
  private runs = 0;
  /** Contents of the blocks that were stored in this night, by height, the first one first. */
  private readonly tried = new Map<number, string[]>();

  constructor(private readonly options: HealingOptions) {}

  /**
   * Replaces the blocks that an error is about if nodes give different ones; otherwise adds their answer to the error's message.
   * @returns whether the night is to run again
   */
  async heal(error: unknown): Promise<boolean> {
    const { blocks, verdict }: Finding = error instanceof DifferentBlocks ? error : await this.findFor(error);
    if (blocks.length > 0) {
      this.runs++;
      await this.replace(blocks);
      return true;
    }
    if (error instanceof LossError && this.runs > 0) error.message += ', since blocks were replaced';
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
        const inquiry = await this.ask(database, group);
        const blocks = inquiry.answers.flatMap((answers) => this.choose(answers) ?? []);
        if (blocks.length > 0) return await this.withNeighbours(database, blocks);
        verdicts.push(verdictOn(inquiry));
      }
      return { ...NOTHING, verdict: verdicts[0] };
    } finally {
      database.close();
    }
  }

  /** Asks for those of the heights that are stored. */
  private async ask(database: Database, heights: readonly number[]): Promise<Inquiry> {
    const { dataDir, nodeChainId } = this.options;
    const inquiries: Inquiry[] = [];
    for (const range of listRanges(rawFolder(dataDir, nodeChainId))) {
      const stored = heights.filter((height) => range.from <= height && height <= range.to);
      if (stored.length === 0) continue;
      const ascending = [...new Set(stored)].sort((a, b) => a - b);
      inquiries.push(await askAgain(this.options, database, range, ascending));
    }
    return {
      answers: inquiries.flatMap(({ answers }) => answers),
      failures: [...new Set(inquiries.flatMap(({ failures }) => failures))],
    };
  }

  /** Chooses a block that was not stored in this night yet; when all were, the first one, if a node confirms it. */
  private choose(answers: Answers): OtherBlock | undefined {
    const { height, stored, others } = answers;
    const tried = this.tried.get(height) ?? [stored.content];
    const isLikely = (other: OtherBlock) =>
      this.options.comparesAll
        ? other === agreedOther(answers, this.options)
        : other.nodes.length >= stored.nodes.length;
    const first = stored.content === tried[0] ? undefined : others.find(({ content }) => content === tried[0]);
    const chosen = others.find((other) => isLikely(other) && !tried.includes(other.content)) ?? first;
    if (chosen) this.tried.set(height, [...tried, chosen.content]);
    return chosen;
  }

  /** Adds the blocks of the same files on which all nodes agree and differ: a wrong node is seldom wrong only once. */
  private async withNeighbours(database: Database, blocks: readonly OtherBlock[]): Promise<Finding> {
    const { dataDir, nodeChainId } = this.options;
    const folder = rawFolder(dataDir, nodeChainId);
    const chosen = new Map(blocks.map((block) => [block.row.height, block]));
    const isTouched = ({ from, to }: RawRange) => blocks.some(({ row: { height } }) => from <= height && height <= to);
    const heights = listRanges(folder)
      .filter(isTouched)
      .flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
    const inquiry = await this.ask(
      database,
      heights.filter((height) => !chosen.has(height)),
    );
    for (const other of inquiry.answers.flatMap((answers) => agreedOther(answers, this.options) ?? [])) {
      chosen.set(other.row.height, other);
    }
    const all = [...chosen.values()].sort((a, b) => a.row.height - b.row.height);
    const rows = all.map(({ row }) => row);
    const fault = await misfit(this.options, database, folder, rows);
    if (!fault) return { blocks: all };
    return { ...NOTHING, verdict: `other blocks do not fit the stored ones: ${fault.message}` };
  }

  private async replace(blocks: readonly OtherBlock[]): Promise<void> {
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
function verdictOn({ answers, failures }: Inquiry): string | undefined {
  if (answers.length === 0) return undefined;
  const disputed = answers.find(({ stored, others }) => stored.nodes.length > 0 && others.length > 0);
  if (disputed) return disputeText(disputed);
  const blocks = `block${answers.length > 1 ? 's' : ''} ${heightsText(answers.map(({ height }) => height))}`;
  const nodes = [...new Set(answers.flatMap(({ stored }) => stored.nodes))];
  if (!answers.every(isAnswered)) return `${blocks} cannot be fetched again: ${failures.join('; ')}`;
  const count = NUMBERS[nodes.length] ?? String(nodes.length);
  const subject = nodes.length === 1 ? 'the node gives' : `${count} nodes give`;
  return `${subject} the same ${blocks} (${nodes.join(', ')})`;
}
