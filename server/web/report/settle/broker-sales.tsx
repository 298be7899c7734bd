/** Answers a pasted Form 1099-DA with the lots that the user had sent to the broker. */
import { useState } from 'preact/hooks';
import type { TransferredLot } from '../../../../schemas/types.generated.js';
import { Coins, Usd } from '../../parts.js';
import { type AnsweredPart, answeredSales, csvOf } from '../../values/broker.js';
import { readableDay } from '../../values/dates.js';
import { counted } from '../../values/decimal.js';
import { type DayOrder, pastedSales } from '../../values/pasted-table.js';
import { FigureTable, Scroller, saveBlob } from '../parts.js';
import { OrderOfDay } from './question.js';

const FAULTS_SHOWN = 10;
const PARTS_SHOWN = 200;

interface BrokerSalesProps {
  /** Name or address of the broker. */
  readonly place: string;
  readonly lots: readonly TransferredLot[];
}

export function BrokerSales({ place, lots }: BrokerSalesProps) {
  const [text, setText] = useState('');
  const [order, setOrder] = useState<DayOrder>();
  const [news, setNews] = useState('');
  const { lines, ambiguous } = pastedSales(text, order);
  const isAnswered = lines.length > 0 && ambiguous === '';
  const { parts, faults } = isAnswered ? answeredSales(lots, lines) : { parts: [], faults: [] };
  const id = `sales-${lots[0]!.row}`;
  const change = (pasted: string) => {
    setText(pasted);
    setNews('');
  };
  const download = () => {
    const file = new Blob([csvOf(parts)], { type: 'text/csv' });
    setNews(`Saved as ${saveBlob(file, 'hubledger-broker-sales.csv')}`);
  };
  return (
    <div class="broker">
      <div class="field">
        <label for={id}>Sales that your broker reports: asset, quantity, date sold, proceeds</label>
        <textarea
          id={id}
          rows={5}
          spellcheck={false}
          autocomplete="off"
          aria-describedby={`${id}-hint`}
          value={text}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
        <p id={`${id}-hint`} class="hint">
          Copy the lines from a spreadsheet or CSV file, with their headings if it has them. They stay in this browser.
          The first coins that you sent there count as sold first.
        </p>
      </div>
      {ambiguous !== '' && <OrderOfDay day={ambiguous} decide={setOrder} />}
      {text.trim() !== '' && lines.length === 0 && <p class="hint fault">No line has a quantity.</p>}
      {faults.slice(0, FAULTS_SHOWN).map((fault) => (
        <p key={fault} class="hint fault">
          {fault}
        </p>
      ))}
      {faults.length > FAULTS_SHOWN && (
        <p class="hint fault">{faults.length - FAULTS_SHOWN} more lines are unreadable.</p>
      )}
      {parts.length > 0 && (
        <>
          <p role="status">{fitWords(parts)}</p>
          <Scroller label={`Sales, with the lots that you had sent to ${place}`}>
            <FigureTable
              columns={['Sold', 'Coins', 'Lot', 'Proceeds', 'Cost', 'Gain']}
              texts={3}
              rows={parts.slice(0, PARTS_SHOWN).map(cellsOf)}
            />
          </Scroller>
          {parts.length > PARTS_SHOWN && <p class="fine">{parts.length - PARTS_SHOWN} more lines are in the file.</p>}
          <p class="choices">
            <button type="button" class="button small" onClick={download}>
              Download as CSV
            </button>
            <span class="fine" role="status">
              {news}
            </span>
          </p>
        </>
      )}
    </div>
  );
}

function fitWords(parts: readonly AnsweredPart[]): string {
  const unfit = parts.filter(({ misfit }) => misfit !== '').length;
  if (unfit === 0) return 'Every sale fits lots that you had sent there.';
  return unfit === parts.length
    ? 'No lot that you had sent there fits.'
    : `${counted(unfit, 'line')} of ${parts.length} ${unfit === 1 ? 'fits' : 'fit'} no lot: see the column Lot.`;
}

const cellsOf = (part: AnsweredPart) => [
  readableDay(part.sold),
  <Coins value={part.quantity} symbol={part.asset} />,
  part.misfit !== '' ? <span class="unknown">{part.misfit}</span> : lotWords(part),
  <Known value={part.proceeds} />,
  <Known value={part.cost} />,
  <Known value={part.gain} isSigned />,
];

function lotWords({ acquired, sent, term }: AnsweredPart): string {
  const since = acquired === '' ? 'day of acquisition not known' : `acquired ${readableDay(acquired)}`;
  return `${since}, sent ${readableDay(sent)}${term === '' ? '' : `, ${term}-term`}`;
}

const Known = ({ value, isSigned = false }: { readonly value: string; readonly isSigned?: boolean }) =>
  value === '' ? <span class="unknown">not known</span> : <Usd value={value} signed={isSigned} />;
