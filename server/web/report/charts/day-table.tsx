import { useState } from 'preact/hooks';
import { FigureTable } from '../../parts/figure-table.js';
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
          <FigureTable caption={caption} columns={columns} rows={rows} />
        </Scroller>
      )}
    </details>
  );
}
