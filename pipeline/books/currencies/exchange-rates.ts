/** Days before the day of a value in which its exchange rate is searched (rule of the methodology). */
export const RATE_DAYS_BACK = 7;
