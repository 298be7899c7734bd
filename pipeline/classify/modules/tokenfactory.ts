/** x/tokenfactory: denoms that anybody may create, and mint to whomever. */
import {
  type EventClassifier,
  explainEach,
  movedDetail,
  type Payment,
  receivedRow,
  type Scope,
  type ScopedEvent,
  senderOf,
  sentRow,
  toldByEvents,
} from '../classifier.js';

/** The price of a new denom goes to the community pool. */
export const createDenom: EventClassifier = {
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
 * Minted to who asked for it: own tokens; to somebody else: given unasked. Coins that moved here from another chain were their
 * receiver's there, whoever mints them. What a contract mints for the wallet that called it is left to the contract's own classifier,
 * since the wallet may have paid for it.
 */
export const mint: EventClassifier = {
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

/** Burned by its holder: no other burning is enabled. */
export const burn: EventClassifier = {
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

/** Messages whose effects events alone tell. The Hub refuses each MsgForceTransfer; what one moved would be `unclassified`. */
export const tokenfactoryMessages = [
  toldByEvents(MINT),
  toldByEvents('/osmosis.tokenfactory.v1beta1.MsgBurn'),
  toldByEvents('/osmosis.tokenfactory.v1beta1.MsgCreateDenom'),
  toldByEvents('/osmosis.tokenfactory.v1beta1.MsgForceTransfer'),
];

/**
 * Finds the account that asked for the mint, which the event does not say: the message's sender; inside a contract or an interchain
 * account the creator of the denom (`factory/<creator>/<name>`), who is its admin unless that was given away.
 */
function minterOf(event: ScopedEvent, scope: Scope): string {
  const sender = scope.message?.typeUrl === MINT ? senderOf(scope) : undefined;
  return sender ?? scope.coins(event, 'amount')[0]?.denom.split('/')[1] ?? '';
}
