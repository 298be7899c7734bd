/** Renders the landing page, or the report if the URL contains wallets. */
import { effect } from '@preact/signals';
import { render } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { waiting } from './api/client.js';
import { Address, goTo, Section, Unfold } from './parts.js';
import { Charts } from './report/charts.js';
import { CountryGlance } from './report/country-glance.js';
import { Downloads } from './report/downloads.js';
import { Glance } from './report/glance.js';
import { LiveExample } from './report/live-example.js';
import {
  CoverageLine,
  daysOf,
  FigureTable,
  Gaps,
  isOutside,
  ScopedFees,
  ScopedIncome,
  Scroller,
  TermGain,
} from './report/parts.js';
import { followPrinting } from './report/print.js';
import { COUNTRY_FIELD, ReportForm } from './report/report-form.js';
import { Rows } from './report/rows.js';
import { Changes } from './report/settle/changes.js';
import { Settle } from './report/settle/settle.js';
import { StatementsLine } from './report/statements-menu.js';
import { chooseCountry, country, currency, proposedCountry } from './state/country.js';
import {
  dataset,
  datasetFailure,
  daysOfYear,
  findDataset,
  jointWallets,
  rulesOf,
  type TrackedWallet,
  usualYear,
  yearName,
} from './state/dataset.js';
import { ask, currentQuery, invalidInput, leaveOwnersStatements, type ReportQuery, wholeYear } from './state/query.js';
import { questions } from './state/questions.js';
import { cancel, failure, isForStatements, isLoading, type Report, report, undecided } from './state/report.js';
import { readingSaved } from './state/saved-statements.js';
import { openSends } from './state/sends.js';
import { forgetStatements, ownersStatements, stateLots, statements, zoneIn } from './state/statements.js';
import { UTC } from './state/zone.js';
import { WALLETS_UNFOLDED_MAX } from './values/addresses.js';
import { readableDay } from './values/dates.js';
import { counted } from './values/decimal.js';
import { LOCALE } from './values/language.js';
import { ZONE_FIELD } from './zone-field.js';

function ReportPage() {
  const query = currentQuery.value;
  useFocusOnTurn(query !== undefined);
  if (!query) {
    return (
      <>
        <Landing />
        <Footer />
      </>
    );
  }
  const shown = report.value;
  return (
    <>
      <main id="main" class="page report" aria-busy={isLoading.value}>
        <FoldedForm query={query} isNeeded={!shown && failure.value !== ''} />
        <div class={`sheets ${shown && isLoading.value ? 'stale' : ''}`}>
          <Title query={query} shown={shown} />
          {shown && !isOutside(shown) && <Steps shown={shown} />}
          {shown && <Sheet shown={shown} />}
          {!shown && failure.value && <Refused message={failure.value} tryAgain={() => tryAgain(query)} />}
          {!shown && isLoading.value && <Progress />}
        </div>
        <Changes />
      </main>
      <Footer />
    </>
  );
}

function tryAgain(query: ReportQuery): void {
  if (!dataset.peek()) void findDataset();
  ask(query);
}

interface FoldedFormProps {
  readonly query: ReportQuery;
  /** True if no report is shown, so that the form must stay open. */
  readonly isNeeded: boolean;
}

/** Collapses the form after it was used, and moves the focus out of the form. */
function FoldedForm({ query, isNeeded }: FoldedFormProps) {
  const fold = useRef<HTMLDetailsElement>(null);
  useLayoutEffect(() => {
    const hasFocus = fold.current!.contains(document.activeElement);
    fold.current!.open = isNeeded;
    if (hasFocus && !isNeeded) document.querySelector<HTMLElement>('main h1')?.focus();
  }, [query, isNeeded]);
  const [first, ...others] = query.addresses;
  return (
    <details ref={fold} class="asked">
      <summary>
        <span class="fine">
          {others.length > 0 ? counted(query.addresses.length, 'wallet') : <Address value={first!} />}
        </span>
        <span class="quiet small">Change wallets or year</span>
      </summary>
      <ReportForm query={query} />
    </details>
  );
}

/** Moves the focus to the new heading when the page switches between the landing page and the report. */
function useFocusOnTurn(isReport: boolean): void {
  const before = useRef(isReport);
  useLayoutEffect(() => {
    if (before.current !== isReport) document.querySelector<HTMLElement>('main h1')?.focus();
    before.current = isReport;
  }, [isReport]);
}

const Landing = () => (
  <main id="main" class="landing">
    <div class="hero">
      <h1 tabIndex={-1}>Your year on the Cosmos Hub, ready for your tax return</h1>
      <p class="lead">
        Paste your address to see your staking rewards, gains and fees. Answer what only you can know, then download the
        file for Koinly, CoinTracker, TurboTax and others, or for your accountant. You need no account, and connect no
        wallet.
      </p>
      <ReportForm invalidInput={invalidInput.value} />
      {datasetFailure.value && <Refused message={datasetFailure.value} tryAgain={findDataset} />}
      {dataset.value && dataset.value.wallets.length > 0 && <TrackedWallets wallets={dataset.value.wallets} />}
      {!datasetFailure.value && !dataset.value?.wallets.length && (
        <LiveExample year={dataset.value && usualYear(dataset.value)} open={showExample} />
      )}
    </div>
    <ul class="promises">
      <li>
        <h2>You can check every figure</h2>
        <p>Every total links to its transactions, and every transaction to its block, its price and its lots.</p>
      </li>
      <li>
        <h2>Your addresses stay yours</h2>
        <p>
          This server gets your addresses to calculate your figures, but never in a URL that logs would keep. Your
          answers stay in your browser. If you sign in, your account saves your decisions and costs.
        </p>
      </li>
      <li>
        <h2>Unknown is never shown as zero</h2>
        <p>Transactions without a price or a known cost are marked, and you can fill in what you know.</p>
      </li>
    </ul>
  </main>
);

const PROVED: Readonly<Record<TrackedWallet['state'], string>> = {
  proved: 'proved: no row is missing, and a second node and the signatures of validators confirm its blocks',
  complete: 'complete: no row is missing, but one node or no signature confirms it',
  derived: 'its rows explain all balances; what it held before the index is computed back from the latest ones',
  incomplete: 'incomplete',
};

/** Lists the wallets with the state of their records. Each wallet of a long list has one line. */
function TrackedWallets({ wallets }: { readonly wallets: readonly TrackedWallet[] }) {
  const isLong = wallets.length > WALLETS_UNFOLDED_MAX;
  return (
    <section class="tracked-wallets" aria-labelledby="tracked-wallets">
      <h2 id="tracked-wallets">The wallets of this server</h2>
      <ul class={isLong ? 'lines' : ''}>
        {jointWallets().length > 0 && (
          <li>
            <button type="button" class="link" onClick={() => showWallets(jointWallets())}>
              All your wallets
            </button>{' '}
            <span>in one report, in which transfers between them can keep their cost</span>
          </li>
        )}
        {wallets.map(({ address, state, missing, unconfirmed }) => (
          <li key={address}>
            <button type="button" class="link" onClick={() => showWallets([address])}>
              {isLong ? <Address value={address} /> : address}
            </button>{' '}
            <Unfold summary={state} isFolded={isLong}>
              {() => (
                <span>
                  {PROVED[state]}
                  {missing.length > 0 && `: ${missing.join('; ')}`}
                  {state === 'complete' && `: ${unconfirmed.join('; ')}`}
                </span>
              )}
            </Unfold>
          </li>
        ))}
      </ul>
    </section>
  );
}

function showWallets(addresses: readonly string[]): void {
  ask({ addresses, ...daysOfYear(usualYear(dataset.value!)) });
}

/**
 * Shows the example wallet in the dataset's last year. Adds example purchases, unless the user has entered purchases.
 */
function showExample(): void {
  const found = dataset.value;
  if (!found?.example) return;
  const { address, opening_lots } = found.example;
  const { openingLots } = statements.peek();
  if (!openingLots.some((lot) => lot.address === address)) {
    stateLots([...openingLots, ...opening_lots.map((lot) => ({ address, ...lot }))]);
  }
  ask({ addresses: [address], ...daysOfYear(usualYear(found)) });
}

const follow = () => {
  if (location.hash !== '#example' || !dataset.value) return;
  history.replaceState(null, '', '/'); // the back button must return to the landing page
  showExample();
};
effect(follow);
addEventListener('hashchange', follow);

interface TitleProps {
  readonly query: ReportQuery;
  readonly shown: Report | undefined;
}

/** The title stays mounted while amounts reload, so that it can keep the focus. */
const Title = ({ query, shown }: TitleProps) => {
  useTitle(titleOf(query));
  return (
    <header class="title">
      <h1 tabIndex={-1}>{titleOf(query)}</h1>
      {shown && (
        <p class="lead">
          {daysOf(shown)}
          {query.addresses.length > 1 && `, ${query.addresses.length} wallets`}
        </p>
      )}
      {shown && <CountryLine />}
      {shown && <ZoneLine timezone={zoneIn(shown.stated)} />}
      {shown && <StatementsLine shown={shown} />}
    </header>
  );
};

/** Names the time zone of the days, with a link to its field in the folded form. In UTC, the days above say so. */
function ZoneLine({ timezone }: { readonly timezone: string }) {
  if (timezone === UTC) return null;
  return (
    <p class="fine" id="zone-line">
      Days are those of {timezone}.{' '}
      {ownersStatements.value === '' && (
        <button type="button" class="link" onClick={() => openField(ZONE_FIELD)}>
          Change the time zone
        </button>
      )}
    </p>
  );
}

/** Names the country of the report, with a link to its field in the folded form; or proposes the country of the zone. */
function CountryLine() {
  const rules = country.value;
  const proposed = statements.value.country === '' ? rulesOf(proposedCountry.value) : undefined;
  if (ownersStatements.value !== '' && !rules) return null;
  if (rules) {
    return (
      <p class="fine" id="country-line">
        Country: {rules.name}. Amounts are in {currency.value.words}.{' '}
        {ownersStatements.value === '' && (
          <button type="button" class="link" onClick={() => openField(COUNTRY_FIELD)}>
            Change the country
          </button>
        )}
      </p>
    );
  }
  return proposed ? (
    <p class="fine screen" id="country-line">
      Is your tax return for another country?{' '}
      <button type="button" class="link" onClick={() => chooseCountry(proposed.country, '')}>
        Switch to {proposed.name}
      </button>
    </p>
  ) : null;
}

/** Unfolds the form, and focuses one of its fields. */
function openField(id: string): void {
  document.querySelector<HTMLDetailsElement>('.asked')!.open = true;
  document.getElementById(id)!.focus();
}

function useTitle(name: string): void {
  useEffect(() => {
    const { title } = document;
    document.title = `${name} · hubledger`;
    return () => {
      document.title = title;
    };
  }, [name]);
}

function titleOf(query: ReportQuery): string {
  const first = country.value?.year_start;
  const year = wholeYear(query, first);
  return year ? `Your ${yearName(year, dataset.value, first)}` : 'Your report';
}

/**
 * Links to the report's sections, and highlights the next step. The steps include questions about spam and sends,
 * because their answers change a tax return.
 */
function Steps({ shown }: { readonly shown: Report }) {
  const all = questions.value;
  const open = all.filter(({ left }) => left > 0).length;
  const next = undecided(shown).length + openSends(shown) > 0 ? 'settle' : 'downloads';
  return (
    <nav class="jump screen" aria-label="Report sections">
      <p class="fine">
        {next === 'settle'
          ? `Step 2 of 3: ${all.length - open} of ${all.length} answered`
          : 'Step 3 of 3: download your files'}
      </p>
      <div class="jumps">
        {PARTS.map(([id, name]) => (
          <button
            key={id}
            type="button"
            class={`small ${id === next ? 'button' : 'quiet'}`}
            onClick={() => goTo(`${id}-title`)}
          >
            {name}
            {id === 'settle' && open > 0 && <span class="count">{open}</span>}
          </button>
        ))}
      </div>
    </nav>
  );
}

const PARTS = [
  ['glance', 'At a glance'],
  ['charts', 'Through the year'],
  ['settle', 'Open questions'],
  ['rows', 'Transactions'],
  ['downloads', 'Download'],
] as const;

function Sheet({ shown }: { readonly shown: Report }) {
  return (
    <>
      {datasetFailure.value && <Refused message={datasetFailure.value} tryAgain={findDataset} />}
      {shown.summary.total.rows === 0 && <Unseen shown={shown} />}
      <Gaps shown={shown} />
      {!isOutside(shown) && <Parts shown={shown} />}
      <CoverageLine shown={shown} />
    </>
  );
}

const Parts = ({ shown }: { readonly shown: Report }) => (
  <>
    {country.value ? <CountryGlance shown={shown} /> : <Glance shown={shown} />}
    <Charts shown={shown} />
    {!country.value && <Wallets shown={shown} />}
    <Settle shown={shown} />
    <Rows />
    <Downloads shown={shown} />
  </>
);

/** Explains why a wallet has no rows: it is new, was active in another period, or is mistyped. */
function Unseen({ shown }: { readonly shown: Report }) {
  const { query, summary } = shown;
  const covered = `The data covers ${readableDay(summary.coverage.index_start)} to ${readableDay(summary.coverage.index_end)};`;
  return (
    <div class="notice" role="status">
      {isOutside(shown) ? (
        <p>
          <strong>These days are not recorded.</strong> There is no data for them. {covered} choose another period.
        </p>
      ) : (
        <p>
          <strong>
            {query.addresses.length > 1 ? 'These wallets have' : 'This wallet has'} no transactions from{' '}
            {readableDay(summary.start)} to {readableDay(summary.end)}.
          </strong>{' '}
          The address is valid, so perhaps it was not used then. {covered} try another period, or check the address.
        </p>
      )}
    </div>
  );
}

function Wallets({ shown: { summary } }: { readonly shown: Report }) {
  if (summary.wallets.length < 2) return null;
  return (
    <Section id="wallets" title="Wallet by wallet">
      <Unfold
        summary={`Show the ${summary.wallets.length} wallets`}
        isFolded={summary.wallets.length > WALLETS_UNFOLDED_MAX}
      >
        {() => (
          <Scroller label="Figures of each wallet">
            <FigureTable
              columns={['Wallet', 'Income', 'Gains, short', 'Gains, long', 'Fees', 'Transactions']}
              rows={summary.wallets.map((wallet) => [
                <Address key="address" value={wallet.address} />,
                <ScopedIncome key="income" sheet={wallet} />,
                <TermGain key="short" of={wallet.disposed} term="short" />,
                <TermGain key="long" of={wallet.disposed} term="long" />,
                <ScopedFees key="fees" sheet={wallet} />,
                wallet.rows.toLocaleString(LOCALE),
              ])}
            />
          </Scroller>
        )}
      </Unfold>
    </Section>
  );
}

const Progress = () => (
  <div class="progress" role="status">
    <span class="spinner" aria-hidden="true" />
    <p>
      {waiting.value > 0
        ? `The server is busy; retrying in ${waiting.value} s…`
        : readingSaved.value || 'Calculating your year…'}
    </p>
    <button type="button" class="quiet" onClick={cancel}>
      Cancel
    </button>
  </div>
);

interface RefusedProps {
  readonly message: string;
  readonly tryAgain: () => void;
}

const Refused = ({ message, tryAgain }: RefusedProps) => (
  <div class="notice lone bad" role="alert">
    <p>{message}</p>
    <div class="choices">
      {isForStatements.value &&
        (ownersStatements.value === '' ? (
          <button type="button" class="quiet small" onClick={forgetStatements}>
            Delete my earlier answers
          </button>
        ) : (
          <button type="button" class="quiet small" onClick={() => leaveOwnersStatements(currentQuery.peek()!)}>
            Use my own answers
          </button>
        ))}
      <button type="button" class="quiet small" onClick={tryAgain}>
        Try again
      </button>
    </div>
  </div>
);

const Footer = () => (
  <footer class="footer">
    <p>Records for tax preparation, not tax advice. Figures come from blocks of the Cosmos Hub and published prices.</p>
    {dataset.value && (
      <p>
        Data up to block {dataset.value.height.toLocaleString(LOCALE)} of{' '}
        <time dateTime={dataset.value.time} title={dataset.value.time}>
          {readableDay(dataset.value.time)}
        </time>
      </p>
    )}
  </footer>
);

/** Focuses the main content by script. The skip link cannot use the URL's fragment, which contains the wallets. */
document.querySelector('.skip')!.addEventListener('click', (event) => {
  event.preventDefault();
  document.querySelector<HTMLElement>('main h1')?.focus();
});
const place = document.getElementById('page')!;
place.replaceChildren(); // Removes the text for browsers without scripts.
void findDataset();
render(<ReportPage />, place);
followPrinting();
