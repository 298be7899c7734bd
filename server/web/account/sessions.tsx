import type { Sessions as SessionList } from '../../../schemas/types.generated.js';
import { send } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { Section } from '../parts/section.js';
import { Confirmed } from './parts/confirmed.js';
import { Entries, Entry } from './parts/entries.js';
import { Failure } from './parts/failure.js';
import { useAccountList } from './parts/use-own.js';
import { When } from './parts/when.js';

type Session = SessionList['sessions'][number];

const nameOf = ({ device }: Session) => device ?? 'An unknown browser';

export function Sessions() {
  const { list, isBusy, failure, remove } = useAccountList<SessionList>(PATHS.sessions);
  const sessions = list?.sessions ?? [];
  const end = (act: () => Promise<unknown>) => remove(act, 'sessions');
  const all = sessions.length > 1 && (
    <Confirmed
      text="End all others"
      of=""
      question="End all other sessions?"
      yes="End them"
      act={() => end(() => send('POST', PATHS.endOtherSessions))}
    >
      <p>All browsers except this one are signed out at once. Your API keys keep working.</p>
    </Confirmed>
  );
  return (
    <Section id="sessions" title="Where you are signed in" aside={all} isBusy={isBusy}>
      <Failure text={failure} />
      <Entries label="Sessions">
        {sessions.map((session) => (
          <Entry
            key={session.id}
            title={nameOf(session)}
            mark={session.current ? 'this browser' : undefined}
            facts={[
              <>
                Signed in on <When value={session.created_at} />, last used on{' '}
                <When value={session.last_used_at} withTime />
              </>,
            ]}
            buttons={
              !session.current && (
                <Confirmed
                  text="End"
                  of={`the session of ${nameOf(session)}`}
                  question="End this session?"
                  yes="End it"
                  act={() => end(() => send('DELETE', `${PATHS.sessions}/${session.id}`))}
                >
                  <p>{nameOf(session)} is signed out at once. Whoever uses it can sign in again.</p>
                </Confirmed>
              )
            }
          />
        ))}
      </Entries>
    </Section>
  );
}
