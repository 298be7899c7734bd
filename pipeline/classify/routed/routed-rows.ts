/** The rows of one scope while transfers of routers are given to the wallets whose coins they moved. */
import { type ChainFacts, type Coin, type RowDraft, transferCategory } from '../classifier.js';

/** A row of a router's transfer between chains: coins came or went. */
export type Transfer = RowDraft;

export class RoutedRows {
  private readonly rows: Set<RowDraft>;

  constructor(
    rows: readonly RowDraft[],
    readonly chain: ChainFacts,
  ) {
    this.rows = new Set(rows);
  }

  get list(): readonly RowDraft[] {
    return [...this.rows];
  }

  /** The routers' own rows of a category, in the order of their events. */
  transfers(category: string): Transfer[] {
    return this.list
      .filter((row) => row.category === category && this.isRouter(row.address))
      .sort((a, b) => a.event - b.event);
  }

  /** Rows of what others paid into routers and got out of them, in the order of their events. */
  dealings(): RowDraft[] {
    return this.list
      .filter(isDealing)
      .filter(({ counterparty }) => this.isRouter(counterparty))
      .sort((a, b) => a.event - b.event);
  }

  replace(removed: readonly RowDraft[], added: readonly RowDraft[]): void {
    for (const row of removed) this.rows.delete(row);
    for (const row of added) this.rows.add(row);
  }

  /** Leaves of a router's transfer that its account got or gave the coins: the transfer itself is somebody else's. */
  demote(transfer: Transfer): void {
    const { link, toOwnKey, ...rest } = transfer;
    const category = transferCategory(transfer.sent ? 'out' : 'in', coinOf(transfer).denom, this.chain);
    this.replace([transfer], [{ ...rest, category }]);
  }

  private isRouter(address: string | null | undefined): boolean {
    return address != null && this.chain.contract(address)?.isRouter === true;
  }
}

const DEALINGS = new Set(['contract_deposit', 'contract_withdrawal', 'swap']);
const isDealing = ({ category }: RowDraft) => DEALINGS.has(category);

/** The one coin of a row that is no swap. */
export const coinOf = ({ sent, received }: RowDraft): Coin => sent ?? received!;
