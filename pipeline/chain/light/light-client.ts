/**
 * Verifies headers by the signatures of validators, in the same way as CometBFT's light client (light/client.go,
 * light/verifier.go). A header is accepted if more than two thirds of its validators signed it, and if these validators
 * follow from an accepted header: more than a third of that header's validators signed, too. If fewer signed, a header
 * in between is verified first. Headers below the trusted one are accepted by their hashes.
 */
import { headerHash, isTime } from '../block-hashes.js';
import type { RecordedHeader } from '../block-record.js';
import { type Commit, CommitVotes, type Validator, validatorsHash } from './commit.js';

export interface SignedHeader {
  readonly header: RecordedHeader;
  readonly commit: Commit;
}

/**
 * A node that the light client queries. Its replies have the right form and height; everything else is verified.
 * Each function throws if the node fails, and leaves out heights that the node lacks.
 */
export interface HeaderProvider {
  readonly name: string;
  signedHeaders(heights: readonly number[]): Promise<ReadonlyMap<number, SignedHeader>>;
  /** Returns the validators that sign the blocks at these heights, in the order of the sets. */
  validatorSets(heights: readonly number[]): Promise<ReadonlyMap<number, readonly Validator[]>>;
  /** Returns headers from `from` to `to`, in any order. It may return only the highest ones. */
  headers(from: number, to: number): Promise<readonly RecordedHeader[]>;
}

/** What the next header is verified with. Hashes are upper-case hexadecimal. */
export interface VerifiedHeader {
  readonly height: number;
  readonly hash: string;
  /** RFC 3339. */
  readonly time: string;
  readonly validators: string;
  readonly nextValidators: string;
}

export type Verdict = { readonly header: RecordedHeader } | { readonly fault: string };

export interface LightOptions {
  readonly chainId: string;
  /** The header that is trusted without a proof. */
  readonly root: VerifiedHeader;
  /** Headers that earlier runs verified from the same root. */
  readonly verified: Iterable<VerifiedHeader>;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Two thirds of the Hub's unbonding time: validators that signed a false header can be slashed for this long. */
const TRUSTING_PERIOD_MS = 14 * 86_400_000;
const CLOCK_DRIFT_MS = 600_000;
/** Headers for which signatures are requested at once. By default, a node accepts ten calls in a batch. */
const AT_ONCE = 10;
/** Validator sets that are kept. */
const SETS_MAX = 40;
/** Headers below the trusted one are linked one by one. */
const BACKWARDS_MAX = 50_000;
const HEADERS_PER_REQUEST = 20;

class Fault extends Error {}

/** Thrown if a header can only be verified after a header in between. */
class NeedsPivot extends Error {}

export const verifiedHeader = (header: RecordedHeader): VerifiedHeader => ({
  height: Number(header.height),
  hash: headerHash(header),
  time: header.time,
  validators: header.validators_hash ?? '',
  nextValidators: header.next_validators_hash ?? '',
});

export class LightClient {
  private readonly verified: VerifiedHeader[];
  private readonly sets = new Map<string, readonly Validator[]>();
  private readonly dead = new Map<HeaderProvider, string>();

  constructor(
    private readonly providers: readonly HeaderProvider[],
    private readonly options: LightOptions,
  ) {
    this.verified = [...new Map([options.root, ...options.verified].map((one) => [one.height, one])).values()];
    this.verified.sort((a, b) => a.height - b.height);
  }

  /** All verified headers, in ascending order. */
  get headers(): readonly VerifiedHeader[] {
    return this.verified;
  }

  /** Yields each height, in ascending order, with its verified header or with why no node has one. */
  async *verify(heights: Iterable<number>): AsyncGenerator<{ readonly height: number; readonly verdict: Verdict }> {
    const wanted = [...new Set(heights)].sort((a, b) => a - b);
    const lowest = this.verified[0]!.height;
    const below = wanted.filter((height) => height < lowest);
    const backwards = await this.linkBackwards(below);
    for (const height of below) yield { height, verdict: backwards.get(height)! };
    for (let i = below.length; i < wanted.length; i += AT_ONCE) yield* this.verifyGroup(wanted.slice(i, i + AT_ONCE));
  }

  private async *verifyGroup(heights: readonly number[]) {
    const faults = new Map<number, string[]>(heights.map((height) => [height, []]));
    const done = new Map<number, Verdict>();
    for (const provider of this.providers) {
      const open = heights.filter((height) => !done.has(height));
      if (open.length === 0) break;
      await this.ask(provider, open, async (height, work) => {
        try {
          done.set(height, { header: await work() });
        } catch (error) {
          faults.get(height)!.push(`${provider.name}: ${this.reasonOf(error)}`);
        }
      });
    }
    for (const height of heights) {
      yield { height, verdict: done.get(height) ?? { fault: faults.get(height)!.join('; ') } };
    }
  }

  /** Requests the signed headers and unknown sets of a group together, then verifies one header after the other. */
  private async ask(
    provider: HeaderProvider,
    heights: readonly number[],
    each: (height: number, work: () => Promise<RecordedHeader>) => Promise<void>,
  ): Promise<void> {
    let signed: ReadonlyMap<number, SignedHeader> | undefined;
    let failure: unknown = this.dead.get(provider);
    if (failure === undefined) {
      try {
        signed = await this.from(provider, () => provider.signedHeaders(heights));
        await this.prepareSets(provider, [...signed.values()]);
      } catch (error) {
        failure = error;
      }
    }
    for (const height of heights) {
      await each(height, async () => {
        if (failure !== undefined) throw failure;
        const one = signed!.get(height);
        if (!one) throw new Fault('it has no signatures of this block');
        return this.verifyForwards(provider, one, height);
      });
    }
  }

  /** @throws the failure of a node that fails; the node gets no further requests */
  private async from<Reply>(provider: HeaderProvider, question: () => Promise<Reply>): Promise<Reply> {
    this.options.signal.throwIfAborted();
    const failure = this.dead.get(provider);
    if (failure !== undefined) throw new Fault(failure);
    try {
      return await question();
    } catch (error) {
      this.options.signal.throwIfAborted();
      this.dead.set(provider, this.reasonOf(error));
      throw error;
    }
  }

  private reasonOf(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
  }

  private async prepareSets(provider: HeaderProvider, signed: readonly SignedHeader[]): Promise<void> {
    const unknown = new Map(
      signed.flatMap(({ header }) => {
        const hash = header.validators_hash ?? '';
        return this.sets.has(hash) || this.isKnown(header) ? [] : [[hash, Number(header.height)] as const];
      }),
    );
    if (unknown.size === 0) return;
    const sets = await this.from(provider, () => provider.validatorSets([...unknown.values()]));
    for (const validators of sets.values()) this.keepSet(validators);
  }

  private keepSet(validators: readonly Validator[]): string {
    const hash = validatorsHash(validators);
    this.sets.delete(hash);
    this.sets.set(hash, validators);
    if (this.sets.size > SETS_MAX) this.sets.delete(this.sets.keys().next().value!);
    return hash;
  }

  private async setOf(provider: HeaderProvider, { height, validators: hash }: VerifiedHeader) {
    const known = this.sets.get(hash);
    if (known) return known;
    const validators = (await this.from(provider, () => provider.validatorSets([height]))).get(height);
    if (!validators || this.keepSet(validators) !== hash) {
      throw new Fault(`it does not have the validators of block ${height}`);
    }
    return validators;
  }

  private isKnown(header: RecordedHeader): boolean {
    try {
      return this.trustedUpTo(Number(header.height)).hash === headerHash(header);
    } catch {
      return false; // the header cannot be hashed, which verifyStep reports
    }
  }

  private async verifyForwards(provider: HeaderProvider, target: SignedHeader, height: number) {
    const steps = [target];
    for (;;) {
      const before = this.trustedUpTo(height);
      if (before.height === height) {
        if (before.hash === requireHash(target.header)) return target.header;
        throw new Fault(`it states another block than the verified ${before.hash}`);
      }
      while (Number(steps.at(-1)!.header.height) <= before.height) steps.pop();
      const next = steps.at(-1)!;
      try {
        this.insert(await this.verifyStep(provider, before, next));
      } catch (error) {
        if (!(error instanceof NeedsPivot)) throw error;
        steps.push(await this.pivot(provider, Math.floor((before.height + Number(next.header.height)) / 2)));
      }
    }
  }

  private async pivot(provider: HeaderProvider, height: number): Promise<SignedHeader> {
    const signed = (await this.from(provider, () => provider.signedHeaders([height]))).get(height);
    if (!signed) throw new Fault(`it has no signatures of block ${height}, on which this block depends`);
    return signed;
  }

  /** Returns the highest verified header that is not above `height`, or the lowest one. */
  private trustedUpTo(height: number): VerifiedHeader {
    return this.verified[Math.max(this.indexAfter(height), 1) - 1]!;
  }

  private indexAfter(height: number): number {
    let [low, high] = [0, this.verified.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.verified[middle]!.height <= height) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private insert(header: VerifiedHeader): void {
    this.verified.splice(this.indexAfter(header.height), 0, header);
  }

  private async verifyStep(
    provider: HeaderProvider,
    before: VerifiedHeader,
    signed: SignedHeader,
  ): Promise<VerifiedHeader> {
    const { chainId, now } = this.options;
    const next = checkedHeader(signed, chainId);
    const [time, earlier] = [Date.parse(next.time), Date.parse(before.time)];
    if (time < earlier) throw new Fault(`its time is before that of block ${before.height}`);
    if (time > now() + CLOCK_DRIFT_MS) throw new Fault(`its time ${next.time} is in the future`);
    const isAdjacent = next.height === before.height + 1;
    const votes = new CommitVotes(chainId, signed.commit);
    if (isAdjacent) {
      if (next.validators !== before.nextValidators) {
        throw new Fault(`its validators are not those that block ${before.height} names`);
      }
    } else {
      if (time - earlier > TRUSTING_PERIOD_MS) throw new NeedsPivot();
      if (!votes.areOfOneThird(await this.setOf(provider, before))) throw new NeedsPivot();
    }
    if (!votes.areOfTwoThirds(await this.setOf(provider, next))) {
      throw new Fault('its commit is not signed by more than two thirds of its validators');
    }
    return next;
  }

  /** Links headers below the lowest verified header by their hashes, from the highest to the lowest. */
  private async linkBackwards(heights: readonly number[]): Promise<Map<number, Verdict>> {
    const found = new Map<number, Verdict>();
    if (heights.length === 0) return found;
    const faults: string[] = [];
    const [lowest, trusted, wanted] = [heights[0]!, this.verified[0]!, new Set(heights)];
    if (trusted.height - lowest > BACKWARDS_MAX) {
      const fault = `block ${trusted.height} is trusted, more than ${BACKWARDS_MAX} blocks later: name an earlier block in HUBLEDGER_TRUST`;
      return new Map(heights.map((height) => [height, { fault }]));
    }
    for (const provider of this.providers) {
      try {
        for await (const header of this.chainBelow(provider, trusted, lowest)) {
          const height = Number(header.height);
          if (wanted.has(height)) found.set(height, { header });
        }
        break;
      } catch (error) {
        faults.push(`${provider.name}: ${this.reasonOf(error)}`);
      }
    }
    for (const { header } of [...found.values()].flatMap((one) => ('header' in one ? [one] : []))) {
      this.insert(verifiedHeader(header));
    }
    for (const height of heights) if (!found.has(height)) found.set(height, { fault: faults.join('; ') });
    return found;
  }

  private async *chainBelow(provider: HeaderProvider, trusted: VerifiedHeader, lowest: number) {
    let [expected, to] = ['', trusted.height];
    while (to >= lowest) {
      const from = Math.max(lowest, to - HEADERS_PER_REQUEST + 1);
      const headers = await this.from(provider, () => provider.headers(from, to));
      const byHeight = new Map(headers.map((header) => [header.height, header]));
      const reached = to;
      for (let header = byHeight.get(String(to)); header && to >= from; header = byHeight.get(String(to))) {
        const hash = requireHash(header);
        if (hash !== (to === trusted.height ? trusted.hash : expected)) {
          throw new Fault(`its block ${to} is not the one that block ${to + 1} follows`);
        }
        yield header;
        expected = header.last_block_id.hash;
        to--;
      }
      if (to === reached) throw new Fault(`it has no header of block ${to}`);
    }
  }
}

function requireHash(header: RecordedHeader): string {
  try {
    return headerHash(header);
  } catch (error) {
    throw new Fault(`its header cannot be hashed: ${(error as Error).message}`);
  }
}

/** @throws Fault if header and commit do not belong together */
function checkedHeader({ header, commit }: SignedHeader, chainId: string): VerifiedHeader {
  if (header.chain_id !== chainId) throw new Fault(`its chain is ${header.chain_id}, expected ${chainId}`);
  if (!isTime(header.time)) throw new Fault(`its time is ${JSON.stringify(header.time)}`);
  const hash = requireHash(header);
  if (commit.block_id.hash !== hash) throw new Fault('its commit is for another block');
  if (commit.height !== header.height) throw new Fault(`its commit is for block ${commit.height}`);
  return verifiedHeader(header);
}
