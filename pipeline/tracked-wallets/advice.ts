/** Advice for the operator on how to complete an incomplete wallet. */

export const ADD_NODE = 'Add another node to HUBLEDGER_RPC_URLS and run again';
export const ADD_ARCHIVE = 'Add an archive node to HUBLEDGER_RPC_URLS and run again';
