import type { SavedWallets } from '../../../../schemas/types.generated.js';
import { PATHS } from '../../api/paths.js';
import { Section } from '../../parts/section.js';
import { forgetAll } from '../../state/forget-saved.js';
import { Confirmed } from '../parts/confirmed.js';
import { Entries } from '../parts/entries.js';
import { Failure } from '../parts/failure.js';
import { useOwn } from '../parts/use-own.js';
import { InBrowser } from './in-browser.js';
import { SavedWallet } from './saved-wallet.js';

export function Saved() {
  const { list, isBusy, failure, reload, remove } = useOwn<SavedWallets>(PATHS.saved);
  const wallets = list?.wallets ?? [];
  const forget = (act: () => Promise<unknown>) => remove(act, 'saved');
  const all = wallets.length > 0 && (
    <Confirmed
      text="Delete all"
      of="that is saved"
      question="Delete all that is saved?"
      yes="Delete it"
      act={() => forget(forgetAll)}
    >
      <p>
        Every decision and cost that you have entered is deleted, for every wallet, and so is what this browser keeps,
        tags included. Reports are then made without them.
      </p>
    </Confirmed>
  );
  return (
    <Section id="saved" title="What you have saved" aside={all} isBusy={isBusy}>
      <p class="lead">
        Your decisions about receipts, and costs of coins from before the records begin. They count in every report that
        you make while signed in.
      </p>
      <Failure text={failure} />
      {list && wallets.length === 0 && <p class="fine">You have not saved anything.</p>}
      <Entries label="Wallets">
        {wallets.map((wallet) => (
          <SavedWallet key={wallet.address} wallet={wallet} forget={forget} changed={() => void reload()} />
        ))}
      </Entries>
      <InBrowser />
    </Section>
  );
}
