/**
 * The widget for validators' sites, in a single file: `<hubledger-income api-key="…">`. A delegator enters an address
 * and sees the wallet's staking income. Attributes: `api-key`; `start` and `end` (days); `scope="validator"` counts
 * only this validator's rewards; `address` presets the wallet; `demo` shows example amounts. The language is the `lang`
 * of the element or page.
 */
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
  },
};

/** Returns texts in a language such as 'de-CH'; English by default. */
const textsOf = (language: string): Texts => TEXTS[language.slice(0, 2).toLowerCase()] ?? TEXTS.en!;

/** The API has the same origin as this script. */
const SERVICE = new URL((document.currentScript as HTMLScriptElement | null)?.src ?? location.href).origin;

const ADDRESS = /^cosmos1[02-9ac-hj-np-z]{38,58}$/;

const EXAMPLE: Partial<DelegatorReport> = {
  rewards_amount: '42.135097',
  symbol: 'ATOM',
  rewards_usd: '187.42',
  taxable_events: 24,
  price_missing_rows: 0,
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
  private readonly output = make('div', { className: 'out' });
  /** Number of requests. A late response to an older request is dropped. */
  private asked = 0;

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    this.root.adoptedStyleSheets = [sheet];
    this.output.setAttribute('role', 'status');
  }

  connectedCallback(): void {
    this.draw();
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.draw();
  }

  private get language(): string {
    return this.closest('[lang]')?.getAttribute('lang') || document.documentElement.lang || 'en';
  }

  private draw(): void {
    const texts = textsOf(this.language);
    const form = make(
      'form',
      { noValidate: true },
      make('label', { htmlFor: 'address' }, texts.label),
      this.input,
      make('button', { type: 'submit' }, texts.show),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.show(this.input.value.trim(), texts);
    });
    this.root.replaceChildren(form, this.output);
    const given = this.getAttribute('address');
    this.asked++;
    if (this.hasAttribute('demo')) this.output.replaceChildren(...this.example(texts));
    else if (given) void this.show(given, texts);
    else this.output.replaceChildren();
  }

  /** Shows an address's income, unless the user has entered another one meanwhile. */
  private async show(address: string, texts: Texts): Promise<void> {
    const asked = ++this.asked;
    this.output.replaceChildren(make('p', {}, texts.wait));
    const answer = await this.answerTo(address, texts);
    if (asked === this.asked) this.output.replaceChildren(...answer);
  }

  private async answerTo(address: string, texts: Texts): Promise<Node[]> {
    const said = (text: string) => [make('p', {}, text)];
    if (!ADDRESS.test(address)) return said(texts.wrong);
    if (this.hasAttribute('demo')) return this.example(texts);
    const query = new URLSearchParams({ address, api_key: this.getAttribute('api-key') ?? '' });
    for (const name of ['start', 'end', 'scope']) {
      const value = this.getAttribute(name);
      if (value) query.set(name, value);
    }
    try {
      const answer = await fetch(`${SERVICE}/api/tax/v1/delegator-report?${query}`, { credentials: 'omit' });
      const body = (await answer.json()) as DelegatorReport & Problem;
      if (!answer.ok) return said(answer.status === 400 ? texts.wrong : texts.failed);
      return [this.figures(body, texts), make('p', { className: 'fine' }, body.powered_by)];
    } catch {
      return said(texts.failed);
    }
  }

  private example(texts: Texts): Node[] {
    return [make('p', { className: 'fine' }, texts.example), this.figures(EXAMPLE, texts)];
  }

  private figures(report: Partial<DelegatorReport>, texts: Texts): HTMLElement {
    const { rewards_amount = '', symbol = '', rewards_usd = '', taxable_events = 0, price_missing_rows = 0 } = report;
    const lines: [string, string][] = [
      [texts.rewards, `${this.number(rewards_amount, 0)} ${symbol}`],
      [texts.worth, `${this.number(rewards_usd, 2)} USD`],
      [texts.count, this.number(String(taxable_events), 0)],
      ...(price_missing_rows > 0
        ? [[texts.missing, this.number(String(price_missing_rows), 0)] as [string, string]]
        : []),
    ];
    return make(
      'dl',
      {},
      ...lines.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))),
    );
  }

  /** Formats a decimal for the language, without rounding. */
  private number(text: string, places: number): string {
    const format = new Intl.NumberFormat(this.language, { minimumFractionDigits: places, maximumFractionDigits: 6 });
    return format.format(text as unknown as number);
  }
}

/** Sites can change the look with the custom properties listed first. */
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
input, button { box-sizing: border-box; width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--soft);
  border-radius: calc(var(--radius) / 2); background: var(--surface); color: inherit; font: inherit; }
button { border-color: var(--accent); background: var(--accent); color: var(--accent-ink); font-weight: 600; cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.out { margin-top: .75rem; }
.out:empty { display: none; }
dl > div { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; }
dt, .fine { color: var(--soft); font-size: .875em; }
dd { margin: 0; font-variant-numeric: tabular-nums; font-weight: 600; }
p { margin: .5rem 0 0; }
`;

customElements.define('hubledger-income', IncomeElement);
