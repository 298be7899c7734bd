/** The account page in the browser. */
import { render } from 'preact';
import { AccountPage } from './account/account-page.js';
import { askWho } from './state/account.js';

render(<AccountPage />, document.getElementById('page')!);
// A link or an OpenID provider leads here with this mark.
if (location.hash === '#signed-in') void askWho();
