/** A short address on screen; screen readers, copies and paper get the full one. */
import { shortened } from '../values/addresses.js';

export const Address = ({ value }: { readonly value: string }) => (
  <span class="address" title={value}>
    <span aria-hidden="true" class="short">
      {shortened(value)}
    </span>
    <span class="whole">{value}</span>
  </span>
);
