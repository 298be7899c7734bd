/**
 * Classifies payments between wallets and contracts (x/wasm). Contracts choose the content of their own events, so only
 * bank events count. cw20 tokens are not native coins. Events of other modules explain staking and IBC transfers by
 * contracts.
 */
import {
  type ChainFacts,
  type Coin,
  contractLabel,
  explainedByEvents,
  explainSends,
  type ModuleClassifiers,
  movedDetail,
  type Payment,
  type PhaseClassifier,
  type RowDraft,
  receivedRow,
  type Scope,
  senderOf,
  sentRow,
  transferCategory,
} from '../classifier.js';

const contractPayments: PhaseClassifier = {
  phases: ['PreBlock', 'BeginBlock', 'message', 'EndBlock'],
  categories: [
    'swap',
    'contract_deposit',
    'contract_withdrawal',
    'contract_income',
    'ibc_in',
    'liquidity_add',
    'liquidity_remove',
    'community_pool_deposit',
    'token_burn',
    'transfer_in',
    'transfer_out',
    'self_transfer',
    'share_transfer_in',
    'share_transfer_out',
  ],
  classify(scope) {
    if (scope.contracts.size === 0) return;
    const payments = scope.unexplained().filter((payment) => isOfContract(payment, scope));
    const rows = payments.flatMap((payment) => contractRows(payment, scope));
    for (const [wallet, paymentsOfWallet] of byWallet(payments, scope))
      rows.push(...walletRows(wallet, paymentsOfWallet, scope));
    scope.explain(payments, rows);
    explainSends(scope); // a contract may send a wallet's coins by an authz grant
  },
};

const wasmMessages = [
  'MsgExecuteContract',
  'MsgInstantiateContract',
  'MsgInstantiateContract2',
  'MsgMigrateContract',
  'MsgStoreAndInstantiateContract',
  'MsgStoreAndMigrateContract',
  'MsgSudoContract',
].map((name) => explainedByEvents(`/cosmwasm.wasm.v1.${name}`));

/**
 * Returns true for payments between a contract that ran and a wallet, a contract or the community pool. Also returns
 * true if a contract burns coins (it pays them to the wasm module), and if tokens are minted for the caller.
 */
function isOfContract({ from, to }: Payment, scope: Scope): boolean {
  const { chain, contracts } = scope;
  if (from === to) return false;
  if (from !== null && contracts.has(from)) {
    return chain.isWallet(to) || to === chain.module('distribution') || to === chain.module('wasm');
  }
  if (to !== null && contracts.has(to)) return chain.isWallet(from);
  return from === chain.module('tokenfactory') && to === senderOf(scope);
}

function contractRows(payment: Payment, { chain, contracts }: Scope): RowDraft[] {
  const { from, to, denom } = payment;
  const rows: RowDraft[] = [];
  if (from !== null && contracts.has(from)) {
    if (to === chain.module('wasm')) rows.push(sentRow(payment, 'token_burn', { counterparty: null }));
    else if (to === chain.module('distribution')) rows.push(sentRow(payment, 'community_pool_deposit'));
    else rows.push(sentRow(payment, transferCategory('out', denom, chain)));
  }
  if (to !== null && contracts.has(to)) rows.push(receivedRow(payment, transferCategory('in', denom, chain)));
  return rows;
}

function byWallet(payments: readonly Payment[], { chain, contracts }: Scope): Map<string, Payment[]> {
  const groups = new Map<string, Payment[]>();
  for (const payment of payments) {
    for (const address of [payment.from, payment.to]) {
      if (!chain.isWallet(address) || contracts.has(address)) continue;
      const group = groups.get(address);
      if (group) group.push(payment);
      else groups.set(address, [payment]);
    }
  }
  return groups;
}

/**
 * Makes one swap row if a wallet gave one denom and received one other denom. With more denoms, it is unknown which
 * coin was exchanged for which, so one row per payment is made.
 */
function walletRows(wallet: string, payments: readonly Payment[], { chain }: Scope): RowDraft[] {
  const { given, got } = exchange(wallet, payments);
  const [sent, received] = [given[0], got[0]];
  if (given.length === 1 && got.length === 1 && sent && received) {
    const paid = payments.find(({ from, denom }) => from === wallet && denom === sent.denom)!;
    const { index: event } = payments.findLast(({ to, denom }) => to === wallet && denom === received.denom)!;
    const label = contractLabel(paid.to!, chain);
    return [{ address: wallet, category: 'swap', event, sent, received, counterparty: paid.to, detail: label }];
  }
  return payments.map((payment) => (payment.from === wallet ? paidInRow(payment, chain) : paidOutRow(payment, chain)));
}

function paidInRow(payment: Payment, chain: ChainFacts): RowDraft {
  const contract = payment.to!;
  const detail = contractLabel(contract, chain);
  return sentRow(payment, chain.contract(contract)?.paidIn ?? 'contract_deposit', { detail });
}

function paidOutRow(payment: Payment, chain: ChainFacts): RowDraft {
  const contract = payerOf(payment, chain);
  const moved = chain.isWallet(payment.from) ? undefined : chain.movedFrom(payment.denom);
  if (moved !== undefined)
    return receivedRow(payment, 'ibc_in', { counterparty: contract, detail: movedDetail(moved) });
  const detail = contractLabel(contract, chain);
  return receivedRow(payment, chain.contract(contract)?.paidOut ?? 'contract_withdrawal', {
    counterparty: contract,
    detail,
  });
}

/**
 * Returns the contract that made the payment. For minted coins, returns the creator in the denom
 * (`factory/<creator>/<name>`).
 */
const payerOf = ({ from, denom }: Payment, chain: ChainFacts): string =>
  chain.isWallet(from) ? from : (denom.split('/')[1] ?? denom);

function exchange(wallet: string, payments: readonly Payment[]): { given: Coin[]; got: Coin[] } {
  const nets = new Map<string, bigint>();
  for (const { to, denom, amount } of payments) {
    nets.set(denom, (nets.get(denom) ?? 0n) + (to === wallet ? amount : -amount));
  }
  const coins = [...nets].map(([denom, amount]) => ({ denom, amount }));
  return {
    given: coins.filter(({ amount }) => amount < 0n).map(({ denom, amount }) => ({ denom, amount: -amount })),
    got: coins.filter(({ amount }) => amount > 0n),
  };
}

export const wasm: ModuleClassifiers = {
  messages: [...wasmMessages],
  phases: [contractPayments],
};
