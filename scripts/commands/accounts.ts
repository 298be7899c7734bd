/** `hubledger accounts`: accounts of people. */
import type { Command } from 'commander';
import { addAccount, ensureNamedAccount } from '../../server/accounts/accounts.js';
import { makeLink } from '../../server/accounts/links.js';
import { plainName } from './plain-name.js';
import { withStore } from './with-store.js';

const invite = ({ account }: { account?: string }) =>
  withStore(async (store, now, { baseUrl }) => {
    const owner = account ? await ensureNamedAccount(store, account, now) : await addAccount(store, now);
    const token = await makeLink(store, owner, now);
    console.log(
      `signs in to ${account ?? 'a new account'}, once, within a day:\n${baseUrl}/api/account/v1/link/${token}`,
    );
  });

/** Declares the subcommands. */
export function declare(accounts: Command): void {
  accounts
    .command('invite')
    .description('print a link that signs in once; the last line is the link')
    .option(
      '--account <name>',
      "the account's name, made when missing; a new account without a name unless given",
      plainName,
    )
    .action(invite);
}
