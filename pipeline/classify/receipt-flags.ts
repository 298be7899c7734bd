/**
 * Flags unsolicited receipts, about which the owner must decide. A receipt is unsolicited if the receiver neither
 * signed nor authorized it.
 * - `identity_mismatch`: an unlisted token whose symbol, name or sub-denom looks like that of a registered asset.
 * - `suspected_spam`: an unlisted token that anyone can mint, or dust. Dust counts only if its memo has a link or a
 * call to claim, or if many wallets received it. Dust is worth less than a limit on its day. Unlisted vouchers have no
 * price, so any amount of them can be dust. A voucher is judged by its base denom:
 * `transfer/channel-207/factory/juno1…/uatom` looks like ATOM. A voucher that no packet in the index transferred may have
 * been held since before the first block. Such a voucher is flagged only if it looks like a registered asset. For a
 * relayed receipt, only the token counts, because the relayer chooses memo and receivers.
 */
import { createHash } from 'node:crypto';
import type { DenomMetadata, FlaggedReceipt, Spam, UnsolicitedReceipt } from '../../schemas/types.generated.js';
import type { Reference } from '../reference.js';
import { LookAlikes, lastPart, makeFold, memoCalls } from './look-alikes.js';

type Finding = Pick<FlaggedReceipt, 'reason' | 'claimed_symbol'> & { readonly evidence: readonly string[] };

interface Token {
  readonly claimed_symbol: string;
  readonly finding: Finding | undefined;
}

interface MintedVoucher {
  readonly trace: string;
  /** True if a packet in the index transferred the voucher. */
  readonly hasMoved: boolean;
}

type Reviewed = Pick<Reference, 'assets' | 'spam' | 'confusables'>;

export class ReceiptFlags {
  private readonly tokens = new Map<string, Token>();
  private readonly mintedVouchers = new Map<string, MintedVoucher>();
  private readonly mintedDenoms: readonly RegExp[];
  private readonly claims = new Map<string, { symbol: string; name: string }[]>();
  private readonly lookAlikes: LookAlikes;
  private readonly calls: (memo: string) => boolean;

  /** @param metadata names that tokens claim for themselves, oldest first */
  constructor(
    private readonly reference: Reviewed,
    metadata: Iterable<DenomMetadata>,
    traces: { readonly before: readonly string[]; readonly packets: readonly string[] },
  ) {
    const fold = makeFold(reference.confusables);
    this.lookAlikes = new LookAlikes(reference.assets, fold);
    this.calls = memoCalls(reference.spam, fold);
    this.mintedDenoms = mintedDenoms(reference.spam);
    for (const trace of traces.before) this.addVoucher(trace, false);
    for (const trace of traces.packets) this.addVoucher(trace, true);
    for (const { denom, symbol, name } of metadata) {
      const claims = this.claims.get(denom) ?? [];
      claims.push({ symbol, name });
      this.claims.set(denom, claims);
    }
  }

  flag(receipt: UnsolicitedReceipt): FlaggedReceipt | undefined {
    const { category, registered, dust, receivers, ...row } = receipt;
    const token = registered ? undefined : this.token(receipt.denom);
    const finding = token?.finding ?? this.dustFinding(receipt, token?.claimed_symbol ?? '');
    if (!finding) return undefined;
    const evidence = ['The receiver did not sign the transaction.', ...finding.evidence];
    return { ...row, ...finding, evidence: JSON.stringify(evidence) };
  }

  /**
   * Flags dust if other dust from its sender is flagged (pipeline/tables/repeated_dust.sql). Skips payouts of
   * contracts, because the contract's caller chooses the receiver.
   */
  repeatedDust(receipt: UnsolicitedReceipt): FlaggedReceipt {
    const { category, registered, dust, receivers, ...row } = receipt;
    const evidence = [
      'The receiver did not sign the transaction.',
      `Worth less than ${this.reference.spam.dust.below_usd} USD.`,
      'Its sender sent the same amount with a link or a call to claim, or to many at once.',
    ];
    return { ...row, reason: 'suspected_spam', claimed_symbol: '', evidence: JSON.stringify(evidence) };
  }

  /**
   * Returns facts about a token from the whole chain. All other inputs of a flag are the receipt itself and reviewed
   * data.
   */
  token(denom: string): Token {
    const known = this.tokens.get(denom);
    if (known) return known;
    const claims = this.claims.get(denom) ?? [];
    const voucher = this.mintedVouchers.get(denom);
    const minted = voucher !== undefined || this.isMinted(denom);
    const likeness = this.likeness(voucher?.trace ?? denom, claims, minted);
    const claimed_symbol = likeness?.symbol ?? claims.at(-1)?.symbol ?? '';
    const mint = minted ? ['The token is in no registry, and its creator can mint it at will.'] : [];
    if (voucher) mint.unshift(`It is a voucher of ${quoted(voucher.trace)}.`);
    const finding: Finding | undefined = likeness
      ? { reason: 'identity_mismatch', claimed_symbol, evidence: [likeness.sentence, ...mint] }
      : minted && voucher?.hasMoved !== false
        ? { reason: 'suspected_spam', claimed_symbol, evidence: mint }
        : undefined;
    const token = { claimed_symbol, finding };
    this.tokens.set(denom, token);
    return token;
  }

  private addVoucher(trace: string, hasMoved: boolean): void {
    if (this.isMinted(baseDenom(trace))) this.mintedVouchers.set(voucherDenom(trace), { trace, hasMoved });
  }

  private isMinted(denom: string): boolean {
    return this.mintedDenoms.some((pattern) => pattern.test(denom));
  }

  private likeness(denom: string, claims: readonly { symbol: string; name: string }[], minted: boolean) {
    const names = [
      ...claims.map(({ symbol }) => ({ kind: 'symbol', text: symbol, symbol })),
      ...claims.map(({ symbol, name }) => ({ kind: 'name', text: name, symbol })),
      ...(minted ? [{ kind: 'sub-denom', text: lastPart(denom), symbol: claims.at(-1)?.symbol ?? '' }] : []),
    ];
    for (const { kind, text, symbol } of names) {
      const asset = this.lookAlikes.find(text);
      if (!asset) continue;
      const sentence = `Its ${kind} ${quoted(text)} looks like ${asset.symbol}, whose denom is ${asset.denom}.`;
      return { symbol, sentence };
    }
    return undefined;
  }

  private dustFinding(receipt: UnsolicitedReceipt, claimed_symbol: string): Finding | undefined {
    const { relayed_categories, dust } = this.reference.spam;
    const isUnpricedVoucher = !receipt.registered && receipt.denom.startsWith('ibc/');
    if (relayed_categories.includes(receipt.category) || !(receipt.dust || isUnpricedVoucher)) return undefined;
    const evidence = [
      ...(this.calls(receipt.memo) ? ['The memo contains a link or a call to claim.'] : []),
      ...(receipt.receivers >= dust.receivers
        ? [`${isUnpricedVoucher ? 'It' : 'The same amount'} went to ${receipt.receivers} wallets at once.`]
        : []),
    ];
    if (evidence.length === 0) return undefined;
    return {
      reason: 'suspected_spam',
      claimed_symbol,
      evidence: [isUnpricedVoucher ? UNPRICED_VOUCHER : `Worth less than ${dust.below_usd} USD.`, ...evidence],
    };
  }
}

const UNPRICED_VOUCHER = 'The token of another chain is in no registry and has no price.';

/** Maximum length of a quoted denom, because denoms of other chains can have any length. */
const QUOTED_MAX = 256;

const quoted = (text: string): string =>
  JSON.stringify(text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}…` : text);

export const mintedDenoms = ({ minted_denoms }: Spam): RegExp[] => minted_denoms.map((pattern) => new RegExp(pattern));

/** Matches the hops (port, and channel or light client) at the start of a trace, like ibc-go's ExtractDenomFromPath. */
const HOPS = /^(?:[^/]+\/\w[\w-]*-\d{1,20}\/)+/;

/** Returns the base denom of a trace: `factory/juno1…/uatom` for `transfer/channel-207/factory/juno1…/uatom`. */
const baseDenom = (trace: string): string => trace.replace(HOPS, '');

/** Returns the denom of a voucher, `ibc/<hash of the trace>` (ICS-20). */
const voucherDenom = (trace: string): string => `ibc/${createHash('sha256').update(trace).digest('hex').toUpperCase()}`;
