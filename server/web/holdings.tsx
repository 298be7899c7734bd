/** Renders the page of holdings: what wallets held at an instant, as a sheet of one page. */

import { render } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { USUAL } from '../../pipeline/books/terms.js';
import type { HeldAsset, HeldWallet, HoldingsAt } from '../../schemas/types.generated.js';
import { AddressForm } from './address-form.js';
import { messageOf } from './api/client.js';
import { PATHS } from './api/paths.js';
import { Address, Section, Usd } from './parts.js';
import { FigureTable, Missing, Scroller, saveFile } from './report/parts.js';
import { dataset, datasetFailure, findDataset } from './state/dataset.js';
import { edges } from './state/edges.js';
import { ask, asked, bodyOf, failure, fields, held } from './state/held.js';
import { statements, zoneIn } from './state/statements.js';
import { UTC } from './state/zone.js';
import { shortened } from './values/addresses.js';
import { dayBefore, readableDay, readableInstant, typedInstant } from './values/dates.js';
import { counted, grouped, isZero } from './values/decimal.js';
import { edgeWords } from './values/edge-words.js';
import { fragmentOf, type HoldingsQuery, LAST_BLOCK } from './values/holdings-query.js';
import { LOCALE } from './values/language.js';
import { ZoneField } from './zone-field.js';

const USUAL_CODE = USUAL.currency.code;

function HoldingsPage() {
  const query = asked.value;
  const title = query ? titleOf(query) : 'Holdings on a day';
  useEffect(() => {
    document.title = `${title} · hubledger`;
  }, [title]);
  const shown = held.value;
  const problem = failure.value || datasetFailure.value;
  const tryAgain = () => (query ? ask(query) : void findDataset());
  return (
    <div class="sheets" aria-busy={query !== undefined && !shown && problem === ''}>
      <header class="title">
        <h1 tabIndex={-1}>{title}</h1>
        <p class={`lead ${shown ? 'screen' : ''}`}>
          What your wallets held at an instant, to the last unit: liquid, staked, unbonding and unclaimed coins, and
          their value.
        </p>
        <HoldingsForm />
        {shown && <Controls query={shown.query} />}
      </header>
      {problem && <Missing message={problem} tryAgain={tryAgain} />}
      {shown && <Sheet query={shown.query} answer={shown.answer} />}
    </div>
  );
}

function titleOf({ date, at, timezone }: HoldingsQuery): string {
  if (date !== '') return `Holdings on ${readableDay(date)}${timezone === UTC ? '' : `, ${timezone}`}`;
  return at === '' ? 'Holdings after the last block' : `Holdings at ${readableInstant(at)}`;
}

type Kind = 'date' | 'at' | 'latest';

function HoldingsForm() {
  const given = fields.value;
  const usual = usualDay();
  const [kind, setKind] = useState<Kind>('date');
  const [date, setDate] = useState('');
  const [time, setTime] = useState('');
  const [currency, setCurrency] = useState(USUAL_CODE);
  const [chosenZone, setChosenZone] = useState('');
  // Updates the form when the back button changes the instant.
  useLayoutEffect(() => {
    const { instant } = given;
    setKind(instant?.date !== '' ? 'date' : instant.at === '' ? 'latest' : 'at');
    setDate(instant?.date ?? '');
    setTime(instant?.at ?? '');
    setCurrency(given.currency);
    setChosenZone(instant?.timezone ?? '');
  }, [given]);
  const day = date || usual;
  const timezone = chosenZone || zoneIn(statements.value);
  const at = typedInstant(time);
  const edge = kind === 'at' ? edges.value.find((one) => one.at === at) : undefined;
  const choose = (value: string) => {
    if (edges.value.some((one) => one.at === value)) setTime(value);
    setKind(value === 'date' || value === 'latest' ? value : 'at');
  };
  const instant =
    kind === 'date' ? { date: day, at: '', timezone } : kind === 'at' ? { ...LAST_BLOCK, at: at ?? '' } : LAST_BLOCK;
  const isMissing = kind !== 'latest' && instant.date === '' && instant.at === '';
  const words = kind === 'date' ? 'Choose a day.' : `Enter a time such as ${TIME_EXAMPLE}.`;
  return (
    <AddressForm
      given={given}
      layout="instant screen"
      action="Show holdings"
      show={(addresses) => ask({ addresses, currency, ...instant })}
      otherFaults={() => (isMissing ? [{ words }] : [])}
    >
      <div class="field">
        <label for="when">When</label>
        <select id="when" value={edge?.at ?? kind} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          <option value="date">End of a day</option>
          <option value="at">Exact time</option>
          <option value="latest">Last block</option>
          {edges.value.length > 0 && (
            <optgroup label="Tax years">
              {edges.value.map((one) => (
                <option key={one.at} value={one.at}>
                  {capitalized(edgeWords(one))} ({readableInstant(one.at)})
                </option>
              ))}
            </optgroup>
          )}
        </select>
      </div>
      {kind === 'date' && (
        <div class="field">
          <label for="day">Day, in {timezone}</label>
          <input id="day" type="date" value={day} onInput={({ currentTarget }) => setDate(currentTarget.value)} />
        </div>
      )}
      {kind === 'date' && <ZoneField name={timezone} choose={setChosenZone} />}
      {kind === 'at' && !edge && (
        <div class="field">
          <label for="time">Time</label>
          <input
            id="time"
            value={time}
            placeholder={TIME_EXAMPLE}
            spellcheck={false}
            autocomplete="off"
            aria-describedby="time-hint"
            onInput={({ currentTarget }) => setTime(currentTarget.value)}
          />
          <p id="time-hint" class="hint">
            In UTC, or with an offset such as +09:00.
          </p>
        </div>
      )}
      <div class="field">
        <label for="currency">Currency</label>
        <select id="currency" value={currency} onChange={({ currentTarget }) => setCurrency(currentTarget.value)}>
          {[...new Set([...(dataset.value?.currencies ?? [USUAL_CODE]), currency])].map((code) => (
            <option key={code} value={code}>
              {nameOf(code)}
            </option>
          ))}
        </select>
      </div>
    </AddressForm>
  );
}

const capitalized = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

const TIME_EXAMPLE = '2027-01-01T00:00:00+09:00';

const CURRENCY_NAMES = new Intl.DisplayNames('en', { type: 'currency', fallback: 'code' });

/** Returns a currency's code and name, such as 'EUR, Euro'. */
const nameOf = (code: string): string => {
  const name = CURRENCY_NAMES.of(code);
  return name === undefined || name === code ? code : `${code}, ${name}`;
};

/** Returns the last day of the last recorded year, or the last whole day if no year's end is recorded. */
function usualDay(): string {
  if (!dataset.value) return '';
  const { index_start, index_end } = dataset.value;
  const yearEnd = `${Number(index_end.slice(0, 4)) - 1}-12-31`;
  return yearEnd >= index_start ? yearEnd : dayBefore(index_end);
}

function Controls({ query }: { readonly query: HoldingsQuery }) {
  const [news, setNews] = useState('');
  const download = () =>
    saveFile(PATHS.holdings, { ...bodyOf(query), format: 'csv' }).then(
      (file) => setNews(`Saved as ${file}`),
      (error) => setNews(messageOf(error)),
    );
  return (
    <div class="statement-controls">
      <button type="button" class="button" onClick={() => void download()}>
        Download CSV
      </button>
      <button type="button" class="quiet" onClick={() => print()}>
        Print, or save as PDF
      </button>
      <p class="fine" role="status">
        {news}
      </p>
    </div>
  );
}

interface SheetProps {
  readonly query: HoldingsQuery;
  readonly answer: HoldingsAt;
}

function Sheet({ query, answer }: SheetProps) {
  const { wallets, value_missing, currency, rate } = answer;
  const assets = wallets.flatMap((wallet) => wallet.assets);
  return (
    <>
      {currency !== USUAL_CODE && rate === null && (
        <p class="notice" role="note">
          <strong>There is no exchange rate of {currency} for this day.</strong> The seven days before it have none
          either, so no value is known.
        </p>
      )}
      <Section id="glance" title="Total value">
        <p class="big">
          <Total answer={answer} />
        </p>
        {value_missing > 0 && (
          <p class="scope">
            A value of {value_missing.toLocaleString(LOCALE)} of {counted(assets.length, 'asset')} is not known. The
            total is the sum of all other values.
          </p>
        )}
        <p class="fine">Liquid, staked, unbonding and unclaimed coins of {counted(wallets.length, 'wallet')}.</p>
      </Section>
      {wallets.map((wallet, i) => (
        <Wallet
          key={wallet.address}
          wallet={wallet}
          title={wallets.length === 1 ? 'Coins' : `Wallet ${i + 1} of ${wallets.length}`}
          query={query}
          answer={answer}
        />
      ))}
      <Basis answer={answer} />
      <HowToCheck answer={answer} />
    </>
  );
}

/** Shows the sum of all known values. If no value is known, the sum is unknown, not zero. */
function Total({ answer: { total_value, value_missing, currency } }: { readonly answer: HoldingsAt }) {
  if (value_missing > 0 && isZero(total_value)) return <span class="unknown">not known</span>;
  return (
    <>
      <Money value={total_value} currency={currency} missing="" />
      {currency !== USUAL_CODE && ` ${currency}`}
    </>
  );
}

interface MoneyProps {
  readonly value: string | null;
  /** US dollars have a sign. For another currency, the text around the amount names it. */
  readonly currency: string;
  /** Text for an unknown value. */
  readonly missing: string;
}

function Money({ value, currency, missing }: MoneyProps) {
  if (value === null) return <span class="unknown">{missing}</span>;
  return currency === USUAL_CODE ? <Usd value={value} /> : <Amount value={value} />;
}

const Amount = ({ value }: { readonly value: string | null }) =>
  value === null ? (
    <span class="unknown">not known</span>
  ) : (
    <data class="figure" value={value}>
      {grouped(value)}
    </data>
  );

interface WalletProps {
  readonly wallet: HeldWallet;
  readonly title: string;
  readonly query: HoldingsQuery;
  readonly answer: HoldingsAt;
}

function Wallet({ wallet: { address, assets }, title, query, answer: { currency, rate } }: WalletProps) {
  const lack = ({ price_usd }: HeldAsset) =>
    price_usd === null ? 'no price' : currency !== USUAL_CODE && rate === null ? 'no rate' : 'not known';
  return (
    <Section id={`wallet-${address}`} title={title}>
      <p>
        <Address value={address} />
      </p>
      {assets.length === 0 ? (
        <p>This wallet held no coins.</p>
      ) : (
        <Scroller label={`Coins of ${address}`}>
          <FigureTable
            columns={[
              'Asset',
              'Liquid',
              'Staked',
              'Unbonding',
              'Unclaimed',
              `Price, ${USUAL_CODE}`,
              `Value, ${currency}`,
              `Unclaimed value, ${currency}`,
            ]}
            rows={assets.map((asset) => [
              <Asset key="asset" asset={asset} />,
              <Amount key="liquid" value={asset.liquid} />,
              <Amount key="staked" value={asset.staked} />,
              <Amount key="unbonding" value={asset.unbonding} />,
              <Amount key="unclaimed" value={asset.unclaimed} />,
              asset.price_usd === null ? (
                <span class="unknown">no price</span>
              ) : (
                <Amount key="price" value={asset.price_usd} />
              ),
              <Money key="value" value={asset.value} currency={currency} missing={lack(asset)} />,
              <Money
                key="unclaimed-value"
                value={asset.unclaimed_value}
                currency={currency}
                missing={asset.unclaimed === null ? 'not known' : lack(asset)}
              />,
            ])}
          />
        </Scroller>
      )}
      <UnknownRewards assets={assets} query={query} />
      {assets.some(({ stake_reason }) => stake_reason) && (
        <p class="notice" role="note">
          <strong>Staked or unbonding coins are not known to the last unit at this instant.</strong> A validator was
          slashed, so rounding changes them when others act.
        </p>
      )}
    </Section>
  );
}

/** Shows an asset's symbol. The tooltip and the printed sheet have the denom. */
const Asset = ({ asset: { symbol, denom } }: { readonly asset: HeldAsset }) => (
  <>
    <abbr title={denom}>{shortened(symbol)}</abbr>
    <code class="denom">{denom}</code>
  </>
);

/** Says once for each reason why unclaimed rewards are unknown, and links to the nearest instants that have them. */
function UnknownRewards({ assets, query }: { readonly assets: readonly HeldAsset[]; readonly query: HoldingsQuery }) {
  const reasons = new Map(assets.map(({ unclaimed_reason }) => [JSON.stringify(unclaimed_reason), unclaimed_reason]));
  return [...reasons].map(([key, reason]) => {
    if (reason === null) return null;
    const instants = [reason.before, reason.after].filter((instant) => instant !== null);
    return (
      <p key={key} class="notice" role="note">
        <strong>Unclaimed rewards are not known at this instant.</strong> {REASONS[reason.code]}
        {instants.length > 0 && ' They are known at '}
        {instants.map((at, i) => (
          <>
            {i > 0 && ' and at '}
            <a href={fragmentOf({ ...query, date: '', at, timezone: '' })}>{readableInstant(at)}</a>
          </>
        ))}
        {instants.length > 0 && '.'}
      </p>
    );
  });
}

type Reason = NonNullable<HeldAsset['unclaimed_reason']>;

const REASONS: Readonly<Record<Reason['code'], string>> = {
  between_closes: 'They are computed at the end of each UTC day and at the first instants of tax years.',
  between_edges: 'This dataset has single wallets only, so they are known only at the first instants of tax years.',
  too_late: 'No node had the state of the chain any more when the nightly run asked for it.',
  too_large: 'An amount has more than 38 digits.',
};

const Fact = ({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** Returns the UTC day of the last moment before an instant. @param at RFC 3339 in UTC */
const priceDay = (at: string): string => (at.endsWith('T00:00:00Z') ? dayBefore(at.slice(0, 10)) : at.slice(0, 10));

function Basis({ answer }: { readonly answer: HoldingsAt }) {
  const { at, height, block_time, currency, rate, coverage } = answer;
  const edge = edges.value.find((one) => one.at === at);
  return (
    <Section id="basis" title="What these figures are based on">
      <dl class="facts">
        <Fact name="Instant">
          {at === null ? 'after the last block' : `before ${readableInstant(at)}`}
          {edge && `, the ${edgeWords(edge)}`}
        </Fact>
        <Fact name="Last block">
          {height.toLocaleString(LOCALE)}, {readableInstant(block_time)}
        </Fact>
        <Fact name="Prices">
          {at === null ? 'last published price of each coin' : `of ${readableDay(priceDay(at))}, UTC`}, by{' '}
          <a href="/docs/methodology">methodology {dataset.value?.methodology_version}</a>
        </Fact>
        <Fact name="Rate">
          {currency === USUAL_CODE
            ? `none: values are in ${USUAL.currency.words}`
            : rate === null
              ? 'not known'
              : `${currency === 'EUR' ? '' : `${grouped(rate.per_eur)} ${currency} and `}${grouped(rate.usd_per_eur)} ${USUAL_CODE} for one euro on ${readableDay(rate.day)}, euro reference rates of the European Central Bank`}
        </Fact>
        <Fact name="Dataset">
          <code>{coverage.generation}</code>, up to block {coverage.height.toLocaleString(LOCALE)}
        </Fact>
      </dl>
      <p class="fine">{coverage.note}</p>
    </Section>
  );
}

function HowToCheck({ answer: { height } }: { readonly answer: HoldingsAt }) {
  const command = `./hubledger verify --dataset ${location.origin}`;
  const isWholeChain = dataset.value?.wallets.length === 0; // an export has the holdings of all wallets
  return (
    <Section id="check" title="How anybody can check them">
      <p class="fine">
        This command of hubledger downloads the server’s current dataset, compares each file with its hash, and runs all
        audits of rows and holdings:
      </p>
      <pre class="command" tabIndex={0}>
        {command}
      </pre>
      {isWholeChain && (
        <p class="fine">
          With a state export of a node at block {height}, it also compares the holdings of all wallets at this block
          with the chain’s own state:
        </p>
      )}
      {isWholeChain && (
        <pre class="command" tabIndex={0}>
          {command} --against-export export.json.gz
        </pre>
      )}
    </Section>
  );
}

document.querySelector('.skip')!.addEventListener('click', (event) => {
  event.preventDefault(); // the fragment contains the wallets
  document.querySelector<HTMLElement>('main h1')?.focus();
});
const place = document.getElementById('main')!;
place.replaceChildren(); // Removes the text for browsers without scripts.
void findDataset();
render(<HoldingsPage />, place);
