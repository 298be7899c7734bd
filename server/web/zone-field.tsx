/** A field for a time zone, with a searchable list of all zones. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { loadZoneNames, zoneNames } from './state/zone.js';

interface ZoneFieldProps {
  /** Name of the current zone. */
  readonly name: string;
  readonly isDisabled?: boolean;
  readonly choose: (name: string) => void;
}

/** Id of the input, for the link at the top of the report. */
export const ZONE_FIELD = 'zone';

export function ZoneField({ name, isDisabled = false, choose }: ZoneFieldProps) {
  const [text, setText] = useState(name);
  const [isTried, setTried] = useState(false);
  useLayoutEffect(() => setText(name), [name]);
  const match = (typed: string) => zoneNames.value.find((one) => one.toLowerCase() === typed.trim().toLowerCase());
  const change = (typed: string) => {
    setTried(true);
    setText(typed);
    const found = match(typed);
    if (found !== undefined && found !== name) choose(found);
  };
  const isUnknown = isTried && zoneNames.value.length > 0 && match(text) === undefined;
  return (
    <div class="field zone">
      <label for={ZONE_FIELD}>Time zone</label>
      <input
        id={ZONE_FIELD}
        list="zones"
        value={text}
        disabled={isDisabled}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={isUnknown}
        aria-describedby="zone-hint"
        onFocus={({ currentTarget }) => {
          void loadZoneNames();
          currentTarget.select();
        }}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onChange={({ currentTarget }) => change(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          change(event.currentTarget.value);
        }}
      />
      <datalist id="zones">
        {zoneNames.value.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <p id="zone-hint" class={isUnknown ? 'fault' : 'hint'} role={isUnknown ? 'alert' : undefined}>
        {isUnknown ? 'Choose a zone of the list, such as Europe/Berlin.' : 'Type to search, for example Berlin.'}
      </p>
    </div>
  );
}
