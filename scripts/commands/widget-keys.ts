/** `hubledger widget-keys`: manages keys for sites that embed the widget with a delegator's report. */
import { type Command, InvalidArgumentError } from 'commander';
import { ConfigError } from '../../pipeline/base/config-error.js';
import { loadReference } from '../../pipeline/reference.js';
import {
  createWidgetKey,
  isOrigin,
  listWidgetKeys,
  revokeWidgetKey,
  type WidgetKey,
} from '../../server/people/accounts/widget-keys.js';
import { readAddresses } from '../../server/tax/parameters/addresses.js';
import { STORE_HELP, withStore } from './with-store.js';

function operator(text: string): string {
  const prefix = `${loadReference().chain.bech32_prefix}valoper`;
  const [address] = readAddresses([text], prefix, (message) => {
    throw new InvalidArgumentError(`It must be an operator address: ${message}.`);
  });
  return address!;
}

function origin(text: string, before: readonly string[] = []): string[] {
  if (!isOrigin(text)) {
    throw new InvalidArgumentError('An origin is scheme, host and port if not the default: https://validator.example.');
  }
  return [...new Set([...before, text])];
}

const create = ({ validator, origin: origins }: { validator: string; origin: string[] }) =>
  withStore(async (store, now) => {
    const wanted: WidgetKey = { validator, origins };
    const { id, key } = await createWidgetKey(store, wanted, now);
    console.log(`widget key ${id} of ${validator} for ${origins.join(', ')}, shown this once:\n${key}`);
  });

const list = () =>
  withStore(async (store) => {
    const keys = await listWidgetKeys(store);
    if (keys.length === 0) console.error('no widget keys');
    for (const { id, validator, origins, revoked_at, last_used_at } of keys) {
      const state = revoked_at ? 'revoked' : 'in force';
      console.log([id, validator, origins.join(','), state, `last used ${last_used_at ?? 'never'}`].join('\t'));
    }
  });

const revoke = (id: string) =>
  withStore(async (store, now) => {
    if (!(await revokeWidgetKey(store, id, now))) throw new ConfigError(`no widget key with id ${id}`);
    console.log(`widget key ${id} is revoked`);
  });

export const examples = [
  'create --validator cosmosvaloper1… --origin https://validator.example',
  'list',
  'revoke 0123456789abcdef',
];

export function declare(keys: Command): void {
  keys.addHelpText('afterAll', STORE_HELP);
  keys
    .command('create')
    .description('create a key and print it once, as the last line')
    .requiredOption('--validator <address>', "the validator's operator address", operator)
    .requiredOption('--origin <origin>', 'origin of pages that may use the key; repeatable', origin)
    .action(create);
  keys.command('list').description('list all keys with validator, origins and state').action(list);
  keys.command('revoke').description('revoke a key at once').argument('<id>').action(revoke);
}
