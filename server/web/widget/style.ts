/** The widget's style. Pages theme it with the custom properties listed first. */
export const STYLE = `
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
