/**
 * ICS-27: an account here that another chain controls. Its staking and transfers are told by their own modules' events inside the
 * packet; what is left are its bank messages. A packet that was refused leaves no bank events.
 */
import { explainSends, type PhaseClassifier, toldByEvents } from '../classifier.js';

export const interchainAccountPayments: PhaseClassifier = {
  phases: ['message'],
  categories: [
    'transfer_in',
    'transfer_out',
    'self_transfer',
    'share_transfer_in',
    'share_transfer_out',
    'community_pool_deposit',
  ],
  classify(scope) {
    if (scope.eventsOf('ics27_packet').length > 0) explainSends(scope);
  },
};

/** The controller's side: a packet to another chain, whose coins are there. */
export const interchainAccountMessages = [
  toldByEvents('/ibc.applications.interchain_accounts.controller.v1.MsgRegisterInterchainAccount'),
  toldByEvents('/ibc.applications.interchain_accounts.controller.v1.MsgSendTx'),
];
