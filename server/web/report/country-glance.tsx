/** The report's figures by the rules of a country. What is not known, withheld or missing has words, and is never zero. */
import type { ComponentChildren } from 'preact';
import {
  FREE_COINS,
  INCOME_RULES,
  NOT_MATCHED,
  nameWords,
  openWords,
  WITHHELD,
} from '../../../pipeline/books/reports/tax-year/words.js';
import type { TaxYear } from '../../../schemas/types.generated.js';
import { Coins, Section } from '../parts.js';
import { country, currency } from '../state/country.js';
import type { Report } from '../state/report.js';
import { kindsOfRows } from '../state/rows.js';
import { openSends } from '../state/sends.js';
import { shortened } from '../values/addresses.js';
import { readableDay } from '../values/dates.js';
import { counted, sumOf } from '../values/decimal.js';
import { LOCALE } from '../values/language.js';
import {
  type Asset,
  formLines,
  gainsOf,
  heldTitle,
  isKnown,
  isRecorded,
  lackingIn,
  listedFirst,
  openOf,
  ratesWords,
  Sum,
  unknownGain,
  type YearProps,
} from './country-parts.js';
import { Card, LeftOut, Part, QuestionBar, Scope, Without } from './glance.js';
import { openQuestion } from './settle/question.js';

const sentence = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;

export function CountryGlance({ shown }: { readonly shown: Report }) {
  const [rules, { taxYear: year }] = [country.value!, shown];
  return (
    <Section id="glance" title="At a glance">
      {year?.rules?.review === 'draft' && (
        <p class="notice" role="note" id="review">
          <strong>These rules are a draft:</strong> no professional has confirmed them. This page is not tax advice.
        </p>
      )}
      <LeftOut shown={shown} />
      <QuestionBar />
      {year ? (
        <>
          <div class="cards">
            <IncomeCard year={year} />
            <GainsCard year={year} rules={rules} sends={openSends(shown)} />
            <HeldCard year={year} rules={rules} />
          </div>
          <FormLines year={year} rules={rules} />
        </>
      ) : (
        <p class="notice" role="note">
          {rules.name}: there are no rules for this year.
        </p>
      )}
    </Section>
  );
}

function IncomeCard({ year }: Pick<YearProps, 'year'>) {
  const { total } = year.income;
  const kinds = listedFirst(year.income.kinds);
  const { income: gaps } = lackingIn(year);
  const labels = new Map(kindsOfRows.value);
  const isNone = kinds.length === 0 && gaps.length === 0;
  return (
    <Card
      title="Income"
      figure={isNone ? <Nothing year={year} /> : <Sum value={total} isPartial={gaps.length > 0} />}
      scope={
        <>
          <Scope>{gaps.length > 0 ? `without ${gaps.join(' and ')}` : ''}</Scope>
          <p class="fine">{sentence(INCOME_RULES[year.income_rule])}</p>
        </>
      }
      parts={kinds.slice(0, KINDS_SHOWN).map((one) => (
        <Part key={`${one.kind} ${one.denom}`} name={<KindName of={one} labels={labels} />}>
          <Sum value={one.value} isPartial={one.value_missing > 0} unknown="no price" />
        </Part>
      ))}
      how={
        <>
          <p>The value of a payment is that of its day, in {currency.value.words}.</p>
          <ul class="sums">
            {kinds.map((one) => (
              <li key={`${one.kind} ${one.account} ${one.denom}`}>
                <span>
                  {one.count.toLocaleString(LOCALE)} × {labels.get(one.kind) ?? nameWords(one.kind)}
                </span>
                <Coins value={one.quantity} symbol={one.symbol} />
                <Sum value={one.value} isPartial={one.value_missing > 0} unknown="no price" />
              </li>
            ))}
          </ul>
        </>
      }
    />
  );
}

interface KindNameProps {
  readonly of: TaxYear['income']['kinds'][number];
  readonly labels: ReadonlyMap<string, string>;
}

const KindName = ({ of: { kind, symbol }, labels }: KindNameProps) => (
  <>
    {labels.get(kind) ?? nameWords(kind)}, {shortened(symbol)}
  </>
);

const KINDS_SHOWN = 3;

const Nothing = ({ year }: { readonly year: TaxYear }) => (
  <span class="unknown">{isRecorded(year) ? 'none' : 'not recorded'}</span>
);

function GainsCard({ year, rules, sends }: YearProps & { readonly sends: number }) {
  const { count, proceeds, cost, unknown, proceeds_missing } = year.disposals;
  const { disposals: gaps } = lackingIn(year);
  const isPartial = gaps.length > 0;
  const [first, ...others] = gainsOf({ year, rules });
  const [title, gain] = first!;
  // A sum of few lines is not in large letters.
  const isLarge = 2 * (unknown.count + proceeds_missing) <= count;
  return (
    <Card
      title={title}
      figure={
        count === 0 ? (
          <Nothing year={year} />
        ) : (
          <Sum value={isLarge ? gain : null} isPartial={isPartial} unknown={unknownGain(year)} />
        )
      }
      scope={
        <>
          <Reason year={year} />
          {count > 0 && isPartial && isKnown(gain, isPartial) && (
            <p class="scope">
              {!isLarge && (
                <>
                  so far <Sum value={gain} />,{' '}
                </>
              )}
              without {gaps.join(' and ')}
            </p>
          )}
          {rules.free && (
            <p class="fine">
              {rules.free.means === 'exempt' ? 'Tax free' : 'Long-term'}: {FREE_COINS[rules.free.after]}.
            </p>
          )}
        </>
      }
      parts={
        count > 0 && (
          <>
            {[...others, ['Proceeds', proceeds] as const, ['Cost', cost] as const].map(
              ([name, value]) =>
                isKnown(value, isPartial) && (
                  <Part key={name} name={name}>
                    <Sum value={value} />
                  </Part>
                ),
            )}
            <Without
              name={<Link to="sends">Sends that count as sales</Link>}
              text={sends === 0 ? '' : sends.toLocaleString(LOCALE)}
            />
            <Without
              name={<Link to="opening-coins">Not included: sold at unknown cost</Link>}
              text={unknown.count === 0 ? '' : <Sum value={unknown.proceeds} />}
            />
            <Without
              name="Not included: no price"
              text={proceeds_missing === 0 ? '' : counted(proceeds_missing, 'sale')}
            />
          </>
        )
      }
      how={
        <p>
          {year.method === 'none'
            ? NOT_MATCHED
            : `Method: ${rules.method_words}. ${
                year.scope === 'person' ? 'The coins of all your wallets are one.' : 'Each wallet has its own coins.'
              }`}{' '}
          Days are those of {year.timezone}.
        </p>
      }
    />
  );
}

const Link = ({ to, children }: { readonly to: 'sends' | 'opening-coins'; readonly children: ComponentChildren }) => (
  <button type="button" class="link" onClick={() => openQuestion(to, 'unknown-costs')}>
    {children}
  </button>
);

/** Explains why gains are not shown. */
function Reason({ year: { disposals, method } }: { readonly year: TaxYear }) {
  const { withheld, count } = disposals;
  if (count === 0 || (withheld === null && method !== 'none')) return null;
  return (
    <p class="scope">
      {withheld === null ? NOT_MATCHED : WITHHELD[withheld]}{' '}
      {withheld === 'pool_not_complete' && (
        <button type="button" class="link" onClick={() => openQuestion('complete')}>
          Are these all your wallets?
        </button>
      )}
    </p>
  );
}

function HeldCard({ year, rules }: YearProps) {
  const { holdings } = year;
  const title = heldTitle(year);
  if (!holdings) return <Card title={title} figure={<span class="unknown">not known</span>} how={NO_HOLDINGS} />;
  const assets = listedFirst(holdings.assets);
  const values = assets.flatMap(({ value }) => value ?? []);
  const unvalued = assets.length - values.length;
  const total = values.length === 0 && unvalued > 0 ? null : sumOf(values, currency.value.minorDigits);
  return (
    <Card
      title={title}
      figure={assets.length === 0 ? <span class="unknown">none</span> : <Sum value={total} isPartial={unvalued > 0} />}
      scope={<Scope>{unvalued > 0 ? `without ${counted(unvalued, 'coin')} of unknown value` : ''}</Scope>}
      parts={assets.slice(0, 1).map((one) => (
        <>
          {(['liquid', 'staked', 'unbonding'] as const).map((name) => (
            <Part key={name} name={nameWords(name)}>
              <Quantity of={one} value={one[name]} />
            </Part>
          ))}
          <Part name="Unclaimed rewards">
            <Quantity of={one} value={one.unclaimed} />
          </Part>
          <Part name="Value of unclaimed rewards">
            <Sum value={one.unclaimed_value} unknown="not known" />
          </Part>
          {assets.length > 1 && <Part name="Other coins">{(assets.length - 1).toLocaleString(LOCALE)}</Part>}
        </>
      ))}
      how={
        <>
          <p>
            {rules.year_end && sentence(rules.year_end)} The value is that of liquid, staked and unbonding coins after
            block {holdings.height.toLocaleString(LOCALE)}, at {holdings.at}.
          </p>
          <ul class="sums">
            {assets.map((one) => (
              <li key={one.denom}>
                <Quantity of={one} value={heldOf(one)} />
                <Sum value={one.value} unknown="not known" />
              </li>
            ))}
          </ul>
        </>
      }
    />
  );
}

interface QuantityProps {
  readonly of: { readonly symbol: string };
  readonly value: string | null;
}

const Quantity = ({ of: { symbol }, value }: QuantityProps) =>
  value === null ? (
    <span>
      not known <span class="whole">of {symbol}</span>
    </span>
  ) : (
    <Coins value={value} symbol={symbol} />
  );

/** Returns the sum of a coin's liquid, staked and unbonding quantities; null if one is unknown. */
const heldOf = ({ liquid, staked, unbonding }: Asset): string | null =>
  staked === null || unbonding === null ? null : sumOf([liquid, staked, unbonding]);

const NO_HOLDINGS = <p>This dataset has no holdings of that moment.</p>;

/** Lists the lines of the return, what they lack, and what is still open. */
function FormLines({ year, rules }: YearProps) {
  return (
    <article class="card form-lines" id="form">
      <h3>For your return, in {currency.value.words}</h3>
      <dl class="sums">
        {formLines({ year, rules }).map(({ place, label, value, lacking, unknown }) => (
          <div key={place}>
            <dt>
              <strong>{place}</strong> {label}
              {lacking.length > 0 && <span class="so-far">without {lacking.join(' and ')}</span>}
            </dt>
            <dd>
              <Sum value={value} isPartial={lacking.length > 0} unknown={unknown} />
            </dd>
          </div>
        ))}
      </dl>
      {year.form.length === 0 && <p>The rules name no form.</p>}
      {rules.thresholds.map((threshold) => (
        <p key={threshold} class="fine">
          Not applied here: {threshold}
        </p>
      ))}
      {year.open.length > 0 && (
        <>
          <h3>What is missing</h3>
          <ul class="evidence">
            {openOf(year).map((one) => {
              const [words, count] = openWords(one, readableDay);
              return (
                <li key={one.kind}>
                  {words}
                  {count !== undefined && `: ${count.toLocaleString(LOCALE)}`}
                </li>
              );
            })}
          </ul>
        </>
      )}
      <p class="fine">
        Rules: {rules.name}, version {year.rules?.version}
        {year.rules?.review === 'draft' ? ', draft' : ', reviewed by a professional'}. {ratesWords(year, readableDay)}
      </p>
    </article>
  );
}
