import { waiting } from '../api/client.js';
import { cancel, isForStatements } from '../state/report.js';
import { readingSaved } from '../state/saved-statements.js';
import { forgetStatements } from '../state/statements.js';

export const Progress = () => (
  <div class="progress" role="status">
    <span class="spinner" aria-hidden="true" />
    <p>
      {waiting.value > 0
        ? `The server is busy; retrying in ${waiting.value} s…`
        : readingSaved.value || 'Calculating your year…'}
    </p>
    <button type="button" class="quiet" onClick={cancel}>
      Cancel
    </button>
  </div>
);

interface RefusedProps {
  readonly message: string;
  readonly tryAgain: () => void;
}

export const Refused = ({ message, tryAgain }: RefusedProps) => (
  <div class="notice lone bad" role="alert">
    <p>{message}</p>
    <div class="choices">
      {isForStatements.value && (
        <button type="button" class="quiet small" onClick={forgetStatements}>
          Delete my earlier answers
        </button>
      )}
      <button type="button" class="quiet small" onClick={tryAgain}>
        Try again
      </button>
    </div>
  </div>
);
