/**
 * Flags of receipts: which need their owner's decision, and why. A receipt is looked at when its receiver neither signed the transaction
 * nor let somebody run the message in its name. It is flagged
 * - `identity_mismatch`: a token of no registry whose symbol, name or sub-denom reads like a registry asset, also before it
 *   took that name;
 * - `suspected_spam`: a token of no registry that anybody can mint; or dust whose memo holds a link or a call to claim; or dust
 *   that one sender paid to many in one transaction; and what repeats such dust (repeated-dust.ts).
 *
 * A voucher (ibc/…) is judged by its base denom, the one on the chain that it came from: `transfer/channel-207/factory/juno1…/uatom`
 * is a token that anybody can mint, and looks like ATOM. One that the chain knew before the first block is suspected for such a look alone:
 * wallets may have held and sent it for years. A voucher of no registry has no price, so that no amount of it is known to be
 * more than dust: a link, a call to claim or many receivers suffice.
 *
 * Dust is what the day's published price makes worth less than the limit, in whole cents as the row of /events shows it.
 * If there is no price, the worth is unknown and nothing is dust, but for a few base units of the native coin: a price at which those
 * were worth a cent is out of reach. Vouchers of registry assets are never looked at. What a relayer brings is judged
 * by its token alone: the memo and the other receivers of that transaction are the relayer's.
 */
import { createHash } from 'node:crypto';
import type { DenomMetadata, FlaggedReceipt, Spam, UnsolicitedReceipt } from '../../schemas/types.generated.js';
import type { Reference } from '../reference.js';
import { makeFold } from './fold.js';
import { LookAlikes, lastPart } from './look-alikes.js';
import { memoCalls } from './memo-call.js';

/** A reason with what speaks for it, and what the token calls itself. */
type Finding = Pick<FlaggedReceipt, 'reason' | 'claimed_symbol'> & { readonly evidence: readonly string[] };

/** The judgement of a denom that no registry knows; undefined where nothing speaks against it. */
interface Token {
  readonly claimed_symbol: string;
  readonly finding: Finding | undefined;
}

/** A voucher of a token that anybody can mint. */
interface MintedVoucher {
  readonly trace: string;
  /** A packet of the indexed blocks has carried it. */
  readonly hasMoved: boolean;
}

type Reviewed = Pick<Reference, 'assets' | 'spam' | 'confusables'>;

export class ReceiptFlags {
  private readonly tokens = new Map<string, Token>();
  /** Vouchers of tokens that anybody can mint, by denom. */
  private readonly mintedVouchers = new Map<string, MintedVoucher>();
  private readonly mintedDenoms: readonly RegExp[];
  private readonly claims = new Map<string, { symbol: string; name: string }[]>();
  private readonly lookAlikes: LookAlikes;
  private readonly calls: (memo: string) => boolean;

  /**
   * @param metadata what tokens said of themselves, in the order in which they did
   * @param traces of vouchers: those that the starting state knows, and those that packets name
   */
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

  /** The flagged receipt, or undefined for one that is left alone. */
  flag(receipt: UnsolicitedReceipt): FlaggedReceipt | undefined {
    const { category, registered, dust, receivers, ...row } = receipt;
    const token = registered ? undefined : this.token(receipt.denom);
    const finding = token?.finding ?? this.dustFinding(receipt, token?.claimed_symbol ?? '');
    if (!finding) return undefined;
    const evidence = ['The receiver did not sign the transaction.', ...finding.evidence];
    return { ...row, ...finding, evidence: JSON.stringify(evidence) };
  }

  private token(denom: string): Token {
    const known = this.tokens.get(denom);
    if (known) return known;
    const claims = this.claims.get(denom) ?? [];
    const voucher = this.mintedVouchers.get(denom);
    const minted = voucher !== undefined || this.isMinted(denom);
    const likeness = this.likeness(voucher?.trace ?? denom, claims, minted);
    const claimed_symbol = likeness?.symbol ?? claims.at(-1)?.symbol ?? '';
    const mint = minted ? ['No registry knows the token, which its maker can mint at will.'] : [];
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

  /** The first name of the token that reads like a registry asset. */
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
      ...(this.calls(receipt.memo) ? ['The memo holds a link or a call to claim.'] : []),
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

const UNPRICED_VOUCHER = 'No registry knows the token of another chain, and it has no price.';

/** Longest text of a stranger that evidence repeats: another chain may send a denom of any length. */
const QUOTED_MAX = 256;

const quoted = (text: string): string =>
  JSON.stringify(text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}…` : text);

/** Reads the patterns of denoms that anybody, or a contract, can mint. */
export const mintedDenoms = ({ minted_denoms }: Spam): RegExp[] => minted_denoms.map((pattern) => new RegExp(pattern));

/** Hops of a trace, port and channel or light client each, as ibc-go tells them from the base denom (ExtractDenomFromPath). */
const HOPS = /^(?:[^/]+\/\w[\w-]*-\d{1,20}\/)+/;

/** `transfer/channel-207/factory/juno1…/uatom` → `factory/juno1…/uatom` */
const baseDenom = (trace: string): string => trace.replace(HOPS, '');

/** The denom of a voucher on this chain (ICS-20): `ibc/` and the hash of its trace. */
const voucherDenom = (trace: string): string => `ibc/${createHash('sha256').update(trace).digest('hex').toUpperCase()}`;
