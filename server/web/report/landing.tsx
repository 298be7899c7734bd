import { invalidInput } from '../state/asked.js';
import { dataset, datasetFailure, findDataset } from '../state/dataset.js';
import { showExample } from '../state/example.js';
import { AddressForm } from './address-form.js';
import { Refused } from './states.js';

export const Landing = () => (
  <main id="main" class="landing">
    <div class="hero">
      <h1 tabIndex={-1}>Your year on the Cosmos Hub, ready for your tax return</h1>
      <p class="lead">
        Paste your address to see your staking rewards, gains and fees. Answer what only you can know, then download the
        file for Koinly, CoinTracker, TurboTax and others, or for your accountant. You need no account, and connect no
        wallet.
      </p>
      <AddressForm invalidInput={invalidInput.value} />
      {datasetFailure.value && <Refused message={datasetFailure.value} tryAgain={findDataset} />}
      {dataset.value?.example && (
        <p class="example">
          Just looking?{' '}
          <button type="button" class="link" onClick={showExample}>
            See a real example
          </button>
        </p>
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
          The link to your report does not send them to a server, and your answers stay in your browser unless you sign
          in.
        </p>
      </li>
      <li>
        <h2>Unknown is never shown as zero</h2>
        <p>Transactions without a price or a known cost are marked, and you can fill in what you know.</p>
      </li>
    </ul>
  </main>
);
