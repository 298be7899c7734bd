/** The figures of a chart as a table, for readers and for exact looks. A year of days has a row for each. */
import { useState } from 'preact/hooks';
import { Scroller } from '../../parts/scroller.js';

interface DayTableProps {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export function DayTable({ caption, columns, rows }: DayTableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="how" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Show as a table<span class="whole">: {caption}</span>
      </summary>
      {isOpen && (
        <Scroller label={caption} class="tall">
          <table class="figures">
            <caption class="whole">{caption}</caption>
            <thead>
              <tr>
                {columns.map((column, i) => (
                  <th key={column} scope="col" class={i === 0 ? '' : 'number'}>
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row[0]}>
                  {row.map((cell, i) => (
                    <td key={columns[i]} class={i === 0 ? '' : 'number figure'}>
                      {cell}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
    </details>
  );
}
