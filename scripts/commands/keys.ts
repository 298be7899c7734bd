/** `hubledger keys`: manages personal API keys. */
import { type Command, InvalidArgumentError } from 'commander';
import { ConfigError, VariableError } from '../../pipeline/base/config-error.js';
import { isDay } from '../../pipeline/base/values/day.js';
import { DEFAULT_LIMIT, KEY_LIMIT_MAX, keyLimit, readConfig } from '../../pipeline/config.js';
import type { Scope } from '../../schemas/types.generated.js';
import { type KeyLimit, type ListedKey, SCOPES } from '../../server/people/accounts/keys.js';
import { quoted } from '../explain/words.js';
import { plainName } from './arguments.js';
import { atDesk } from './with-store.js';

function scopes(text: string): Scope[] {
  const words = text.split(',').map((word) => word.trim());
  for (const word of words) {
    if (!SCOPES.some((scope) => scope === word)) throw new InvalidArgumentError(`Scopes are ${SCOPES.join(', ')}.`);
  }
  return [...new Set(words)] as Scope[];
}

function instant(text: string): Date {
  const date = new Date(text);
  if (!/^.{10}(T\d\d:\d\d:\d\dZ)?$/.test(text) || !isDay(text.slice(0, 10)) || Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError('It must be a UTC day or instant such as 2027-01-01T00:00:00Z.');
  }
  return date;
}

function limitOf(text: string): KeyLimit {
  const { tiers } = readConfig();
  if (text === DEFAULT_LIMIT) return { rate_limit: null, tier: null };
  if (tiers.has(text)) return { rate_limit: null, tier: text };
  const requests = keyLimit(text);
  if (requests !== undefined) return { rate_limit: requests, tier: null };
  const names = tiers.size === 0 ? 'none is set' : [...tiers.keys()].join(', ');
  throw new InvalidArgumentError(
    `It must be a whole number from 1 to ${KEY_LIMIT_MAX}, ${DEFAULT_LIMIT}, or a tier of HUBLEDGER_TIERS (${names}).`,
  );
}

interface Output {
  readonly json?: true;
}

interface KeyOptions extends Output {
  readonly account: string;
  readonly scopes: Scope[];
  readonly name: string;
  readonly expires?: Date;
}

const create = ({ account, scopes, name, expires, json }: KeyOptions) =>
  atDesk(async (desk, now) => {
    if (expires && expires <= now) throw new VariableError('--expires must be in the future');
    const { id, key } = await desk.createKey({ account, name, scopes, expires: expires?.toISOString() ?? null });
    console.log(json ? JSON.stringify({ id, account, key }) : `key ${id} of ${account}, shown this once:\n${key}`);
  });

const list = ({ json }: Output) =>
  atDesk(async (desk, now) => {
    const keys = await desk.listKeys();
    const states = keys.map((key) => ({ ...key, state: stateOf(key, now) }));
    if (json) return console.log(JSON.stringify(states, null, 1));
    if (keys.length === 0) console.error('no keys');
    for (const { id, account, name, scopes, state, last_used_at, ...limit } of states) {
      const used = last_used_at ? `used ${last_used_at.slice(0, 13)}h` : 'never used';
      const shown = quoted(name).slice(1, -1); // quoted, because users choose the names of keys
      console.log([id, account, shown, scopes.join(','), state, used, limitWords(limit)].join('\t'));
    }
  });

function stateOf({ expires_at, revoked_at }: ListedKey, now: Date): 'revoked' | 'expired' | 'in force' {
  const isExpired = expires_at !== null && Date.parse(expires_at) <= now.getTime();
  return revoked_at ? 'revoked' : isExpired ? 'expired' : 'in force';
}

function limitWords({ rate_limit, tier }: KeyLimit): string {
  if (tier !== null && rate_limit === null) return `default limit, because HUBLEDGER_TIERS has no tier ${tier}`;
  if (rate_limit === null) return 'default limit';
  return `${tier === null ? '' : `${tier}: `}${rate_limit} requests a minute`;
}

const limit = (id: string, wanted: KeyLimit, { json }: Output) =>
  atDesk(async (desk) => {
    if (!(await desk.limitKey(id, wanted))) throw new ConfigError(`no key with id ${id}`);
    const key = (await desk.listKeys()).find((one) => one.id === id)!;
    const { rate_limit, tier } = key;
    console.log(json ? JSON.stringify({ id, rate_limit, tier }) : `key ${id} has the limit: ${limitWords(key)}`);
  });

const revoke = (id: string, { json }: Output) =>
  atDesk(async (desk) => {
    if (!(await desk.revokeKey(id))) throw new ConfigError(`no key with id ${id}`);
    console.log(json ? JSON.stringify({ id, state: 'revoked' }) : `key ${id} is revoked`);
  });

const JSON_HELP = 'print JSON, for programs';

export const examples = [
  'create --account alice --scopes tax:read,wasm:read',
  'list',
  'limit 0123456789abcdef 600',
  'revoke 0123456789abcdef',
];

export function declare(keys: Command): void {
  keys
    .command('create')
    .description('create a key and print it once, as the last line')
    .requiredOption('--account <name>', "the account's name, created if missing", plainName)
    .requiredOption('--scopes <list>', `permissions, separated by commas: ${SCOPES.join(', ')}`, scopes)
    .option('--name <text>', "the key's own name", plainName, 'command line')
    .option('--expires <day or instant>', 'day or time (UTC) at which the key expires; default: never', instant)
    .option('--json', JSON_HELP)
    .action(create);
  keys
    .command('list')
    .description('list all keys with account, scopes, state, last use and limit')
    .option('--json', JSON_HELP)
    .action(list);
  keys
    .command('limit')
    .description("set a key's requests of the tax API a minute; servers apply it within a second")
    .argument('<id>')
    .argument('<limit>', `a number, a tier of HUBLEDGER_TIERS, or ${DEFAULT_LIMIT}`, limitOf)
    .option('--json', JSON_HELP)
    .action(limit);
  keys
    .command('revoke')
    .description('revoke a key; servers refuse it within a second')
    .argument('<id>')
    .option('--json', JSON_HELP)
    .action(revoke);
}
