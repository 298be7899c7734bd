/** Errors of the address form. If a word is the same key's address on another chain, offers the Hub address. */
import { type Fault, type Instead, shortened } from '../values/addresses.js';

interface AddressFaultsProps {
  readonly id: string;
  readonly faults: readonly Fault[];
  readonly take: (instead: Instead) => void;
  readonly statementOf: (operator: string) => void;
}

export const AddressFaults = ({ id, faults, take, statementOf }: AddressFaultsProps) => (
  <div class="notice bad faults" role="alert" id={id}>
    <ul>
      {faults.map(({ words, instead }) => (
        <li key={words}>
          {words}
          {instead && (
            <span class="offers">
              <button type="button" class="link" onClick={() => take(instead)}>
                Use {instead.operator ? 'its own wallet,' : 'its address there,'} {shortened(instead.wallet)}
              </button>
              {instead.operator && (
                <button type="button" class="link" onClick={() => statementOf(instead.operator!)}>
                  Download its validator statement
                </button>
              )}
            </span>
          )}
        </li>
      ))}
    </ul>
  </div>
);
