/** Reads what wallets held before a block, from the chain's genesis or from an export of its state. */
import { bech32 } from '@scure/base';
import { JsonPicker } from '../base/json/json-picker.js';
import { JsonItem } from '../holdings/values/json-item.js';
import {
  baseAccount,
  coin,
  type Entry,
  entriesOf,
  type NodeValidator,
  validator,
  type WalletState,
} from './node-facts.js';

export interface GenesisState {
  /** First height after this state. */
  readonly firstHeight: number;
  readonly wallets: ReadonlyMap<string, WalletState>;
  readonly validators: readonly NodeValidator[];
}

const ONE = 10n ** 18n;

class GenesisWallet {
  readonly balances = new Map<string, bigint>();
  readonly shares = new Map<string, bigint>();
  readonly entries: Entry[] = [];
  sequence = 0;
}

const add = (amounts: Map<string, bigint>, key: string, amount: bigint) =>
  amounts.set(key, (amounts.get(key) ?? 0n) + amount);

export interface GenesisOf {
  readonly chainId: string;
  /** Lowest and highest allowed height of the first block after the state. */
  readonly heights: readonly [number, number];
}

/**
 * Reads only the header if the state belongs to another height.
 * @returns undefined if the state belongs to another height
 * @throws Error if the document is not a state of this chain
 */
export async function readGenesis(
  chunks: AsyncIterable<Uint8Array>,
  addresses: readonly string[],
  { chainId, heights: [lowest, highest] }: GenesisOf,
): Promise<GenesisState | undefined> {
  const wallets = new Map(addresses.map((address) => [address, new GenesisWallet()]));
  const validators = new Map<string, NodeValidator>();
  const header: { chainId?: string; firstHeight?: number } = {};
  const isElsewhere = (firstHeight = 1) => firstHeight < lowest || firstHeight > highest;
  const readers: Readonly<Record<string, (item: JsonItem, value: unknown) => void>> = {
    chain_id: (item) => {
      header.chainId = item.text();
    },
    initial_height: (item) => {
      header.firstHeight = Math.max(item.count(), 1); // `initial_height` 0 in a genesis means that the first block has height 1
    },
    'app_state.auth.accounts[]': (_, value) => {
      const account = baseAccount(value);
      const wallet = account && wallets.get(account.address);
      if (wallet) wallet.sequence += account.sequence;
    },
    'app_state.bank.balances[]': (item) => {
      const wallet = wallets.get(item.member('address').address());
      for (const one of wallet ? item.member('coins').list().map(coin) : []) {
        add(wallet!.balances, one.denom, one.amount);
      }
    },
    'app_state.staking.validators[]': (item) => {
      const found = validator(item);
      validators.set(found.operator, found);
    },
    'app_state.staking.delegations[]': (item) => {
      const wallet = wallets.get(item.member('delegator_address').address());
      if (wallet) add(wallet.shares, item.member('validator_address').address(), item.member('shares').decimal());
    },
    'app_state.staking.unbonding_delegations[]': (item) => {
      wallets.get(item.member('delegator_address').address())?.entries.push(...entriesOf(item));
    },
    'app_state.genutil.gen_txs[]': (item) => {
      for (const message of item.member('body').member('messages').list()) create(message, wallets, validators);
    },
  };
  const picker = new JsonPicker(new Set(Object.keys(readers)), (path, place, value) =>
    readers[path]!(new JsonItem(place, value), value),
  );
  for await (const chunk of chunks) {
    picker.push(chunk);
    if (header.firstHeight !== undefined && isElsewhere(header.firstHeight)) return undefined;
  }
  picker.end();
  if (isElsewhere(header.firstHeight)) return undefined;
  if (header.chainId !== chainId) throw new Error(`it is the genesis of ${header.chainId}, expected ${chainId}`);
  const stateOf = ({ shares, ...wallet }: GenesisWallet): WalletState => {
    const delegations = [...shares].map(([operator, amount]): [string, bigint] => {
      const its = validators.get(operator);
      if (!its || its.shares === 0n) throw new Error(`it has a delegation to ${operator}, but no such validator`);
      return [operator, (amount * its.tokens) / its.shares];
    });
    return { ...wallet, delegations: new Map(delegations), reward: 0n, claims: new Map() };
  };
  return {
    firstHeight: header.firstHeight ?? 1,
    wallets: new Map([...wallets].map(([address, wallet]) => [address, stateOf(wallet)])),
    validators: [...validators.values()],
  };
}

/**
 * Applies a genesis transaction that creates a validator. Genesis transactions emit no events (x/genutil
 * DeliverGenTxs).
 */
function create(
  message: JsonItem,
  wallets: ReadonlyMap<string, GenesisWallet>,
  validators: Map<string, NodeValidator>,
): void {
  const operator = message.member('validator_address').address();
  const { denom, amount } = coin(message.member('value'));
  const [tokens, shares] = [amount, amount * ONE];
  const moniker = message.member('description').member('moniker').textOr('');
  const consensusKey = message.member('pubkey').member('key').textOr('');
  validators.set(operator, { operator, moniker, consensusKey, tokens, shares });
  const wallet = wallets.get(accountOf(operator));
  if (!wallet) return;
  add(wallet.balances, denom, -tokens);
  add(wallet.shares, operator, shares);
  wallet.sequence++;
}

function accountOf(operator: string): string {
  const { prefix, words } = bech32.decode(operator as `${string}1${string}`);
  return bech32.encode(prefix.replace(/valoper$/, ''), words);
}
