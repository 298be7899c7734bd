import { useState } from 'preact/hooks';
import type { SavedWallets } from '../../../../schemas/types.generated.js';
import { Address } from '../../parts/address.js';
import { forgetWallet } from '../../state/forget-saved.js';
import { Confirmed } from '../parts/confirmed.js';
import { Entry } from '../parts/entries.js';
import { When } from '../parts/when.js';
import { SavedContent } from './saved-content.js';

interface SavedWalletProps {
  readonly wallet: SavedWallets['wallets'][number];
  readonly forget: (act: () => Promise<unknown>) => unknown;
  /** Reloads the list after some of the wallet's entries were deleted. */
  readonly changed: () => void;
}

export function SavedWallet({ wallet, forget, changed }: SavedWalletProps) {
  const { address, decisions_saved_at: decided, opening_lots_saved_at: stated } = wallet;
  const [isOpen, setOpen] = useState(false);
  return (
    <Entry
      title={<Address value={address} />}
      facts={[
        <>
          {decided && (
            <>
              Decisions saved on <When value={decided} />.{' '}
            </>
          )}
          {stated && (
            <>
              Costs saved on <When value={stated} />.
            </>
          )}
        </>,
      ]}
      buttons={
        <>
          <a class="quiet small" href={`/#addresses=${address}`}>
            Open the report<span class="whole"> of {address}</span>
          </a>
          <Confirmed
            text="Delete"
            of={`the saved data of ${address}`}
            question="Delete the saved data of this wallet?"
            yes="Delete it"
            act={() => forget(() => forgetWallet(address))}
          >
            <p>
              Decisions and costs of <Address value={address} /> are deleted from your account and from this browser.
              Reports no longer use them. Other browsers delete their copies when you next open a report there while
              signed in.
            </p>
          </Confirmed>
        </>
      }
    >
      <details class="log" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          Saved data<span class="whole"> of {address}</span>
        </summary>
        {isOpen && <SavedContent address={address} changed={changed} />}
      </details>
    </Entry>
  );
}
