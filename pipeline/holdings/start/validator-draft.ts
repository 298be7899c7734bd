/** A validator whose parts lie in several lists of a starting state: collected until all are read, then opened. */

import { Delegations } from '../delegations.js';
import { endPeriod, newDelegation } from '../modules/reward-periods.js';
import { newValidator } from '../modules/validator.js';
import { BONDED, type HoldingsState, type Status, UNBONDED, UNBONDING, type Validator } from '../state.js';
import type { UndoJournal } from '../undo-journal.js';
import type { Amounts } from '../values/dec-coins.js';
import { type JsonItem, StartingStateError } from '../values/json-item.js';
import { unpackNumbers } from '../values/packed-numbers.js';
import { parseTime } from '../values/time.js';

const STATUSES: Readonly<Record<string, Status>> = {
  BOND_STATUS_UNBONDED: UNBONDED,
  BOND_STATUS_UNBONDING: UNBONDING,
  BOND_STATUS_BONDED: BONDED,
};

/** A draft gathers what the lists say of one validator, until all of them are read. */
export interface ValidatorDraft {
  validator: JsonItem | undefined;
  period: number;
  /** Ratios by the period that they ended, packed: there is one for nearly every delegation. */
  readonly ratios: Map<number, string>;
  readonly current: bigint[];
  readonly outstanding: bigint[];
  readonly commission: bigint[];
  readonly slashes: { height: number; period: number; fraction: bigint }[];
  readonly delegations: Delegations;
}

export function newDraft(journal: UndoJournal): ValidatorDraft {
  return {
    validator: undefined,
    period: 1,
    ratios: new Map(),
    current: [],
    outstanding: [],
    commission: [],
    slashes: [],
    delegations: new Delegations(journal),
  };
}

/**
 * Puts the validator into the state.
 * @param exported whether the file is an export, which has rewards and starting infos
 * @throws StartingStateError when one of its parts is missing
 */
export function openValidator(state: HoldingsState, operator: string, draft: ValidatorDraft, exported: boolean): void {
  const { validator: item, current, outstanding, commission, delegations } = draft;
  if (!item) {
    if (delegations.size === 0) return; // rewards of a validator that is gone
    throw new StartingStateError(`app_state.staking.validators has no ${operator}, which has delegations`);
  }
  const validator = newValidator(state, operator, item.member('consensus_pubkey').member('key').text());
  readValidator(validator, item);
  Object.assign(validator, { current, outstanding, commission, delegations });
  if (exported) openExported(validator, draft);
  else openGenesisDelegations(validator);
}

/** Periods become the ratios that ended them: the list of historical rewards is not needed any more. */
function openExported(validator: Validator, { period, ratios, slashes, delegations }: ValidatorDraft): void {
  const { operator } = validator;
  const ratioOf = (of: number): Amounts => {
    const ratio = ratios.get(of);
    if (ratio !== undefined) return unpackNumbers(ratio);
    throw new StartingStateError(`app_state.distribution.validator_historical_rewards has no ${of} of ${operator}`);
  };
  Object.assign(validator, { period, ratio: ratioOf(period - 1) });
  validator.slashes.push(...slashes.map((slash) => ({ ...slash, ratio: ratioOf(slash.period) })));
  validator.slashes.sort((a, b) => a.period - b.period);
  for (const [delegator, delegation] of delegations) {
    if (delegation.shares === 0n || delegation.period === 0) {
      throw new StartingStateError(`${delegator} at ${operator} has no delegation or no starting info`);
    }
    delegations.set(delegator, { ...delegation, ratio: ratioOf(delegation.period) });
  }
}

function readValidator(validator: Validator, item: JsonItem): void {
  const status = STATUSES[item.member('status').text()];
  if (status === undefined) throw new StartingStateError(`${item.path}.status is not known`);
  validator.tokens = item.member('tokens').integer();
  validator.shares = item.member('delegator_shares').decimal();
  validator.status = status;
  validator.jailed = item.member('jailed').boolean();
  validator.unbondingTime = parseTime(item.member('unbonding_time').text());
  validator.unbondingHeight = item.member('unbonding_height').count();
  validator.minSelfDelegation = item.member('min_self_delegation').integer();
}

/** A genesis has no rewards yet: the chain starts each delegation as if it had been made in the file's order at height 0. */
function openGenesisDelegations(validator: Validator): void {
  for (const [delegator, shares] of validator.delegations.shares()) {
    endPeriod(validator);
    validator.delegations.set(delegator, newDelegation(validator, shares, 0));
  }
}
