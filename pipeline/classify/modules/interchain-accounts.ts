/**
 * ICS-27: an account here that another chain controls. Its staking and transfers are told by their own modules' events inside the
 * packet; what is left are its bank messages. A packet that was refused leaves no bank events.
 */
import { type MessageClassifier, type PhaseClassifier, plainSend } from '../classifier.js';

export const interchainAccountPayments: PhaseClassifier = {
  phases: ['message'],
  categories: ['transfer_in', 'transfer_out', 'share_transfer_in', 'share_transfer_out', 'community_pool_deposit'],
  classify(scope) {
    if (scope.eventsOf('ics27_packet').length === 0) return;
    for (const payment of scope.unexplained()) {
      const rows = plainSend(payment, scope.chain);
      if (rows) scope.explain([payment], rows);
    }
  },
};

const message = (typeUrl: string): MessageClassifier => ({ typeUrl, categories: [] });

/** The controller's side: a packet to another chain, whose coins are there. */
export const interchainAccountMessages: readonly MessageClassifier[] = [
  message('/ibc.applications.interchain_accounts.controller.v1.MsgRegisterInterchainAccount'),
  message('/ibc.applications.interchain_accounts.controller.v1.MsgSendTx'),
];
