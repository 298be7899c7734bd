/** The widget for validators' sites: `<hubledger-income>`, one file that loads nothing else. */
import { IncomeElement } from './widget/income-element.js';

customElements.define('hubledger-income', IncomeElement);
