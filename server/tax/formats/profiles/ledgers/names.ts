/**
 * Names in plain-text accounting. Commodities (coins) have capitals and digits; accounts are paths below five roots.
 * Symbols are not unique, so two denoms never share a commodity.
 */
import { createHash } from 'node:crypto';
import type { Reference } from '../../../../../pipeline/reference.js';
import type { Place } from '../../../../../pipeline/reports/books/transactions.js';

/** Account roots that hledger and Beancount accept, by start of the journal account's name. */
const ROOTS: Readonly<Record<string, string>> = {
  'Digital Assets': 'Assets:DigitalAssets',
  Income: 'Income',
  'Realized Gain/Loss': 'Income:RealizedGains',
  Expense: 'Expenses',
  Loss: 'Expenses:Losses',
  Liabilities: 'Liabilities',
  Equity: 'Equity',
  'Transfers In': 'Equity:TransfersIn',
  'Transfers Out': 'Equity:TransfersOut',
  Clearing: 'Equity:Clearing',
};

export const DOLLAR = 'USD';

const hashOf = (denom: string, digits: number) =>
  createHash('sha256').update(denom).digest('hex').slice(0, digits).toUpperCase();

/** Names a commodity by its symbol in capitals. If another coin has that symbol, part of the denom's hash follows. */
function commodityNamer({ rules, assets }: Reference): (denom: string) => string {
  const owners = new Map([[DOLLAR, '']]);
  const plain = (denom: string) =>
    rules
      .denomination(denom)
      .symbol.toUpperCase()
      .replace(/[^A-Z0-9]/g, '');
  for (const { denom } of assets) if (!owners.has(plain(denom))) owners.set(plain(denom), denom);
  return (denom) => {
    if (rules.denomOf(denom) === undefined) return `X-${hashOf(denom, 12)}`;
    const name = plain(denom);
    const own = owners.get(name) === denom ? name : `${name.slice(0, 12)}-${hashOf(denom, 8)}`;
    return /^[A-Z]/.test(own) ? own : `X${own}`;
  };
}

export class Names {
  readonly denoms = new Map<string, string>();
  readonly accounts = new Set<string>();
  private readonly nameOf: (denom: string) => string;

  /** @param areSeveral whether each wallet needs its own asset accounts */
  constructor(
    private readonly reference: Reference,
    private readonly mapped: ReadonlyMap<string, string>,
    private readonly areSeveral: boolean,
  ) {
    this.nameOf = commodityNamer(reference);
  }

  commodity(denom: string): string {
    const name = this.nameOf(denom);
    this.denoms.set(name, denom);
    return name;
  }

  account(account: Place | string, address: string): string {
    const name = typeof account === 'string' ? this.named(account) : this.placed(account, address);
    this.accounts.add(name);
    return name;
  }

  private placed({ denom, kind, isOpening }: Place, address: string): string {
    const { symbol } = this.reference.rules.denomination(denom);
    const journal = `Digital Assets: ${kind === 'deposited' ? 'Deposits' : symbol}`;
    const own = kind === 'deposited' ? 'Deposits' : this.commodity(denom);
    const path = [this.mapped.get(journal) ?? `Assets:DigitalAssets:${own}`];
    if (this.areSeveral) path.push(`W${address.slice(address.lastIndexOf('1') + 1).slice(0, 8)}`);
    if (isOpening) path.push('BeforeIndex');
    return path.join(':');
  }

  private named(account: string): string {
    const [root, ...rest] = account.split(': ') as [string, ...string[]];
    return (
      this.mapped.get(account) ?? [ROOTS[root]!, ...rest.map((part) => part.replace(/[^A-Za-z0-9]/g, ''))].join(':')
    );
  }
}
