/**
 * Reads how many coins validators had just before they were slashed. With the event's `burned_coins`, this gives the
 * fraction that a slash took of each delegation. Stores the amounts in `own-wallets/<chain id>/slashed-coins.json`,
 * because nodes later prune them.
 */
import { readFileSync } from 'node:fs';
import { bech32 } from '@scure/base';
import type { RawBlock } from '../../schemas/types.generated.js';
import { replaceFile } from '../base/disk/atomic-files.js';
import { type Database, readSql } from '../base/duckdb/database.js';
import type { FullBlock } from '../chain/block.js';
import { parseRecord } from '../chain/block-record.js';
import { addressOf, validatorsHash } from '../chain/light/commit.js';
import type { HeaderProvider } from '../chain/light/light-client.js';
import { NodeFailure } from '../chain/nodes/ask-node.js';
import { readBlock } from '../chain/read-blocks.js';
import type { BlockStore } from './block-store.js';
import type { StateSource } from './node-facts.js';

/** Base units by `<height>/<address>`. The address is that of the validator's key, in upper-case hexadecimal. */
export type SlashedCoins = ReadonlyMap<string, bigint>;

export interface SlashedCoinsParts {
  readonly database: Database;
  readonly store: BlockStore;
  readonly state: StateSource;
  readonly providers: readonly HeaderProvider[];
  readonly path: string;
}

/** Base units of one unit of voting power (x/staking, DefaultPowerReduction). */
const POWER_REDUCTION = 1_000_000n;
const HALF_POWER = POWER_REDUCTION / 2n;
const HEIGHTS_AT_ONCE = 10;

export const slashedKey = (height: number, address: string): string => `${height}/${address}`;

/** Returns the upper-case hexadecimal form of a consensus address. */
export const hexAddress = (address: string): string =>
  Buffer.from(bech32.decodeToBytes(address).bytes).toString('hex').toUpperCase();

interface SlashedBlock {
  readonly height: number;
  /** Keys of the slashed validators. */
  readonly keys: readonly string[];
  /** Hash of the validators that sign the next block, from the block's header. */
  readonly nextValidators: string | undefined;
}

/** @param heights heights of slashes whose blocks are stored */
export async function readSlashedCoins(heights: readonly number[], parts: SlashedCoinsParts): Promise<SlashedCoins> {
  const { path, state } = parts;
  const coins = readFile(path);
  const blocks = await slashedBlocks(heights, parts);
  const open = () => blocks.filter(({ keys }) => keys.some((key) => !coins.has(key)));
  if (open().length === 0) return coins;
  const lacking = open();
  for (const provider of parts.providers) {
    const openHeights = open();
    for (let i = 0; i < openHeights.length; i += HEIGHTS_AT_ONCE) {
      const hasReply = await notePowers(provider, openHeights.slice(i, i + HEIGHTS_AT_ONCE), coins);
      if (!hasReply) break;
    }
  }
  for (const { height, keys } of lacking.reverse()) {
    const validators = await state.validators(height - 1);
    if (!validators) break; // nodes have pruned the states of earlier heights, too
    for (const { consensusKey, tokens } of validators) {
      const key = slashedKey(height, addressOf(consensusKey));
      const difference = tokens - (coins.get(key) ?? tokens);
      if (keys.includes(key) && difference <= HALF_POWER && -difference <= HALF_POWER) coins.set(key, tokens);
    }
  }
  replaceFile(path, `${JSON.stringify([...coins].map(([key, tokens]) => [key, String(tokens)]))}\n`);
  return coins;
}

/**
 * Adds the coins of slashed validators from their voting powers, to half a unit of power. CometBFT applies a power two
 * blocks later, so the validators of the next block have the powers before the slash.
 * @returns false if the node fails
 */
async function notePowers(
  provider: HeaderProvider,
  blocks: readonly SlashedBlock[],
  coins: Map<string, bigint>,
): Promise<boolean> {
  try {
    const sets = await provider.validatorSets(blocks.map(({ height }) => height + 1));
    for (const { height, keys, nextValidators } of blocks) {
      const set = sets.get(height + 1);
      if (!set || validatorsHash(set) !== nextValidators) continue;
      for (const { address, power } of set) {
        const key = slashedKey(height, address);
        if (keys.includes(key) && !coins.has(key)) coins.set(key, power * POWER_REDUCTION + HALF_POWER);
      }
    }
    return true;
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    return false;
  }
}

function readFile(path: string): Map<string, bigint> {
  try {
    const stored: [string, string][] = JSON.parse(readFileSync(path, 'utf8'));
    return new Map(stored.map(([key, tokens]) => [key, BigInt(tokens)]));
  } catch {
    return new Map(); // the next run queries the nodes again
  }
}

/** Returns the blocks with slashes, in ascending order. */
async function slashedBlocks(
  heights: readonly number[],
  { database, store }: SlashedCoinsParts,
): Promise<readonly SlashedBlock[]> {
  if (heights.length === 0) return [];
  const files = [...new Set(heights.map((height) => store.fileOf(height)))];
  const parameters = { files, heights: heights.map(String) };
  const found: SlashedBlock[] = [];
  for await (const row of database.rowByRow<RawBlock>('raw_blocks', readSql('tables/blocks_at'), parameters)) {
    const keys = [...slashEvents(readBlock(row))].map(({ address }) => slashedKey(row.height, hexAddress(address)));
    const { header } = parseRecord(row.height, row.record).block.block;
    found.push({ height: row.height, keys, nextValidators: header.next_validators_hash });
  }
  return found;
}

/** Yields the slashes of a block. A double sign has a second event without a reason, which only jails. */
export function* slashEvents({ events }: FullBlock) {
  for (const [event, { type, attributes }] of events.entries()) {
    const of = (name: string) => attributes.find(({ key }) => key === name)?.value;
    const [address, reason] = [of('address'), of('reason')];
    if (type !== 'slash' || address === undefined) continue;
    if (reason !== 'double_sign' && reason !== 'missing_signature') continue;
    const burned = of('burned_coins') ?? '';
    yield { event, address, reason, burned: /^\d{1,78}$/.test(burned) ? BigInt(burned) : undefined } as const;
  }
}
