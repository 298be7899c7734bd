/** The report: a landing page until a wallet is asked for, then its year. */
import { ask, asked } from '../state/asked.js';
import { failure, isLoading, report } from '../state/report.js';
import { AddressForm } from './address-form.js';
import { Footer } from './footer.js';
import { Landing } from './landing.js';
import { Changes } from './settle/changes.js';
import { Sheet, titleOf } from './sheet.js';
import { Progress, Refused } from './states.js';

export function ReportPage() {
  const wanted = asked.value;
  if (!wanted) {
    return (
      <>
        <Landing />
        <Footer />
      </>
    );
  }
  return (
    <>
      <main id="main" class="page report" aria-busy={isLoading.value}>
        <AddressForm wanted={wanted} />
        {report.value ? (
          <Sheet shown={report.value} />
        ) : (
          <div class="sheets">
            <h1 tabIndex={-1}>{titleOf(wanted)}</h1>
            {failure.value && <Refused message={failure.value} tryAgain={() => ask(wanted)} />}
            {isLoading.value && <Progress />}
          </div>
        )}
        <Changes />
      </main>
      <Footer />
    </>
  );
}
