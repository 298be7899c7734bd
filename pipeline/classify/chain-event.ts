/** A classifier's row made complete: time, place, memo, position in the block, and an id that lasts. */
import type { ChainEvent } from '../../schemas/types.generated.js';
import type { Block } from '../chain/block.js';
import type { RowDraft } from './classifier.js';

/** The place of rows: members that those of one transaction, or of the block's own events, have in common. */
export interface RowPlace {
  /** `<height>-<transaction index or block>`. */
  readonly name: string;
  readonly txHash: string;
  readonly memo: string;
  /** Accounts in whose name it ran. */
  readonly signers: ReadonlySet<string>;
}

/** The rows of a block, in the order of their position. */
export class EventList {
  readonly events: ChainEvent[] = [];
  /** Rows so far by event and side. */
  private readonly items = new Map<string, number>();

  constructor(private readonly block: Pick<Block, 'height' | 'time'>) {}

  add(draft: RowDraft, { name, txHash, memo, signers }: RowPlace): void {
    const { sent, received, fee } = draft;
    this.events.push({
      address: draft.address,
      height: this.block.height,
      position: this.events.length,
      id: this.nextId(draft, name),
      time: this.block.time.slice(0, 19).replace('T', ' '),
      tx_hash: txHash,
      category: draft.category,
      sent_amount: sent?.amount ?? null,
      sent_denom: sent?.denom ?? null,
      received_amount: received?.amount ?? null,
      received_denom: received?.denom ?? null,
      fee_amount: fee?.amount ?? null,
      fee_denom: fee?.denom ?? null,
      counterparty: draft.counterparty ?? null,
      validator: draft.validator ?? null,
      reward_trigger: draft.rewardTrigger ?? null,
      detail: draft.detail ?? '',
      memo,
      link: draft.link ?? null,
      to_own_key: draft.toOwnKey ?? false,
      unsolicited: received !== undefined && !draft.byChain && !signers.has(draft.address),
    });
  }

  /** `<place>-<event index>-<item>-<side>`: items count the rows of one event and side. */
  private nextId({ event, sent, received, fee }: RowDraft, place: string): string {
    const side = fee ? 'fee' : sent && received ? 'both' : sent ? 'out' : 'in';
    const key = `${place}-${event}-${side}`;
    const item = this.items.get(key) ?? 0;
    this.items.set(key, item + 1);
    return `${place}-${event}-${item}-${side}`;
  }
}
