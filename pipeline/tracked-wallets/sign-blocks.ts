/**
 * Checks stored blocks by the signatures of validators. The header of the next block contains the hash of a block and of
 * its results, so the light client verifies that header. If a block differs from it, the other nodes are queried.
 */
import { existsSync, readFileSync } from 'node:fs';
import type { RawBlock } from '../../schemas/types.generated.js';
import { replaceFile } from '../base/disk/atomic-files.js';
import { type Database, readSql } from '../base/duckdb/database.js';
import { headerHash } from '../chain/block-hashes.js';
import type { RecordedHeader } from '../chain/block-record.js';
import { checkBlock, headerFault, type Link } from '../chain/check-block.js';
import { type CheckedSource, contentHash } from '../chain/cross-check.js';
import { type HeaderProvider, LightClient, type VerifiedHeader, verifiedHeader } from '../chain/light/light-client.js';
import type { StepContext } from '../night/night.js';
import type { BlockProofs } from './block-proofs.js';
import type { BlockStore } from './block-store.js';

export interface SigningParts {
  readonly source: CheckedSource;
  readonly store: BlockStore;
  readonly proofs: BlockProofs;
  readonly providers: readonly HeaderProvider[];
  /** File with the trusted header, and all headers that runs have verified from it. */
  readonly path: string;
  readonly chainId: string;
  /** The newest block of the nodes. */
  readonly latest: number;
}

export interface Signing {
  /** Heights whose block differs from the block that validators signed, with the difference. */
  readonly refuted: ReadonlyMap<number, string>;
  /** Heights whose signatures could not be checked, with the reason. */
  readonly unsigned: ReadonlyMap<number, string>;
}

interface Stored {
  readonly root: VerifiedHeader;
  readonly verified: readonly VerifiedHeader[];
}

/** Number of heights at which the same header is requested from two nodes. */
const AGREEMENTS_MAX = 5;
const BLOCKS_AT_ONCE = 50;

export async function signBlocks(
  heights: Iterable<number>,
  parts: SigningParts,
  context: Pick<StepContext, 'config' | 'database' | 'signal' | 'progress'>,
): Promise<Signing> {
  const { store, proofs, path, latest } = parts;
  const known = readHeaders(path);
  const { trust } = context.config;
  if (trust && known && known.root.hash !== trust.hash) proofs.forgetSignatures();
  const stored = [...new Set(heights)].filter((height) => store.has(height)).sort((a, b) => a - b);
  const [refuted, unsigned] = [new Map<number, string>(), new Map<number, string>()];
  // The newest block of a halted chain has no next header. Its second node is its only confirmation.
  const open = stored.filter((height) => !proofs.isSigned(height) && height < latest);
  if (open.length === 0) return { refuted, unsigned };
  const root = await rootOf(open[0]! + 1, open, parts, known?.root, context);
  if (typeof root === 'string') {
    for (const height of open) unsigned.set(height, root);
    return { refuted, unsigned };
  }
  const { config, signal, progress } = context;
  const now = () => config.now().getTime();
  const verified = known?.root.hash === root.hash ? known.verified : [];
  const client = new LightClient(parts.providers, { chainId: parts.chainId, root, verified, now, signal });
  let done = 0;
  for (let i = 0; i < open.length; i += BLOCKS_AT_ONCE) {
    const group = open.slice(i, i + BLOCKS_AT_ONCE);
    const links = await linksOf(group, parts, context);
    for await (const { height: next, verdict } of client.verify(group.map((height) => height + 1))) {
      const height = next - 1;
      progress.update(++done, open.length);
      if ('fault' in verdict) unsigned.set(height, verdict.fault);
      else {
        const fault = await confirmed(links.get(height)!, verdict.header, parts);
        if (fault !== undefined) refuted.set(height, fault);
      }
    }
  }
  await store.flush();
  proofs.save();
  replaceFile(path, `${JSON.stringify({ root, verified: client.headers } satisfies Stored)}\n`);
  return { refuted, unsigned };
}

/** Compares a block with the verified next header. If they differ, looks for a node whose block fits. */
async function confirmed(
  link: Link,
  next: RecordedHeader,
  { source, store, proofs }: SigningParts,
): Promise<string | undefined> {
  const hash = headerHash(next);
  const { height } = link;
  const fault = headerFault(link, hash, next);
  if (fault) {
    let isReplaced = false;
    for await (const { row, block, record, link: other, endpoint } of source.repliesAt(height)) {
      if (headerFault(other, hash, next)) continue;
      const content = contentHash(record);
      if (!isReplaced) await store.replace(row, block);
      else if (proofs.at(height)!.content !== content) continue;
      proofs.confirm(height, content, [endpoint?.name ?? '']);
      isReplaced = true;
    }
    if (!isReplaced) return fault.reason;
  }
  proofs.sign(height);
  if (proofs.difference(height)?.isOfHashes) proofs.settle(height);
  return undefined;
}

async function linksOf(
  heights: readonly number[],
  { store, chainId }: SigningParts,
  { database, config }: { readonly database: Database; readonly config: StepContext['config'] },
): Promise<Map<number, Link>> {
  const links = new Map<number, Link>();
  const files = [...new Set(heights.map((height) => store.fileOf(height)))];
  const parameters = { files, heights: heights.map(String) };
  for await (const row of database.rowByRow<RawBlock>('raw_blocks', readSql('tables/blocks_at'), parameters)) {
    const expected = { height: row.height, chainId, now: config.now().getTime() };
    links.set(row.height, checkBlock(row.record, expected).link);
  }
  return links;
}

function readHeaders(path: string): Stored | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined; // the headers are verified again
  }
}

/**
 * Returns the header of HUBLEDGER_TRUST, or else the first one on which two nodes agree.
 * @returns a sentence if there is none
 */
async function rootOf(
  lowest: number,
  open: readonly number[],
  { providers, chainId }: SigningParts,
  known: VerifiedHeader | undefined,
  { config: { trust } }: Pick<StepContext, 'config'>,
): Promise<VerifiedHeader | string> {
  if (trust && known?.height === trust.height && known.hash === trust.hash) return known;
  if (!trust && known && known.height <= lowest) return known;
  if (!trust && providers.length < 2) {
    return 'HUBLEDGER_RPC_URLS names one node, so no block is trusted: set HUBLEDGER_TRUST, or name a second node';
  }
  const candidates = trust ? [trust.height] : [lowest, ...open.map((height) => height + 1)].slice(0, AGREEMENTS_MAX);
  const faults: string[] = [];
  for (const height of candidates) {
    const names = new Map<string, string>();
    for (const provider of providers) {
      try {
        const header = (await provider.signedHeaders([height])).get(height)?.header;
        if (!header || header.chain_id !== chainId) continue;
        const found = verifiedHeader(header);
        const other = names.get(found.hash);
        if (trust ? found.hash === trust.hash : other !== undefined && other !== provider.name) return found;
        names.set(found.hash, other ?? provider.name);
      } catch (error) {
        faults.push(`${provider.name}: ${(error as Error).message}`);
      }
    }
  }
  const reasons = faults.length > 0 ? ` (${[...new Set(faults)].join('; ')})` : '';
  return trust
    ? `no node has the block ${trust.height} with the hash of HUBLEDGER_TRUST${reasons}`
    : `no two nodes agree on a first block${reasons}: set HUBLEDGER_TRUST`;
}

const SHOWN = 5;

const shortened = (heights: readonly number[]) =>
  heights.length > SHOWN
    ? `${heights.slice(0, SHOWN).join(', ')} and ${heights.length - SHOWN} more`
    : heights.join(', ');

/**
 * Says in sentences why a wallet is not proved. `missing`: nodes disagree, or a block contradicts the signatures.
 * `unconfirmed`: nothing contradicts the blocks, but only one node or no signature confirms them.
 * @param heights heights of the wallet's stored blocks
 */
export function confirmationOf(
  heights: readonly number[],
  proofs: BlockProofs,
  { refuted, unsigned }: Signing,
  hasSecond: boolean,
): { readonly missing: string[]; readonly unconfirmed: string[] } {
  const all = [...new Set(heights)].sort((a, b) => a - b);
  const named = (texts: ReadonlyMap<number, string>) => {
    const named = all.filter((height) => texts.has(height));
    return { named, text: `${shortened(named)}: ${texts.get(named[0]!)}` };
  };
  const differing = new Map(
    all.flatMap((height) => {
      const difference = proofs.difference(height);
      return difference ? [[height, difference.text] as const] : [];
    }),
  );
  const [differences, contrary, open] = [named(differing), named(refuted), named(unsigned)];
  const alone = all.filter((height) => !proofs.isConfirmed(height) && !differing.has(height));
  return {
    missing: [
      ...(differences.named.length > 0
        ? [`nodes disagree on its blocks ${differences.text}: remove the node that is wrong from HUBLEDGER_RPC_URLS`]
        : []),
      ...(contrary.named.length > 0 ? [`the validators signed other blocks than the nodes' ${contrary.text}`] : []),
    ],
    unconfirmed: [
      ...(alone.length === 0
        ? []
        : hasSecond
          ? [`no second node confirms the events of its blocks ${shortened(alone)}`]
          : ["its events rest on one node's word: name a second node on another host in HUBLEDGER_RPC_URLS"]),
      ...(open.named.length > 0 ? [`the signatures of its blocks are not checked: ${open.text}`] : []),
    ],
  };
}
