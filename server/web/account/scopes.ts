import type { Scope } from '../../../schemas/types.generated.js';

export const OFFERED: readonly Scope[] = ['tax:read', 'tax:write', 'upgrades:webhooks', 'wasm:read'];

const WORDS: Readonly<Record<Scope, string>> = {
  'tax:read': 'read balances, events and prices with a quota of your own, and what you have saved',
  'tax:write': 'replace and delete what you have saved, and send corrections',
  'upgrades:webhooks': 'manage messages about upgrades (webhooks)',
  'wasm:read': 'read contracts',
  'snapshots:read': 'read the catalog of snapshots',
  'snapshots:download': 'download snapshots',
  'faucet:request': 'ask for testnet coins',
};

export const wordsOf = (scope: Scope): string => WORDS[scope];
