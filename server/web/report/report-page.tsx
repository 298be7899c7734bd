/** The report page: the landing page, or the figures if wallets are given. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ask, asked } from '../state/asked.js';
import { failure, isLoading, report } from '../state/report.js';
import { AddressForm } from './address-form.js';
import { Footer } from './footer.js';
import { Landing } from './landing.js';
import { Changes } from './settle/changes.js';
import { Sheet } from './sheet.js';
import { Progress, Refused } from './states.js';
import { Title } from './title.js';

export function ReportPage() {
  const wanted = asked.value;
  useFocusOnTurn(wanted !== undefined);
  if (!wanted) {
    return (
      <>
        <Landing />
        <Footer />
      </>
    );
  }
  const shown = report.value;
  return (
    <>
      <main id="main" class="page report" aria-busy={isLoading.value}>
        <AddressForm wanted={wanted} />
        <div class={`sheets ${shown && isLoading.value ? 'stale' : ''}`}>
          <Title wanted={wanted} shown={shown} />
          {shown && <Sheet shown={shown} />}
          {!shown && failure.value && <Refused message={failure.value} tryAgain={() => ask(wanted)} />}
          {!shown && isLoading.value && <Progress />}
        </div>
        <Changes />
      </main>
      <Footer />
    </>
  );
}

/** Moves the focus to the heading when landing page and report replace each other. */
function useFocusOnTurn(isReport: boolean): void {
  const before = useRef(isReport);
  useLayoutEffect(() => {
    if (before.current !== isReport) document.querySelector<HTMLElement>('main h1')?.focus();
    before.current = isReport;
  }, [isReport]);
}
