/** The widget for validators' sites: `<hubledger-income>`, a single self-contained file. */
import { IncomeElement } from './widget/income-element.js';

customElements.define('hubledger-income', IncomeElement);
