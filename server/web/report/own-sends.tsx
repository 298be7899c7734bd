/** Warns beside a download about sends to own accounts that the program would count as sold. */
import { useEffect, useState } from 'preact/hooks';
import type { OwnReceiver, OwnSends } from '../../../schemas/types.generated.js';
import { isAbort, messageOf, post } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { Address, Usd } from '../parts.js';
import { countedOnly, isUsual } from '../state/country.js';
import type { Report } from '../state/report.js';
import { instantsOf, requestBody } from '../state/statements.js';
import { counted } from '../values/decimal.js';
import { Missing } from './parts.js';

/** Longer lists of receivers are folded. */
const RECEIVERS_UNFOLDED = 3;
const RECEIVERS_SHOWN = 200;
/** Receivers that are named of a payment to several receivers. */
const ADDRESSES_SHOWN = 10;

interface OwnSendsNoticeProps {
  readonly profile: string;
  /** Name of the program. */
  readonly program: string;
  readonly shown: Report;
}

export function OwnSendsNotice({ profile, program, shown }: OwnSendsNoticeProps) {
  const [found, setFound] = useState<OwnSends>();
  const [failure, setFailure] = useState('');
  const [tries, setTries] = useState(0);
  const isPossible = hasOwnTransfers(shown);
  useEffect(() => {
    if (!isPossible) return;
    const abort = new AbortController();
    setFound(undefined);
    setFailure('');
    const { timezone: _, ...body } = countedOnly(requestBody(shown.query, shown.stated), shown.stated);
    const request = { ...body, ...instantsOf(shown.query, shown.stated), profile };
    post<OwnSends>(PATHS.ownSends, request, abort.signal).then(
      setFound,
      (error) => isAbort(error) || setFailure(messageOf(error)),
    );
    return () => abort.abort();
  }, [shown, profile, tries]);
  if (!isPossible) return null;
  if (failure) return <Missing message={failure} tryAgain={() => setTries(tries + 1)} />;
  if (!found) return <span aria-busy="true" />;
  if (found.count === 0) return null;
  const isOne = found.count === 1;
  return (
    <div class="notice own-sends">
      <p>
        <strong>
          {isOne
            ? '1 send went to your own account: add this account'
            : `${counted(found.count, 'send')} went to your own accounts: add these accounts`}{' '}
          in {program} too, or {program} counts {isOne ? 'it' : 'them'} as sold
          {isUsual.value && (
            <>
              {' '}
              (<Worth of={found} />)
            </>
          )}
          .
        </strong>
      </p>
      <Receivers receivers={found.receivers} />
    </div>
  );
}

/** Saves a request if no coins went to own accounts. */
const hasOwnTransfers = ({ summary }: Report): boolean =>
  summary.total.reliefs.some(({ kind, count, refunds }) => kind === 'own_transfer' && count > refunds);

/** Shows the sum of the sends with a price, and how many have none. */
const Worth = ({ of }: { readonly of: OwnReceiver | OwnSends }) => (
  <>
    {of.value_usd !== '' && <Usd value={of.value_usd} />}
    {of.value_usd !== '' && of.without_price > 0 && ', and '}
    {of.without_price > 0 &&
      (of.without_price === of.count ? 'no price is known' : `${of.without_price} without a price`)}
  </>
);

function Receivers({ receivers }: { readonly receivers: readonly OwnReceiver[] }) {
  const shown = receivers.slice(0, RECEIVERS_SHOWN);
  const list = (
    <ul>
      {shown.map((receiver) => (
        <li key={receiver.addresses.join()}>
          <Names addresses={receiver.addresses} />: {counted(receiver.count, 'send')}
          {isUsual.value && (
            <>
              , <Worth of={receiver} />
            </>
          )}
        </li>
      ))}
      {receivers.length > shown.length && <li>{receivers.length - shown.length} more receivers</li>}
    </ul>
  );
  if (receivers.length <= RECEIVERS_UNFOLDED) return list;
  return (
    <details class="how">
      <summary>The {counted(receivers.length, 'receiver')}</summary>
      {list}
    </details>
  );
}

function Names({ addresses }: { readonly addresses: readonly string[] }) {
  if (addresses.length === 0) return <>A receiver that the chain does not record</>;
  const more = addresses.length - ADDRESSES_SHOWN;
  return (
    <>
      {addresses.slice(0, ADDRESSES_SHOWN).map((address, i) => (
        <>
          {i > 0 && ', '}
          <Address value={address} />
        </>
      ))}
      {more > 0 && ` and ${more} more`}
    </>
  );
}
