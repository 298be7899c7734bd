/** The year at a glance: main figures, each linked to its rows. */
import { goTo } from '../../parts/go-to.js';
import { Section } from '../../parts/section.js';
import { type Report, undecided } from '../../state/report.js';
import { FeesCard } from './fees-card.js';
import { GainsCard } from './gains-card.js';
import { IncomeCard } from './income-card.js';
import { OpenCard } from './open-card.js';

export function Glance({ shown }: { readonly shown: Report }) {
  const { total } = shown.summary;
  const left = undecided(shown).length;
  return (
    <Section id="glance" title="At a glance">
      {left > 0 && (
        <p class="notice" role="note">
          {left === 1 ? 'One suspicious incoming transfer is' : `${left} suspicious incoming transfers are`} left out of
          these figures until you decide.{' '}
          <button type="button" class="link" onClick={() => goTo('settle-title')}>
            Review them
          </button>
        </p>
      )}
      <div class="cards">
        <IncomeCard sheet={total} />
        <GainsCard sheet={total} />
        <FeesCard sheet={total} />
        <OpenCard shown={shown} />
      </div>
    </Section>
  );
}
