/** The dataset's example wallet, shown by '#example' and the landing page's button. */
import { effect } from '@preact/signals';
import { ask, yearOf } from './asked.js';
import { dataset, yearsOf } from './dataset.js';
import { stateLots, statements } from './statements.js';

/** Shows the example in the dataset's last year. Adds its opening lots, unless the wallet already has some. */
export function showExample(): void {
  const found = dataset.value;
  if (!found?.example) return;
  const { address, opening_lots } = found.example;
  const { openingLots } = statements.peek();
  if (!openingLots.some((lot) => lot.address === address)) {
    stateLots([...openingLots, ...opening_lots.map((lot) => ({ address, ...lot }))]);
  }
  ask({ addresses: [address], ...yearOf(yearsOf(found)[0]!) });
}

const follow = () => {
  if (location.hash !== '#example' || !dataset.value) return;
  history.replaceState(null, '', '/'); // Lets the back button return to the landing page.
  showExample();
};
effect(follow);
addEventListener('hashchange', follow);
