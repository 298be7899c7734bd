import { render } from 'preact';
import { AccountPage } from './account/account-page.js';
import { account, isBack, isKnown } from './state/account.js';

const page = document.getElementById('main')!;
page.replaceChildren(); // Replaces the text for browsers without scripts.
render(<AccountPage openId={page.dataset.openid ?? ''} />, page);
await isKnown;
if (isBack && account.value) history.replaceState(null, '', location.pathname);
