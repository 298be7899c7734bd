/** The report's heading. It stays mounted while figures reload, so that it can keep the focus. */
import { useEffect } from 'preact/hooks';
import { goTo } from '../parts/go-to.js';
import { type Asked, wholeYear } from '../state/asked.js';
import { type Report, undecided } from '../state/report.js';
import { daysOf, isOutside } from './recorded-part.js';

interface TitleProps {
  readonly wanted: Asked;
  readonly shown: Report | undefined;
}

export const Title = ({ wanted, shown }: TitleProps) => {
  useTitle(titleOf(wanted));
  return (
    <header class="title">
      <h1 tabIndex={-1}>{titleOf(wanted)}</h1>
      {shown && (
        <p class="lead">
          {daysOf(shown)}
          {wanted.addresses.length > 1 && `, ${wanted.addresses.length} wallets`}
        </p>
      )}
      {shown && !isOutside(shown) && <JumpTo shown={shown} />}
    </header>
  );
};

/** Sets the document title, so that tabs and history entries differ. */
function useTitle(name: string): void {
  useEffect(() => {
    const { title } = document;
    document.title = `${name} · hubledger`;
    return () => {
      document.title = title;
    };
  }, [name]);
}

function titleOf(asked: Asked): string {
  const year = wholeYear(asked);
  return year ? `Your ${year}` : 'Your report';
}

function JumpTo({ shown }: { readonly shown: Report }) {
  const left = undecided(shown).length;
  const next = left > 0 ? 'settle' : 'downloads';
  return (
    <nav class="jump screen" aria-label="Report sections">
      {PARTS.map(([id, name]) => (
        <button
          key={id}
          type="button"
          class={`small ${id === next ? 'button' : 'quiet'}`}
          onClick={() => goTo(`${id}-title`)}
        >
          {name}
          {id === 'settle' && left > 0 && <span class="count">{left}</span>}
        </button>
      ))}
    </nav>
  );
}

const PARTS = [
  ['glance', 'At a glance'],
  ['charts', 'Through the year'],
  ['settle', 'Open questions'],
  ['rows', 'Transactions'],
  ['downloads', 'Download'],
] as const;
