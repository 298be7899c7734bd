/** `hubledger accounts`: manages user accounts. */
import type { Command } from 'commander';
import { addAccount, ensureNamedAccount, makeLink } from '../../server/people/accounts/accounts.js';
import { plainName } from './arguments.js';
import { STORE_HELP, withStore } from './with-store.js';

const invite = ({ account }: { account?: string }) =>
  withStore(async (store, now, { baseUrl }) => {
    const owner = account ? await ensureNamedAccount(store, account, now) : await addAccount(store, now);
    const token = await makeLink(store, owner, now);
    console.log(
      `link that signs in to ${account ?? 'a new account'}, valid once and for one day:\n${baseUrl}/api/account/v1/link/${token}`,
    );
  });

export const examples = ['invite', 'invite --account alice'];

export function declare(accounts: Command): void {
  accounts.addHelpText('afterAll', STORE_HELP);
  accounts
    .command('invite')
    .description('print a sign-in link that works once, as the last line')
    .option(
      '--account <name>',
      "the account's name, created if missing; default: a new account without a name",
      plainName,
    )
    .action(invite);
}
