/** Reads the slashes of validators from blocks, and computes the fraction of each delegation that a slash took. */
import { createHash } from 'node:crypto';
import { bech32 } from '@scure/base';
import type { Database } from '../base/duckdb/database.js';
import type { FullBlock } from '../chain/block.js';
import { readStoredBlocks } from './block-store.js';
import type { FoundChain } from './found-chain.js';
import type { NodeValidator, SlashFractions } from './node-facts.js';
import { hexAddress, type SlashedCoins, slashEvents, slashedKey } from './slashed-coins.js';
import type { Slash } from './stake-acts.js';

/** Parameters of x/slashing on the Cosmos Hub. They are used if no node responds. */
const REVIEWED_FRACTIONS: SlashFractions = {
  double_sign: 50_000_000_000_000_000n,
  missing_signature: 100_000_000_000_000n,
};

/**
 * Number of blocks between the height whose stake is slashed and the slash for downtime (x/slashing,
 * HandleValidatorSignature).
 */
const DOWNTIME_DELAY = 2;
const ONE = 10n ** 18n;

const consensusAddress = (key: string, prefix: string): string => {
  const bytes = createHash('sha256').update(Buffer.from(key, 'base64')).digest().subarray(0, 20);
  return bech32.encode(`${prefix}valcons`, bech32.toWords(bytes));
};

export async function readSlashes(
  database: Database,
  { blocks, earlier, slashes, slashedCoins, validators, openingValidators, slashFractions }: FoundChain,
  prefix: string,
): Promise<Slash[]> {
  const at = new Set(slashes);
  const wanted = [...earlier, ...blocks].filter(({ height }) => at.has(height));
  if (wanted.length === 0) return [];
  const fractions = slashFractions ?? REVIEWED_FRACTIONS;
  const operators = new Map(
    [...(openingValidators ?? []), ...validators].map(({ consensusKey, operator }) => [
      consensusAddress(consensusKey, prefix),
      operator,
    ]),
  );
  const files = [...new Set(wanted.map(({ file }) => file))];
  const found: FoundSlash[] = [];
  const heights = wanted.map(({ height }) => height);
  for await (const block of readStoredBlocks(database, files, heights))
    found.push(...slashesOf(block, operators, fractions, slashedCoins));
  return withRates(found, validators, openingValidators);
}

interface FoundSlash extends Slash {
  /** True if `ofDelegations` follows from the validator's coins before the slash. */
  readonly isMeasured: boolean;
}

function slashesOf(
  block: FullBlock,
  operators: ReadonlyMap<string, string>,
  fractions: SlashFractions,
  coins: SlashedCoins,
): FoundSlash[] {
  const { height, time, doubleSigns } = block;
  return [...slashEvents(block)].flatMap(({ event, address, reason, burned }): FoundSlash[] => {
    const validator = operators.get(address);
    if (validator === undefined) return [];
    const hex = hexAddress(address);
    const sign = doubleSigns.find((one) => one.validatorAddress === hex);
    const infraction = reason === 'double_sign' && sign ? sign.height - 1 : height - DOWNTIME_DELAY;
    const fraction = fractions[reason];
    const measured = partOf(burned, coins.get(slashedKey(height, hex)), fraction);
    const second = time.slice(0, 19).replace('T', ' ');
    return [
      {
        height,
        event,
        time: second,
        validator,
        reason,
        infraction,
        fraction,
        ofDelegations: measured ?? fraction,
        isMeasured: measured !== undefined,
      },
    ];
  });
}

/** Returns the burned part of a validator's coins, multiplied by 10^18. Undefined if it is unknown or implausible. */
function partOf(burned: bigint | undefined, coins: bigint | undefined, fraction: bigint): bigint | undefined {
  if (burned === undefined || coins === undefined || coins <= burned) return undefined;
  const part = (burned * ONE) / coins;
  return part <= 2n * fraction ? part : undefined;
}

/**
 * Corrects fractions that are not measured by the exchange rate of a validator's shares, which only slashes change. If
 * coins were added after the validator's fault, the true fraction is smaller than the parameter.
 */
function withRates(
  slashes: readonly FoundSlash[],
  validators: readonly NodeValidator[],
  before: readonly NodeValidator[] | undefined,
): Slash[] {
  const rateOf = (list: readonly NodeValidator[] | undefined, operator: string) => {
    const found = list?.find((one) => one.operator === operator);
    return found && found.shares > 0n ? Number((found.tokens * ONE * ONE) / found.shares) / 1e18 : undefined;
  };
  const factors = new Map<string, number>();
  for (const operator of new Set(slashes.map(({ validator }) => validator))) {
    const after = rateOf(validators, operator);
    if (after === undefined) continue;
    const start = rateOf(before, operator) ?? 1;
    const slashesOfValidator = slashes.filter(({ validator }) => validator === operator);
    const sum = (some: readonly FoundSlash[]) =>
      some.reduce((logarithms, { ofDelegations }) => logarithms + Math.log1p(-Number(ofDelegations) / 1e18), 0);
    const whole = Math.log(after / start) - sum(slashesOfValidator.filter(({ isMeasured }) => isMeasured));
    const expected = sum(slashesOfValidator.filter(({ isMeasured }) => !isMeasured));
    if (expected < 0 && Math.abs(whole / expected - 1) < FACTOR_MAX) factors.set(operator, whole / expected);
  }
  return slashes.map(({ isMeasured, ...slash }) => {
    const factor = isMeasured ? undefined : factors.get(slash.validator);
    if (factor === undefined) return slash;
    const part = -Math.expm1(factor * Math.log1p(-Number(slash.fraction) / 1e18));
    return { ...slash, ofDelegations: BigInt(Math.round(part * 1e18)) };
  });
}

/**
 * Maximum relative difference from the parameters. A larger difference has another cause, such as a slash before the
 * index.
 */
const FACTOR_MAX = 0.2;
