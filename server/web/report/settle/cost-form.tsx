/** The cost of one receipt, and since when its coins are the owner's. */
import { useState } from 'preact/hooks';
import { TextField } from '../../parts/text-field.js';
import type { Row } from '../../state/rows.js';
import { decide, decisionOf } from '../../state/statements.js';
import { typedDecimal } from '../../values/decimal.js';
import { faultOfDay } from './correct-form.js';

export function CostForm({ row }: { readonly row: Row }) {
  const known = decisionOf(row);
  const [cost, setCost] = useState(known?.cost_basis_usd ?? '');
  const [day, setDay] = useState(known?.acquired_date ?? '');
  const amount = typedDecimal(cost);
  const costFault = cost !== '' && amount === undefined ? 'A plain amount such as 12.50' : undefined;
  const dayFault = faultOfDay(day, row.date.slice(0, 10));
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    if (amount === undefined || dayFault) return;
    decide([row], { mode: 'override', cost_basis_usd: amount, ...(day && { acquired_date: day }) });
  };
  return (
    <form class="inline-form" onSubmit={save} noValidate>
      <TextField id={`cost-${row.id}`} label="Cost in US dollars" value={cost} fault={costFault} change={setCost} />
      <TextField
        id={`since-${row.id}`}
        label="Yours since"
        hint="Leave empty for that day."
        type="date"
        value={day}
        fault={dayFault}
        change={setDay}
      />
      <div class="actions">
        <button type="submit" class="button small" disabled={amount === undefined}>
          Use this cost
        </button>
        {known && (
          <button type="button" class="quiet small" onClick={() => decide([row], undefined)}>
            Take back
          </button>
        )}
      </div>
    </form>
  );
}
