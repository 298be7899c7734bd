/**
 * Validators that a genesis founds by transactions (x/genutil DeliverGenTxs): they run after everything else of it, as they would in a
 * block, and tell nothing.
 */
import { delegate } from '../modules/delegation.js';
import { electValidators, newValidator, updateValidatorSet } from '../modules/validator.js';
import { type BlockContext, BONDED, type HoldingsState } from '../state.js';
import { addCoins } from '../values/dec-coins.js';
import { type JsonItem, StartingStateError } from '../values/json-item.js';
import type { StartListener } from './start-listener.js';

const CREATE_VALIDATOR = '/cosmos.staking.v1beta1.MsgCreateValidator';

export class GenesisTransactions {
  private readonly creations: JsonItem[] = [];

  /** @throws StartingStateError when it does anything else, which the chain refuses, too */
  take(transaction: JsonItem): void {
    const messages = transaction.member('body').member('messages');
    for (const message of messages.list()) {
      const type = message.member('@type').text();
      if (type !== CREATE_VALIDATOR)
        throw new StartingStateError(`${message.path} is a ${type}, not a ${CREATE_VALIDATOR}`);
      this.creations.push(message);
    }
  }

  /** Runs them on the state, which is complete but for them. @param listener hears of what moves, also below zero */
  run(state: HoldingsState, listener: StartListener): void {
    const [withdrawals, burned] = [[], []];
    const at = { height: 0, time: 0n, emit: () => {}, doubleSigns: [], moved: false };
    const context: BlockContext = { state, ...at, withdrawals, burned };
    const founded = this.creations.map((message) => create(context, message, listener));
    if (founded.length > 0) updateValidatorSet(context, electValidators(context.state));
    for (const { account, status, tokens } of founded) {
      listener.onBalance(account, state.bondDenom, -tokens);
      const pool = status === BONDED ? 'bonded_tokens_pool' : 'not_bonded_tokens_pool';
      for (const [address, { name, balances }] of state.moduleAccounts) {
        if (name !== pool) continue;
        addCoins(balances, `${tokens}${state.bondDenom}`);
        listener.onBalance(address, state.bondDenom, tokens);
      }
    }
  }
}

function create(context: BlockContext, message: JsonItem, listener: StartListener) {
  const operator = message.member('validator_address').address();
  const validator = newValidator(context.state, operator, message.member('pubkey').member('key').text());
  validator.minSelfDelegation = message.member('min_self_delegation').integer();
  delegate(context, validator, validator.account, message.member('value').member('amount').integer());
  listener.onValidator(operator, message.member('description').member('moniker').text());
  return validator;
}
