/** Frame above and below every state of the report. */
import { dataset } from '../state/dataset.js';
import { readableDay } from '../values/dates.js';

export const Masthead = () => (
  <header class="masthead">
    <button type="button" class="skip" onClick={skip}>
      Skip to the report
    </button>
    <a class="brand" href="/">
      hubledger
    </a>
    <nav aria-label="Pages">
      <a href="/docs">Documentation</a>
      <a href="/account">Account</a>
    </nav>
  </header>
);

/** The fragment of the URL is taken, so the link moves the focus itself. */
function skip(): void {
  document.querySelector<HTMLElement>('main h1, main h2')?.focus();
}

export const Footer = () => (
  <footer class="footer">
    <p>Records for tax preparation, no tax advice. Figures come from blocks of the Cosmos Hub and published prices.</p>
    {dataset.value && (
      <p>
        Data up to block {dataset.value.height.toLocaleString('en-US')} of{' '}
        <time dateTime={dataset.value.time} title={dataset.value.time}>
          {readableDay(dataset.value.time)}
        </time>
      </p>
    )}
  </footer>
);
