/** An address, short on screen and whole to readers, copies and paper. */
import { shortened } from '../values/addresses.js';

export const Address = ({ value }: { readonly value: string }) => (
  <span class="address" title={value}>
    <span aria-hidden="true" class="short">
      {shortened(value)}
    </span>
    <span class="whole">{value}</span>
  </span>
);
