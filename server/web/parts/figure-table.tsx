/** A table of figures: the heads of its rows stand on the left, amounts are aligned at their ends. */
import type { ComponentChildren } from 'preact';

interface FigureTableProps {
  /** Name of the table to readers of the screen, where nothing beside it says it. */
  readonly caption?: string;
  readonly columns: readonly string[];
  /** Columns of text, which stand before those of figures. */
  readonly texts?: number;
  readonly rows: readonly (readonly ComponentChildren[])[];
}

export const FigureTable = ({ caption, columns, texts = 1, rows }: FigureTableProps) => (
  <table class="figures">
    {caption && <caption class="whole">{caption}</caption>}
    <thead>
      <tr>
        {columns.map((column, i) => (
          <th key={column} scope="col" class={i < texts ? '' : 'number'}>
            {column}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(([head, ...cells], row) => (
        <tr key={row}>
          <th scope="row">{head}</th>
          {cells.map((cell, i) => (
            <td key={columns[i + 1]} class={i + 1 < texts ? '' : 'number figure'}>
              {cell}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);
