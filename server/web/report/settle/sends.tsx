/**
 * Shows coins that the user sent, grouped by receivers. A transaction that pays several receivers is one item. Each item
 * counts as sold until the user chooses another answer.
 */
import { useState } from 'preact/hooks';
import { Address, Coins, focusOn, Unfold, Usd } from '../../parts.js';
import { isUsual } from '../../state/country.js';
import { wentToOwnPlace } from '../../state/homecomings.js';
import type { Report } from '../../state/report.js';
import { isComplete, type Row } from '../../state/rows.js';
import { decideSends, sendsInQuestion } from '../../state/sends.js';
import { tagOf } from '../../state/statements.js';
import { counted, sumOf } from '../../values/decimal.js';
import { LOCALE } from '../../values/language.js';
import { type Payment, paymentsOf, receiverCount, type Sums, sumsOf } from '../../values/payments.js';
import { countsAs } from '../counts-as.js';
import { Moment, TagChoice, Worth } from '../parts.js';
import { CostPapers } from './places.js';
import { isToTracked, TrackedWalletNote } from './question.js';

const PAYMENTS_SHOWN = 20;
const RECEIVERS_UNFOLDED_MAX = 5;
const ROWS_SHOWN = 50;

/** Answers to the question what a send was, each with the tags that the API accepts. A click sets the first tag. */
const CHOICES: readonly (readonly [label: string, ...tags: string[]])[] = [
  ['My own wallet or account', 'own_transfer'],
  ['Sale or payment', 'sale', 'payment', 'expense'],
  ['Gift', 'gift'],
  ['Donation', 'donation'],
  ['Lost or stolen', 'lost'],
];

export function Sends({ shown }: { readonly shown: Report }) {
  const [limit, setLimit] = useState(PAYMENTS_SHOWN);
  const rows = sendsInQuestion(shown);
  const open = rows.filter((row) => tagOf(row, shown.stated) === '');
  const payments = paymentsOf(rows);
  const allToMe = () => {
    decideSends(open, 'own_transfer');
    focusOn('sends');
  };
  return (
    <>
      <p>
        The chain does not record why you sent these coins. Until you answer, each send counts as a sale at that day’s
        price. Coins that you sent to yourself, for example to an exchange, are not a sale. Your answer also counts for
        the same receiver in other years.
      </p>
      {!isComplete.value && <p class="fine">They are listed here after all transactions have loaded.</p>}
      {open.length > 1 && (
        <p>
          <button type="button" class="button small" onClick={allToMe}>
            All {open.length.toLocaleString(LOCALE)} went to my own wallets or accounts
          </button>
        </p>
      )}
      <ul class="items">
        {payments.slice(0, limit).map((payment) => (
          <PaymentItem key={payment.key} payment={payment} shown={shown} />
        ))}
      </ul>
      {payments.length > limit && (
        <p>
          <button type="button" class="quiet small" onClick={() => setLimit(limit + PAYMENTS_SHOWN)}>
            Show more of the other {(payments.length - limit).toLocaleString(LOCALE)}
          </button>
        </p>
      )}
    </>
  );
}

interface PaymentProps {
  readonly payment: Payment<Row>;
  readonly shown: Report;
}

function PaymentItem({ payment, shown }: PaymentProps) {
  const { rows, receivers, transactions } = payment;
  const [first, last] = [rows[0]!, rows.at(-1)!];
  const count = receiverCount(payment);
  const isSeparable = receivers.some((one) => one.rows.length > 0);
  const toWhom = count > 1 ? `${count} receivers` : receivers[0]?.address || 'an unknown receiver';
  const ends = receivers.map(({ address }) => ({ address: first.address, counterparty: address }));
  const isToTrackedWallets =
    ends.length > 0 && ends.length === count && ends.every((row) => isToTracked({ row, shown }));
  return (
    <li class="item send">
      <div class="item-head">
        <h4>
          <AllCoins sums={sumsOf(rows)} />
          {count > 1 && ` in ${transactions === 1 ? 'one payment' : `${transactions} payments`}`}
          {count <= 1 && rows.length > 1 && ` in ${rows.length} sends`}
        </h4>
        <p class="fine">
          to {count === 1 ? <Address value={toWhom} /> : toWhom} · <Moment value={first.date} />
          {last.date.slice(0, 10) !== first.date.slice(0, 10) && (
            <>
              {' to '}
              <Moment value={last.date} />
            </>
          )}
        </p>
        {count > 1 && <PaidReceivers payment={payment} />}
        {count > 1 && !isSeparable && <p class="fine">{JOINT_WORDS}</p>}
      </div>
      <Effects rows={rows} shown={shown} />
      {isToTrackedWallets && <TrackedWalletNote row={ends[0]!} shown={shown} />}
      <Choices rows={rows} shown={shown} toWhom={toWhom} isToTrackedWallets={isToTrackedWallets} />
      {wentToOwnPlace(rows) && <CostPapers shown={shown} />}
      {count > 1 && isSeparable && (
        <Unfold summary="Answer each receiver">{() => <EachReceiver payment={payment} shown={shown} />}</Unfold>
      )}
      {transactions > 1 && (
        <Unfold
          summary={
            <>
              Answer each send<span class="whole"> to {toWhom}</span>
            </>
          }
        >
          {() => <EachSend rows={rows} />}
        </Unfold>
      )}
    </li>
  );
}

const AllCoins = ({ sums }: { readonly sums: Sums }) =>
  [...sums].map(([symbol, value], i) => (
    <>
      {i > 0 && ', '}
      {value === '' ? `an unknown amount of ${symbol}` : <Coins value={value} symbol={symbol} />}
    </>
  ));

/** Lists the receivers of a payment with their amounts. A long list is folded. */
function PaidReceivers({ payment: { receivers, others } }: Pick<PaymentProps, 'payment'>) {
  const list = (
    <ul class="paid fine">
      {receivers.map(({ address, sums }) => (
        <li key={address}>
          <Address value={address} />: <AllCoins sums={sums} />
        </li>
      ))}
      {others > 0 && <li>{counted(others, 'other receiver')}</li>}
    </ul>
  );
  return (
    <Unfold
      summary={`Show the ${receivers.length + others} receivers`}
      isFolded={receivers.length > RECEIVERS_UNFOLDED_MAX}
    >
      {() => list}
    </Unfold>
  );
}

interface ChoicesProps {
  readonly rows: readonly Row[];
  readonly shown: Report;
  readonly toWhom: string;
  /** True if the server was also set up for all receivers. The page then proposes an answer. */
  readonly isToTrackedWallets?: boolean;
}

function Choices({ rows, shown, toWhom, isToTrackedWallets = false }: ChoicesProps) {
  const tags = new Set(rows.map((row) => tagOf(row, shown.stated)));
  const tag = tags.size === 1 ? [...tags][0]! : undefined;
  const proposed = tag === '' && isToTrackedWallets ? 'own_transfer' : undefined;
  return (
    <fieldset class="choices">
      <legend class="whole">
        {counted(rows.length, 'send')} to {toWhom}: what were they?
      </legend>
      {CHOICES.map(([label, ...names]) => {
        const isChosen = tag !== undefined && names.includes(tag);
        return (
          <button
            key={label}
            type="button"
            class={names[0] === proposed ? 'button small' : 'quiet small'}
            aria-pressed={isChosen}
            onClick={() => decideSends(rows, isChosen ? '' : names[0]!)}
          >
            {label}
          </button>
        );
      })}
    </fieldset>
  );
}

/** A choice for each receiver. Rows that pay several receivers have one choice, because a row has only one tag. */
function EachReceiver({ payment: { rows, receivers }, shown }: PaymentProps) {
  const joint = rows.filter(({ counterparty }) => counterparty === '');
  return (
    <ul class="rows-of-group">
      {receivers
        .filter((receiver) => receiver.rows.length > 0)
        .map((receiver) => (
          <li key={receiver.address}>
            <p>
              <AllCoins sums={sumsOf(receiver.rows)} /> to <Address value={receiver.address} />
            </p>
            <Choices rows={receiver.rows} shown={shown} toWhom={receiver.address} />
          </li>
        ))}
      {joint.length > 0 && (
        <li>
          <p>
            <AllCoins sums={sumsOf(joint)} /> to several receivers by one message. {JOINT_WORDS}
          </p>
          <Choices rows={joint} shown={shown} toWhom="several receivers" />
        </li>
      )}
    </ul>
  );
}

const JOINT_WORDS = 'Such a payment is one row in your files, so one answer counts for all its receivers.';

const EachSend = ({ rows }: { readonly rows: readonly Row[] }) => (
  <ul class="rows-of-group">
    {rows.slice(0, ROWS_SHOWN).map((row) => (
      <li key={row.id}>
        <p>
          <Moment value={row.date} withTime /> · <Coins value={row.sentAmount} symbol={row.sentCurrency} />
          <Worth row={row} />
        </p>
        <TagChoice row={row} />
      </li>
    ))}
    {rows.length > ROWS_SHOWN && (
      <li class="fine">{rows.length - ROWS_SHOWN} more: tag them in the table of transactions.</li>
    )}
  </ul>
);

/** Shows how the API taxes the sends, for example as a sale, with the sum of their values. */
function Effects({ rows, shown }: { readonly rows: readonly Row[]; readonly shown: Report }) {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const { words } = countsAs(row, shown);
    groups.set(words, [...(groups.get(words) ?? []), row]);
  }
  return (
    <ul class="counts-as">
      {[...groups].map(([words, group]) => {
        const priced = group.filter(({ priceMissing }) => !priceMissing);
        const unpriced = group.length - priced.length;
        return (
          <li key={words}>
            Counts as: {words}
            {isUsual.value && priced.length > 0 && countsAs(group[0]!, shown).isValued && (
              <>
                {' '}
                for{' '}
                <Usd
                  value={sumOf(
                    priced.map(({ valueUsd }) => valueUsd),
                    2,
                  )}
                />
              </>
            )}
            {groups.size > 1 && ` (${counted(group.length, 'send')})`}
            {unpriced > 0 && (group.length === 1 ? ', no price that day' : `, ${unpriced} without a price`)}
          </li>
        );
      })}
    </ul>
  );
}
