/**
 * Shows coins that the user moved to own places, such as an exchange or another chain, and asks which receipts brought
 * them home.
 */
import { useState } from 'preact/hooks';
import { messageOf } from '../../api/client.js';
import { PATHS } from '../../api/paths.js';
import { Address, Coins, Unfold } from '../../parts.js';
import { country } from '../../state/country.js';
import { places, transferredBody } from '../../state/homecomings.js';
import type { Report } from '../../state/report.js';
import type { Row } from '../../state/rows.js';
import { namePlace, ownersStatements, stateReturns } from '../../state/statements.js';
import { counted, grouped, isZero, sumOf } from '../../values/decimal.js';
import type { Place, PlaceReceipt } from '../../values/places.js';
import { FigureTable, Moment, Scroller, saveFile } from '../parts.js';
import { BrokerSales } from './broker-sales.js';
import { TextField } from './question.js';

const PLACES_SHOWN = 20;
const ROWS_SHOWN = 50;

export function Places({ shown }: { readonly shown: Report }) {
  const [limit, setLimit] = useState(PLACES_SHOWN);
  const all = places.value;
  return (
    <>
      <p>
        You moved coins to these places, and they are still yours there. Coins that only come home keep the cost and the
        date that they had. If you do not answer, coins that come back have an unknown cost.
      </p>
      <CostPapers shown={shown} />
      <ul class="items">
        {all.slice(0, limit).map((place) => (
          <PlaceItem key={place.key} place={place} />
        ))}
      </ul>
      {all.length > limit && (
        <p>
          <button type="button" class="quiet small" onClick={() => setLimit(limit + PLACES_SHOWN)}>
            Show more of the other {counted(all.length - limit, 'place')}
          </button>
        </p>
      )}
    </>
  );
}

const PlaceItem = ({ place }: { readonly place: Place<Row> }) => (
  <li class="item place">
    <div class="item-head">
      <h4>{place.name === place.addresses[0]!.id ? <Address value={place.name} /> : place.name}</h4>
      {place.name !== place.addresses[0]!.id && (
        <p class="fine">
          {place.addresses.map(({ address, id }, i) => (
            <span key={`${address} ${id}`}>
              {i > 0 && ', '}
              <Address value={id} />
            </span>
          ))}
        </p>
      )}
    </div>
    <Scroller label={`Amounts: ${place.key}`}>
      <FigureTable
        caption={`Coins that you sent to ${place.name}, and that came from there`}
        columns={['Coin', 'Sent', 'Came back', 'Still away']}
        rows={place.coins.map(({ symbol, sent, came, away }) => [
          symbol,
          <Amount value={sent} />,
          <Amount value={came} />,
          away.startsWith('-') ? (
            <>
              none; <Amount value={away.slice(1)} /> more came back
            </>
          ) : (
            <Amount value={away} />
          ),
        ])}
      />
    </Scroller>
    {place.receipts.length > 0 && <Returns place={place} />}
    {!country.value && place.chain === undefined && place.lots.length > 0 && (
      <Unfold summary="Compare with your broker’s Form 1099-DA">
        {() => <BrokerSales lots={place.lots} place={place.key} />}
      </Unfold>
    )}
    {place.chain === undefined && ownersStatements.value === '' && (
      <Unfold summary={place.name === place.addresses[0]!.id ? 'Name this place' : 'Change its name'}>
        {() => <NameForm place={place} />}
      </Unfold>
    )}
  </li>
);

const Amount = ({ value }: { readonly value: string }) =>
  isZero(value) ? (
    <>none</>
  ) : (
    <data class="figure" value={value}>
      {grouped(value)}
    </data>
  );

/** Asks about all receipts of a place, or about each. */
function Returns({ place: { receipts, name } }: { readonly place: Place<Row> }) {
  const rows = receipts.map(({ row }) => row);
  const open = receipts.filter(({ answer }) => answer === undefined);
  const answers = new Set(receipts.map(({ answer }) => answer));
  const common = answers.size === 1 ? [...answers][0] : undefined;
  const isProposed = open.length > 0 && open.every(({ isProbable }) => isProbable);
  return (
    <>
      <p>
        <strong>Are these the coins that you had sent there?</strong> {counted(rows.length, 'incoming transfer')}
        {open.length > 0 && open.length < rows.length && `, ${open.length} without an answer`}
        {isProposed && ': probably yes, because they came over the same channel within a year'}
      </p>
      <Choice
        {...{ rows, answer: common, isProposed, name }}
        words={rows.length > 1 ? [`Yes, all ${rows.length}`, 'No, none of them'] : ['Yes', 'No']}
      />
      {rows.length > 1 && (
        <Unfold summary="Answer each">{() => <EachReceipt receipts={receipts} name={name} />}</Unfold>
      )}
    </>
  );
}

interface ChoiceProps {
  readonly rows: readonly Row[];
  readonly answer: PlaceReceipt['answer'];
  readonly isProposed: boolean;
  /** Name of the place. */
  readonly name: string;
  readonly words: readonly [yes: string, no: string];
}

const Choice = ({ rows, answer, isProposed, name, words: [yes, no] }: ChoiceProps) => (
  <fieldset class="choices" disabled={ownersStatements.value !== ''}>
    <legend class="whole">
      {counted(rows.length, 'incoming transfer')} from {name}, first on {rows[0]!.date.slice(0, 10)}: had you sent these
      coins there?
    </legend>
    <button
      type="button"
      class={isProposed && answer === undefined ? 'button small' : 'quiet small'}
      aria-pressed={answer === 'yes'}
      onClick={() => stateReturns(rows, answer === 'yes' ? undefined : true)}
    >
      {yes}
    </button>
    <button
      type="button"
      class="quiet small"
      aria-pressed={answer === 'no'}
      onClick={() => stateReturns(rows, answer === 'no' ? undefined : false)}
    >
      {no}
    </button>
  </fieldset>
);

const EachReceipt = ({
  receipts,
  name,
}: {
  readonly receipts: readonly PlaceReceipt<Row>[];
  readonly name: string;
}) => (
  <ul class="rows-of-group">
    {receipts.slice(0, ROWS_SHOWN).map(({ row, answer, isProbable }) => (
      <li key={row.id}>
        <p>
          <Moment value={row.date} withTime /> · <Coins value={row.receivedAmount} symbol={row.receivedCurrency} />
          {isProbable && answer === undefined && ' · probably yes'}
        </p>
        <Choice {...{ rows: [row], answer, isProposed: isProbable, name, words: ['Yes', 'No'] }} />
      </li>
    ))}
    {receipts.length > ROWS_SHOWN && (
      <li class="fine">
        {receipts.length - ROWS_SHOWN} more, with{' '}
        {sumOf(receipts.slice(ROWS_SHOWN).map(({ row }) => row.receivedAmount))} coins: answer all of them above.
      </li>
    )}
  </ul>
);

function NameForm({ place: { addresses, name } }: { readonly place: Place<Row> }) {
  const [text, setText] = useState(name === addresses[0]!.id ? '' : name);
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    namePlace(addresses, text.trim());
  };
  return (
    <form class="inline-form" onSubmit={save} noValidate>
      <TextField
        id={`place-${addresses[0]!.id}`}
        label="Name, such as your exchange"
        hint="Addresses with the same name are one place."
        value={text}
        change={setText}
      />
      <div class="actions">
        <button type="submit" class="button small">
          Use this name
        </button>
      </div>
    </form>
  );
}

const PAPERS = ['pdf', 'csv'] as const;

/** Downloads the lots of all sends to own places, up to the end of the period. Their costs are in US dollars. */
export function CostPapers({ shown }: { readonly shown: Report }) {
  const [news, setNews] = useState('');
  if (country.value) return null;
  const take = async (format: (typeof PAPERS)[number]) => {
    setNews('Making…');
    try {
      setNews(`Saved as ${await saveFile(PATHS.transferred, { ...transferredBody(shown), format })}`);
    } catch (error) {
      setNews(messageOf(error));
    }
  };
  return (
    <p class="papers">
      <span>Cost and dates of all coins that you moved to your own places, by receiver:</span>
      {PAPERS.map((format) => (
        <button key={format} type="button" class="quiet small" onClick={() => void take(format)}>
          <span class="whole">Download them as </span>
          {format.toUpperCase()}
        </button>
      ))}
      <span class="fine" role="status">
        {news}
      </span>
    </p>
  );
}
