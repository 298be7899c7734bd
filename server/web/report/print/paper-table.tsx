/** A table on paper; figures stand as the API says them. */
interface PaperTableProps {
  readonly title: string;
  /** Columns of text, which stand before those of figures. */
  readonly texts?: number;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export const PaperTable = ({ title, texts = 1, columns, rows }: PaperTableProps) =>
  rows.length === 0 ? null : (
    <>
      <h2>{title}</h2>
      <table class="figures">
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
          {rows.map((row) => (
            <tr key={row.join()}>
              {row.map((cell, i) => (
                <td key={columns[i]} class={i < texts ? '' : 'number figure'}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
