/**
 * Records which nodes confirm each stored block, and whether the signatures of validators confirm it. The file
 * `own-wallets/<chain id>/proofs.json` keeps this for later runs.
 */
import { readFileSync } from 'node:fs';
import { replaceFile } from '../base/disk/atomic-files.js';

export interface BlockProof {
  /** Hash of the block with its events (contentHash). */
  readonly content: string;
  /** Hosts that answered with this content. Two hosts confirm a block. */
  readonly nodes: readonly string[];
  /** True if validators signed the block's hash and the hash of its results. */
  readonly isSigned: boolean;
  /** True if the reply of another node differed, and nothing has shown which one is right. */
  readonly isDisputed: boolean;
}

/** A difference between the replies of two nodes. */
export interface Difference {
  readonly text: string;
  /** True if signatures can show which reply is right. */
  readonly isOfHashes: boolean;
}

const CONFIRMING = 2;

export class BlockProofs {
  private readonly differing = new Map<number, Difference>();

  private constructor(
    private readonly path: string,
    private readonly proofs: Map<number, BlockProof>,
  ) {}

  /** Opens the file. If it is missing or damaged, no block is confirmed. */
  static open(path: string): BlockProofs {
    try {
      return new BlockProofs(path, new Map(JSON.parse(readFileSync(path, 'utf8'))));
    } catch {
      return new BlockProofs(path, new Map());
    }
  }

  at(height: number): BlockProof | undefined {
    return this.proofs.get(height);
  }

  isConfirmed(height: number): boolean {
    return (this.proofs.get(height)?.nodes.length ?? 0) >= CONFIRMING;
  }

  isSigned(height: number): boolean {
    return this.proofs.get(height)?.isSigned === true;
  }

  /** Records nodes that answered with this content, and forgets nodes that answered with other content. */
  confirm(height: number, content: string, nodes: readonly string[]): void {
    const before = this.proofs.get(height);
    const known = before?.content === content ? before : undefined;
    this.proofs.set(height, {
      content,
      nodes: [...new Set([...(known?.nodes ?? []), ...nodes])].sort(),
      isSigned: known?.isSigned ?? false,
      isDisputed: this.differing.has(height),
    });
  }

  sign(height: number): void {
    this.proofs.set(height, { ...this.proofs.get(height)!, isSigned: true });
  }

  /** Makes the next check of signatures begin anew, because another block is trusted. */
  forgetSignatures(): void {
    for (const [height, proof] of this.proofs) this.proofs.set(height, { ...proof, isSigned: false });
  }

  difference(height: number): Difference | undefined {
    return this.differing.get(height);
  }

  noteDifference(height: number, difference: Difference): void {
    this.differing.set(height, difference);
  }

  settle(height: number): void {
    this.differing.delete(height);
    this.proofs.set(height, { ...this.proofs.get(height)!, isDisputed: false });
  }

  save(): void {
    replaceFile(this.path, `${JSON.stringify([...this.proofs])}\n`);
  }
}
