import { FigureTable } from '../../parts/figure-table.js';

interface PaperTableProps {
  readonly title: string;
  readonly texts?: number;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export const PaperTable = ({ title, rows, ...table }: PaperTableProps) =>
  rows.length === 0 ? null : (
    <>
      <h2>{title}</h2>
      <FigureTable rows={rows} {...table} />
    </>
  );
