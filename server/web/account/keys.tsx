/** API keys: made with the scopes they need, shown once, ended at any time. */
import { useEffect, useState } from 'preact/hooks';
import type { ApiKey, ApiKeys } from '../../../schemas/types.generated.js';
import { get, messageOf, send } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { Moment } from '../parts/figure.js';
import { Scroller } from '../parts/scroller.js';
import { Section } from '../parts/section.js';
import { NewKey } from './new-key.js';

export function Keys() {
  const [keys, setKeys] = useState<readonly ApiKey[]>([]);
  const [made, setMade] = useState<ApiKey>();
  const [failure, setFailure] = useState('');
  const refused = (error: unknown) => setFailure(messageOf(error));
  const list = () => get<ApiKeys>(PATHS.keys).then((answer) => setKeys(answer.keys), refused);
  useEffect(() => void list(), []);
  const change = async (act: Promise<ApiKey | undefined>) => {
    setFailure('');
    setMade((await act.catch(refused)) ?? undefined);
    await list();
  };
  const live = keys.filter(({ revoked_at }) => revoked_at === null);
  return (
    <Section id="keys" title="API keys">
      <p class="lead">Programs that act for you send a key. It opens only what its scopes say.</p>
      {failure && (
        <p class="notice bad" role="alert">
          {failure}
        </p>
      )}
      {made?.key && (
        <div class="notice" role="status">
          <p>This is the key “{made.name}”. Copy it now: it is shown this once.</p>
          <p>
            <code class="secret">{made.key}</code>
          </p>
        </div>
      )}
      {live.length > 0 && (
        <Scroller label="API keys in force">
          <table class="figures">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Scopes</th>
                <th scope="col">Made</th>
                <th scope="col">Last used</th>
                <th scope="col">Change</th>
              </tr>
            </thead>
            <tbody>
              {live.map((key) => (
                <tr key={key.id}>
                  <th scope="row">{key.name}</th>
                  <td>{key.scopes.join(', ')}</td>
                  <td>
                    <Moment value={key.created_at} />
                  </td>
                  <td>{key.last_used_at ? <Moment value={key.last_used_at} /> : 'never'}</td>
                  <td class="choices">
                    <button
                      type="button"
                      class="quiet small"
                      onClick={() => change(send('POST', `${PATHS.keys}/${key.id}/rotate`))}
                    >
                      New secret<span class="whole"> for {key.name}</span>
                    </button>
                    <button
                      type="button"
                      class="quiet small"
                      onClick={() => change(send('DELETE', `${PATHS.keys}/${key.id}`))}
                    >
                      End<span class="whole"> {key.name}</span>
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
      <NewKey make={(wanted) => change(send('POST', PATHS.keys, wanted))} />
    </Section>
  );
}
