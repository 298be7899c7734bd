/** Completes a classifier's row with time, hash, memo, position in the block and a permanent id. */
import type { ChainEvent } from '../../schemas/types.generated.js';
import type { Block } from '../chain/block.js';
import type { RowDraft } from './classifier.js';

/** Fields that all rows of one transaction, or of the block's own events, share. */
export interface RowPlace {
  /** `<height>-<transaction index or block>`. */
  readonly name: string;
  readonly txHash: string;
  readonly memo: string;
  /** Accounts that signed, or that authorized a signer (authz). */
  readonly signers: ReadonlySet<string>;
}

export class EventList {
  readonly events: ChainEvent[] = [];
  /** Number of rows so far by place, event and side. */
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

  /** Example: `21000000-3-17-0-in`. The item counts rows of the same event and side. */
  private nextId({ event, sent, received, fee }: RowDraft, place: string): string {
    const side = fee ? 'fee' : sent && received ? 'both' : sent ? 'out' : 'in';
    const key = `${place}-${event}-${side}`;
    const item = this.items.get(key) ?? 0;
    this.items.set(key, item + 1);
    return `${place}-${event}-${item}-${side}`;
  }
}
