/** The account page in the browser. It is drawn once it is known who is signed in, so that nobody sees the other state first. */
import { render } from 'preact';
import { AccountPage } from './account/account-page.js';
import { waiting } from './api/client.js';
import { account, askWho, isKnown } from './state/account.js';

/** Patience with a server that cannot say yet who is signed in. */
const Patience = () =>
  waiting.value === 0 ? null : (
    <p class="notice" role="status">
      The server is busy; asking again in {waiting.value} s…
    </p>
  );

const page = document.getElementById('main')!;
page.replaceChildren(); // the words for browsers without scripts
render(<Patience />, page);
// A link or an OpenID provider leads here with this mark.
const isBack = location.hash === '#signed-in';
await (isBack ? askWho() : isKnown);
if (isBack) history.replaceState(null, '', location.pathname);
const isLost = isBack && account.value === undefined;
render(<AccountPage isLost={isLost} openId={page.dataset.openid ?? ''} />, page);
