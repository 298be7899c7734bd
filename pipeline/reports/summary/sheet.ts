/** All figures of a period that a taxpayer files. */
import type { LedgerEntry } from '../../../schemas/types.generated.js';
import { formatCents } from '../../ledger/amount.js';
import type { Rules } from '../../ledger/rules.js';
import type { EventRow } from '../event-row.js';
import { type AccountLine, Accounts } from './accounts.js';
import { type AssetLine, Assets, type Holdings } from './assets.js';
import { Carried, type CarriedLine } from './carried.js';
import { type DisposalFigures, type DisposalLine, Disposals } from './disposals.js';
import { Income, type IncomeLine } from './income.js';
import { OpenQuestions, type QuestionLine, type Scope } from './open-questions.js';
import { type Outflow, OutflowMemory, outflowOf } from './outflow.js';
import { type ReliefLine, Reliefs } from './reliefs.js';

export interface SheetLines {
  /** Rows of /events in the period. */
  readonly rows: number;
  readonly taxable_rows: number;
  readonly income_usd: string;
  readonly fees_usd: string;
  /** Totals of `disposals`, including fees. */
  readonly disposed: DisposalFigures;
  readonly income: readonly IncomeLine[];
  readonly disposals: readonly DisposalLine[];
  readonly reliefs: readonly ReliefLine[];
  readonly carried: readonly CarriedLine[];
  readonly assets: readonly AssetLine[];
  readonly accounts: readonly AccountLine[];
  readonly open: readonly QuestionLine[];
}

export class Sheet {
  private rows = 0;
  private taxable = 0;
  private readonly income = new Income();
  private readonly disposals = new Disposals();
  private readonly reliefs = new Reliefs();
  private readonly carried = new Carried();
  private readonly assets = new Assets();
  private readonly accounts = new Accounts();
  private readonly questions = new OpenQuestions();
  private readonly outflows = new OutflowMemory();

  constructor(private readonly rules: Rules) {}

  open(holdings: Holdings, undecided: number): void {
    this.assets.open(holdings);
    this.questions.addUndecided(undecided);
  }

  /** Adds a row of the period. */
  note(row: EventRow): void {
    this.rows++;
    if (row.taxable) this.taxable++;
    this.income.note(row);
    this.questions.note(row);
  }

  /** Registers an entry before the period, which a refund within the period may reverse. */
  remember(entry: LedgerEntry): void {
    const outflow = outflowOf(entry);
    if (outflow) this.outflows.remember(entry, outflow);
  }

  add(entry: LedgerEntry): void {
    this.accounts.add(entry);
    this.income.add(entry);
    this.carried.add(entry);
    this.assets.add(entry);
    this.questions.add(entry);
    const outflow = outflowOf(entry);
    if (outflow) {
      this.outflows.remember(entry, outflow);
      this.addOutflow(outflow, 1n);
    }
    const undone = this.outflows.undoneBy(entry);
    if (undone) this.addOutflow(undone, -1n);
  }

  close(holdings: Holdings): void {
    this.assets.close(holdings);
  }

  /** @param scope wallets and days for the links */
  lines(scope: Scope): SheetLines {
    const { rules } = this;
    return {
      rows: this.rows,
      taxable_rows: this.taxable,
      income_usd: formatCents(this.income.total),
      fees_usd: this.disposals.fees(),
      disposed: this.disposals.total(),
      income: this.income.lines(rules),
      disposals: this.disposals.lines(rules),
      reliefs: this.reliefs.lines(rules),
      carried: this.carried.lines(rules),
      assets: this.assets.lines(rules),
      accounts: this.accounts.lines(),
      open: this.questions.lines(this.assets.unknownAtClose, rules, scope),
    };
  }

  private addOutflow(outflow: Outflow, sign: 1n | -1n): void {
    if (outflow.disposes) this.disposals.add(outflow, sign);
    else this.reliefs.add(outflow, sign, this.rules);
  }
}
