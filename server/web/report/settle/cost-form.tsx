/** Cost and acquisition day of a receipt; its value if the market value is its cost. */
import { useState } from 'preact/hooks';
import { TextField } from '../../parts/text-field.js';
import { dataset } from '../../state/dataset.js';
import type { Row } from '../../state/rows.js';
import { decide, decisionOf } from '../../state/statements.js';
import { typedDecimal } from '../../values/decimal.js';
import { faultOfDay } from './correct-form.js';

export function CostForm({ row }: { readonly row: Row }) {
  const known = decisionOf(row);
  const isIncome = dataset.value?.market_basis.includes(row.category) ?? false;
  const member = isIncome ? 'value_usd' : 'cost_basis_usd';
  const [cost, setCost] = useState(known?.[member] ?? '');
  const [day, setDay] = useState(known?.acquired_date ?? '');
  const amount = typedDecimal(cost);
  const costFault = cost !== '' && amount === undefined ? 'A plain amount such as 12.50' : undefined;
  const dayFault = faultOfDay(day, row.date.slice(0, 10));
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    if (amount === undefined || dayFault) return;
    decide([row], { mode: 'override', [member]: amount, ...(day && { acquired_date: day }) });
  };
  return (
    <form class="inline-form" onSubmit={save} noValidate>
      <TextField
        id={`cost-${row.id}`}
        label={isIncome ? 'Value in US dollars on that day' : 'Cost in US dollars'}
        value={cost}
        fault={costFault}
        change={setCost}
      />
      {!isIncome && (
        <TextField
          id={`since-${row.id}`}
          label="Date acquired"
          hint="Leave empty for that day."
          type="date"
          value={day}
          fault={dayFault}
          change={setDay}
        />
      )}
      <div class="actions">
        <button type="submit" class="button small" disabled={amount === undefined}>
          {isIncome ? 'Use this value' : 'Use this cost'}
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
