import {
  type ChainFacts,
  type EventClassifier,
  explainEach,
  explainedByEvents,
  type MessageClassifier,
  type ModuleClassifiers,
  movedDetail,
  NOT_REVIEWED,
  type Payment,
  type PhaseClassifier,
  type ReviewedAct,
  type RowDraft,
  receivedRow,
  type Scope,
  type ScopedEvent,
  selfTransferRow,
  senderOf,
  sentRow,
  transferCategory,
} from '../classifier.js';

const msgSend: MessageClassifier = {
  typeUrl: '/cosmos.bank.v1beta1.MsgSend',
  categories: ['transfer_in', 'transfer_out', 'self_transfer', 'share_transfer_in', 'share_transfer_out'],
  classify: classifySends,
};

const msgMultiSend: MessageClassifier = {
  typeUrl: '/cosmos.bank.v1beta1.MsgMultiSend',
  categories: msgSend.categories,
  classify: classifySends,
};

function classifySends(scope: Scope): void {
  const payments = scope.unexplained();
  const selfTransfers = payments.filter(({ from, to }) => from === to);
  const sent = payments.filter(({ from, to }) => from !== to);
  scope.explain(selfTransfers, selfTransfers.map(selfTransferRow));
  scope.explain(sent, [
    ...byPayerAndDenom(sent).map((group) => transferOut(group, scope)),
    ...sent
      .filter(({ to }) => to !== null)
      .map((payment) => receivedRow(payment, transferCategory('in', payment.denom, scope.chain))),
  ]);
}

function transferOut(group: readonly Payment[], scope: Scope): RowDraft {
  const [first] = group as [Payment];
  const amount = group.reduce((sum, payment) => sum + payment.amount, 0n);
  const receivers = new Map<string | null, bigint>();
  for (const payment of group) receivers.set(payment.to, (receivers.get(payment.to) ?? 0n) + payment.amount);
  return {
    ...sentRow(first, transferCategory('out', first.denom, scope.chain)),
    sent: { denom: first.denom, amount },
    counterparty: receivers.size === 1 ? first.to : null,
    ...(receivers.size > 1 ? { detail: describeReceivers(receivers) } : {}),
  };
}

/** Receivers that a row names. Payments of exchanges and airdrops have hundreds. */
const RECEIVERS_NAMED_MAX = 100;

/**
 * Returns a text such as `To 2 receivers, in base units: cosmos1… 400, cosmos1… 600`. The report page reads the
 * receivers from this text.
 */
function describeReceivers(receivers: ReadonlyMap<string | null, bigint>): string {
  const all = [...receivers];
  const [named, others] = [all.slice(0, RECEIVERS_NAMED_MAX), all.slice(RECEIVERS_NAMED_MAX)];
  const rest = others.reduce((sum, [, amount]) => sum + amount, 0n);
  const words = named.map(([to, amount]) => `${to ?? 'unknown'} ${amount}`);
  if (others.length > 0) words.push(`${others.length} others ${rest}`);
  return `To ${all.length} receivers, in base units: ${words.join(', ')}`;
}

function byPayerAndDenom(payments: readonly Payment[]): Payment[][] {
  const groups = new Map<string, Payment[]>();
  for (const payment of payments) {
    if (payment.from === null) continue;
    const key = `${payment.from} ${payment.denom}`;
    const group = groups.get(key);
    if (group) group.push(payment);
    else groups.set(key, [payment]);
  }
  return [...groups.values()];
}

/**
 * Returns the classifier of a message of x/auth/vesting. The receipt contains the whole amount, because no event
 * reports when coins become spendable.
 */
const message = (name: string): MessageClassifier => ({
  typeUrl: `/cosmos.vesting.v1beta1.${name}`,
  categories: ['transfer_out', 'vesting_receipt'],
  classify: classifyGrant,
});

const vestingMessages: readonly MessageClassifier[] = [
  message('MsgCreateVestingAccount'),
  message('MsgCreatePermanentLockedAccount'),
  message('MsgCreatePeriodicVestingAccount'),
];

function classifyGrant(scope: Scope): void {
  const grants = scope.unexplained().filter(({ from, to }) => from !== null && to !== null);
  scope.explain(
    grants,
    grants.flatMap((payment) => [
      sentRow(payment, 'transfer_out', { detail: 'Into a new vesting account' }),
      receivedRow(payment, 'vesting_receipt'),
    ]),
  );
}

/**
 * Classifies the creation of a denom. In x/tokenfactory, anyone can create denoms and mint their tokens to any account.
 */
const createDenom: EventClassifier = {
  eventType: 'create_denom',
  categories: ['community_pool_deposit'],
  classify(event, scope) {
    const creator = event.address('creator');
    const pool = scope.chain.module('distribution');
    const fees = scope.unexplained({ before: event.index }).filter(({ from, to }) => from === creator && to === pool);
    const detail = `Fee for creating ${event.get('new_token_denom')}`;
    explainEach(scope, fees, (payment) => sentRow(payment, 'community_pool_deposit', { detail }));
  },
};

/**
 * Classifies minted tokens: as own tokens if the minter receives them, otherwise as an airdrop. Coins that were moved
 * here from another chain already belonged to the receiver. Skips tokens that a contract mints for its caller, because
 * the caller may have paid for them. wasm.ts classifies these.
 */
const mint: EventClassifier = {
  eventType: 'tf_mint',
  categories: ['token_mint', 'airdrop', 'ibc_in'],
  classify(event, scope) {
    const module = scope.chain.module('tokenfactory');
    const receiver = event.address('mint_to_address');
    const minter = minterOf(event, scope);
    if (scope.contracts.has(minter) && receiver === senderOf(scope)) return;
    const isMinted = ({ from, to }: Payment) => from === module && to === receiver;
    const category = receiver === minter ? 'token_mint' : 'airdrop';
    const counterparty = receiver === minter ? null : minter;
    explainEach(scope, scope.sendBefore(event, scope.coins(event, 'amount'), isMinted), (payment) => {
      const from = scope.chain.movedFrom(payment.denom);
      if (from === undefined) return receivedRow(payment, category, { counterparty });
      return receivedRow(payment, 'ibc_in', { counterparty: minter, detail: movedDetail(from) });
    });
  },
};

const burn: EventClassifier = {
  eventType: 'tf_burn',
  categories: ['token_burn'],
  classify(event, scope) {
    const module = scope.chain.module('tokenfactory');
    const holder = event.address('burn_from_address');
    const isBurned = ({ from, to }: Payment) => from === holder && to === module;
    const burned = scope.sendBefore(event, scope.coins(event, 'amount'), isBurned);
    explainEach(scope, burned, (payment) => sentRow(payment, 'token_burn', { counterparty: null }));
  },
};

const MINT = '/osmosis.tokenfactory.v1beta1.MsgMint';

const tokenfactoryMessages = [
  explainedByEvents(MINT),
  explainedByEvents('/osmosis.tokenfactory.v1beta1.MsgBurn'),
  explainedByEvents('/osmosis.tokenfactory.v1beta1.MsgCreateDenom'),
  explainedByEvents('/osmosis.tokenfactory.v1beta1.MsgForceTransfer'),
];

/**
 * Finds the minter, because the event does not name it. For a mint message, the minter is the sender. In other scopes,
 * it is assumed to be the creator in the denom (`factory/<creator>/<name>`), who is its admin by default.
 */
function minterOf(event: ScopedEvent, scope: Scope): string {
  const sender = scope.message?.typeUrl === MINT ? senderOf(scope) : undefined;
  return sender ?? scope.coins(event, 'amount')[0]?.denom.split('/')[1] ?? '';
}

/**
 * Classifies transaction fees. The ante handler moves the whole fee from the payer, or from the granter of a fee
 * allowance, to a collector. x/feemarket keeps its share and pays the rest to the block's proposer as a tip.
 * x/feemarket accepts only one coin per fee. While x/feemarket is disabled, a fee may have several coins, and then
 * several rows. Failed transactions pay fees too.
 */
const transactionFee: PhaseClassifier = {
  phases: ['ante', 'post'],
  categories: ['fee', 'fee_failed'],
  classify(scope) {
    const { chain } = scope;
    const fees = scope
      .unexplained()
      .filter(({ from, to }) => chain.isWallet(from) && to !== null && chain.feeCollectors.includes(to));
    for (const payments of byPayerAndDenom(fees)) scope.explain(payments, [feeRow(payments, scope)]);
  },
};

/**
 * Classifies tips. A tip is paid to the account with the same bytes as the proposer's consensus address. A tip is not
 * commission.
 */
const proposerTip: PhaseClassifier = {
  phases: ['ante', 'post'],
  categories: ['transfer_in'],
  classify(scope) {
    const { chain } = scope;
    const isTip = ({ from, to }: Payment) => from !== null && chain.feeCollectors.includes(from) && chain.isWallet(to);
    const detail = "Tip of a transaction's fee to the block's proposer";
    explainEach(scope, scope.unexplained().filter(isTip), (tip) => receivedRow(tip, 'transfer_in', { detail }));
  },
};

function feeRow(payments: readonly Payment[], scope: Scope): RowDraft {
  const [{ from, denom, index }] = payments as [Payment];
  const grant = scope.events.find((event) => event.type === 'use_feegrant' && event.get('granter') === from);
  const details = [
    ...(grant ? [`Fee allowance used by ${grant.get('grantee')}`] : []),
    ...(scope.succeeded ? [] : ['Failed transaction']),
  ];
  return {
    address: from!,
    category: scope.succeeded ? 'fee' : 'fee_failed',
    event: index,
    fee: { denom, amount: payments.reduce((sum, { amount }) => sum + amount, 0n) },
    detail: details.join('; '),
  };
}

/**
 * Treatment of coins that the chain software moves before a block's transactions (at a fork or in an upgrade handler)
 * without a reviewed chain act. No message or event reports such a move. A chain act (data/reference/chain-acts.json)
 * describes it. Without an act, the coins count as moved into or out of escrow, so no disposal arises. BeginBlock
 * payments of modules without an act stay unclassified.
 */
const UNREVIEWED: ReviewedAct = {
  sentAs: 'contract_deposit',
  receivedAs: 'contract_withdrawal',
  escrow: undefined,
  detail: NOT_REVIEWED,
};

const chainActs: PhaseClassifier = {
  phases: ['PreBlock', 'BeginBlock'],
  categories: [
    ...['contract_deposit', 'community_pool_deposit', 'transfer_out', 'self_transfer'],
    ...['contract_withdrawal', 'community_pool_income', 'transfer_in', 'vesting_receipt'],
  ],
  classify(scope) {
    const { chain, phase, height } = scope;
    for (const payment of scope.unexplained()) {
      const isMove = phase === 'PreBlock' || (chain.isWallet(payment.from) && chain.isWallet(payment.to));
      const act = chain.actOf(payment, height) ?? (isMove ? UNREVIEWED : undefined);
      if (act) scope.explain([payment], rowsOf(payment, act, chain));
    }
  },
};

function rowsOf(payment: Payment, { sentAs, receivedAs, escrow, detail }: ReviewedAct, chain: ChainFacts): RowDraft[] {
  const { from, to } = payment;
  if (from === to) return [selfTransferRow(payment)];
  const rows: RowDraft[] = [];
  if (chain.isWallet(from)) rows.push(sentRow(payment, sentAs, { detail }));
  if (chain.isWallet(to)) rows.push(receivedRow(payment, receivedAs, { counterparty: escrow ?? from, detail }));
  return rows;
}

export const bank: ModuleClassifiers = {
  events: [createDenom, mint, burn],
  messages: [msgSend, msgMultiSend, ...vestingMessages, ...tokenfactoryMessages],
  phases: [transactionFee, proposerTip, chainActs],
};
