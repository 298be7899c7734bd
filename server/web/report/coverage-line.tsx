import type { Report } from '../state/report.js';
import { readableDay } from '../values/dates.js';

export function CoverageLine({ shown: { summary } }: { readonly shown: Report }) {
  const { coverage, methodology_version, classification_version, generation } = summary;
  return (
    <p class="rests-on" id="coverage">
      Based on {coverage.complete ? 'every block' : 'the blocks'} from {readableDay(coverage.index_start)} to{' '}
      {readableDay(coverage.index_end)}, prices by <a href="/docs/methodology">methodology {methodology_version}</a>,
      classification {classification_version}, dataset <code>{generation}</code>.{' '}
      <span class="fine">{coverage.note}</span>
    </p>
  );
}
