/** A table of figures with row headers on the left and aligned amounts. */
import type { ComponentChildren } from 'preact';

interface FigureTableProps {
  /** Caption for screen readers if no heading is beside the table. */
  readonly caption?: string;
  readonly columns: readonly string[];
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
