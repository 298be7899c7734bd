/** Stakes of an export, formatted as the published tables. Taking an item removes it, so the rest is unpublished. */
import type { ValidatorDay } from '../../schemas/types.generated.js';
import type { Delegation } from '../holdings/delegations.js';
import { accruedReward, tokensFromShares } from '../holdings/modules/delegation.js';
import { emitDay } from '../holdings/modules/intervals.js';
import { closingRatio } from '../holdings/modules/validator.js';
import type { HoldingsState, UnbondingEntry, Validator } from '../holdings/state.js';
import { formatDecCoins } from '../holdings/values/dec-coins.js';
import { formatDecimal18, wholePart } from '../holdings/values/decimal18.js';

/** `staked`: shares and their tokens. `reward`: unclaimed reward. */
export interface ExportedDelegation {
  readonly staked: string;
  readonly reward: string;
}

export class ExportedStakes {
  readonly height: number;
  /** Validators with delegations, by operator. */
  readonly days = new Map<string, ValidatorDay>();

  constructor(private readonly state: HoldingsState) {
    this.height = state.height;
    emitDay(state, (_, row) => {
      const day = row as ValidatorDay;
      this.days.set(day.validator, day);
    });
  }

  takeDelegation(operator: string, delegator: string): ExportedDelegation | undefined {
    const validator = this.state.validators.get(operator);
    const delegation = validator?.delegations.get(delegator);
    if (!validator || !delegation) return undefined;
    validator.delegations.delete(delegator);
    return this.textsOf(validator, delegation);
  }

  *otherDelegations(): Generator<ExportedDelegation & { readonly name: string }> {
    for (const validator of this.state.validators.values()) {
      for (const [delegator, delegation] of validator.delegations) {
        yield { name: `${delegator} at ${validator.operator}`, ...this.textsOf(validator, delegation) };
      }
    }
  }

  /** Removes and returns the balance of an entry, in base units. */
  takeEntry(operator: string, delegator: string, creationHeight: number): string | undefined {
    const pairs = this.state.unbondings.get(operator);
    const entries = pairs?.get(delegator) ?? [];
    const entry = entries.find((each) => each.creationHeight === creationHeight);
    if (!pairs || !entry) return undefined;
    pairs.set(
      delegator,
      entries.filter((each) => each !== entry),
    );
    return String(entry.balance);
  }

  *otherEntries(): Generator<{ readonly name: string; readonly balance: string }> {
    for (const [operator, pairs] of this.state.unbondings) {
      for (const [delegator, entries] of pairs) {
        for (const { creationHeight, balance } of entries.filter(isLeft)) {
          yield { name: `${delegator} at ${operator} begun at ${creationHeight}`, balance: String(balance) };
        }
      }
    }
  }

  private textsOf(validator: Validator, delegation: Delegation): ExportedDelegation {
    const { tokens, shares, slashes } = validator;
    const reward = accruedReward(delegation, slashes, {
      height: this.height,
      tokens,
      shares,
      ratio: closingRatio(validator),
    });
    return {
      staked: `${formatDecimal18(delegation.shares)} shares, ${wholePart(tokensFromShares(delegation.shares, validator))}`,
      reward: formatDecCoins(reward, this.state.denoms),
    };
  }
}

const isLeft = ({ balance }: UnbondingEntry) => balance > 0n;
