import type { SavedWallets } from '../../../../schemas/types.generated.js';
import { PATHS } from '../../api/paths.js';
import { Section } from '../../parts/section.js';
import { forgetAll } from '../../state/forget-saved.js';
import { Confirmed } from '../parts/confirmed.js';
import { Entries } from '../parts/entries.js';
import { Failure } from '../parts/failure.js';
import { useAccountList } from '../parts/use-own.js';
import { InBrowser } from './in-browser.js';
import { SavedWallet } from './saved-wallet.js';

export function Saved() {
  const { list, isBusy, failure, reload, remove } = useAccountList<SavedWallets>(PATHS.saved);
  const wallets = list?.wallets ?? [];
  const forget = (act: () => Promise<unknown>) => remove(act, 'saved');
  const all = wallets.length > 0 && (
    <Confirmed
      text="Delete all"
      of="saved data"
      question="Delete all saved data?"
      yes="Delete it"
      act={() => forget(forgetAll)}
    >
      <p>
        All decisions and costs of every wallet are deleted, and all data in this browser, including tags. Reports no
        longer use them.
      </p>
    </Confirmed>
  );
  return (
    <Section id="saved" title="Saved data" aside={all} isBusy={isBusy}>
      <p class="lead">
        Your decisions about incoming transfers, and the cost of coins from before the records begin. They apply to
        every report that you open while signed in.
      </p>
      <Failure text={failure} />
      {list && wallets.length === 0 && <p class="fine">You have no saved data.</p>}
      <Entries label="Wallets">
        {wallets.map((wallet) => (
          <SavedWallet key={wallet.address} wallet={wallet} forget={forget} changed={() => void reload()} />
        ))}
      </Entries>
      <InBrowser />
    </Section>
  );
}
