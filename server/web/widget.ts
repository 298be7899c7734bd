/**
 * The widget for validators' sites, in a single file: `<hubledger-income api-key="…">`. A delegator enters an address
 * and sees the wallet's staking income. The script may also be loaded as a module (`type="module"`). Attributes: `api-key`; `start` and `end` (days); `scope="validator"` counts
 * only this validator's rewards; `address` presets the wallet; `demo` shows example amounts. The language is the `lang`
 * of the element or page. If the service refuses a request, the browser's console contains the reason.
 */

import { USUAL } from '../../pipeline/books/terms.js';
import type { DelegatorReport, Problem } from '../../schemas/types.generated.js';

interface Texts {
  readonly label: string;
  readonly show: string;
  readonly rewards: string;
  readonly worth: string;
  readonly count: string;
  readonly missing: string;
  readonly wait: string;
  readonly wrong: string;
  readonly failed: string;
  readonly example: string;
  readonly period: string;
  readonly allDays: string;
  readonly allValidators: string;
  readonly only: string;
  readonly unknown: string;
  readonly unrecorded: string;
  readonly recorded: string;
  readonly report: string;
}

const TEXTS: Readonly<Record<string, Texts>> = {
  en: {
    label: 'Your address',
    show: 'Show my staking income',
    rewards: 'Rewards received',
    worth: 'Value when received',
    count: 'Payouts',
    missing: 'Rewards without a price that day',
    wait: 'One moment…',
    wrong: 'This is not an address of the Cosmos Hub.',
    failed: 'The figures cannot be shown now.',
    example: 'Example figures',
    period: 'Period',
    allDays: 'All recorded days',
    allValidators: 'from all validators',
    only: 'from {name} only',
    unknown: 'not known',
    unrecorded: 'These days are not recorded.',
    recorded: 'Recorded so far:',
    report: 'Open the whole report',
  },
  de: {
    label: 'Ihre Adresse',
    show: 'Staking-Einkünfte zeigen',
    rewards: 'Erhaltene Belohnungen',
    worth: 'Wert beim Zufluss',
    count: 'Auszahlungen',
    missing: 'Auszahlungen ohne Tageskurs',
    wait: 'Einen Moment…',
    wrong: 'Das ist keine Adresse des Cosmos Hub.',
    failed: 'Die Zahlen sind gerade nicht verfügbar.',
    example: 'Beispielzahlen',
    period: 'Zeitraum',
    allDays: 'Alle erfassten Tage',
    allValidators: 'von allen Validatoren',
    only: 'nur von {name}',
    unknown: 'nicht bekannt',
    unrecorded: 'Diese Tage sind nicht erfasst.',
    recorded: 'Bisher erfasst:',
    report: 'Ganzen Bericht öffnen',
  },
  es: {
    label: 'Su dirección',
    show: 'Ver mis ingresos de staking',
    rewards: 'Recompensas recibidas',
    worth: 'Valor al recibirlas',
    count: 'Pagos',
    missing: 'Pagos sin precio ese día',
    wait: 'Un momento…',
    wrong: 'No es una dirección del Cosmos Hub.',
    failed: 'Las cifras no están disponibles ahora.',
    example: 'Cifras de ejemplo',
    period: 'Período',
    allDays: 'Todos los días registrados',
    allValidators: 'de todos los validadores',
    only: 'solo de {name}',
    unknown: 'no se conoce',
    unrecorded: 'Estos días no están registrados.',
    recorded: 'Registrado hasta ahora:',
    report: 'Abrir el informe completo',
  },
  fr: {
    label: 'Votre adresse',
    show: 'Voir mes revenus de staking',
    rewards: 'Récompenses reçues',
    worth: 'Valeur à la réception',
    count: 'Versements',
    missing: 'Versements sans cours ce jour-là',
    wait: 'Un instant…',
    wrong: 'Ce n’est pas une adresse du Cosmos Hub.',
    failed: 'Les chiffres ne sont pas disponibles pour le moment.',
    example: 'Chiffres d’exemple',
    period: 'Période',
    allDays: 'Tous les jours enregistrés',
    allValidators: 'de tous les validateurs',
    only: 'de {name} seulement',
    unknown: 'inconnu',
    unrecorded: 'Ces jours ne sont pas enregistrés.',
    recorded: 'Enregistré jusqu’ici :',
    report: 'Ouvrir le rapport complet',
  },
};

/** Returns the texts in a language such as 'de-CH'. Unknown languages get English. */
const textsOf = (language: string): Texts => TEXTS[language.slice(0, 2).toLowerCase()] ?? TEXTS.en!;

/**
 * Returns the URL of this script; '' if it is unknown. A module has no current script, and a classic script must not
 * contain `import.meta`. The stack of an error has the same URL in both.
 */
function scriptUrl(): string {
  const { src = '' } = (document.currentScript ?? {}) as Partial<HTMLScriptElement>;
  return src || (/^.*?(https?:.*):\d+:\d+\)?$/m.exec(new Error().stack ?? '')?.[1] ?? '');
}

const SCRIPT = scriptUrl();
/** Origin of this script, which the API shares; '' if it is unknown. It is never assumed to be the page's origin. */
const SERVICE = URL.canParse(SCRIPT) ? new URL(SCRIPT).origin : '';

const ADDRESS = /^cosmos1[02-9ac-hj-np-z]{38,58}$/;

const EXAMPLE: Partial<DelegatorReport> = {
  rewards_amount: '42.135097',
  symbol: 'ATOM',
  rewards_usd: '187.42',
  taxable_events: 24,
  price_missing_rows: 0,
  scope: 'wallet',
  start: '2026-01-01',
  end: '2026-12-31',
};

/** Creates an element. Strings become text, never HTML. */
function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  members: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), members);
  element.append(...children);
  return element;
}

class IncomeElement extends HTMLElement {
  static readonly observedAttributes = ['address', 'api-key', 'start', 'end', 'scope', 'lang', 'demo'];
  private readonly root = this.attachShadow({ mode: 'open' });
  private readonly input = make('input', {
    id: 'address',
    autocomplete: 'off',
    spellcheck: false,
    placeholder: 'cosmos1…',
  });
  /** The menu of years. It is hidden until the first report, because the recorded years are unknown before. */
  private readonly years = make('select', { id: 'years' });
  private readonly period = make('div', { className: 'period', hidden: true });
  private readonly output = make('div', { className: 'out' });
  private address = '';
  private isScheduled = false;
  private requestNumber = 0;
  private last: { readonly body: string; readonly report: DelegatorReport } | undefined;

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    this.root.adoptedStyleSheets = [sheet];
    this.output.setAttribute('role', 'status');
    this.years.addEventListener('change', () => void this.show());
  }

  connectedCallback(): void {
    this.schedule();
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after) return;
    if (name === 'address') this.address = this.input.value = after ?? '';
    if (name === 'start' || name === 'end') this.years.value = '';
    this.schedule();
  }

  /** Schedules one rendering after several attributes have changed, because each rendering may send a request. */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    queueMicrotask(() => {
      this.isScheduled = false;
      if (this.isConnected) this.draw();
    });
  }

  private get language(): string {
    return this.closest('[lang]')?.getAttribute('lang') || document.documentElement.lang || 'en';
  }

  private get texts(): Texts {
    return textsOf(this.language);
  }

  private draw(): void {
    const { texts } = this;
    const form = make(
      'form',
      { noValidate: true },
      make('label', { htmlFor: 'address' }, texts.label),
      this.input,
      this.period,
      make('button', { type: 'submit' }, texts.show),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.address = this.input.value.trim();
      void this.show();
    });
    this.period.replaceChildren(make('label', { htmlFor: 'years' }, texts.period), this.years);
    this.root.replaceChildren(form, this.output);
    void this.show();
  }

  /**
   * Shows the income of the current address. Discards the result if the user has entered another address in the
   * meantime.
   */
  private async show(): Promise<void> {
    const requestNumber = ++this.requestNumber;
    const { address, texts } = this;
    const isDemo = this.hasAttribute('demo');
    if (isDemo) return this.output.replaceChildren(...this.example(texts));
    if (address === '') return this.output.replaceChildren();
    if (!ADDRESS.test(address)) return this.output.replaceChildren(make('p', {}, texts.wrong));
    const body = this.bodyFor(address);
    if (body !== this.last?.body) {
      this.output.replaceChildren(make('p', {}, texts.wait));
      const report = await this.request(body);
      if (requestNumber !== this.requestNumber) return;
      if (typeof report === 'string') return this.output.replaceChildren(make('p', {}, report));
      this.last = { body, report };
    }
    const { report } = this.last!;
    this.offerYears(report, texts);
    this.output.replaceChildren(...this.figures(report, texts), this.closing(report, texts));
  }

  private bodyFor(address: string): string {
    const body: Record<string, string> = { address };
    const year = this.years.value;
    const days = { start: `${year}-01-01`, end: `${year}-12-31` };
    for (const name of ['start', 'end', 'scope'] as const) {
      const value = year && name !== 'scope' ? days[name] : this.getAttribute(name);
      if (value) body[name] = value;
    }
    return JSON.stringify(body);
  }

  /**
   * Requests a report. The address is in the body, so that no log of URLs contains it.
   * @returns a message for the user if the request fails; the console then contains the reason
   */
  private async request(body: string): Promise<DelegatorReport | string> {
    const { texts } = this;
    try {
      const reply = await this.ask({ method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
      const report = (await reply.json()) as DelegatorReport & Problem;
      if (reply.ok) return report;
      console.error(`<hubledger-income>: ${report.detail} (${report.code})`);
      return report.errors?.some(({ path }) => path === 'address') ? texts.wrong : texts.failed;
    } catch (error) {
      console.error(`<hubledger-income>: ${await this.refusal(error)}`);
      return texts.failed;
    }
  }

  private ask(init: RequestInit): Promise<Response> {
    if (SERVICE === '') throw new Error('load widget.js by <script src="…">, so that it finds its service');
    const query = new URLSearchParams({ api_key: this.getAttribute('api-key') ?? '' });
    return fetch(`${SERVICE}/api/tax/v1/delegator-report?${query}`, { ...init, credentials: 'omit' });
  }

  /**
   * Returns why a request failed. If the service refuses the key, browsers do not send the request, and hide the reason.
   * A GET without an address gets the reason.
   */
  private async refusal(error: unknown): Promise<string> {
    try {
      const { status, detail, code } = (await (await this.ask({})).json()) as Problem;
      if (status === 401 || status === 403) return `${detail} (${code})`;
    } catch {}
    return `no answer from ${SERVICE || 'the service'} (${error})`;
  }

  private offerYears({ coverage: { index_start, index_end } }: DelegatorReport, texts: Texts): void {
    const chosen = this.years.value;
    const [start, end] = [this.getAttribute('start'), this.getAttribute('end')];
    const wholePeriod = start || end ? this.days(start || index_start, end || index_end) : texts.allDays;
    const [first, last] = [Number(index_start.slice(0, 4)), Number(index_end.slice(0, 4))];
    const years = Array.from({ length: last - first + 1 }, (_, n) => String(last - n));
    this.years.replaceChildren(new Option(wholePeriod, ''), ...years.map((year) => new Option(year)));
    this.years.value = chosen;
    this.period.hidden = false;
  }

  private example(texts: Texts): Node[] {
    return [make('p', { className: 'fine' }, texts.example), ...this.figures(EXAMPLE, texts)];
  }

  private figures(report: Partial<DelegatorReport>, texts: Texts): Node[] {
    const { rewards_amount = '', symbol = '', rewards_usd = '', taxable_events = 0, price_missing_rows = 0 } = report;
    const { start = '', end = '', scope, moniker = '', validator = '', coverage } = report;
    const from = scope === 'validator' ? texts.only.replace('{name}', () => moniker || validator) : texts.allValidators;
    const heading = make('p', { className: 'what' }, `${this.days(start, end)} · ${from}`);
    if (coverage?.covered_from === null) return [heading, make('p', {}, texts.unrecorded)];
    const isUnpriced = taxable_events > 0 && price_missing_rows === taxable_events;
    const lines: [string, string][] = [
      [texts.rewards, `${this.number(rewards_amount, 0)} ${symbol}`],
      [texts.worth, isUnpriced ? texts.unknown : `${this.number(rewards_usd, 2)} ${USUAL.currency.code}`],
      [texts.count, this.number(String(taxable_events), 0)],
      ...(price_missing_rows > 0
        ? [[texts.missing, this.number(String(price_missing_rows), 0)] as [string, string]]
        : []),
    ];
    const list = lines.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value)));
    return [heading, make('dl', {}, ...list)];
  }

  /**
   * Returns a note about which days are recorded, with a link to the report. The link contains the address in its
   * fragment, so that no server receives it.
   */
  private closing({ address, start, end, coverage, powered_by }: DelegatorReport, texts: Texts): Node {
    const { range_complete: isWhole, covered_from: from, covered_to: to } = coverage;
    const isPartial = !isWhole && from !== null && to !== null;
    const href = `${SERVICE}/#addresses=${address}&start=${start}&end=${end}`;
    const link = make('a', { href, target: '_blank', rel: 'noopener' }, texts.report);
    const recorded = isPartial ? [`${texts.recorded} ${this.days(from, to)}`, make('br')] : [];
    return make('p', { className: 'fine' }, ...recorded, link, ` · ${powered_by}`);
  }

  /** Formats a range of days or times, such as '1 Jan – 31 Dec 2026'. */
  private days(start: string, end: string): string {
    const language = /^en$/i.test(this.language) ? 'en-GB' : this.language;
    const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
    return format.formatRange(new Date(start), new Date(end));
  }

  /** Formats a decimal in the page's language, without rounding. */
  private number(text: string, places: number): string {
    const format = new Intl.NumberFormat(this.language, { minimumFractionDigits: places, maximumFractionDigits: 6 });
    return format.format(text as unknown as number);
  }
}

/** CSS of the widget. Sites can change its look by setting the custom properties at the top. */
const STYLE = `
:host {
  --ink: var(--hubledger-ink, CanvasText);
  --soft: var(--hubledger-soft, color-mix(in srgb, var(--ink) 70%, var(--surface)));
  --surface: var(--hubledger-surface, Canvas);
  --line: var(--hubledger-line, color-mix(in srgb, var(--ink) 25%, var(--surface)));
  --accent: var(--hubledger-accent, #0e5f55);
  --accent-ink: var(--hubledger-accent-ink, #fff);
  --radius: var(--hubledger-radius, .625rem);
  display: block;
  max-width: 26rem;
  padding: 1rem;
  border: 1px solid var(--line);
  border-radius: var(--radius);
  background: var(--surface);
  color: var(--ink);
  font: var(--hubledger-font, 1rem/1.5 system-ui, sans-serif);
}
:host([hidden]) { display: none; }
form, dl { display: grid; gap: .5rem; margin: 0; }
label { font-size: .875em; font-weight: 600; }
input, select, button { box-sizing: border-box; width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--soft);
  border-radius: calc(var(--radius) / 2); background: var(--surface); color: inherit; font: inherit; }
button { border-color: var(--accent); background: var(--accent); color: var(--accent-ink); font-weight: 600; cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.out { margin-top: .75rem; }
.out:empty { display: none; }
.period { display: grid; gap: inherit; }
.period[hidden] { display: none; }
.what { font-weight: 600; margin: 0 0 .5rem; }
a { color: inherit; }
dl > div { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; }
dt, .fine { color: var(--soft); font-size: .875em; }
dd { margin: 0; font-variant-numeric: tabular-nums; font-weight: 600; }
p { margin: .5rem 0 0; }
`;

customElements.define('hubledger-income', IncomeElement);
