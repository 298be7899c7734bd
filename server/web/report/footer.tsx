import { dataset } from '../state/dataset.js';
import { readableDay } from '../values/dates.js';

export const Footer = () => (
  <footer class="footer">
    <p>Records for tax preparation, not tax advice. Figures come from blocks of the Cosmos Hub and published prices.</p>
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
