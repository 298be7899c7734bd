export interface Texts {
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

/** Returns the texts for a language tag such as 'de-CH'; English by default. */
export const textsOf = (language: string): Texts => TEXTS[language.slice(0, 2).toLowerCase()] ?? TEXTS.en!;
